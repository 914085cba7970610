import type { DocumentLimits } from '../document-limits.ts'
import { UnreadableContent } from '../unreadable-content.ts'
import { plainNumber } from './number-format.ts'
import { scanXml } from './scan-xml.ts'
import type { CellStyle, Workbook } from './workbook-parts.ts'

/** A row of a sheet as people see it. */
export interface SheetRow {
  /** From 1. */
  readonly number: number
  /** `''` where nothing stands. */
  readonly cells: readonly string[]
  readonly isBold: boolean
}

interface PartialCell {
  readonly column: number
  readonly kind: string
  readonly style: CellStyle | undefined
  text: string
}

/** Characters that a sheet's texts hold in a spelling of their own, such as `_x000D_`. */
const ESCAPED = /_x([\da-f]{4})_/gi

/** The rows of a sheet in which something stands. */
export function readSheet(
  { name, source }: Workbook['sheets'][number],
  { strings, styles }: Workbook,
  limits: DocumentLimits,
): SheetRow[] {
  const rows: SheetRow[] = []
  let number = 0
  let cells: string[] = []
  let boldCells = 0
  let cell: PartialCell | null = null
  let isContent = false
  scanXml(source, {
    open(tag, attribute) {
      if (tag === 'row') {
        number = Number(attribute('r') ?? number + 1)
        cells = []
        boldCells = 0
      } else if (tag === 'c') {
        const column = columnOf(attribute('r')) ?? cells.length
        cell = { column, kind: attribute('t') ?? 'n', style: styles[Number(attribute('s') ?? 0)], text: '' }
      }
      isContent = tag === 'v' || tag === 't'
    },
    text(part) {
      if (isContent && cell !== null) cell.text += part
    },
    close(tag) {
      isContent = false
      if (tag === 'c' && cell !== null) {
        const text = cellText(cell, strings)
        if (text !== '') {
          if (cell.column >= limits.tableColumns) throw tooLarge(name, limits.tableColumns, 'columns')
          while (cells.length < cell.column) cells.push('')
          cells[cell.column] = text
          if (cell.style?.isBold) boldCells += 1
        }
        cell = null
      }
      if (tag === 'row' && cells.length > 0) {
        if (rows.length >= limits.tableRows) throw tooLarge(name, limits.tableRows, 'rows')
        rows.push({ number, cells, isBold: boldCells === cells.filter((text) => text !== '').length })
      }
    },
  })
  return rows
}

function tooLarge(sheet: string, limit: number, unit: string): UnreadableContent {
  const amount = `${limit.toLocaleString('en-US')} ${unit}`
  return new UnreadableContent(`The sheet "${sheet}" has more than the ${amount} that a table may have: split it.`)
}

/** `AB12` stands in column 27. */
function columnOf(reference: string | null): number | null {
  const letters = /^[A-Z]{1,3}/.exec(reference ?? '')?.[0]
  if (letters === undefined) return null
  return [...letters].reduce((column, letter) => column * 26 + letter.charCodeAt(0) - 64, 0) - 1
}

function cellText({ kind, style, text }: PartialCell, strings: readonly string[]): string {
  if (kind === 's') return unescaped(strings[Number(text)] ?? '')
  if (kind === 'inlineStr' || kind === 'str') return unescaped(text)
  if (kind === 'b') return text === '1' ? 'TRUE' : 'FALSE'
  if (kind === 'e' || text.trim() === '') return ''
  if (kind === 'd') return text.replace('T', ' ').replace(/( 00:00)?(:00)?(\.000)?Z?$/, '')
  const value = Number(text)
  return Number.isFinite(value) ? (style?.format ?? plainNumber)(value) : text
}

function unescaped(text: string): string {
  return text.replace(ESCAPED, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))).trim()
}
