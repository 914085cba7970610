import type { DocumentBlock } from '@parley/retrieval/read-document'
import { hasHeaderRow } from '../formats/table-header.ts'
import type { PdfLine } from './pdf-lines.ts'

type Table = Extract<DocumentBlock, { kind: 'table' }>

/** A table and its number of lines. */
export interface DetectedTable {
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
const MAX_CELL_LINE_DISTANCE = 1.45
/** Relative to the font size: maximum line distance within a table. */
const MAX_TABLE_LINE_DISTANCE = 4
const MAX_ROW_LENGTH = 400

/** Finds a table, which consists of lines with several aligned fragments, that starts at the first line. */
export function findTable(lines: readonly PdfLine[], page: number): DetectedTable | null {
  const [firstLine] = lines
  if (firstLine === undefined || firstLine.fragments.length < 2) return null
  const tableLines = takeTableLines(lines)
  const wideLines = tableLines.filter(({ fragments }) => fragments.length > 1)
  const columns = groupColumns(wideLines)
  if (wideLines.length < MIN_ROWS || columns.length < 2) return null
  const rows = joinWrappedRows(
    tableLines.map((line) => toRow(line, columns)),
    tableLines,
  )
  if (rows.length < MIN_ROWS) return null
  const texts = rows.map(({ cells }) => cells)
  const hasHeader = (rows[0]?.isBold === true && rows[1]?.isBold === false) || hasHeaderRow(texts, false)
  const [header = []] = texts
  const table: Table = {
    kind: 'table',
    header: hasHeader ? header : [],
    rows: hasHeader ? texts.slice(1) : texts,
    page,
  }
  return { table, lineCount: tableLines.length }
}

/** Takes the lines that fit the columns of the lines above. A line with one fragment continues a cell of the row above. */
function takeTableLines(lines: readonly PdfLine[]): PdfLine[] {
  const tableLines: PdfLine[] = []
  let columns: Column[] = []
  for (const line of lines) {
    const previousLine = tableLines.at(-1)
    const lineDistance =
      previousLine === undefined ? 0 : (line.baseline - previousLine.baseline) / Math.max(line.size, previousLine.size)
    if (lineDistance < 0 || lineDistance > MAX_TABLE_LINE_DISTANCE || line.text.length > MAX_ROW_LENGTH) break
    const isContinuation =
      line.fragments.length === 1 && lineDistance <= MAX_CELL_LINE_DISTANCE && fitsOneColumn(line, columns)
    const isRow = line.fragments.length > 1 && (columns.length === 0 || fitsColumns(line, columns))
    if (!isRow && !isContinuation) break
    if (isRow) columns = groupColumns([...tableLines.filter(({ fragments }) => fragments.length > 1), line])
    tableLines.push(line)
  }
  return tableLines
}

/** Whether a line fits the columns. A row can omit columns, but each fragment is in one column at most. */
function fitsColumns(line: PdfLine, columns: readonly Column[]): boolean {
  const columnCounts = line.fragments.map(({ left, right }) => {
    return columns.filter((column) => left < column.right && right > column.left).length
  })
  return (
    columnCounts.every((count) => count <= 1) &&
    columnCounts.filter((count) => count === 1).length * 2 >= line.fragments.length
  )
}

function fitsOneColumn({ left, right }: PdfLine, columns: readonly Column[]): boolean {
  const overlappingColumns = columns.filter((column) => left < column.right && right > column.left)
  return overlappingColumns.length === 1 && columns.length > 1
}

/** Groups fragments into columns. Fragments that overlap horizontally form one column. */
function groupColumns(lines: readonly PdfLine[]): Column[] {
  const spans = lines.flatMap(({ fragments }) => fragments.map(({ left, right }) => ({ left, right })))
  const columns: Column[] = []
  for (const span of spans.sort((a, b) => a.left - b.left)) {
    const lastColumn = columns.at(-1)
    if (lastColumn !== undefined && span.left < lastColumn.right)
      lastColumn.right = Math.max(lastColumn.right, span.right)
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
function joinWrappedRows(rows: readonly TableRow[], lines: readonly PdfLine[]): TableRow[] {
  const lineDistances = lines.slice(1).map((line, index) => (line.baseline - (lines[index]?.baseline ?? 0)) / line.size)
  const hasWideSpacing = lineDistances.some((distance) => distance > MAX_CELL_LINE_DISTANCE)
  const joinedRows: TableRow[] = []
  for (const [index, row] of rows.entries()) {
    const previousRow = joinedRows.at(-1)
    const isClose = (lineDistances[index - 1] ?? Number.POSITIVE_INFINITY) <= MAX_CELL_LINE_DISTANCE
    const isContinuation = isClose && (hasWideSpacing || (lines[index]?.fragments.length ?? 0) === 1)
    if (previousRow === undefined || !isContinuation) joinedRows.push(row)
    else {
      const cells = row.cells.map((cell, column) => `${previousRow.cells[column] ?? ''} ${cell}`.trim())
      joinedRows[joinedRows.length - 1] = { ...previousRow, cells }
    }
  }
  return joinedRows
}
