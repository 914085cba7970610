import type { Actor } from '../../kernel/actor.ts'
import type { Reader } from '../../kernel/database.ts'

/** Which tenants and providers an actor administers. */
export interface BrandAdministration {
  administersTenant(reader: Reader, actor: Actor, accountSid: string): Promise<boolean>
  administersProvider(reader: Reader, actor: Actor, providerId: string): Promise<boolean>
}
