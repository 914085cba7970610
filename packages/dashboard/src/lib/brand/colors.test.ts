import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { variablesOf } from './brand.ts'
import { contrastOf, formatColor, legibleColor, parseColor, type Rgb, textColorOn } from './colors.ts'

const WHITE: Rgb = { red: 255, green: 255, blue: 255 }
const BLACK: Rgb = { red: 0, green: 0, blue: 0 }
const LEGIBLE = 4.5
const channel = fc.integer({ min: 0, max: 255 })
const colour: fc.Arbitrary<Rgb> = fc.record({ red: channel, green: channel, blue: channel })
const parse = (text: string | undefined): Rgb => parseColor(text ?? '') ?? BLACK

describe('contrast', () => {
  test('is that of WCAG 2.2', () => {
    expect(contrastOf(BLACK, WHITE)).toBeCloseTo(21, 5)
    expect(contrastOf(WHITE, WHITE)).toBe(1)
    // #767676 is the lightest grey that passes on white.
    expect(contrastOf(parse('#767676'), WHITE)).toBeCloseTo(4.54, 2)
  })

  test('does not depend on which colour is named first', () => {
    fc.assert(fc.property(colour, colour, (one, other) => contrastOf(one, other) === contrastOf(other, one)))
  })
})

test('a colour is read as it is printed', () => {
  fc.assert(
    fc.property(colour, (one) => {
      expect(parseColor(formatColor(one))).toEqual(one)
    }),
  )
  expect(parseColor('red')).toBeNull()
})

test('text on any colour can be read', () => {
  fc.assert(fc.property(colour, (one) => contrastOf(textColorOn(one), one) >= LEGIBLE))
})

test('any colour becomes legible on light and on dark backgrounds, and one that is already stays', () => {
  fc.assert(
    fc.property(colour, (one) => {
      for (const backgrounds of [
        [WHITE, parse('#eceff3')],
        [BLACK, parse('#1f252e')],
      ]) {
        const legible = legibleColor(one, backgrounds)
        for (const background of backgrounds) expect(contrastOf(legible, background)).toBeGreaterThanOrEqual(LEGIBLE)
      }
    }),
  )
  expect(legibleColor(parse('#1d4ed8'), [WHITE])).toEqual(parse('#1d4ed8'))
})

test('the colours of any brand give legible text in both themes', () => {
  fc.assert(
    fc.property(colour, colour, (primary, accent) => {
      const variables = variablesOf({ primaryColor: formatColor(primary), accentColor: formatColor(accent) })
      const contrast = (name: string, background: string | undefined): number =>
        contrastOf(parse(variables[name]), parse(background))
      expect(contrast('--on-brand', variables['--brand'])).toBeGreaterThanOrEqual(LEGIBLE)
      expect(contrast('--brand-text-light', '#eceff3')).toBeGreaterThanOrEqual(LEGIBLE)
      expect(contrast('--brand-text-dark', '#1f252e')).toBeGreaterThanOrEqual(LEGIBLE)
      expect(contrast('--accent-text-light', '#eceff3')).toBeGreaterThanOrEqual(LEGIBLE)
    }),
  )
})

test('a brand without a valid colour has that of the product', () => {
  expect(variablesOf({ primaryColor: 'none', accentColor: '' })['--brand']).toBe('#1d4ed8')
})
