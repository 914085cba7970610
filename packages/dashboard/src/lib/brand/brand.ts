import type { Branding } from '@parley/contract/branding'
import { createStore } from '../store.ts'
import { formatColor, getTextColor, parseColor, type Rgb, toLegibleColor } from './colors.ts'

/** The brand used until the server's brand loads. */
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

/** The brand of the current host or workspace. */
export const brandStore = createStore<Branding>(DEFAULT_BRAND)

/** Background colors from styles.css on which colored text appears. */
const LIGHT_BACKGROUNDS = ['#ffffff', '#f6f7f9', '#eceff3']
const DARK_BACKGROUNDS = ['#0e1116', '#161a21', '#1f252e']

const DEFAULT_COLOR: Rgb = { red: 29, green: 78, blue: 216 }

function parseBackgrounds(colors: readonly string[]): Rgb[] {
  return colors.map((color) => parseColor(color) ?? { red: 0, green: 0, blue: 0 })
}

/** Derives the CSS variables from a brand. */
export function buildCssVariables(
  brand: Pick<Branding, 'primaryColor' | 'accentColor'>,
): Readonly<Record<string, string>> {
  const primary = parseColor(brand.primaryColor) ?? DEFAULT_COLOR
  const accent = parseColor(brand.accentColor) ?? primary
  return {
    '--brand': formatColor(primary),
    '--on-brand': formatColor(getTextColor(primary)),
    '--brand-text-light': formatColor(toLegibleColor(primary, parseBackgrounds(LIGHT_BACKGROUNDS))),
    '--brand-text-dark': formatColor(toLegibleColor(primary, parseBackgrounds(DARK_BACKGROUNDS))),
    '--accent-text-light': formatColor(toLegibleColor(accent, parseBackgrounds(LIGHT_BACKGROUNDS))),
    '--accent-text-dark': formatColor(toLegibleColor(accent, parseBackgrounds(DARK_BACKGROUNDS))),
  }
}

function applyBrand(brand: Branding): void {
  for (const [name, value] of Object.entries(buildCssVariables(brand))) {
    document.documentElement.style.setProperty(name, value)
  }
  const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]')
  const iconUrl = brand.faviconUrl ?? '/favicon.svg'
  if (icon !== null && icon.getAttribute('href') !== iconUrl) icon.href = iconUrl
}

/** Reads the brand that the server embeds in the page, or null in development. */
function readEmbeddedBrand(): Branding | null {
  try {
    return JSON.parse(document.getElementById('brand')?.textContent ?? '') as Branding
  } catch {
    return null
  }
}

export function startBrand(): void {
  brandStore.subscribe(() => applyBrand(brandStore.get()))
  brandStore.set(readEmbeddedBrand() ?? DEFAULT_BRAND)
  applyBrand(brandStore.get())
}
