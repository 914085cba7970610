import type { Actor } from '../../kernel/access/actor.ts'
import type { Reader } from '../../kernel/storage/database.ts'

/** Which tenants and providers an actor administers. */
export interface BrandAdministration {
  administersTenant(reader: Reader, actor: Actor, accountSid: string): Promise<boolean>
  administersReseller(reader: Reader, actor: Actor, providerId: string): Promise<boolean>
}

/** The TXT records at a name; `null` when no name server answers in time. Never rejects. */
export type ReadTxtRecords = (name: string) => Promise<readonly string[] | null>
