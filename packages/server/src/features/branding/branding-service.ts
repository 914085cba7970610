import type { Branding, UpdateBrandingBody } from '@parley/contract/branding'
import type { Clock } from '@parley/engine/ports'
import type { Actor } from '../../kernel/actor.ts'
import type { Database, Reader, Transaction } from '../../kernel/database.ts'
import { AppError, invalidField } from '../../kernel/errors.ts'
import { editBrand, hostNameOf, mergeBrands } from './brand.ts'
import type { BrandAdministration } from './branding-ports.ts'
import {
  deleteBrand,
  findBrand,
  findOwnerOfDomain,
  findProviderOf,
  providerExists,
  saveBrand,
} from './branding-store.ts'

export interface BrandingServiceDependencies {
  readonly database: Database
  readonly clock: Pick<Clock, 'now'>
  readonly administration: BrandAdministration
  /** Host of the installation itself, which shows no customer's brand; null when it is not known. */
  readonly publicHost: string | null
}

/** Whose brand it is. */
export type BrandOwner =
  | { readonly level: 'tenant'; readonly accountSid: string }
  | { readonly level: 'provider'; readonly providerId: string }

export interface BrandingService {
  /** What is shown for an owner; without one, at a host. An unknown owner is shown the default. */
  get(owner: BrandOwner | null, host: string): Promise<Branding>
  /** Throws `not_found` for an owner that the actor does not administer, `id_taken` for a domain that somebody has. */
  update(actor: Actor, body: UpdateBrandingBody): Promise<Branding>
  /** Drops the brand of what is deleted. */
  drop(transaction: Transaction, ownerId: string): Promise<void>
}

export function createBrandingService(dependencies: BrandingServiceDependencies): BrandingService {
  const { database, clock, administration } = dependencies
  const ownName = dependencies.publicHost === null ? null : hostNameOf(dependencies.publicHost)

  async function show(reader: Reader, owner: BrandOwner | null): Promise<Branding> {
    if (owner === null) return mergeBrands(null, null)
    if (owner.level === 'provider') return mergeBrands(null, await findBrand(reader, owner.providerId))
    const providerId = await findProviderOf(reader, owner.accountSid)
    if (providerId === null) return mergeBrands(null, null)
    return mergeBrands(await findBrand(reader, owner.accountSid), await findBrand(reader, providerId))
  }

  async function findOwnerAt(reader: Reader, host: string): Promise<BrandOwner | null> {
    const ownerId = await findOwnerOfDomain(reader, hostNameOf(host))
    if (ownerId === null) return null
    const isTenant = (await findProviderOf(reader, ownerId)) !== null
    return isTenant ? { level: 'tenant', accountSid: ownerId } : { level: 'provider', providerId: ownerId }
  }

  async function checkOwner(reader: Reader, actor: Actor, owner: BrandOwner): Promise<void> {
    if (owner.level === 'tenant') {
      if (await administration.administersTenant(reader, actor, owner.accountSid)) return
      throw new AppError('not_found', `You administer no tenant "${owner.accountSid}".`)
    }
    const { providerId } = owner
    const isOwn = await administration.administersProvider(reader, actor, providerId)
    if (isOwn && (await providerExists(reader, providerId))) return
    throw new AppError('not_found', `You administer no provider "${providerId}".`)
  }

  async function checkDomain(reader: Reader, domain: string, claim: { actor: Actor; ownerId: string }): Promise<void> {
    const holder = await findOwnerOfDomain(reader, domain)
    const isReserved = domain === ownName && claim.actor.role !== 'platform_admin'
    if (!isReserved && (holder === null || holder === claim.ownerId)) return
    throw new AppError('id_taken', `The domain "${domain}" shows another brand already.`)
  }

  return {
    get: async (owner, host) => show(database.read, owner ?? (await findOwnerAt(database.read, host))),

    update: (actor, { tenantId, providerId, ...changes }) =>
      database.transaction(async (transaction) => {
        const owner = chooseOwner(actor, tenantId ?? null, providerId ?? null)
        await checkOwner(transaction, actor, owner)
        const ownerId = owner.level === 'tenant' ? owner.accountSid : owner.providerId
        const brand = editBrand(await findBrand(transaction, ownerId), changes)
        if (brand === null) {
          await deleteBrand(transaction, ownerId)
        } else {
          if (brand.domain !== null) await checkDomain(transaction, brand.domain, { actor, ownerId })
          await saveBrand(transaction, ownerId, brand, clock.now())
        }
        return await show(transaction, owner)
      }),

    drop: deleteBrand,
  }
}

/** The one that is named, else what the actor acts in. */
function chooseOwner(actor: Actor, tenantId: string | null, providerId: string | null): BrandOwner {
  if (tenantId !== null) return { level: 'tenant', accountSid: tenantId }
  if (providerId !== null) return { level: 'provider', providerId }
  if (actor.accountSid !== null) return { level: 'tenant', accountSid: actor.accountSid }
  if (actor.providerId !== null) return { level: 'provider', providerId: actor.providerId }
  throw invalidField('tenantId', 'is required, or providerId: whose brand is to be changed')
}
