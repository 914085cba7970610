import { describe, expect, test } from 'vitest'
import { createFormatter, findLocale } from './format.ts'

describe('numbers and dates', () => {
  test.each([
    ['en', ['en-GB', 'en'], 'en-GB'],
    ['en', ['de-AT', 'en-IN'], 'en-IN'],
    ['de', ['en-GB', 'de-CH', 'de'], 'de-CH'],
    ['de', ['en-GB'], 'de'],
    ['en', [], 'en'],
    ['en', ['EN-us'], 'EN-us'],
  ])('in %s with the browser languages %s use the locale %s', (language, preferredLocales, locale) => {
    expect(findLocale(language, preferredLocales)).toBe(locale)
  })

  test('follow the locale of the user', () => {
    const iso = '2026-11-04T12:00:00Z'
    expect(createFormatter('en-GB').date(iso)).toBe('4 Nov 2026')
    expect(createFormatter('en-US').date(iso)).toBe('Nov 4, 2026')
    expect(createFormatter('de').date(iso)).toBe('04.11.2026')
  })

  test.each([
    [0, '0:00'],
    [249, '4:09'],
    [3_729, '1:02:09'],
  ])('format %s seconds as %s', (seconds, text) => {
    expect(createFormatter('en').timecode(seconds)).toBe(text)
  })

  test.each([
    [999, '999 B'],
    [1_200_000, '1.2 MB'],
    [2e12, '2,000 GB'],
  ])('format %s bytes as %s', (size, text) => {
    expect(createFormatter('en').bytes(size)).toBe(text)
  })

  test.each([
    ['en-GB', 0.0426, '$0.0426'],
    ['en-US', 1.5, '$1.50'],
    ['de', 12, '12,00\u00a0$'],
  ])('in %s format %s dollars as %s', (locale, amount, text) => {
    expect(createFormatter(locale).dollars(amount)).toBe(text)
  })
})
