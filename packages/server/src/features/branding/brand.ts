import type { Branding, BrandingSettings } from '@parley/contract/branding'

/** What a tenant or provider has set; what it has not set is null or absent. */
export interface Brand {
  readonly settings: Partial<BrandingSettings>
  readonly domain: string | null
}

/** How the product looks where nobody has set anything. */
const PRODUCT = {
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

/** What is shown: each field of the most special level that set it. */
export function mergeBrands(tenant: Brand | null, provider: Brand | null): Branding {
  const pick = <Name extends keyof BrandingSettings>(name: Name) =>
    tenant?.settings[name] ?? provider?.settings[name] ?? PRODUCT[name]
  return {
    productName: pick('productName'),
    logoUrl: pick('logoUrl'),
    faviconUrl: pick('faviconUrl'),
    primaryColor: pick('primaryColor'),
    accentColor: pick('accentColor'),
    supportEmail: pick('supportEmail'),
    supportUrl: pick('supportUrl'),
    termsUrl: pick('termsUrl'),
    privacyUrl: pick('privacyUrl'),
    showPoweredBy: pick('showPoweredBy'),
    domain: tenant?.domain ?? provider?.domain ?? null,
    source: tenant !== null ? 'tenant' : provider !== null ? 'provider' : 'default',
  }
}

/** A brand after an edit: absent fields stay, null clears. Null when nothing is set any more. */
export function editBrand(
  brand: Brand | null,
  changes: { readonly [Name in keyof BrandingSettings]?: BrandingSettings[Name] | undefined } & {
    readonly domain?: string | null | undefined
  },
): Brand | null {
  const { domain: newDomain, ...given } = changes
  const domain = newDomain === undefined ? (brand?.domain ?? null) : newDomain
  const known = Object.entries(given).filter(([name, value]) => name in PRODUCT && value !== undefined)
  const settings = { ...brand?.settings, ...Object.fromEntries(known) }
  const set = Object.entries(settings).filter(([, value]) => value !== null)
  return domain === null && set.length === 0 ? null : { domain, settings: Object.fromEntries(set) }
}

/** The name in a `Host` header, without its port and a final dot. */
export function hostNameOf(host: string): string {
  return host.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '')
}
