import type { DocumentBlock, ReadDocument } from '@parley/retrieval/read-document'
import type { DocumentLimits } from '../document-limits.ts'
import type { OfficeParts } from '../office-container.ts'
import { UnreadableContentError } from '../unreadable-content.ts'
import { formatPlainNumber } from './number-format.ts'
import { scanXml } from './scan-xml.ts'
import { hasHeaderRow } from './table-header.ts'
import { type CellStyle, readWorkbook, type Workbook } from './workbook-parts.ts'

/** Reads an Excel workbook: each visible sheet under its name, with tables and the text around them. */
export function readXlsx(parts: OfficeParts, limits: DocumentLimits): ReadDocument {
  const workbook = readWorkbook(parts)
  const blocks = workbook.sheets.flatMap((sheet): DocumentBlock[] => {
    const rows = readSheet(sheet, workbook, limits)
    if (rows.length === 0) return []
    return [{ kind: 'heading', level: 1, text: sheet.name, page: null }, ...splitIntoRegions(rows).flatMap(readRegion)]
  })
  return { title: null, blocks, pageCount: null, links: [] }
}

/** Splits rows into regions at empty rows. */
function splitIntoRegions(rows: readonly SheetRow[]): SheetRow[][] {
  const regions: SheetRow[][] = []
  let previousRow: SheetRow | null = null
  for (const row of rows) {
    const isAdjacent = previousRow !== null && row.rowNumber <= previousRow.rowNumber + 1
    if (isAdjacent) regions.at(-1)?.push(row)
    else regions.push([row])
    previousRow = row
  }
  return joinRegions(regions)
}

/** Joins a region without a header with the table before it. */
function joinRegions(regions: readonly SheetRow[][]): SheetRow[][] {
  const joinedRegions: SheetRow[][] = []
  for (const region of regions) {
    const previousRegion = joinedRegions.at(-1)
    const isContinuation =
      previousRegion !== undefined && region.every(isWide) && !startsWithHeader(region) && previousRegion.some(isWide)
    if (isContinuation) previousRegion.push(...region)
    else joinedRegions.push([...region])
  }
  return joinedRegions
}

/** Reads a region. Rows with one cell above or below a table are titles and notes. */
function readRegion(region: readonly SheetRow[]): DocumentBlock[] {
  const firstTableRow = region.findIndex(isWide)
  if (firstTableRow === -1) return region.map(toNoteBlock)
  const lastTableRow = region.findLastIndex(isWide)
  const table = region.slice(firstTableRow, lastTableRow + 1)
  const rows = table.map(({ cells }) => cells)
  const hasHeader = startsWithHeader(table)
  const [header = []] = rows
  return [
    ...region.slice(0, firstTableRow).map(toNoteBlock),
    { kind: 'table', header: hasHeader ? header : [], rows: hasHeader ? rows.slice(1) : rows, page: null },
    ...region.slice(lastTableRow + 1).map(toNoteBlock),
  ]
}

function isWide({ cells }: SheetRow): boolean {
  return cells.filter((cell) => cell !== '').length > 1
}

function startsWithHeader(rows: readonly SheetRow[]): boolean {
  const [firstRow, secondRow] = rows
  if (firstRow === undefined) return false
  const startColumn = firstRow.cells.findIndex((cell) => cell !== '')
  const texts = rows.slice(0, 50).map(({ cells }) => cells.slice(startColumn))
  return (firstRow.isBold && secondRow?.isBold === false) || hasHeaderRow(texts, true)
}

function toNoteBlock({ cells, isBold }: SheetRow): DocumentBlock {
  const text = cells.filter((cell) => cell !== '').join(' ')
  return isBold && text.length <= 120
    ? { kind: 'heading', level: 2, text, page: null }
    : { kind: 'paragraph', text, page: null }
}

/** A sheet row as displayed. */
interface SheetRow {
  /** Row number, starting at 1. */
  readonly rowNumber: number
  /** Cell texts; `''` for empty cells. */
  readonly cells: readonly string[]
  readonly isBold: boolean
}

interface PartialCell {
  readonly column: number
  readonly kind: string
  readonly style: CellStyle | undefined
  text: string
}

/** An escaped character in a cell text, such as `_x000D_`. */
const ESCAPE_SEQUENCE = /_x([\da-f]{4})_/gi

/** Reads the non-empty rows of a sheet. */
function readSheet(
  { name, source }: Workbook['sheets'][number],
  { strings, styles }: Workbook,
  limits: DocumentLimits,
): SheetRow[] {
  const rows: SheetRow[] = []
  let rowNumber = 0
  let cells: string[] = []
  let boldCellCount = 0
  let cell: PartialCell | null = null
  let isInsideContent = false
  scanXml(source, {
    onOpen(tag, getAttribute) {
      if (tag === 'row') {
        rowNumber = Number(getAttribute('r') ?? rowNumber + 1)
        cells = []
        boldCellCount = 0
      } else if (tag === 'c') {
        const column = parseColumn(getAttribute('r')) ?? cells.length
        cell = { column, kind: getAttribute('t') ?? 'n', style: styles[Number(getAttribute('s') ?? 0)], text: '' }
      }
      isInsideContent = tag === 'v' || tag === 't'
    },
    onText(text) {
      if (isInsideContent && cell !== null) cell.text += text
    },
    onClose(tag) {
      isInsideContent = false
      if (tag === 'c' && cell !== null) {
        const text = readCellText(cell, strings)
        if (text !== '') {
          if (cell.column >= limits.tableColumns) throw createTooLargeError(name, limits.tableColumns, 'columns')
          while (cells.length < cell.column) cells.push('')
          cells[cell.column] = text
          if (cell.style?.isBold) boldCellCount += 1
        }
        cell = null
      }
      if (tag === 'row' && cells.length > 0) {
        if (rows.length >= limits.tableRows) throw createTooLargeError(name, limits.tableRows, 'rows')
        rows.push({ rowNumber: rowNumber, cells, isBold: boldCellCount === cells.filter((text) => text !== '').length })
      }
    },
  })
  return rows
}

function createTooLargeError(sheet: string, limit: number, unit: string): UnreadableContentError {
  const amount = `${limit.toLocaleString('en-US')} ${unit}`
  return new UnreadableContentError(`The sheet "${sheet}" has more than ${amount}, the limit for one table: split it.`)
}

/** Returns the column index of a reference: `AB12` is in column 27. */
function parseColumn(reference: string | null): number | null {
  const letters = /^[A-Z]{1,3}/.exec(reference ?? '')?.[0]
  if (letters === undefined) return null
  return [...letters].reduce((column, letter) => column * 26 + letter.charCodeAt(0) - 64, 0) - 1
}

function readCellText({ kind, style, text }: PartialCell, strings: readonly string[]): string {
  if (kind === 's') return unescapeText(strings[Number(text)] ?? '')
  if (kind === 'inlineStr' || kind === 'str') return unescapeText(text)
  if (kind === 'b') return text === '1' ? 'TRUE' : 'FALSE'
  if (kind === 'e' || text.trim() === '') return ''
  if (kind === 'd') return text.replace('T', ' ').replace(/( 00:00)?(:00)?(\.000)?Z?$/, '')
  const value = Number(text)
  return Number.isFinite(value) ? (style?.format ?? formatPlainNumber)(value) : text
}

function unescapeText(text: string): string {
  return text.replace(ESCAPE_SEQUENCE, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))).trim()
}
