import type { Branding, BrandingSettings } from '@parley/contract/branding'

/** An owner's settings; null fields are inherited. */
export type OwnBrand = BrandingSettings & Pick<Branding, 'domain'>
export type BrandField = keyof OwnBrand

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

export interface Inherited {
  readonly brand: Branding
  getSource(field: BrandField): 'provider' | 'product'
}

/** Returns the brand that an owner inherits. `provider` is the brand of a tenant's provider, or null for a provider. */
export function getInheritedBrand(product: Branding, provider: Branding | null): Inherited {
  return {
    brand: provider ?? product,
    getSource: (field) => (provider !== null && provider[field] !== product[field] ? 'provider' : 'product'),
  }
}

/**
 * Returns an owner's settings. The API returns the effective brand, so the settings are the fields that differ from the
 * inherited brand.
 */
export function extractOwnBrand(effective: Branding, inherited: Branding): OwnBrand {
  const ownFields = FIELDS.map((field) => [field, effective[field] === inherited[field] ? null : effective[field]])
  return Object.fromEntries(ownFields) as unknown as OwnBrand
}

/** Returns the effective brand for an owner's settings. */
export function resolveEffectiveBrand(ownBrand: OwnBrand, inherited: Branding): Branding {
  const ownFields = Object.entries(ownBrand).filter(([, value]) => value !== null)
  return { ...inherited, ...Object.fromEntries(ownFields) }
}
