import type { Branding } from '@parley/contract/branding'
import { expect, test } from 'vitest'
import { DEFAULT_BRAND } from '../../lib/brand/brand.ts'
import { applyOverrides, createInheritance, extractOverrides } from './brand-overrides.ts'
import { getOwnerFromSearch, parseOwnerKey, readBrandSearch, toOwnerFields, toOwnerKey } from './brand-owner.ts'

const product = DEFAULT_BRAND
const provider: Branding = { ...product, productName: 'Reseller', primaryColor: '#7c3aed', source: 'provider' }
const tenant: Branding = { ...provider, primaryColor: '#facc15', showPoweredBy: false, source: 'tenant' }

test('extracts the fields that differ from the inherited brand', () => {
  expect(extractOverrides(tenant, provider)).toMatchObject({
    productName: null,
    primaryColor: '#facc15',
    showPoweredBy: false,
    domain: null,
  })
  expect(Object.values(extractOverrides(provider, provider)).every((value) => value === null)).toBe(true)
})

test('applies the settings to the inherited brand', () => {
  expect(applyOverrides(extractOverrides(tenant, provider), provider)).toEqual({ ...tenant, source: 'provider' })
})

test('returns the source of each field', () => {
  const inherited = createInheritance(product, provider)
  expect(inherited.getSource('productName')).toBe('provider')
  expect(inherited.getSource('accentColor')).toBe('product')
  expect(createInheritance(product, null).getSource('productName')).toBe('product')
})

test('restores an owner from its URL and its key', () => {
  const owner = { level: 'provider', id: 'provider_1' } as const
  expect(getOwnerFromSearch(readBrandSearch(toOwnerFields(owner)))).toEqual(owner)
  expect(parseOwnerKey(toOwnerKey(owner))).toEqual(owner)
  expect(getOwnerFromSearch(readBrandSearch({ tenantId: '', page: 1 }))).toBeNull()
})
