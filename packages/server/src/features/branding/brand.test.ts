import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Brand, editBrand, mergeBrands, normalizeHostName } from './brand.ts'

const brand = (settings: Brand['settings'], domain: string | null = null): Brand => ({
  settings,
  domain,
  proof: null,
})

describe('each field comes from the most specific level that set it', () => {
  test.each([
    ['nobody', null, null, 'Parley', true, null, 'default'],
    [
      'the provider',
      null,
      brand({ productName: 'P', showPoweredBy: false }, 'p.example'),
      'P',
      false,
      'p.example',
      'provider',
    ],
    ['the tenant', brand({ productName: 'T' }, 't.example'), null, 'T', true, 't.example', 'tenant'],
    [
      'both',
      brand({ productName: 'T' }),
      brand({ productName: 'P', showPoweredBy: false }, 'p.example'),
      'T',
      false,
      'p.example',
      'tenant',
    ],
    [
      'a tenant against its provider',
      brand({ showPoweredBy: true }),
      brand({ showPoweredBy: false }),
      'Parley',
      true,
      null,
      'tenant',
    ],
  ] as const)('%s', (_who, tenant, provider, productName, showPoweredBy, domain, source) => {
    expect(mergeBrands(tenant, provider)).toMatchObject({ productName, showPoweredBy, domain, source })
  })
})

const settings = fc.record(
  {
    productName: fc.option(fc.string({ minLength: 1 })),
    logoUrl: fc.option(fc.webUrl()),
    showPoweredBy: fc.option(fc.boolean()),
    domain: fc.option(fc.domain()),
  },
  { requiredKeys: [] },
)

test('an edit keeps fields it omits, and an empty brand is removed', () => {
  fc.assert(
    fc.property(settings, settings, (first, second) => {
      const before = editBrand(null, first)
      const after = editBrand(before, second)
      const shown = mergeBrands(after, null)
      const wanted = mergeBrands(editBrand(null, { ...first, ...second }), null)
      expect(shown).toEqual(wanted)
      expect(editBrand(after, second)).toEqual(after)
      const cleared = { productName: null, logoUrl: null, showPoweredBy: null, domain: null }
      expect(editBrand(after, cleared)).toBeNull()
    }),
  )
})

test.each([
  ['Voice.Example.com', 'voice.example.com'],
  ['voice.example.com:4100', 'voice.example.com'],
  ['voice.example.com.', 'voice.example.com'],
  ['[::1]:4100', '[::1]'],
  ['', ''],
])('host %s is %s', (host, name) => expect(normalizeHostName(host)).toBe(name))
