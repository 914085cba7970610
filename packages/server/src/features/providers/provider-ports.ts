import type { Actor } from '../../kernel/actor.ts'
import type { Reader } from '../../kernel/database.ts'

/** Which providers an actor administers. */
export interface ProviderAdministration {
  /** Null: nothing. With an `accountSid` it acts within that tenant only. */
  findReach(
    reader: Reader,
    actor: Actor,
  ): Promise<{ readonly providerId: string | null; readonly accountSid: string | null } | null>
  administersProvider(reader: Reader, actor: Actor, providerId: string): Promise<boolean>
}
