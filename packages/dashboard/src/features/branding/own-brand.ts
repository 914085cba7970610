import type { Branding, BrandingSettings } from '@parley/contract/branding'

/** The settings of an owner; null is inherited. */
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
  from(field: BrandField): 'provider' | 'product'
}

/** `provider` is the brand of a tenant's provider; null for a provider. */
export function inheritedBrand(product: Branding, provider: Branding | null): Inherited {
  return {
    brand: provider ?? product,
    from: (field) => (provider !== null && provider[field] !== product[field] ? 'provider' : 'product'),
  }
}

/** The API answers the effective brand: the owner's settings are what differs from the inherited brand. */
export function ownBrand(shown: Branding, inherited: Branding): OwnBrand {
  const own = FIELDS.map((field) => [field, shown[field] === inherited[field] ? null : shown[field]])
  return Object.fromEntries(own) as unknown as OwnBrand
}

/** The effective brand of an owner's settings. */
export function effectiveBrand(own: OwnBrand, inherited: Branding): Branding {
  const set = Object.entries(own).filter(([, value]) => value !== null)
  return { ...inherited, ...Object.fromEntries(set) }
}
