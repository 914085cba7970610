import type { Actor } from '../../kernel/access/actor.ts'
import { AppError, invalidField } from '../../kernel/errors.ts'
import type { Reader } from '../../kernel/storage/database.ts'
import type { BrandAdministration } from './branding-ports.ts'
import { resellerExists } from './branding-store.ts'

/** Whose brand it is. */
export type BrandOwner =
  | { readonly level: 'tenant'; readonly accountSid: string }
  | { readonly level: 'provider'; readonly providerId: string }

/** How a request names an owner. */
export interface NamedOwner {
  readonly tenantId?: string | null | undefined
  readonly providerId?: string | null | undefined
}

export const ownerIdOf = (owner: BrandOwner): string => (owner.level === 'tenant' ? owner.accountSid : owner.providerId)

/** Finds the owner that a request is about: the named one, else that of the actor. Throws `not_found` unless it administers it. */
export function createOwnerChoice(administration: BrandAdministration) {
  return async (reader: Reader, actor: Actor, named: NamedOwner): Promise<BrandOwner> => {
    const owner = chooseOwner(actor, named.tenantId ?? null, named.providerId ?? null)
    if (owner.level === 'tenant') {
      if (await administration.administersTenant(reader, actor, owner.accountSid)) return owner
      throw new AppError('not_found', `You administer no tenant "${owner.accountSid}".`)
    }
    const { providerId } = owner
    const isOwn = await administration.administersReseller(reader, actor, providerId)
    if (isOwn && (await resellerExists(reader, providerId))) return owner
    throw new AppError('not_found', `You administer no provider "${providerId}".`)
  }
}

/** The one that is named, else what the actor acts in. */
function chooseOwner(actor: Actor, tenantId: string | null, providerId: string | null): BrandOwner {
  if (tenantId !== null) return { level: 'tenant', accountSid: tenantId }
  if (providerId !== null) return { level: 'provider', providerId }
  if (actor.accountSid !== null) return { level: 'tenant', accountSid: actor.accountSid }
  if (actor.providerId !== null) return { level: 'provider', providerId: actor.providerId }
  throw invalidField('tenantId', 'is required, or providerId: name the tenant or provider of the brand')
}
