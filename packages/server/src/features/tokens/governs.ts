import { type ActorRole, isLevelAtLeast, isRoleAtLeast } from '@parley/contract/access'
import type { Actor } from '../../kernel/actor.ts'

/** Somebody as far as it matters for who administers them. */
export interface Person {
  readonly userId: string
  readonly role: ActorRole
  /** Of a provider_admin, and of a tenant_admin the provider of its tenant. */
  readonly providerId: string | null
  /** Of a tenant_admin. */
  readonly accountSid: string | null
  /** Where it is a member. */
  readonly workspaceIds: readonly number[]
}

type Governor = Pick<Actor, 'role' | 'providerId' | 'accountSid' | 'workspaces'>

/**
 * Whether the actor administers a person: everybody as platform_admin who named neither provider nor tenant; else end users,
 * and administrators of the own tenant or provider up to the own role, as long as all their memberships are where the actor has
 * the level admin. Anybody can be made an administrator or member by whoever knows the address: that alone gives no power over
 * what a person has elsewhere.
 */
export function governs(actor: Governor, person: Person): boolean {
  const { role, providerId, accountSid } = actor
  if (role === 'platform_admin' && providerId === null && accountSid === null) return true
  if (!person.workspaceIds.every((id) => administersWorkspace(actor, id))) return false
  switch (person.role) {
    case 'platform_admin':
      return false
    case 'provider_admin':
      return isRoleAtLeast(role, 'provider_admin') && accountSid === null && isSame(providerId, person.providerId)
    case 'tenant_admin':
      if (!isRoleAtLeast(role, 'tenant_admin')) return false
      if (accountSid !== null) return accountSid === person.accountSid
      return isRoleAtLeast(role, 'provider_admin') && isSame(providerId, person.providerId)
    case 'end_user':
      return person.workspaceIds.length > 0
  }
}

function isSame(own: string | null, theirs: string | null): boolean {
  return own !== null && own === theirs
}

function administersWorkspace({ workspaces }: Governor, workspaceId: number): boolean {
  const reached = workspaces.get(workspaceId)
  return reached !== undefined && isLevelAtLeast(reached.level, 'admin')
}
