import { variablesOf } from '../../lib/brand/brand.ts'

/** The tokens of styles.css that the preview needs, for both looks: a page has only one of them at a time. */
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

export type Look = keyof typeof TOKENS

/** CSS variables that show a part of a page in a look and in the colours of a brand. */
export function previewVariables(
  look: Look,
  brand: { readonly primaryColor: string; readonly accentColor: string },
): Readonly<Record<string, string>> {
  const variables = variablesOf(brand)
  return {
    ...TOKENS[look],
    ...variables,
    '--brand-text': variables[`--brand-text-${look}`] ?? '',
    '--accent-text': variables[`--accent-text-${look}`] ?? '',
  }
}
