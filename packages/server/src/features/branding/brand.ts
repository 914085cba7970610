import type { BrandDomain, Branding, BrandingSettings } from '@parley/contract/branding'

/** A tenant's or reseller's brand settings. Settings left at their default are null or absent. */
export interface Brand {
  readonly settings: Partial<BrandingSettings>
  readonly domain: string | null
  /** How the domain was verified; null if it is not verified. */
  readonly proof: DomainProof | null
}

export type DomainProof = NonNullable<BrandDomain['verifiedBy']>

/** The default brand. */
const DEFAULT_BRAND = {
  productName: 'Parley',
  logoUrl: null,
  faviconUrl: null,
  primaryColor: '#1d4ed8',
  accentColor: '#0f766e',
  supportEmail: null,
  supportUrl: null,
  termsUrl: null,
  privacyUrl: null,
  showPoweredBy: true,
} as const

/** Merges the brands, taking each field from the most specific level that sets it. */
export function mergeBrands(tenant: Brand | null, provider: Brand | null): Branding {
  const resolveSetting = <Name extends keyof BrandingSettings>(name: Name) =>
    tenant?.settings[name] ?? provider?.settings[name] ?? DEFAULT_BRAND[name]
  const domainBrand = [tenant, provider].find((brand) => brand !== null && brand.domain !== null) ?? null
  return {
    productName: resolveSetting('productName'),
    logoUrl: resolveSetting('logoUrl'),
    faviconUrl: resolveSetting('faviconUrl'),
    primaryColor: resolveSetting('primaryColor'),
    accentColor: resolveSetting('accentColor'),
    supportEmail: resolveSetting('supportEmail'),
    supportUrl: resolveSetting('supportUrl'),
    termsUrl: resolveSetting('termsUrl'),
    privacyUrl: resolveSetting('privacyUrl'),
    showPoweredBy: resolveSetting('showPoweredBy'),
    domain: domainBrand?.domain ?? null,
    domainStatus: getDomainStatus(domainBrand),
    source: tenant !== null ? 'tenant' : provider !== null ? 'provider' : 'default',
  }
}

export function getDomainStatus(brand: Pick<Brand, 'domain' | 'proof'> | null): BrandDomain['status'] {
  if (brand === null || brand.domain === null) return null
  return brand.proof === null ? 'pending' : 'verified'
}

/**
 * Applies an edit to a brand. Absent fields keep their value, null clears a field, and a changed domain must be verified again.
 * Returns null if all fields are clear.
 */
export function editBrand(
  brand: Brand | null,
  changes: { readonly [Name in keyof BrandingSettings]?: BrandingSettings[Name] | undefined } & {
    readonly domain?: string | null | undefined
  },
): Brand | null {
  const { domain: newDomain, ...newSettings } = changes
  const domain = newDomain === undefined ? (brand?.domain ?? null) : newDomain
  const changedSettings = Object.entries(newSettings).filter(
    ([name, value]) => name in DEFAULT_BRAND && value !== undefined,
  )
  const settings = { ...brand?.settings, ...Object.fromEntries(changedSettings) }
  const presentSettings = Object.entries(settings).filter(([, value]) => value !== null)
  const proof = brand !== null && domain === brand.domain ? brand.proof : null
  return domain === null && presentSettings.length === 0
    ? null
    : { domain, proof, settings: Object.fromEntries(presentSettings) }
}

/** Returns the host name from a `Host` header in lowercase, without the port and trailing dot. */
export function normalizeHostName(host: string): string {
  return host.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '')
}
