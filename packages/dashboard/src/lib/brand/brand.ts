import type { Branding } from '@parley/contract/branding'
import { createStore } from '../store.ts'
import { formatColor, legibleColor, parseColor, type Rgb, textColorOn } from './colors.ts'

/** The brand until the server's is loaded. */
export const DEFAULT_BRAND: Branding = {
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
  domain: null,
  domainStatus: null,
  source: 'default',
}

/** The brand of the host, or of the account once a workspace is open. */
export const brandStore = createStore<Branding>(DEFAULT_BRAND)

/** Backgrounds of colored text, as in styles.css. */
const LIGHT_BACKGROUNDS = ['#ffffff', '#f6f7f9', '#eceff3']
const DARK_BACKGROUNDS = ['#0e1116', '#161a21', '#1f252e']

const DEFAULT_COLOR: Rgb = { red: 29, green: 78, blue: 216 }

function backgrounds(colors: readonly string[]): Rgb[] {
  return colors.map((color) => parseColor(color) ?? { red: 0, green: 0, blue: 0 })
}

/** The CSS variables derived from a brand. */
export function variablesOf(brand: Pick<Branding, 'primaryColor' | 'accentColor'>): Readonly<Record<string, string>> {
  const primary = parseColor(brand.primaryColor) ?? DEFAULT_COLOR
  const accent = parseColor(brand.accentColor) ?? primary
  return {
    '--brand': formatColor(primary),
    '--on-brand': formatColor(textColorOn(primary)),
    '--brand-text-light': formatColor(legibleColor(primary, backgrounds(LIGHT_BACKGROUNDS))),
    '--brand-text-dark': formatColor(legibleColor(primary, backgrounds(DARK_BACKGROUNDS))),
    '--accent-text-light': formatColor(legibleColor(accent, backgrounds(LIGHT_BACKGROUNDS))),
    '--accent-text-dark': formatColor(legibleColor(accent, backgrounds(DARK_BACKGROUNDS))),
  }
}

function apply(brand: Branding): void {
  for (const [name, value] of Object.entries(variablesOf(brand))) {
    document.documentElement.style.setProperty(name, value)
  }
  const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]')
  const address = brand.faviconUrl ?? '/favicon.svg'
  if (icon !== null && icon.getAttribute('href') !== address) icon.href = address
}

/** The brand that the server embeds in the page; null in development. */
function readOwnBrand(): Branding | null {
  try {
    return JSON.parse(document.getElementById('brand')?.textContent ?? '') as Branding
  } catch {
    return null
  }
}

export function startBrand(): void {
  brandStore.subscribe(() => apply(brandStore.get()))
  brandStore.set(readOwnBrand() ?? DEFAULT_BRAND)
  apply(brandStore.get())
}
