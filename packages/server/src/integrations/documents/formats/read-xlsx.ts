import type { DocumentBlock, ReadDocument } from '@parley/retrieval/read-document'
import type { DocumentLimits } from '../document-limits.ts'
import type { OfficeParts } from '../office-container.ts'
import { readSheet, type SheetRow } from './read-sheet.ts'
import { hasHeaderRow } from './table-header.ts'
import { readWorkbook } from './workbook-parts.ts'

/** Reads an Excel workbook: every sheet that is shown, under its name, with tables and what is written around them. */
export function readXlsx(parts: OfficeParts, limits: DocumentLimits): ReadDocument {
  const workbook = readWorkbook(parts)
  const blocks = workbook.sheets.flatMap((sheet): DocumentBlock[] => {
    const rows = readSheet(sheet, workbook, limits)
    if (rows.length === 0) return []
    return [{ kind: 'heading', level: 1, text: sheet.name, page: null }, ...splitRows(rows).flatMap(readRegion)]
  })
  return { title: null, blocks, pageCount: null, links: [] }
}

/** Regions are kept apart by empty rows. */
function splitRows(rows: readonly SheetRow[]): SheetRow[][] {
  const regions: SheetRow[][] = []
  let last: SheetRow | null = null
  for (const row of rows) {
    const isNext = last !== null && row.number <= last.number + 1
    if (isNext) regions.at(-1)?.push(row)
    else regions.push([row])
    last = row
  }
  return joinRegions(regions)
}

/** A table goes on behind an empty row when what follows has no header of its own and the same columns. */
function joinRegions(regions: readonly SheetRow[][]): SheetRow[][] {
  const joined: SheetRow[][] = []
  for (const region of regions) {
    const before = joined.at(-1)
    const isContinuation =
      before !== undefined && region.every(isWide) && !startsWithHeader(region) && before.some(isWide)
    if (isContinuation) before.push(...region)
    else joined.push([...region])
  }
  return joined
}

/** Lines with one cell are titles and notes as long as they stand above or below a table. */
function readRegion(region: readonly SheetRow[]): DocumentBlock[] {
  const first = region.findIndex(isWide)
  if (first === -1) return region.map(toNote)
  const last = region.findLastIndex(isWide)
  const table = region.slice(first, last + 1)
  const rows = table.map(({ cells }) => cells)
  const isHeader = startsWithHeader(table)
  const [header = []] = rows
  return [
    ...region.slice(0, first).map(toNote),
    { kind: 'table', header: isHeader ? header : [], rows: isHeader ? rows.slice(1) : rows, page: null },
    ...region.slice(last + 1).map(toNote),
  ]
}

function isWide({ cells }: SheetRow): boolean {
  return cells.filter((cell) => cell !== '').length > 1
}

function startsWithHeader(rows: readonly SheetRow[]): boolean {
  const [first, second] = rows
  if (first === undefined) return false
  const start = first.cells.findIndex((cell) => cell !== '')
  const texts = rows.slice(0, 50).map(({ cells }) => cells.slice(start))
  return (first.isBold && second?.isBold === false) || hasHeaderRow(texts, true)
}

function toNote({ cells, isBold }: SheetRow): DocumentBlock {
  const text = cells.filter((cell) => cell !== '').join(' ')
  return isBold && text.length <= 120
    ? { kind: 'heading', level: 2, text, page: null }
    : { kind: 'paragraph', text, page: null }
}
