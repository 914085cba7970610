import { type Actor, hasScopeAndRole, mayInWorkspace, workspacesFor } from '../../kernel/access/actor.ts'
import type { AccountDirectory } from '../../kernel/access/actor-context.ts'
import { AppError } from '../../kernel/errors.ts'

/** Who owns a key: its workspaces may use it, its administrators may manage it. */
export type KeyOwner =
  | { readonly kind: 'workspace'; readonly id: number }
  | { readonly kind: 'tenant'; readonly id: string }
  | { readonly kind: 'provider'; readonly id: string }

/** The three fields of the wire; at most one is given. */
export interface OwnerFields {
  readonly workspaceId: number | null
  readonly tenantId: string | null
  readonly providerId: string | null
}

/** The owners that the fields name, in the order of the hierarchy from below. */
export function namedOwners({ workspaceId, tenantId, providerId }: OwnerFields): KeyOwner[] {
  return [
    ...(workspaceId === null ? [] : [{ kind: 'workspace' as const, id: workspaceId }]),
    ...(tenantId === null ? [] : [{ kind: 'tenant' as const, id: tenantId }]),
    ...(providerId === null ? [] : [{ kind: 'provider' as const, id: providerId }]),
  ]
}

/** Whether the actor may see and change the keys of the owner. For one that does not exist the answer is no. */
export function mayManage(actor: Actor, owner: KeyOwner, accounts: AccountDirectory): boolean {
  if (owner.kind === 'workspace') return mayInWorkspace(actor, 'admin', owner.id)
  const gaps = findGaps(actor, accounts)
  return owner.kind === 'tenant'
    ? administersTenant(actor, owner.id, { accounts, gaps })
    : administersProvider(actor, owner.id, { accounts, gaps })
}

/** Throws `workspace_forbidden` for a workspace out of reach, else `forbidden`, unless the actor may manage the owner's keys. */
export function checkMayManage(actor: Actor, owner: KeyOwner, accounts: AccountDirectory): void {
  if (mayManage(actor, owner, accounts)) return
  if (owner.kind !== 'workspace') {
    throw new AppError('forbidden', `This needs an administrator of the ${owner.kind}.`)
  }
  if (actor.workspaces.has(owner.id)) throw new AppError('forbidden', 'This needs the role "admin" in the workspace.')
  throw new AppError('workspace_forbidden', `This token does not reach workspace ${owner.id}.`)
}

/** Every owner whose keys the actor may manage; `all` for the platform's administrators as long as nothing narrows them. */
export function manageableOwners(actor: Actor, accounts: AccountDirectory): readonly KeyOwner[] | 'all' {
  const gaps = findGaps(actor, accounts)
  const isUnbounded = actor.providerId === null && actor.accountSid === null && gaps.tenants.size === 0
  if (isUnbounded && actor.role === 'platform_admin' && hasScopeAndRole(actor, 'providers')) return 'all'
  const reach = { accounts, gaps }
  return [
    ...workspacesFor(actor, 'admin').map((id) => ({ kind: 'workspace' as const, id })),
    ...[...accounts.tenants.keys()]
      .filter((id) => administersTenant(actor, id, reach))
      .map((id) => ({ kind: 'tenant' as const, id })),
    ...[...accounts.providers]
      .filter((id) => administersProvider(actor, id, reach))
      .map((id) => ({ kind: 'provider' as const, id })),
  ]
}

/** Tenants and providers that have a workspace which the actor does not reach with the level `account`. */
interface Gaps {
  readonly tenants: ReadonlySet<string>
  readonly providers: ReadonlySet<string>
}

interface Reach {
  readonly accounts: AccountDirectory
  readonly gaps: Gaps
}

/**
 * Who administers a tenant or a provider reaches every workspace of theirs with the level `account`. Context headers may also
 * name one where the actor is a mere member, and leave it the role that it has elsewhere; or bind it to one workspace.
 */
function findGaps(actor: Actor, accounts: AccountDirectory): Gaps {
  const tenants = new Set<string>()
  for (const [id, accountSid] of accounts.workspaces) {
    if (actor.workspaces.get(id)?.level !== 'account') tenants.add(accountSid)
  }
  const providers = new Set([...tenants].flatMap((accountSid) => accounts.tenants.get(accountSid) ?? []))
  return { tenants, providers }
}

/** The tenant or provider of the context headers is an upper bound: nothing beside or above it is in the actor's hands. */
function administersTenant(actor: Actor, accountSid: string, { accounts, gaps }: Reach): boolean {
  const providerId = accounts.tenants.get(accountSid)
  if (providerId === undefined || gaps.tenants.has(accountSid) || !hasScopeAndRole(actor, 'account')) return false
  if (actor.accountSid !== null) return actor.accountSid === accountSid
  if (actor.role === 'platform_admin' && actor.providerId === null) return true
  return actor.role !== 'tenant_admin' && actor.providerId === providerId && !gaps.providers.has(providerId)
}

function administersProvider(actor: Actor, providerId: string, { accounts, gaps }: Reach): boolean {
  if (!accounts.providers.has(providerId) || gaps.providers.has(providerId)) return false
  if (!hasScopeAndRole(actor, 'tenants') || actor.accountSid !== null) return false
  return actor.providerId === null ? actor.role === 'platform_admin' : actor.providerId === providerId
}
