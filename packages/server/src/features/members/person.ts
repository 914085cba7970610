import type { ActorRole } from '@parley/contract/access'
import type { Actor } from '../../kernel/access/actor.ts'
import type { InvitationRow } from '../../tables/tenancy-tables.ts'

/** Somebody with an account, as decisions about people need it. */
export interface Person {
  readonly userId: string
  readonly email: string
  readonly name: string
  readonly role: ActorRole
  /** Of a provider_admin. */
  readonly providerId: string | null
  /** Of a tenant_admin. */
  readonly accountSid: string | null
  readonly createdAt: number
}

/** What every answer tells of a person. */
export function describePerson({ userId, email }: Person, name: string) {
  return { userId, email, name, status: 'active' as const }
}

/** The same of somebody who has not accepted: nothing but what the invitation says. */
export function describeInvited({ user_id, email, name, created_at }: InvitationRow) {
  return { userId: user_id, email, name, status: 'invited' as const, createdAt: new Date(created_at).toISOString() }
}

/**
 * Whether the actor may learn the name of a person whose e-mail address it knows: of those it shares another workspace with,
 * and of those who belong nowhere else. Otherwise adding an address would tell whose it is.
 */
export function canSeeName(actor: Actor, person: Person, otherWorkspaces: readonly number[]): boolean {
  if (actor.role === 'platform_admin' || person.userId === actor.userId) return true
  if (otherWorkspaces.length > 0) return otherWorkspaces.some((id) => actor.workspaces.has(id))
  return sharesScope(actor, person)
}

/** Whether what the person administers is something that the actor has to do with. */
function sharesScope(actor: Actor, { role, providerId, accountSid }: Person): boolean {
  if (role === 'end_user') return true
  if (role === 'platform_admin') return false
  if (role === 'provider_admin') return providerId === actor.providerId
  return accountSid === actor.accountSid || actor.workspaces.values().some((one) => one.accountSid === accountSid)
}
