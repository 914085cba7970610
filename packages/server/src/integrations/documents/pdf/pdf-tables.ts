import type { DocumentBlock } from '@parley/retrieval/read-document'
import { hasHeaderRow } from '../formats/table-header.ts'
import type { PdfLine } from './pdf-lines.ts'

type Table = Extract<DocumentBlock, { kind: 'table' }>

/** A table and its number of lines. */
export interface FoundTable {
  readonly table: Table
  readonly lineCount: number
}

interface Column {
  left: number
  right: number
}

interface TableRow {
  readonly cells: string[]
  readonly baseline: number
  readonly isBold: boolean
}

const MIN_ROWS = 2
/** Relative to the font size: maximum line distance within a cell. */
const CELL_LINE_PITCH = 1.45
/** Relative to the font size: maximum line distance within a table. */
const MAX_PITCH = 4
const MAX_ROW_LENGTH = 400

/** Finds the table that starts at the first line, if there is one: lines with several aligned fragments. */
export function findTable(lines: readonly PdfLine[], page: number): FoundTable | null {
  const [first] = lines
  if (first === undefined || first.fragments.length < 2) return null
  const taken = takeLines(lines)
  const wide = taken.filter(({ fragments }) => fragments.length > 1)
  const columns = groupColumns(wide)
  if (wide.length < MIN_ROWS || columns.length < 2) return null
  const rows = joinWrapped(
    taken.map((line) => toRow(line, columns)),
    taken,
  )
  if (rows.length < MIN_ROWS) return null
  const texts = rows.map(({ cells }) => cells)
  const isHeader = (rows[0]?.isBold === true && rows[1]?.isBold === false) || hasHeaderRow(texts, false)
  const [header = []] = texts
  const table: Table = { kind: 'table', header: isHeader ? header : [], rows: isHeader ? texts.slice(1) : texts, page }
  return { table, lineCount: taken.length }
}

/** Takes lines that fit the columns so far. A line with one fragment continues a cell of the row above. */
function takeLines(lines: readonly PdfLine[]): PdfLine[] {
  const taken: PdfLine[] = []
  let columns: Column[] = []
  for (const line of lines) {
    const last = taken.at(-1)
    const pitch = last === undefined ? 0 : (line.baseline - last.baseline) / Math.max(line.size, last.size)
    if (pitch < 0 || pitch > MAX_PITCH || line.text.length > MAX_ROW_LENGTH) break
    const isContinuation = line.fragments.length === 1 && pitch <= CELL_LINE_PITCH && isBeyondFirst(line, columns)
    const isRow = line.fragments.length > 1 && (columns.length === 0 || fitsColumns(line, columns))
    if (!isRow && !isContinuation) break
    if (isRow) columns = groupColumns([...taken.filter(({ fragments }) => fragments.length > 1), line])
    taken.push(line)
  }
  return taken
}

/** Whether a line fits the columns. A row can omit columns, but each fragment is in one column at most. */
function fitsColumns(line: PdfLine, columns: readonly Column[]): boolean {
  const places = line.fragments.map(({ left, right }) => {
    return columns.filter((column) => left < column.right && right > column.left).length
  })
  return (
    places.every((count) => count <= 1) && places.filter((count) => count === 1).length * 2 >= line.fragments.length
  )
}

function isBeyondFirst({ left, right }: PdfLine, columns: readonly Column[]): boolean {
  const overlapped = columns.filter((column) => left < column.right && right > column.left)
  return overlapped.length === 1 && columns.length > 1
}

/** Groups fragments into columns. Fragments that overlap horizontally form one column. */
function groupColumns(lines: readonly PdfLine[]): Column[] {
  const spans = lines.flatMap(({ fragments }) => fragments.map(({ left, right }) => ({ left, right })))
  const columns: Column[] = []
  for (const span of spans.sort((one, other) => one.left - other.left)) {
    const last = columns.at(-1)
    if (last !== undefined && span.left < last.right) last.right = Math.max(last.right, span.right)
    else columns.push({ ...span })
  }
  return columns
}

function toRow({ fragments, baseline, isBold }: PdfLine, columns: readonly Column[]): TableRow {
  const cells = columns.map(({ left, right }) => {
    return fragments
      .filter((fragment) => fragment.left < right && fragment.right > left)
      .map(({ text }) => text)
      .join(' ')
  })
  return { cells, baseline, isBold }
}

/** Joins close lines into one row with wrapped cells. */
function joinWrapped(rows: readonly TableRow[], lines: readonly PdfLine[]): TableRow[] {
  const pitches = lines.slice(1).map((line, index) => (line.baseline - (lines[index]?.baseline ?? 0)) / line.size)
  const isSpaced = pitches.some((pitch) => pitch > CELL_LINE_PITCH)
  const joined: TableRow[] = []
  for (const [index, row] of rows.entries()) {
    const last = joined.at(-1)
    const isClose = (pitches[index - 1] ?? Number.POSITIVE_INFINITY) <= CELL_LINE_PITCH
    const isContinuation = isClose && (isSpaced || (lines[index]?.fragments.length ?? 0) === 1)
    if (last === undefined || !isContinuation) joined.push(row)
    else {
      const cells = row.cells.map((cell, column) => `${last.cells[column] ?? ''} ${cell}`.trim())
      joined[joined.length - 1] = { ...last, cells }
    }
  }
  return joined
}
