import { describe, expect, test } from 'vitest'
import {
  BILLION_LAUGHS,
  createDocxParagraph,
  createHandbook,
  createPriceList,
  createRawDocx,
  createRawXlsx,
} from '../../../../../../testing/documents/office-documents.ts'
import { linesOf, readNow, readProblem } from '../document-test-kit.ts'
import { createNumberFormat } from './number-format.ts'

test('a Word document with headings, lists and a table', async () => {
  const handbook = await createHandbook()
  expect((await readNow(handbook)).document.title).toBe('Handbook of the workshop')
  expect(await linesOf(handbook)).toEqual([
    '# Handbook of the workshop',
    '# Holidays',
    'Everybody has 27 days.',
    '## Asking for leave',
    '* Ask two weeks before.',
    '* Say who stands in for you.',
    '# Shifts',
    'Shift / Begins\nEarly / 06:30\nLate / 13:15',
  ])
})

test('a workbook with sheets, prices, shares and dates as people see them', async () => {
  expect(await linesOf(await createPriceList())).toEqual([
    '# Prices',
    '## Price list of spring',
    'Article / Price / Reduced by / Valid until\n' +
      'Flat tire, back wheel / 1,234.50 € / 15% / 2026-05-31\n' +
      'Chain / 24.00 € / 0% / 2026-06-30',
    '# Opening hours',
    'Day / Open\nSaturday / 10:00 to 14:00',
  ])
})

function cell(reference: string, value: number | string): string {
  return typeof value === 'number'
    ? `<c r="${reference}"><v>${value}</v></c>`
    : `<c r="${reference}" t="inlineStr"><is><t>${value}</t></is></c>`
}

describe('limits of workbooks', () => {
  test('rows and columns', async () => {
    const rows = Array.from({ length: 12 }, (_, row) => `<row r="${row + 1}">${cell(`A${row + 1}`, row)}</row>`).join(
      '',
    )
    expect(await readProblem(createRawXlsx(rows), { limits: { tableRows: 10 } })).toBe(
      'The sheet "Data" has more than 10 rows, the limit of a table: split it.',
    )
    expect(await readProblem(createRawXlsx(`<row r="1">${cell('XFD1', 'far')}</row>`))).toBe(
      'The sheet "Data" has more than 100 columns, the limit of a table: split it.',
    )
  })
})

describe('bombs', () => {
  const LARGE = 'a'.repeat(30_000_000)

  test('a file that is much larger than its container', async () => {
    const bomb = createRawDocx(createDocxParagraph(LARGE))
    expect(await readProblem(bomb)).toContain('unpacks to more than 200 times its size')
    expect(await readProblem(bomb, { limits: { unpackedBytes: 1024 * 1024 } })).toBe(
      'The document unpacks to more than 1 MB, the limit of one document: split it.',
    )
  })

  test('one that lies about it', async () => {
    const bomb = createRawXlsx(cell('A1', LARGE))
    expect(await readProblem(bomb)).toContain('unpacks to more than 200 times its size')
    expect(await readProblem(createRawDocx(createDocxParagraph(LARGE), { claimedBytes: 10 }))).toContain('200 times')
  })

  test('entities that expand without end', async () => {
    const entityBombs = [
      createRawDocx(createDocxParagraph('&a9;'), { declaration: BILLION_LAUGHS }),
      createRawXlsx(`<row r="1">${cell('A1', '&a9;')}</row>`, { declaration: BILLION_LAUGHS }),
    ]
    for (const entityBomb of entityBombs) expect(await readProblem(entityBomb)).toContain('declares XML entities')
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
])('%s shows %d as %s', (code, value, text) => {
  expect(createNumberFormat(164, code, false)(value)).toBe(text)
})

test('codes that files name by number only, and the other calendar', () => {
  expect(createNumberFormat(14, undefined, false)(46173)).toBe('2026-05-31')
  expect(createNumberFormat(14, undefined, true)(44711)).toBe('2026-05-31')
  expect(createNumberFormat(22, undefined, false)(46173.25)).toBe('2026-05-31 06:00')
  expect(createNumberFormat(9, undefined, false)(0.5)).toBe('50%')
  expect(createNumberFormat(0, undefined, false)(5)).toBe('5')
})
