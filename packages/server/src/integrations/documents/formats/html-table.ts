import type { DocumentBlock } from '@parley/retrieval/read-document'
import { type HtmlElement, isElement } from './html-node.ts'
import { hasHeaderRow } from './table-header.ts'

/** More than any table that people read; a span beyond it is a trick or a mistake. */
const MAX_COLSPAN = 100
const MAX_ROWSPAN = 1_000

interface Cell {
  readonly text: string
  /** Stands for a column: `th`, or all in bold. */
  readonly isLabel: boolean
}

interface Row {
  readonly cells: readonly Cell[]
  readonly isHead: boolean
}

/** Whether a table is one, and not there for the layout of a page or an e-mail. */
export function isDataTable(table: HtmlElement): boolean {
  const role = table.getAttribute('role')
  if (role === 'presentation' || role === 'none' || table.querySelector('table') !== null) return false
  return [...table.querySelectorAll('tr')].some((row) => cellsOf(row).length > 1)
}

/** Reads a table; `textOf` says what stands in a cell. */
export function readTable(table: HtmlElement, textOf: (cell: HtmlElement) => string): DocumentBlock {
  const rows = readRows([...table.querySelectorAll('tr')], textOf)
  const headRows = countHeadRows(rows)
  const texts = rows.map((row) => row.cells.map(({ text }) => text))
  const header = joinRows(texts.slice(0, headRows))
  if (headRows > 0) return { kind: 'table', header, rows: texts.slice(headRows), page: null }
  const [first = [], ...rest] = texts
  const isHeader = hasHeaderRow(texts, false)
  return { kind: 'table', header: isHeader ? first : [], rows: isHeader ? rest : texts, page: null }
}

function cellsOf(row: HtmlElement): HtmlElement[] {
  return [...row.childNodes].filter(isElement).filter(({ nodeName }) => nodeName === 'TD' || nodeName === 'TH')
}

/** Cells that span rows or columns of labels stand in each of them. */
function readRows(rowElements: readonly HtmlElement[], textOf: (cell: HtmlElement) => string): Row[] {
  /** By column: a cell from above and how many rows it still reaches down. */
  const hanging = new Map<number, { readonly cell: Cell; rows: number }>()
  return rowElements.map((rowElement) => {
    const cells: Cell[] = []
    const placeSpanningCells = (): void => {
      for (let above = hanging.get(cells.length); above !== undefined; above = hanging.get(cells.length)) {
        above.rows -= 1
        if (above.rows === 0) hanging.delete(cells.length)
        cells.push(above.cell)
      }
    }
    for (const element of cellsOf(rowElement)) {
      placeSpanningCells()
      const isLabel = element.nodeName === 'TH' || isBold(element)
      const cell: Cell = { text: textOf(element), isLabel }
      const width = span(element, 'colspan', MAX_COLSPAN)
      const height = span(element, 'rowspan', MAX_ROWSPAN)
      for (let column = 0; column < width; column += 1) {
        const placed = column === 0 || isLabel ? cell : { text: '', isLabel }
        if (height > 1) hanging.set(cells.length, { cell: placed, rows: height - 1 })
        cells.push(placed)
      }
    }
    placeSpanningCells()
    return { cells, isHead: rowElement.closest('thead') !== null }
  })
}

function span(element: HtmlElement, name: string, maxSpan: number): number {
  const value = Number.parseInt(element.getAttribute(name) ?? '1', 10)
  return value >= 1 ? Math.min(value, maxSpan) : 1
}

function isBold(cell: HtmlElement): boolean {
  const text = cell.textContent?.trim() ?? ''
  const bold = cell.querySelector('strong, b')?.textContent?.trim() ?? ''
  return text !== '' && text === bold
}

function countHeadRows(rows: readonly Row[]): number {
  const marked = rows.findIndex(({ isHead }) => !isHead)
  if (marked > 0) return marked
  const labelled = rows.findIndex(
    ({ cells }) => !cells.every(({ isLabel, text }, column) => isLabel || (column === 0 && text === '')),
  )
  return Math.max(labelled, 0)
}

function joinRows(rows: readonly (readonly string[])[]): string[] {
  const width = rows.reduce((widest, row) => Math.max(widest, row.length), 0)
  return Array.from({ length: width }, (_, column) => {
    const parts = rows.map((row) => row[column] ?? '').filter((part) => part !== '')
    return [...new Set(parts)].join(' ')
  })
}
