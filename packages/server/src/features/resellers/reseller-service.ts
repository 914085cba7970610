import type { AddAdministratorBody, Administrator, AdministratorAdded } from '@parley/contract/member'
import type { CreateProviderBody, Provider, UpdateProviderBody } from '@parley/contract/provider'
import { toSlug } from '@parley/contract/tenant'
import type { Clock, MakeId } from '@parley/engine/ports'
import type { Actor } from '../../kernel/access/actor.ts'
import { checkEditCount, type WithEditCount } from '../../kernel/api/edits.ts'
import type { Page, PageRequest } from '../../kernel/api/paging.ts'
import { AppError } from '../../kernel/errors.ts'
import type { Database, Reader } from '../../kernel/storage/database.ts'
import type { AccessCache, AdministratorScope, Administrators, Brands } from '../members/public.ts'
import { findFirstReseller } from '../workspaces/public.ts'
import {
  deleteResellerRow,
  findReseller,
  findResellers,
  hasTenants,
  insertReseller,
  type ResellerChanges,
  updateResellerRow,
} from './reseller-store.ts'

/** Finds the resellers that an actor administers. */
interface ResellerAdministration {
  /**
   * Returns the scope that the actor administers, or null if there is none. A scope with an `accountSid` is limited to that
   * tenant.
   */
  findAdminScope(
    reader: Reader,
    actor: Actor,
  ): Promise<{ readonly providerId: string | null; readonly accountSid: string | null } | null>
  administersReseller(reader: Reader, actor: Actor, providerId: string): Promise<boolean>
}

interface ResellerServiceDependencies {
  readonly database: Database
  readonly clock: Omit<Clock, 'after'>
  readonly makeId: MakeId
  readonly administration: ResellerAdministration
  readonly administrators: Administrators
  readonly brands: Brands
  readonly access: AccessCache
}

/** The reseller to change. `ifMatch` is the edit count that the caller expects, or null to accept any. */
interface ResellerTarget {
  readonly providerId: string
  readonly ifMatch: number | null
}

/** Manages resellers. Throws `not_found` for resellers that the actor does not administer. */
export interface ResellerService {
  list(actor: Actor, page: PageRequest): Promise<Page<Provider>>
  /** Creates a reseller. Throws `forbidden` if the actor's context is limited to one reseller or tenant. */
  create(actor: Actor, body: CreateProviderBody): Promise<WithEditCount<Provider>>
  get(actor: Actor, providerId: string): Promise<WithEditCount<Provider>>
  update(actor: Actor, target: ResellerTarget, body: UpdateProviderBody): Promise<WithEditCount<Provider>>
  /** Deletes a reseller. Throws `in_use` if it has tenants or is the default reseller. */
  remove(actor: Actor, target: ResellerTarget): Promise<void>
  listAdmins(actor: Actor, providerId: string, page: PageRequest): Promise<Page<Administrator>>
  addAdmin(actor: Actor, providerId: string, body: AddAdministratorBody): Promise<AdministratorAdded>
  removeAdmin(actor: Actor, providerId: string, userId: string): Promise<void>
}

export function createResellerService(dependencies: ResellerServiceDependencies): ResellerService {
  const { database, clock, administration, administrators, brands, access } = dependencies

  return {
    async list(actor, page) {
      const scope = await administration.findAdminScope(database.read, actor)
      if (scope === null || scope.accountSid !== null) return { items: [], next: null }
      return await findResellers(database.read, scope.providerId, page)
    },

    create: (actor, body) => createProvider(dependencies, actor, body),

    get: (actor, providerId) => findAdministeredReseller(database.read, { administration, actor, providerId }),

    update: (actor, target, body) =>
      database.transaction(async (transaction) => {
        const reseller = await findResellerForEdit(transaction, { administration, actor, ...target })
        const changes = computeResellerChanges(reseller.response, body)
        if (changes === null) return reseller
        return await updateResellerRow(transaction, target.providerId, { ...changes, updated_at: clock.now() })
      }),

    async remove(actor, target) {
      const { providerId } = target
      await database.transaction(async (transaction) => {
        await findResellerForEdit(transaction, { administration, actor, ...target })
        if ((await findFirstReseller(transaction)) === providerId) {
          throw new AppError('in_use', 'The default provider of the installation cannot be deleted.')
        }
        if (await hasTenants(transaction, providerId)) {
          throw new AppError('in_use', 'This provider has tenants. Delete them first.')
        }
        await administrators.removeAll(transaction, toAdministratorScope(providerId))
        await brands.delete(transaction, providerId)
        await deleteResellerRow(transaction, providerId)
      })
      access.invalidate()
    },

    async listAdmins(actor, providerId, page) {
      await findAdministeredReseller(database.read, { administration, actor, providerId })
      return await administrators.list(actor, toAdministratorScope(providerId), page)
    },

    addAdmin: (actor, providerId, body) =>
      database.transaction(async (transaction) => {
        await findAdministeredReseller(transaction, { administration, actor, providerId })
        return await administrators.invite(transaction, toAdministratorScope(providerId), body)
      }),

    async removeAdmin(actor, providerId, userId) {
      await database.transaction(async (transaction) => {
        await findAdministeredReseller(transaction, { administration, actor, providerId })
        if (await administrators.remove(transaction, toAdministratorScope(providerId), userId)) return
        throw new AppError('not_found', `No administrator "${userId}" exists in this provider.`)
      })
      access.invalidate()
    },
  }
}

async function findResellerForEdit(
  reader: Reader,
  { ifMatch, ...lookup }: ResellerLookup & Pick<ResellerTarget, 'ifMatch'>,
): Promise<WithEditCount<Provider>> {
  const reseller = await findAdministeredReseller(reader, lookup)
  checkEditCount({ kind: 'provider', id: lookup.providerId }, ifMatch, reseller.editCount)
  return reseller
}

async function createProvider(
  { database, administration, makeId, clock, access }: ResellerServiceDependencies,
  actor: Actor,
  { name, slug, markupPercent }: CreateProviderBody,
): Promise<WithEditCount<Provider>> {
  const reseller = await database.transaction(async (transaction) => {
    const scope = await administration.findAdminScope(transaction, actor)
    if (scope === null || scope.providerId !== null || scope.accountSid !== null) {
      throw new AppError('forbidden', 'Providers cannot be created in the context of a provider or tenant.')
    }
    const providerId = makeId('provider')
    const now = clock.now()
    const selectedSlug = slug ?? toSlug(name) ?? `provider-${providerId.slice(-8)}`
    const fields = { provider_id: providerId, slug: selectedSlug, name, markup_percent: markupPercent }
    const row = { ...fields, edit_count: 1, created_at: now, updated_at: now }
    const insertedReseller = await insertReseller(transaction, row)
    if (insertedReseller !== null) return insertedReseller
    throw new AppError('id_taken', `The slug "${selectedSlug}" is taken. Choose another.`)
  })
  access.invalidate()
  return reseller
}

interface ResellerLookup {
  readonly administration: ResellerAdministration
  readonly actor: Actor
  readonly providerId: string
}

async function findAdministeredReseller(
  reader: Reader,
  { administration, actor, providerId }: ResellerLookup,
): Promise<WithEditCount<Provider>> {
  const reseller = await findReseller(reader, providerId)
  if (reseller !== null && (await administration.administersReseller(reader, actor, providerId))) return reseller
  throw new AppError('not_found', `You do not administer a provider "${providerId}".`)
}

/** Returns the columns that an update changes, or null if nothing changes. */
function computeResellerChanges(
  reseller: Provider,
  { name, markupPercent }: UpdateProviderBody,
): ResellerChanges | null {
  const changes = {
    ...(name !== undefined && name !== reseller.name && { name }),
    ...(markupPercent !== undefined && markupPercent !== reseller.markupPercent && { markup_percent: markupPercent }),
  }
  return Object.keys(changes).length === 0 ? null : changes
}

function toAdministratorScope(providerId: string): AdministratorScope {
  return { role: 'provider_admin', providerId }
}
