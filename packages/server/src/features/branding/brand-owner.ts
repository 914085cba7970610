import type { Actor } from '../../kernel/access/actor.ts'
import { AppError, invalidField } from '../../kernel/errors.ts'
import type { Reader } from '../../kernel/storage/database.ts'
import { resellerExists } from './branding-store.ts'

export type BrandOwner =
  | { readonly level: 'tenant'; readonly accountSid: string }
  | { readonly level: 'provider'; readonly providerId: string }

/** The brand owner named in a request; both ids are absent for the actor's own brand. */
export interface NamedOwner {
  readonly tenantId?: string | null | undefined
  readonly providerId?: string | null | undefined
}

export const getOwnerId = (owner: BrandOwner): string =>
  owner.level === 'tenant' ? owner.accountSid : owner.providerId

/**
 * Creates a function that returns the named owner, or the actor's own tenant or reseller. The function throws `not_found`
 * unless the actor administers the owner.
 */
export function createOwnerFinder(administration: BrandAdministration) {
  return async (reader: Reader, actor: Actor, requested: NamedOwner): Promise<BrandOwner> => {
    const owner = resolveOwner(actor, requested.tenantId ?? null, requested.providerId ?? null)
    if (owner.level === 'tenant') {
      if (await administration.administersTenant(reader, actor, owner.accountSid)) return owner
      throw new AppError('not_found', `You do not administer a tenant "${owner.accountSid}".`)
    }
    const { providerId } = owner
    const isOwn = await administration.administersReseller(reader, actor, providerId)
    if (isOwn && (await resellerExists(reader, providerId))) return owner
    throw new AppError('not_found', `You do not administer a provider "${providerId}".`)
  }
}

/** Returns the named owner, or the tenant or reseller in which the actor acts. */
function resolveOwner(actor: Actor, tenantId: string | null, providerId: string | null): BrandOwner {
  if (tenantId !== null) return { level: 'tenant', accountSid: tenantId }
  if (providerId !== null) return { level: 'provider', providerId }
  if (actor.accountSid !== null) return { level: 'tenant', accountSid: actor.accountSid }
  if (actor.providerId !== null) return { level: 'provider', providerId: actor.providerId }
  throw invalidField('tenantId', 'is required, or providerId: name the tenant or provider of the brand')
}

/** Checks which tenants and resellers an actor administers. */
export interface BrandAdministration {
  administersTenant(reader: Reader, actor: Actor, accountSid: string): Promise<boolean>
  administersReseller(reader: Reader, actor: Actor, providerId: string): Promise<boolean>
}

/** Returns a name's TXT records, or `null` if no name server responds in time. Never rejects. */
export type ReadTxtRecords = (name: string) => Promise<readonly string[] | null>
