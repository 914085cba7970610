import type { RecordChoice } from '../../components/record-field.tsx'
import { useRead } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'
import { useMay } from '../../lib/session/rights.ts'
import { useSession, useWorkspaces } from '../../lib/session/session.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { type BrandOwner, ownerKey } from './brand-owner.ts'

/** So many accounts and providers are offered. */
const MOST_OWNERS = 1_000

export interface BrandOwners {
  readonly choices: readonly RecordChoice[]
  readonly isLoading: boolean
  /** The account of the workspace of the page, if the person administers it, or the first that it does. */
  readonly usual: BrandOwner | null
}

/** Whose brands the person may change. */
export function useBrandOwners(): BrandOwners {
  const t = useText()
  const may = useMay()
  const session = useSession()
  const workspaceId = useWorkspaceId()
  const mayListTenants = may('listTenants')
  const query = { limit: MOST_OWNERS }
  const tenants = useRead('listTenants', { query }, { enabled: mayListTenants })
  const providers = useRead('listProviders', { query }, { enabled: may('listProviders') })
  const own = useWorkspaces().filter(
    ({ id }) => session.workspaces.find((workspace) => workspace.id === id)?.level === 'account',
  )
  const accounts = mayListTenants
    ? (tenants.data ?? []).map(({ tenantId, name }) => [tenantId, name] as const)
    : [...new Map(own.map((one) => [one.accountSid, one.accountPath]))]
  const usual = own.find(({ id }) => id === workspaceId)?.accountSid ?? accounts[0]?.[0]
  return {
    choices: [
      ...accounts.map(([id, label]) => ({ id: ownerKey({ level: 'tenant', id }), label, hint: t('Account') })),
      ...(providers.data ?? []).map(({ providerId, name }) => ({
        id: ownerKey({ level: 'provider', id: providerId }),
        label: name,
        hint: t('Provider'),
      })),
    ],
    isLoading: (mayListTenants && tenants.isPending) || (may('listProviders') && providers.isPending),
    usual: usual === undefined ? null : { level: 'tenant', id: usual },
  }
}
