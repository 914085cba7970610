import { describe, expect, test } from 'vitest'
import {
  BILLION_LAUGHS,
  createDocxParagraph,
  createHandbook,
  createPriceList,
  createRawDocx,
  createRawXlsx,
} from '../../../../../../testing/documents/office-documents.ts'
import { describeBlocks, readFailure, readSample } from '../document-test-kit.ts'
import { createNumberFormatter } from './number-format.ts'

test('a Word document with headings, lists and a table', async () => {
  const handbook = await createHandbook()
  expect((await readSample(handbook)).document.title).toBe('Handbook of the workshop')
  expect(await describeBlocks(handbook)).toEqual([
    '# Handbook of the workshop',
    '# Holidays',
    'Everybody has 27 days.',
    '## Asking for leave',
    '* Ask two weeks before.',
    '* Name the person who covers for you.',
    '# Shifts',
    'Shift / Begins\nEarly / 06:30\nLate / 13:15',
  ])
})

test('a workbook with sheets and formatted prices, percentages and dates', async () => {
  expect(await describeBlocks(await createPriceList())).toEqual([
    '# Prices',
    '## Price list of spring',
    'Article / Price / Reduced by / Valid until\n' +
      'Flat tire, back wheel / 1,234.50 € / 15% / 2026-05-31\n' +
      'Chain / 24.00 € / 0% / 2026-06-30',
    '# Opening hours',
    'Day / Open\nSaturday / 10:00 to 14:00',
  ])
})

function buildCell(reference: string, value: number | string): string {
  return typeof value === 'number'
    ? `<c r="${reference}"><v>${value}</v></c>`
    : `<c r="${reference}" t="inlineStr"><is><t>${value}</t></is></c>`
}

describe('limits of workbooks', () => {
  test('apply to rows and columns', async () => {
    const rows = Array.from(
      { length: 12 },
      (_, row) => `<row r="${row + 1}">${buildCell(`A${row + 1}`, row)}</row>`,
    ).join('')
    expect(await readFailure(createRawXlsx(rows), { limits: { tableRows: 10 } })).toBe(
      'The sheet "Data" has more than 10 rows, the limit for one table: split it.',
    )
    expect(await readFailure(createRawXlsx(`<row r="1">${buildCell('XFD1', 'far')}</row>`))).toBe(
      'The sheet "Data" has more than 100 columns, the limit for one table: split it.',
    )
  })
})

describe('decompression bombs', () => {
  const LARGE = 'a'.repeat(30_000_000)

  test('are rejected by their compression ratio', async () => {
    const bomb = createRawDocx(createDocxParagraph(LARGE))
    expect(await readFailure(bomb)).toContain('unpacks to more than 200 times its size')
    expect(await readFailure(bomb, { limits: { unpackedBytes: 1024 * 1024 } })).toBe(
      'The document unpacks to more than 1 MB, the limit for one document: split it.',
    )
  })

  test('are rejected despite a false declared size', async () => {
    const bomb = createRawXlsx(buildCell('A1', LARGE))
    expect(await readFailure(bomb)).toContain('unpacks to more than 200 times its size')
    expect(await readFailure(createRawDocx(createDocxParagraph(LARGE), { claimedBytes: 10 }))).toContain('200 times')
  })

  test('are rejected if they declare XML entities', async () => {
    const entityBombs = [
      createRawDocx(createDocxParagraph('&a9;'), { declaration: BILLION_LAUGHS }),
      createRawXlsx(`<row r="1">${buildCell('A1', '&a9;')}</row>`, { declaration: BILLION_LAUGHS }),
    ]
    for (const entityBomb of entityBombs) expect(await readFailure(entityBomb)).toContain('declares XML entities')
  })
})

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
])('the format %s displays %d as %s', (code, value, text) => {
  expect(createNumberFormatter(164, code, false)(value)).toBe(text)
})

test('built-in formats and the 1904 date system', () => {
  expect(createNumberFormatter(14, undefined, false)(46173)).toBe('2026-05-31')
  expect(createNumberFormatter(14, undefined, true)(44711)).toBe('2026-05-31')
  expect(createNumberFormatter(22, undefined, false)(46173.25)).toBe('2026-05-31 06:00')
  expect(createNumberFormatter(9, undefined, false)(0.5)).toBe('50%')
  expect(createNumberFormatter(0, undefined, false)(5)).toBe('5')
})
