import type { Branding } from '@parley/contract/branding'
import { expect, test } from 'vitest'
import { DEFAULT_BRAND } from '../../lib/brand/brand.ts'
import { getSearchOwner, parseOwnerKey, readBrandSearch, toOwnerFields, toOwnerKey } from './brand-owner.ts'
import { extractOwnBrand, getInheritedBrand, resolveEffectiveBrand } from './own-brand.ts'

const product = DEFAULT_BRAND
const provider: Branding = { ...product, productName: 'Reseller', primaryColor: '#7c3aed', source: 'provider' }
const tenant: Branding = { ...provider, primaryColor: '#facc15', showPoweredBy: false, source: 'tenant' }

test('extracts the fields that differ from the inherited brand', () => {
  expect(extractOwnBrand(tenant, provider)).toMatchObject({
    productName: null,
    primaryColor: '#facc15',
    showPoweredBy: false,
    domain: null,
  })
  expect(Object.values(extractOwnBrand(provider, provider)).every((value) => value === null)).toBe(true)
})

test('applies the settings to the inherited brand', () => {
  expect(resolveEffectiveBrand(extractOwnBrand(tenant, provider), provider)).toEqual({ ...tenant, source: 'provider' })
})

test('returns the source of each field', () => {
  const inherited = getInheritedBrand(product, provider)
  expect(inherited.getSource('productName')).toBe('provider')
  expect(inherited.getSource('accentColor')).toBe('product')
  expect(getInheritedBrand(product, null).getSource('productName')).toBe('product')
})

test('restores an owner from its URL and its key', () => {
  const owner = { level: 'provider', id: 'provider_1' } as const
  expect(getSearchOwner(readBrandSearch(toOwnerFields(owner)))).toEqual(owner)
  expect(parseOwnerKey(toOwnerKey(owner))).toEqual(owner)
  expect(getSearchOwner(readBrandSearch({ tenantId: '', page: 1 }))).toBeNull()
})
