import { variablesOf } from '../../lib/brand/brand.ts'

/** Tokens of styles.css for both themes, of which a page has one at a time. */
const TOKENS = {
  light: {
    '--page': '#f6f7f9',
    '--panel': '#ffffff',
    '--sunken': '#eceff3',
    '--line': '#d8dde4',
    '--ink': '#16191d',
    '--muted': '#535c69',
  },
  dark: {
    '--page': '#0e1116',
    '--panel': '#161a21',
    '--sunken': '#1f252e',
    '--line': '#323a46',
    '--ink': '#edf0f4',
    '--muted': '#a5afbc',
  },
} as const

export type PreviewTheme = keyof typeof TOKENS

/** CSS variables for a part of a page in another theme and brand. */
export function previewVariables(
  theme: PreviewTheme,
  brand: { readonly primaryColor: string; readonly accentColor: string },
): Readonly<Record<string, string>> {
  const variables = variablesOf(brand)
  return {
    ...TOKENS[theme],
    ...variables,
    '--brand-text': variables[`--brand-text-${theme}`] ?? '',
    '--accent-text': variables[`--accent-text-${theme}`] ?? '',
  }
}
