import type { ActorRole } from '@parley/contract/access'
import type { Actor } from '../../kernel/access/actor.ts'
import type { Page, PagePosition } from '../../kernel/api/paging.ts'
import type { InvitationRow } from '../../tables/tenancy-tables.ts'

/** A person with an account. */
export interface Person {
  readonly userId: string
  readonly email: string
  readonly name: string
  readonly role: ActorRole
  /** Reseller of a provider_admin. */
  readonly providerId: string | null
  /** Tenant of a tenant_admin. */
  readonly accountSid: string | null
  readonly createdAt: number
}

/** Builds the fields that all responses with a person have. */
export function buildPersonFields({ userId, email }: Person, name: string) {
  return { userId, email, name, status: 'active' as const }
}

/** Builds the fields that all responses with an invited person have. */
export function buildInvitedFields({ user_id, email, name, created_at }: InvitationRow) {
  return { userId: user_id, email, name, status: 'invited' as const, createdAt: new Date(created_at).toISOString() }
}

/**
 * Whether the actor may see a person's name. The name is visible if both share another workspace, or if the person has no other
 * workspace. Otherwise, adding an email address would reveal the name of its owner.
 */
export function canSeeName(actor: Actor, person: Person, otherWorkspaces: readonly number[]): boolean {
  if (actor.role === 'platform_admin' || person.userId === actor.userId) return true
  if (otherWorkspaces.length > 0) return otherWorkspaces.some((id) => actor.workspaces.has(id))
  return isInAdministeredScope(actor, person)
}

/** Whether the actor is part of the scope that the person administers. */
function isInAdministeredScope(actor: Actor, { role, providerId, accountSid }: Person): boolean {
  if (role === 'end_user') return true
  if (role === 'platform_admin') return false
  if (role === 'provider_admin') return providerId === actor.providerId
  return (
    accountSid === actor.accountSid ||
    actor.workspaces.values().some((workspace) => workspace.accountSid === accountSid)
  )
}

/** Merges the pages of several lists for one page request, newest first. */
export function mergeNewest<Item>(
  pages: readonly Page<Item>[],
  limit: number,
  getPosition: (item: Item) => PagePosition,
): Page<Item> {
  const sortedItems = pages
    .flatMap(({ items }) => items.map((item) => ({ item, position: getPosition(item) })))
    .toSorted((a, b) => b.position.sortValue - a.position.sortValue || (a.position.id < b.position.id ? 1 : -1))
  const pageItems = sortedItems.slice(0, limit)
  const hasMore = sortedItems.length > limit || pages.some(({ next }) => next !== null)
  return { items: pageItems.map(({ item }) => item), next: hasMore ? (pageItems.at(-1)?.position ?? null) : null }
}
