import { type ActorRole, isLevelAtLeast, isRoleAtLeast } from '@parley/contract/access'
import type { Actor } from '../../kernel/access/actor.ts'

/** Somebody as far as it matters for who administers them. */
export interface Person {
  readonly userId: string
  readonly role: ActorRole
  /** Of a provider_admin, and of a tenant_admin the provider of its tenant. */
  readonly providerId: string | null
  /** Of a tenant_admin. */
  readonly accountSid: string | null
  /** The tenant that first invited it, with its provider; null of the platform's and the providers' own people. */
  readonly home: { readonly accountSid: string; readonly providerId: string | null } | null
  /** Where it is a member. */
  readonly memberships: readonly { readonly workspaceId: number; readonly accountSid: string }[]
}

type Manager = Pick<Actor, 'role' | 'providerId' | 'accountSid' | 'workspaces'>

/**
 * Whether the actor administers a person: everybody as platform_admin who named neither provider nor tenant; else end users, and
 * administrators of the own tenant or provider up to the own role, as long as the actor has the level admin in all workspaces of
 * their home account. Memberships in other accounts neither give nor take power over a person; without a home account all count.
 */
export function canManage(actor: Manager, person: Person): boolean {
  const { role, providerId, accountSid } = actor
  if (role === 'platform_admin' && providerId === null && accountSid === null) return true
  const { home, memberships } = person
  const atHome = home === null ? memberships : memberships.filter((one) => one.accountSid === home.accountSid)
  if (!atHome.every(({ workspaceId }) => administersWorkspace(actor, workspaceId))) return false
  switch (person.role) {
    case 'platform_admin':
      return false
    case 'provider_admin':
      if (!isAtHome(actor, person)) return false
      return isRoleAtLeast(role, 'provider_admin') && accountSid === null && isSame(providerId, person.providerId)
    case 'tenant_admin':
      if (!isRoleAtLeast(role, 'tenant_admin') || !isAtHome(actor, person)) return false
      if (accountSid !== null) return accountSid === person.accountSid
      return isRoleAtLeast(role, 'provider_admin') && isSame(providerId, person.providerId)
    case 'end_user':
      return atHome.length > 0
  }
}

/** Whether no account that the actor does not administer is the home of the person. */
function isAtHome({ accountSid, providerId }: Manager, { home }: Person): boolean {
  if (home === null) return true
  return accountSid === null ? isSame(providerId, home.providerId) : accountSid === home.accountSid
}

function isSame(own: string | null, theirs: string | null): boolean {
  return own !== null && own === theirs
}

function administersWorkspace({ workspaces }: Manager, workspaceId: number): boolean {
  const reached = workspaces.get(workspaceId)
  return reached !== undefined && isLevelAtLeast(reached.level, 'admin')
}
