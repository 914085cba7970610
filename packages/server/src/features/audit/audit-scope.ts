import { isRoleAtLeast } from '@parley/contract/access'
import { type Actor, workspacesFor } from '../../kernel/actor.ts'

/** Which entries of the audit log somebody may see. */
export type AuditScope =
  | { readonly kind: 'all' }
  /** What its people did, and what was done in its tenants. */
  | { readonly kind: 'provider'; readonly providerId: string }
  | { readonly kind: 'tenant'; readonly accountSid: string }
  | { readonly kind: 'workspaces'; readonly workspaceIds: readonly number[] }

/** All that the actor administers; within the tenant or provider that it acts in. */
export function auditScopeOf(actor: Actor): AuditScope {
  const { role, providerId, accountSid } = actor
  if (accountSid !== null && isRoleAtLeast(role, 'tenant_admin')) return { kind: 'tenant', accountSid }
  if (providerId !== null && isRoleAtLeast(role, 'provider_admin')) return { kind: 'provider', providerId }
  if (role === 'platform_admin') return { kind: 'all' }
  return { kind: 'workspaces', workspaceIds: workspacesFor(actor, 'admin') }
}
