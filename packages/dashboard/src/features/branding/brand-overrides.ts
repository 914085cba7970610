import type { Branding, BrandingSettings } from '@parley/contract/branding'

/** An owner's brand settings. Null fields are inherited. */
export type BrandOverrides = BrandingSettings & Pick<Branding, 'domain'>
export type BrandField = keyof BrandOverrides

const FIELDS = [
  'productName',
  'logoUrl',
  'faviconUrl',
  'primaryColor',
  'accentColor',
  'supportEmail',
  'supportUrl',
  'termsUrl',
  'privacyUrl',
  'showPoweredBy',
  'domain',
] as const satisfies readonly BrandField[]

export interface BrandInheritance {
  readonly brand: Branding
  getSource(field: BrandField): 'provider' | 'product'
}

/** Returns the brand that an owner inherits. `providerBrand` is null if the owner is a provider. */
export function createInheritance(productBrand: Branding, providerBrand: Branding | null): BrandInheritance {
  return {
    brand: providerBrand ?? productBrand,
    getSource: (field) =>
      providerBrand !== null && providerBrand[field] !== productBrand[field] ? 'provider' : 'product',
  }
}

/**
 * Returns an owner's overrides: the fields that differ from the inherited brand. The API returns only the effective brand.
 */
export function extractOverrides(effectiveBrand: Branding, inheritedBrand: Branding): BrandOverrides {
  const overrideEntries = FIELDS.map((field) => [
    field,
    effectiveBrand[field] === inheritedBrand[field] ? null : effectiveBrand[field],
  ])
  return Object.fromEntries(overrideEntries) as unknown as BrandOverrides
}

/** Returns the effective brand for an owner's overrides. */
export function applyOverrides(overrides: BrandOverrides, inheritedBrand: Branding): Branding {
  const overrideEntries = Object.entries(overrides).filter(([, value]) => value !== null)
  return { ...inheritedBrand, ...Object.fromEntries(overrideEntries) }
}
