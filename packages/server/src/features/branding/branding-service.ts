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
import { editBrand, hostNameOf, mergeBrands } from './brand.ts'
import { type BrandAdministration, type BrandOwner, createOwnerChoice, ownerIdOf } from './brand-owner.ts'
import { deleteBrand, findBrand, findOwnerOfDomain, findResellerOf, saveBrand } from './branding-store.ts'
import type { DomainService } from './domain-service.ts'

interface BrandingServiceDependencies {
  readonly database: Database
  readonly clock: Omit<Clock, 'after'>
  readonly administration: BrandAdministration
  /** Host of the installation, which never shows a customer's brand; null when unknown. */
  readonly publicHost: string | null
}

interface BrandingService {
  /** Returns the brand of an owner, or of a host without one. Unknown owners get the default. */
  get(owner: BrandOwner | null, host: string): Promise<Branding>
  /**
   * Throws `not_found` for an owner that the actor does not administer, `id_taken` for the host of the installation.
   */
  update(actor: Actor, body: UpdateBrandingBody): Promise<Branding>
  /** Drops the brand of a deleted owner. */
  drop(transaction: Transaction, ownerId: string): Promise<void>
}

export function createBrandingService(dependencies: BrandingServiceDependencies): BrandingService {
  const { database, clock } = dependencies
  const ownerOf = createOwnerChoice(dependencies.administration)
  const ownName = dependencies.publicHost === null ? null : hostNameOf(dependencies.publicHost)

  async function show(reader: Reader, owner: BrandOwner | null): Promise<Branding> {
    if (owner === null) return mergeBrands(null, null)
    if (owner.level === 'provider') return mergeBrands(null, await findBrand(reader, owner.providerId))
    const providerId = await findResellerOf(reader, owner.accountSid)
    if (providerId === null) return mergeBrands(null, null)
    return mergeBrands(await findBrand(reader, owner.accountSid), await findBrand(reader, providerId))
  }

  async function findOwnerAt(reader: Reader, host: string): Promise<BrandOwner | null> {
    const holder = await findOwnerOfDomain(reader, hostNameOf(host))
    if (holder === null) return null
    const { ownerId } = holder
    const isTenant = (await findResellerOf(reader, ownerId)) !== null
    return isTenant ? { level: 'tenant', accountSid: ownerId } : { level: 'provider', providerId: ownerId }
  }

  function checkDomain(domain: string, actor: Actor): void {
    if (domain !== ownName || actor.role === 'platform_admin') return
    throw new AppError('id_taken', `The domain "${domain}" is the host of this installation.`)
  }

  return {
    get: async (owner, host) => show(database.read, owner ?? (await findOwnerAt(database.read, host))),

    update: (actor, { tenantId, providerId, ...changes }) =>
      database.transaction(async (transaction) => {
        const owner = await ownerOf(transaction, actor, { tenantId, providerId })
        const ownerId = ownerIdOf(owner)
        const brand = editBrand(await findBrand(transaction, ownerId), changes)
        if (brand === null) {
          await deleteBrand(transaction, ownerId)
        } else {
          if (brand.domain !== null) checkDomain(brand.domain, actor)
          await saveBrand(transaction, ownerId, brand, clock.now())
        }
        return await show(transaction, owner)
      }),

    drop: deleteBrand,
  }
}

/** Registers the operations of branding. */
export function registerBrandingRoutes(api: Api, service: BrandingService, domains: DomainService): void {
  implement(api, getBranding, ({ query }, { client }) =>
    service.get(ownerOf(query.tenantId, query.providerId), client().host),
  )

  implement(api, updateBranding, ({ body }, { actor }) => service.update(actor, body))
  implement(api, getBrandDomain, ({ query }, { actor }) => domains.get(actor, query))
  implement(api, verifyBrandDomain, ({ body }, { actor }) => domains.verify(actor, body))
}

function ownerOf(accountSid: string | undefined, providerId: string | undefined): BrandOwner | null {
  if (accountSid !== undefined) return { level: 'tenant', accountSid }
  return providerId === undefined ? null : { level: 'provider', providerId }
}
