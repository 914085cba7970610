import type { Actor } from '../../kernel/access/actor.ts'
import type { Reader } from '../../kernel/storage/database.ts'
import { type AdminScope, findStoredRole, findTenant, findTenants, type StoredRole } from './tenant-store.ts'

/**
 * Returns the scope that the actor administers, or null if there is none. The scope follows from the user's stored role and is
 * limited by the token and the context headers. The stored role is required, because the headers may name a tenant in which the
 * user is only a workspace member.
 */
export function computeAdminScope(
  actor: Pick<Actor, 'role' | 'providerId' | 'accountSid'>,
  storedRole: StoredRole,
): AdminScope | null {
  if (actor.role === 'end_user') return null
  if (actor.role === 'tenant_admin' && actor.accountSid === null) return null
  if (actor.role === 'provider_admin' && actor.providerId === null) return null
  const storedScope = getStoredAdminScope(storedRole)
  if (storedScope === null) return null
  if (
    areBothSetAndDifferent(storedScope.providerId, actor.providerId) ||
    areBothSetAndDifferent(storedScope.accountSid, actor.accountSid)
  )
    return null
  return {
    providerId: storedScope.providerId ?? actor.providerId,
    accountSid: storedScope.accountSid ?? actor.accountSid,
  }
}

function getStoredAdminScope({ role, providerId, accountSid }: StoredRole): AdminScope | null {
  if (role === 'platform_admin') return { providerId: null, accountSid: null }
  if (role === 'provider_admin') return providerId === null ? null : { providerId, accountSid: null }
  if (role === 'tenant_admin') return accountSid === null ? null : { providerId: null, accountSid }
  return null
}

function areBothSetAndDifferent(first: string | null, second: string | null): boolean {
  return first !== null && second !== null && first !== second
}

/** Whether the scope includes the tenant. */
export function includesTenant(
  scope: AdminScope,
  tenant: { readonly accountSid: string; readonly providerId: string },
) {
  return (
    !areBothSetAndDifferent(scope.accountSid, tenant.accountSid) &&
    !areBothSetAndDifferent(scope.providerId, tenant.providerId)
  )
}

/** Whether the scope includes the whole reseller. Always false for a scope that is limited to a tenant. */
export function includesReseller(scope: AdminScope, providerId: string): boolean {
  return scope.accountSid === null && !areBothSetAndDifferent(scope.providerId, providerId)
}

/** Decides which tenants and resellers an actor administers. Reads from a transaction stay valid until its commit. */
export interface Administration {
  /** Returns the scope that the actor administers, or null if there is none. */
  findAdminScope(reader: Reader, actor: Actor): Promise<AdminScope | null>
  administersTenant(reader: Reader, actor: Actor, accountSid: string): Promise<boolean>
  /** Whether the actor administers the reseller. Does not check whether the reseller exists. */
  administersReseller(reader: Reader, actor: Actor, providerId: string): Promise<boolean>
  /** Returns the tenant that the actor administers, or null if there is none or more than one. */
  findOnlyTenant(reader: Reader, actor: Actor): Promise<string | null>
}

export function createAdministration(): Administration {
  async function findAdminScope(reader: Reader, actor: Actor): Promise<AdminScope | null> {
    const storedRole = await findStoredRole(reader, actor.userId)
    return storedRole === null ? null : computeAdminScope(actor, storedRole)
  }

  return {
    findAdminScope,

    async administersTenant(reader, actor, accountSid) {
      const scope = await findAdminScope(reader, actor)
      const tenant = scope === null ? null : await findTenant(reader, accountSid)
      return scope !== null && tenant !== null && includesTenant(scope, tenant)
    },

    async administersReseller(reader, actor, providerId) {
      const scope = await findAdminScope(reader, actor)
      return scope !== null && includesReseller(scope, providerId)
    },

    async findOnlyTenant(reader, actor) {
      const scope = await findAdminScope(reader, actor)
      if (scope === null) return null
      const { items, next } = await findTenants(reader, scope, { limit: 1, after: null })
      return next === null ? (items[0]?.accountSid ?? null) : null
    },
  }
}
