import type { Branding, BrandingSettings } from '@parley/contract/branding'

/** What an owner has set; null is inherited. */
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

/** What is above an owner. */
export interface Inherited {
  /** What is shown where the owner sets nothing. */
  readonly brand: Branding
  /** Where a field comes from. */
  from(field: BrandField): 'provider' | 'product'
}

/** What stands above a tenant (`provider` is its provider's brand), or above a provider (null). */
export function inheritedBrand(product: Branding, provider: Branding | null): Inherited {
  return {
    brand: provider ?? product,
    from: (field) => (provider !== null && provider[field] !== product[field] ? 'provider' : 'product'),
  }
}

/** What an owner has set: the API answers the brand as it is shown, so this is what differs from what it would inherit. */
export function ownBrand(shown: Branding, inherited: Branding): OwnBrand {
  const own = FIELDS.map((field) => [field, shown[field] === inherited[field] ? null : shown[field]])
  return Object.fromEntries(own) as unknown as OwnBrand
}

/** The brand as it would be shown with what an owner sets. */
export function shownBrand(own: OwnBrand, inherited: Branding): Branding {
  const set = Object.entries(own).filter(([, value]) => value !== null)
  return { ...inherited, ...Object.fromEntries(set) }
}
