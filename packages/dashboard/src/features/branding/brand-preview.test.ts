import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { calculateContrast, parseColor, type Rgb } from '../../lib/brand/colors.ts'
import { buildPreviewVariables, type PreviewTheme } from './brand-preview.tsx'

const STYLES = readFileSync(new URL('../../app/styles.css', import.meta.url), 'utf8')
const BLOCKS: Readonly<Record<PreviewTheme, RegExp>> = {
  light: /:root \{([^}]*)\}/,
  dark: /\[data-theme="dark"\] \{([^}]*)\}/,
}
const THEMES: readonly PreviewTheme[] = ['light', 'dark']
const WHITE: Rgb = { red: 255, green: 255, blue: 255 }

test.each(THEMES)('the %s preview uses the colors of the page', (theme) => {
  const block = BLOCKS[theme].exec(STYLES)?.[1] ?? ''
  const variables = buildPreviewVariables(theme, { primaryColor: '#1d4ed8', accentColor: '#0f766e' })
  for (const name of ['--page', '--panel', '--sunken', '--line', '--ink', '--muted']) {
    expect(block).toContain(`${name}: ${variables[name]};`)
  }
})

test.each(THEMES)('a yellow brand is legible in the %s preview', (theme) => {
  const variables = buildPreviewVariables(theme, { primaryColor: '#facc15', accentColor: '#fef9c3' })
  const getColor = (name: string): Rgb => parseColor(variables[name] ?? '') ?? WHITE
  for (const background of ['--page', '--panel', '--sunken']) {
    expect(calculateContrast(getColor('--brand-text'), getColor(background))).toBeGreaterThanOrEqual(4.5)
    expect(calculateContrast(getColor('--accent-text'), getColor(background))).toBeGreaterThanOrEqual(4.5)
  }
  expect(calculateContrast(getColor('--on-brand'), getColor('--brand'))).toBeGreaterThanOrEqual(4.5)
})
