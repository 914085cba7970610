import type { Actor } from '../../kernel/access/actor.ts'
import { AppError, invalidField } from '../../kernel/errors.ts'
import type { Reader } from '../../kernel/storage/database.ts'
import { resellerExists } from './branding-store.ts'

export type BrandOwner =
  | { readonly level: 'tenant'; readonly accountSid: string }
  | { readonly level: 'provider'; readonly providerId: string }

/** The brand owner in a request. Without an id, the owner is the actor's tenant or reseller. */
export interface RequestedOwner {
  readonly tenantId?: string | null | undefined
  readonly providerId?: string | null | undefined
}

export const getOwnerId = (owner: BrandOwner): string =>
  owner.level === 'tenant' ? owner.accountSid : owner.providerId

/**
 * Creates a function that returns the requested brand owner. The function throws `not_found` if the actor does not administer
 * the owner.
 */
export function createOwnerFinder(administration: BrandAdministration) {
  return async (reader: Reader, actor: Actor, requested: RequestedOwner): Promise<BrandOwner> => {
    const owner = resolveOwner(actor, requested.tenantId ?? null, requested.providerId ?? null)
    if (owner.level === 'tenant') {
      if (await administration.administersTenant(reader, actor, owner.accountSid)) return owner
      throw new AppError('not_found', `You do not administer a tenant "${owner.accountSid}".`)
    }
    const { providerId } = owner
    const isAdministrator = await administration.administersReseller(reader, actor, providerId)
    if (isAdministrator && (await resellerExists(reader, providerId))) return owner
    throw new AppError('not_found', `You do not administer a provider "${providerId}".`)
  }
}

/** Returns the requested owner. Defaults to the tenant or reseller in which the actor acts. */
function resolveOwner(actor: Actor, tenantId: string | null, providerId: string | null): BrandOwner {
  if (tenantId !== null) return { level: 'tenant', accountSid: tenantId }
  if (providerId !== null) return { level: 'provider', providerId }
  if (actor.accountSid !== null) return { level: 'tenant', accountSid: actor.accountSid }
  if (actor.providerId !== null) return { level: 'provider', providerId: actor.providerId }
  throw invalidField('tenantId', 'is required unless providerId is set')
}

/** Checks which tenants and resellers an actor administers. */
export interface BrandAdministration {
  administersTenant(reader: Reader, actor: Actor, accountSid: string): Promise<boolean>
  administersReseller(reader: Reader, actor: Actor, providerId: string): Promise<boolean>
}

/** Looks up the TXT records of a host name. Returns `null` if no name server responds in time. Never rejects. */
export type ReadTxtRecords = (name: string) => Promise<readonly string[] | null>
