import type { Actor } from '../../kernel/access/actor.ts'
import type { Reader } from '../../kernel/storage/database.ts'
import { findPlace, findTenant, findTenants, type Place, type Reach } from './tenant-store.ts'

/**
 * Returns the scope that the actor administers, or null if there is none. The scope is the stored role of its user, limited by
 * the token and by the context headers. Both limits apply, because a header may name a tenant that the actor knows only as a
 * workspace member.
 */
export function reachOf(actor: Pick<Actor, 'role' | 'providerId' | 'accountSid'>, place: Place): Reach | null {
  if (actor.role === 'end_user') return null
  if (actor.role === 'tenant_admin' && actor.accountSid === null) return null
  if (actor.role === 'provider_admin' && actor.providerId === null) return null
  const own = ownReach(place)
  if (own === null) return null
  if (isDifferent(own.providerId, actor.providerId) || isDifferent(own.accountSid, actor.accountSid)) return null
  return { providerId: own.providerId ?? actor.providerId, accountSid: own.accountSid ?? actor.accountSid }
}

function ownReach({ role, providerId, accountSid }: Place): Reach | null {
  if (role === 'platform_admin') return { providerId: null, accountSid: null }
  if (role === 'provider_admin') return providerId === null ? null : { providerId, accountSid: null }
  if (role === 'tenant_admin') return accountSid === null ? null : { providerId: null, accountSid }
  return null
}

function isDifferent(one: string | null, other: string | null): boolean {
  return one !== null && other !== null && one !== other
}

/** Whether the scope includes the tenant. */
export function includesTenant(reach: Reach, tenant: { readonly accountSid: string; readonly providerId: string }) {
  return !isDifferent(reach.accountSid, tenant.accountSid) && !isDifferent(reach.providerId, tenant.providerId)
}

/** Whether the scope includes a whole reseller. Never true for an actor limited to a tenant. */
export function includesReseller(reach: Reach, providerId: string): boolean {
  return reach.accountSid === null && !isDifferent(reach.providerId, providerId)
}

/** Decides who administers what. Accepts a transaction, so that a decision stays valid until its write. */
export interface Administration {
  /** Returns the scope that the actor administers, or null if there is none. */
  findReach(reader: Reader, actor: Actor): Promise<Reach | null>
  administersTenant(reader: Reader, actor: Actor, accountSid: string): Promise<boolean>
  /** Whether the actor administers the reseller. Does not check whether the reseller exists. */
  administersReseller(reader: Reader, actor: Actor, providerId: string): Promise<boolean>
  /** Returns the tenant that the actor administers, or null if there is none or more than one. */
  findOnlyTenant(reader: Reader, actor: Actor): Promise<string | null>
}

export function createAdministration(): Administration {
  async function findReach(reader: Reader, actor: Actor): Promise<Reach | null> {
    const place = await findPlace(reader, actor.userId)
    return place === null ? null : reachOf(actor, place)
  }

  return {
    findReach,

    async administersTenant(reader, actor, accountSid) {
      const reach = await findReach(reader, actor)
      const tenant = reach === null ? null : await findTenant(reader, accountSid)
      return reach !== null && tenant !== null && includesTenant(reach, tenant)
    },

    async administersReseller(reader, actor, providerId) {
      const reach = await findReach(reader, actor)
      return reach !== null && includesReseller(reach, providerId)
    },

    async findOnlyTenant(reader, actor) {
      const reach = await findReach(reader, actor)
      if (reach === null) return null
      const { items, next } = await findTenants(reader, reach, { limit: 1, after: null })
      return next === null ? (items[0]?.accountSid ?? null) : null
    },
  }
}
