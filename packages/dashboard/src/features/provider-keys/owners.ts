import type { ProviderKey } from '@parley/contract/provider-key'
import type { RecordChoice } from '../../components/record-field.tsx'
import { useRead } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'
import { canCall, useCan } from '../../lib/session/rights.ts'
import { useSession, useWorkspaces } from '../../lib/session/session.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'

export type OwnerLevel = 'workspace' | 'account' | 'provider'

export interface Owners {
  /** Possible owners of a new key by level. Empty if the user cannot add keys at that level. */
  readonly choices: Readonly<Record<OwnerLevel, readonly RecordChoice[]>>
  /** IDs of the current workspace, its account, and the first provider. */
  readonly defaultIds: Readonly<Record<OwnerLevel, string | null>>
  getOwnerName(key: ProviderKey): string
}

const MAX_OWNERS = 1_000

export function useOwners(): Owners {
  const t = useText()
  const can = useCan()
  const session = useSession()
  const workspaces = useWorkspaces()
  const workspaceId = useWorkspaceId()
  const canListTenants = can('listTenants')
  const query = { limit: MAX_OWNERS }
  const tenants = useRead('listTenants', { query }, { enabled: canListTenants }).data ?? []
  const providers = useRead('listProviders', { query }, { enabled: can('listProviders') }).data ?? []
  const administeredIds = new Set(session.workspaces.filter(({ level }) => level === 'account').map(({ id }) => id))
  const administeredWorkspaces = workspaces.filter(({ id }) => administeredIds.has(id))
  const administeredAccounts = [
    ...new Map(administeredWorkspaces.map(({ accountSid, accountPath }) => [accountSid, accountPath])),
  ]
  const accountId = workspaces.find(({ id }) => id === workspaceId)?.accountSid ?? null
  const choices = {
    workspace: workspaces
      .filter(({ id }) => canCall(session, 'getSigningSecret', id))
      .map(({ id, name }) => ({ id: String(id), label: name })),
    account: canListTenants
      ? tenants.map(({ tenantId, name, accountPath }) => ({ id: tenantId, label: name, hint: accountPath }))
      : administeredAccounts.map(([id, path]) => ({ id, label: path })),
    provider: providers.map(({ providerId, name, slug }) => ({ id: providerId, label: name, hint: slug })),
  }
  const getOwnerLabel = (level: OwnerLevel, id: string): string =>
    choices[level].find((choice) => choice.id === id)?.label ?? id
  return {
    choices,
    defaultIds: { workspace: String(workspaceId), account: accountId, provider: providers[0]?.providerId ?? null },
    getOwnerName({ workspaceId: id, tenantId, providerId }) {
      if (id !== null) return t('Workspace {name}', { name: getOwnerLabel('workspace', String(id)) })
      if (tenantId !== null) return t('Account {name}', { name: getOwnerLabel('account', tenantId) })
      return t('Provider {name}', { name: getOwnerLabel('provider', providerId ?? '') })
    },
  }
}

export function toOwnerFields(
  level: OwnerLevel,
  id: string,
): { workspaceId: number } | { tenantId: string } | { providerId: string } {
  if (level === 'workspace') return { workspaceId: Number(id) }
  return level === 'account' ? { tenantId: id } : { providerId: id }
}
