import type { Branding } from '@parley/contract/branding'
import { useMemo } from 'react'
import { useRead } from '../../lib/api/hooks.ts'
import { type BrandOwner, ownerFields } from './brand-owner.ts'
import { type Inherited, inheritedBrand } from './own-brand.ts'

/** An id that nobody has: it is answered with the brand of the product itself. */
const NOBODY = 'none'

export interface BrandLevels {
  readonly data: { readonly shown: Branding; readonly inherited: Inherited } | undefined
  readonly error: Error | null
  readonly refetch: () => unknown
}

/** The brand of an owner, and what it inherits. */
export function useBrandLevels(owner: BrandOwner): BrandLevels {
  const isTenant = owner.level === 'tenant'
  const shown = useRead('getBranding', { query: ownerFields(owner) })
  const product = useRead('getBranding', { query: { providerId: NOBODY } })
  const tenant = useRead('getTenant', { path: { tenantId: owner.id } }, { enabled: isTenant })
  const providerId = tenant.data?.providerId ?? NOBODY
  const provider = useRead('getBranding', { query: { providerId } }, { enabled: isTenant && tenant.data !== undefined })
  // Until the tenant is known the read of its provider shows what the product's own has answered.
  const tenantAbove = tenant.data === undefined ? undefined : provider.data
  const above = isTenant ? tenantAbove : null
  const data = useMemo(() => {
    if (shown.data === undefined || product.data === undefined || above === undefined) return undefined
    return { shown: shown.data, inherited: inheritedBrand(product.data, above) }
  }, [shown.data, product.data, above])
  const reads = [shown, product, ...(isTenant ? [tenant, provider] : [])]
  return {
    data,
    error: reads.find(({ error }) => error !== null)?.error ?? null,
    refetch: () => Promise.all(reads.filter(({ error }) => error !== null).map((read) => read.refetch())),
  }
}
