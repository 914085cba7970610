import type { ActorRole } from '@parley/contract/access'
import type { Actor } from '../../kernel/actor.ts'

/** Somebody with an account, as decisions about people need it. */
export interface Person {
  readonly userId: string
  readonly email: string
  readonly name: string
  /** Not before a password was chosen does anybody log in. */
  readonly hasPassword: boolean
  readonly role: ActorRole
  /** Of a provider_admin. */
  readonly providerId: string | null
  /** Of a tenant_admin. */
  readonly accountSid: string | null
  /** The tenant that first asked it in; null of the platform's and the providers' own people. */
  readonly homeAccountSid: string | null
  readonly createdAt: number
}

/** What every answer tells of a person. */
export function describePerson(person: Person, name: string) {
  const status = person.hasPassword ? ('active' as const) : ('invited' as const)
  return { userId: person.userId, email: person.email, name, status }
}

/**
 * Whether the actor may learn the name of a person whose e-mail address it knows: of those it shares another workspace with,
 * and of those who belong nowhere else. Otherwise adding an address would tell whose it is.
 */
export function mayLearnName(actor: Actor, person: Person, otherWorkspaces: readonly number[]): boolean {
  if (actor.role === 'platform_admin' || person.userId === actor.userId) return true
  if (otherWorkspaces.length > 0) return otherWorkspaces.some((id) => actor.workspaces.has(id))
  return isNearby(actor, person)
}

/** Whether what the person administers is something that the actor has to do with. */
function isNearby(actor: Actor, { role, providerId, accountSid }: Person): boolean {
  if (role === 'end_user') return true
  if (role === 'platform_admin') return false
  if (role === 'provider_admin') return providerId === actor.providerId
  return accountSid === actor.accountSid || actor.workspaces.values().some((one) => one.accountSid === accountSid)
}
