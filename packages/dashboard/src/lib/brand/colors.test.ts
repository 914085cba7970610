import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { buildCssVariables } from './brand.ts'
import { calculateContrast, formatColor, getTextColor, parseColor, type Rgb, toLegibleColor } from './colors.ts'

const WHITE: Rgb = { red: 255, green: 255, blue: 255 }
const BLACK: Rgb = { red: 0, green: 0, blue: 0 }
const MIN_CONTRAST = 4.5
const channel = fc.integer({ min: 0, max: 255 })
const color: fc.Arbitrary<Rgb> = fc.record({ red: channel, green: channel, blue: channel })
const parse = (text: string | undefined): Rgb => parseColor(text ?? '') ?? BLACK

describe('contrast', () => {
  test('follows WCAG 2.2', () => {
    expect(calculateContrast(BLACK, WHITE)).toBeCloseTo(21, 5)
    expect(calculateContrast(WHITE, WHITE)).toBe(1)
    // #767676 is the lightest gray that passes on white.
    expect(calculateContrast(parse('#767676'), WHITE)).toBeCloseTo(4.54, 2)
  })

  test('does not depend on the order of the colors', () => {
    fc.assert(
      fc.property(
        color,
        color,
        (first, second) => calculateContrast(first, second) === calculateContrast(second, first),
      ),
    )
  })
})

test('parses a formatted color', () => {
  fc.assert(
    fc.property(color, (rgb) => {
      expect(parseColor(formatColor(rgb))).toEqual(rgb)
    }),
  )
  expect(parseColor('red')).toBeNull()
})

test('text is legible on any color', () => {
  fc.assert(fc.property(color, (rgb) => calculateContrast(getTextColor(rgb), rgb) >= MIN_CONTRAST))
})

test('any color becomes legible on light and dark backgrounds, and legible colors stay unchanged', () => {
  fc.assert(
    fc.property(color, (rgb) => {
      for (const backgrounds of [
        [WHITE, parse('#eceff3')],
        [BLACK, parse('#1f252e')],
      ]) {
        const legibleColor = toLegibleColor(rgb, backgrounds)
        for (const background of backgrounds)
          expect(calculateContrast(legibleColor, background)).toBeGreaterThanOrEqual(MIN_CONTRAST)
      }
    }),
  )
  expect(toLegibleColor(parse('#1d4ed8'), [WHITE])).toEqual(parse('#1d4ed8'))
})

test('any brand color gives legible text in both themes', () => {
  fc.assert(
    fc.property(color, color, (primary, accent) => {
      const variables = buildCssVariables({ primaryColor: formatColor(primary), accentColor: formatColor(accent) })
      const getContrast = (name: string, background: string | undefined): number =>
        calculateContrast(parse(variables[name]), parse(background))
      expect(getContrast('--on-brand', variables['--brand'])).toBeGreaterThanOrEqual(MIN_CONTRAST)
      expect(getContrast('--brand-text-light', '#eceff3')).toBeGreaterThanOrEqual(MIN_CONTRAST)
      expect(getContrast('--brand-text-dark', '#1f252e')).toBeGreaterThanOrEqual(MIN_CONTRAST)
      expect(getContrast('--accent-text-light', '#eceff3')).toBeGreaterThanOrEqual(MIN_CONTRAST)
    }),
  )
})

test('a brand without a valid color uses the product color', () => {
  expect(buildCssVariables({ primaryColor: 'none', accentColor: '' })['--brand']).toBe('#1d4ed8')
})
