import type { Branding } from '@parley/contract/branding'
import { useMemo } from 'react'
import type { RecordChoice } from '../../components/record-field.tsx'
import { useRead } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'
import { useCan } from '../../lib/session/rights.ts'
import { useSession, useWorkspaces } from '../../lib/session/session.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { type BrandInheritance, createInheritance } from './brand-overrides.ts'
import { type BrandOwner, toOwnerFields, toOwnerKey } from './brand-owner.ts'

/** For unknown IDs, the server returns the product brand. */
const UNKNOWN_PROVIDER_ID = 'none'

const MAX_OWNERS = 1_000

export interface BrandOwners {
  readonly choices: readonly RecordChoice[]
  readonly isLoading: boolean
  /**
   * The account of the current workspace if the user administers it, or otherwise the first account that the user administers.
   */
  readonly initialOwner: BrandOwner | null
}

export function useBrandOwners(): BrandOwners {
  const t = useText()
  const can = useCan()
  const session = useSession()
  const workspaceId = useWorkspaceId()
  const canListTenants = can('listTenants')
  const query = { limit: MAX_OWNERS }
  const tenants = useRead('listTenants', { query }, { enabled: canListTenants })
  const providers = useRead('listProviders', { query }, { enabled: can('listProviders') })
  const administeredWorkspaces = useWorkspaces().filter(
    ({ id }) => session.workspaces.find((workspace) => workspace.id === id)?.level === 'account',
  )
  const accounts = canListTenants
    ? (tenants.data ?? []).map(({ tenantId, name }) => [tenantId, name] as const)
    : [...new Map(administeredWorkspaces.map((workspace) => [workspace.accountSid, workspace.accountPath]))]
  const initialTenantId = administeredWorkspaces.find(({ id }) => id === workspaceId)?.accountSid ?? accounts[0]?.[0]
  return {
    choices: [
      ...accounts.map(([id, label]) => ({ id: toOwnerKey({ level: 'tenant', id }), label, hint: t('Account') })),
      ...(providers.data ?? []).map(({ providerId, name }) => ({
        id: toOwnerKey({ level: 'provider', id: providerId }),
        label: name,
        hint: t('Provider'),
      })),
    ],
    isLoading: (canListTenants && tenants.isPending) || (can('listProviders') && providers.isPending),
    initialOwner: initialTenantId === undefined ? null : { level: 'tenant', id: initialTenantId },
  }
}

interface BrandQuery {
  readonly data: { readonly effectiveBrand: Branding; readonly inheritance: BrandInheritance } | undefined
  readonly error: Error | null
  readonly refetch: () => unknown
}

/** Reads an owner's brand and the brand it inherits from. */
export function useBrandQuery(owner: BrandOwner): BrandQuery {
  const isTenant = owner.level === 'tenant'
  const effectiveBrand = useRead('getBranding', { query: toOwnerFields(owner) })
  const productBrand = useRead('getBranding', { query: { providerId: UNKNOWN_PROVIDER_ID } })
  const tenant = useRead('getTenant', { path: { tenantId: owner.id } }, { enabled: isTenant })
  const providerId = tenant.data?.providerId ?? UNKNOWN_PROVIDER_ID
  const providerBrand = useRead(
    'getBranding',
    { query: { providerId } },
    { enabled: isTenant && tenant.data !== undefined },
  )
  // Until the tenant loads, the provider query returns the product brand.
  const tenantParentBrand = tenant.data === undefined ? undefined : providerBrand.data
  const parentBrand = isTenant ? tenantParentBrand : null
  const data = useMemo(() => {
    if (effectiveBrand.data === undefined || productBrand.data === undefined || parentBrand === undefined)
      return undefined
    return { effectiveBrand: effectiveBrand.data, inheritance: createInheritance(productBrand.data, parentBrand) }
  }, [effectiveBrand.data, productBrand.data, parentBrand])
  const queries = [effectiveBrand, productBrand, ...(isTenant ? [tenant, providerBrand] : [])]
  return {
    data,
    error: queries.find(({ error }) => error !== null)?.error ?? null,
    refetch: () => Promise.all(queries.filter(({ error }) => error !== null).map((query) => query.refetch())),
  }
}
