import type { Branding } from '@parley/contract/branding'
import { expect, test } from 'vitest'
import { DEFAULT_BRAND } from '../../lib/brand/brand.ts'
import { getSearchOwner, parseOwnerKey, readBrandSearch, toOwnerFields, toOwnerKey } from './brand-owner.ts'
import { extractOwnBrand, getInheritedBrand, resolveEffectiveBrand } from './own-brand.ts'

const product = DEFAULT_BRAND
const provider: Branding = { ...product, productName: 'Reseller', primaryColor: '#7c3aed', source: 'provider' }
const tenant: Branding = { ...provider, primaryColor: '#facc15', showPoweredBy: false, source: 'tenant' }

test('the own brand is the difference from the inherited brand', () => {
  expect(extractOwnBrand(tenant, provider)).toMatchObject({
    productName: null,
    primaryColor: '#facc15',
    showPoweredBy: false,
    domain: null,
  })
  expect(Object.values(extractOwnBrand(provider, provider)).every((value) => value === null)).toBe(true)
})

test('the effective brand is the inherited brand with the own brand on top', () => {
  expect(resolveEffectiveBrand(extractOwnBrand(tenant, provider), provider)).toEqual({ ...tenant, source: 'provider' })
})

test('a field names its source', () => {
  const above = getInheritedBrand(product, provider)
  expect(above.from('productName')).toBe('provider')
  expect(above.from('accentColor')).toBe('product')
  expect(getInheritedBrand(product, null).from('productName')).toBe('product')
})

test('an owner is read back from its address and its key', () => {
  const owner = { level: 'provider', id: 'provider_1' } as const
  expect(getSearchOwner(readBrandSearch(toOwnerFields(owner)))).toEqual(owner)
  expect(parseOwnerKey(toOwnerKey(owner))).toEqual(owner)
  expect(getSearchOwner(readBrandSearch({ tenantId: '', page: 1 }))).toBeNull()
})
