import {
  type Branding,
  getBrandDomain,
  getBranding,
  type UpdateBrandingBody,
  updateBranding,
  verifyBrandDomain,
} from '@parley/contract/branding'
import type { Clock } from '@parley/engine/ports'
import type { Actor } from '../../kernel/access/actor.ts'
import { type Api, implement } from '../../kernel/api/implement.ts'
import { AppError } from '../../kernel/errors.ts'
import type { Database, Reader, Transaction } from '../../kernel/storage/database.ts'
import { editBrand, mergeBrands, normalizeHostName } from './brand.ts'
import { type BrandAdministration, type BrandOwner, createOwnerFinder, getOwnerId } from './brand-owner.ts'
import { deleteBrand, findBrand, findOwnerByDomain, findResellerId, saveBrand } from './branding-store.ts'
import type { DomainService } from './domain-service.ts'

interface BrandingServiceDependencies {
  readonly database: Database
  readonly clock: Omit<Clock, 'after'>
  readonly administration: BrandAdministration
  /** The installation's host, which never displays a customer's brand; null if unknown. */
  readonly publicHost: string | null
}

interface BrandingService {
  /** Returns the owner's brand, or the host's brand if `owner` is null. Returns the default brand for unknown owners. */
  get(owner: BrandOwner | null, host: string): Promise<Branding>
  /**
   * Updates a brand. Throws `not_found` if the actor does not administer the owner, and `id_taken` if the domain is the
   * installation's host.
   */
  update(actor: Actor, body: UpdateBrandingBody): Promise<Branding>
  /** Deletes the brand of an owner that is being deleted. */
  delete(transaction: Transaction, ownerId: string): Promise<void>
}

export function createBrandingService(dependencies: BrandingServiceDependencies): BrandingService {
  const { database, clock } = dependencies
  const requireBrandOwner = createOwnerFinder(dependencies.administration)
  const installationHost = dependencies.publicHost === null ? null : normalizeHostName(dependencies.publicHost)

  async function readBranding(reader: Reader, owner: BrandOwner | null): Promise<Branding> {
    if (owner === null) return mergeBrands(null, null)
    if (owner.level === 'provider') return mergeBrands(null, await findBrand(reader, owner.providerId))
    const providerId = await findResellerId(reader, owner.accountSid)
    if (providerId === null) return mergeBrands(null, null)
    return mergeBrands(await findBrand(reader, owner.accountSid), await findBrand(reader, providerId))
  }

  async function findOwnerByHost(reader: Reader, host: string): Promise<BrandOwner | null> {
    const domainOwner = await findOwnerByDomain(reader, normalizeHostName(host))
    if (domainOwner === null) return null
    const { ownerId } = domainOwner
    const isTenant = (await findResellerId(reader, ownerId)) !== null
    return isTenant ? { level: 'tenant', accountSid: ownerId } : { level: 'provider', providerId: ownerId }
  }

  function checkDomain(domain: string, actor: Actor): void {
    if (domain !== installationHost || actor.role === 'platform_admin') return
    throw new AppError('id_taken', `The domain "${domain}" is the host of this installation.`)
  }

  return {
    get: async (owner, host) => readBranding(database.read, owner ?? (await findOwnerByHost(database.read, host))),

    update: (actor, { tenantId, providerId, ...changes }) =>
      database.transaction(async (transaction) => {
        const owner = await requireBrandOwner(transaction, actor, { tenantId, providerId })
        const ownerId = getOwnerId(owner)
        const brand = editBrand(await findBrand(transaction, ownerId), changes)
        if (brand === null) {
          await deleteBrand(transaction, ownerId)
        } else {
          if (brand.domain !== null) checkDomain(brand.domain, actor)
          await saveBrand(transaction, ownerId, brand, clock.now())
        }
        return await readBranding(transaction, owner)
      }),

    delete: deleteBrand,
  }
}

/** Registers the branding operations. */
export function registerBrandingRoutes(api: Api, service: BrandingService, domains: DomainService): void {
  implement(api, getBranding, ({ query }, { getClient }) =>
    service.get(toBrandOwner(query.tenantId, query.providerId), getClient().host),
  )

  implement(api, updateBranding, ({ body }, { actor }) => service.update(actor, body))
  implement(api, getBrandDomain, ({ query }, { actor }) => domains.get(actor, query))
  implement(api, verifyBrandDomain, ({ body }, { actor }) => domains.verify(actor, body))
}

function toBrandOwner(accountSid: string | undefined, providerId: string | undefined): BrandOwner | null {
  if (accountSid !== undefined) return { level: 'tenant', accountSid }
  return providerId === undefined ? null : { level: 'provider', providerId }
}
