import { expect, test } from 'vitest'
import { numberFormat } from './number-format.ts'

test.each([
  ['General', 0.1 + 0.2, '0.3'],
  ['General', 1234567, '1234567'],
  ['0', 18.6, '19'],
  ['0.00', 18.5, '18.50'],
  ['0.##', 18.5, '18.5'],
  ['#,##0', 1234567, '1,234,567'],
  ['#,##0.00 "€"', 1234.5, '1,234.50 €'],
  ['#,##0.00\\ [$€-407]', 1234.5, '1.234,50 €'],
  ['[$$-409]#,##0.00', 9.99, '$9.99'],
  ['"CHF" 0.00;[Red]-"CHF" 0.00', -3, '-CHF 3.00'],
  ['0.00;(0.00)', -3, '(3.00)'],
  ['0;-0;"none"', 0, 'none'],
  ['0%', 0.19, '19%'],
  ['0.0%', 0.195, '19.5%'],
  ['#,##0,', 1234567, '1,235'],
  ['0" kg"', 12, '12 kg'],
  ['dd.mm.yyyy', 46173, '2026-05-31'],
  ['[$-407]d. mmmm yyyy', 46173, '2026-05-31'],
  ['mmm yy', 46173, '2026-05'],
  ['h:mm', 0.5625, '13:30'],
  ['h:mm:ss', 0.5625, '13:30:00'],
  ['[h]:mm', 1.5, '36:00'],
  ['yyyy-mm-dd hh:mm', 46173.25, '2026-05-31 06:00'],
  ['# ?/?', 0.5, '0.5'],
  ['@', 7, '7'],
])('%s shows %d as %s', (code, value, text) => {
  expect(numberFormat(164, code, false)(value)).toBe(text)
})

test('codes that files name by number only, and the other calendar', () => {
  expect(numberFormat(14, undefined, false)(46173)).toBe('2026-05-31')
  expect(numberFormat(14, undefined, true)(44711)).toBe('2026-05-31')
  expect(numberFormat(22, undefined, false)(46173.25)).toBe('2026-05-31 06:00')
  expect(numberFormat(9, undefined, false)(0.5)).toBe('50%')
  expect(numberFormat(0, undefined, false)(5)).toBe('5')
})
