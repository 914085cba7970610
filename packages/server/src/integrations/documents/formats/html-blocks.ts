import type { DocumentBlock } from '@parley/retrieval/read-document'
import { type HtmlElement, type HtmlNode, isElement, TEXT_NODE } from './html-node.ts'
import { hasHeaderRow } from './table-header.ts'

const SKIPPED_ELEMENTS = new Set(
  'HEAD TITLE SCRIPT STYLE NOSCRIPT TEMPLATE SVG IFRAME OBJECT CANVAS AUDIO VIDEO BUTTON INPUT SELECT TEXTAREA MATH DIALOG'.split(
    ' ',
  ),
)
const BLOCK_ELEMENTS = new Set(
  (
    'ADDRESS ARTICLE ASIDE BLOCKQUOTE BODY CENTER DD DETAILS DIV DL DT FIELDSET FIGCAPTION FIGURE FOOTER FORM HEADER HR ' +
    'HTML LEGEND LI MAIN NAV OL P SECTION SUMMARY TABLE TBODY TD TFOOT TH THEAD TR UL'
  ).split(' '),
)

/** Deeper elements become plain text. Real pages are not nested this deeply. */
const MAX_DEPTH = 250

interface BlockStyle {
  readonly kind: 'paragraph' | 'list-item'
  readonly prefix: string
}

const PARAGRAPH: BlockStyle = { kind: 'paragraph', prefix: '' }

/** Returns the blocks of a part of a page, in order. */
export function buildHtmlBlocks(root: HtmlNode): DocumentBlock[] {
  const writer = createBlockWriter()
  visitNode(root, writer, 0)
  writer.endBlock()
  return writer.blocks
}

interface BlockWriter {
  readonly blocks: DocumentBlock[]
  append(text: string): void
  /** Ends the current block. */
  endBlock(): void
  push(block: DocumentBlock): void
  /** Sets the style of the next block and returns the previous style. */
  setStyle(style: BlockStyle): BlockStyle
}

function createBlockWriter(): BlockWriter {
  const blocks: DocumentBlock[] = []
  let texts: string[] = []
  let style = PARAGRAPH
  const endBlock = (): void => {
    const lines = texts
      .join('')
      .split('\n')
      .map((line) => line.replace(/\s+/g, ' ').trim())
      .filter((line) => line !== '')
    texts = []
    if (lines.length === 0) return
    const { kind, prefix } = style
    if (kind === 'list-item') {
      blocks.push({ kind, text: prefix + lines.join(' '), page: null })
      style = { kind: 'paragraph', prefix: '' }
    } else if (lines.length > 1) blocks.push({ kind: 'preformatted', text: lines.join('\n'), page: null })
    else blocks.push({ kind, text: lines.join(''), page: null })
  }
  return {
    blocks,
    append: (text) => texts.push(text),
    endBlock,
    push(block) {
      endBlock()
      blocks.push(block)
    },
    setStyle(nextStyle) {
      endBlock()
      const previousStyle = style
      style = nextStyle
      return previousStyle
    },
  }
}

function visitNode(node: HtmlNode, writer: BlockWriter, depth: number): void {
  if (node.nodeType === TEXT_NODE) writer.append((node.textContent ?? '').replace(/\s+/g, ' '))
  if (!isElement(node) || isHidden(node)) return
  const name = node.nodeName
  if (depth > MAX_DEPTH) writer.append(` ${node.textContent ?? ''} `)
  else if (name === 'BR') writer.append('\n')
  else if (/^H[1-6]$/.test(name)) writer.push(buildHeading(node, Number(name.charAt(1))))
  else if (name === 'PRE') writer.push({ kind: 'preformatted', text: node.textContent ?? '', page: null })
  else if (name === 'TABLE' && isDataTable(node)) visitTable(node, writer)
  else if (name === 'OL' || name === 'UL') visitList(node, writer, depth)
  else if (name === 'DL') visitDefinitions(node, writer, depth)
  else if (BLOCK_ELEMENTS.has(name)) {
    writer.endBlock()
    visitChildren(node, writer, depth)
    writer.endBlock()
  } else visitChildren(node, writer, depth)
}

function visitChildren(node: HtmlNode, writer: BlockWriter, depth: number): void {
  for (const child of node.childNodes) visitNode(child, writer, depth + 1)
}

function buildHeading(node: HtmlElement, level: number): DocumentBlock {
  return { kind: 'heading', level, text: node.textContent ?? '', page: null }
}

/** Visits a list. Items of a nested list follow their parent item. */
function visitList(list: HtmlElement, writer: BlockWriter, depth: number): void {
  let number = Number.parseInt(list.getAttribute('start') ?? '1', 10) || 1
  for (const child of list.childNodes) {
    const isItem = isElement(child) && child.nodeName === 'LI'
    const prefix = isItem && list.nodeName === 'OL' ? `${number}. ` : ''
    const previousStyle = writer.setStyle(isItem ? { kind: 'list-item', prefix } : PARAGRAPH)
    if (isItem) {
      number += 1
      visitChildren(child, writer, depth + 1)
    } else visitNode(child, writer, depth + 1)
    writer.setStyle(previousStyle)
  }
}

/** Joins each term with its definition. */
function visitDefinitions(list: HtmlElement, writer: BlockWriter, depth: number): void {
  let term = ''
  for (const child of list.childNodes) {
    if (!isElement(child)) continue
    if (child.nodeName === 'DT') term = (child.textContent ?? '').trim()
    else if (child.nodeName === 'DD') {
      const previousStyle = writer.setStyle({
        kind: 'list-item',
        prefix: term === '' ? '' : `${term.replace(/[:?]$/, '')}: `,
      })
      visitChildren(child, writer, depth + 1)
      writer.setStyle(previousStyle)
    } else visitNode(child, writer, depth + 1)
  }
}

function visitTable(table: HtmlElement, writer: BlockWriter): void {
  const caption = table.querySelector('caption')?.textContent ?? ''
  if (caption.trim() !== '') writer.push({ kind: 'paragraph', text: caption, page: null })
  writer.push(readTable(table, readCellText))
}

/** Returns the text of a cell on one line. */
function readCellText(cell: HtmlElement): string {
  const writer = createBlockWriter()
  visitChildren(cell, writer, 0)
  writer.endBlock()
  return writer.blocks.map((block) => (block.kind === 'table' ? block.rows.flat().join(', ') : block.text)).join(' ')
}

function isHidden(element: HtmlElement): boolean {
  if (SKIPPED_ELEMENTS.has(element.nodeName.toUpperCase()) || element.hasAttribute('hidden')) return true
  if (element.getAttribute('aria-hidden') === 'true') return true
  return /display\s*:\s*none|visibility\s*:\s*hidden/i.test(element.getAttribute('style') ?? '')
}

/** Larger than in real tables. A larger span is an attack or a mistake. */
const MAX_COLSPAN = 100
const MAX_ROWSPAN = 1_000

interface Cell {
  readonly text: string
  /** Whether the cell is a column label: `th` or all bold. */
  readonly isLabel: boolean
}

interface Row {
  readonly cells: readonly Cell[]
  readonly isHeadRow: boolean
}

/** Whether a table contains data instead of the layout of a page or email. */
function isDataTable(table: HtmlElement): boolean {
  const role = table.getAttribute('role')
  if (role === 'presentation' || role === 'none' || table.querySelector('table') !== null) return false
  return [...table.querySelectorAll('tr')].some((row) => listCells(row).length > 1)
}

/** Reads a table. `getText` returns the text of a cell. */
function readTable(table: HtmlElement, getText: (cell: HtmlElement) => string): DocumentBlock {
  const rows = readRows([...table.querySelectorAll('tr')], getText)
  const headRowCount = countHeadRows(rows)
  const texts = rows.map((row) => row.cells.map(({ text }) => text))
  const header = joinHeadRows(texts.slice(0, headRowCount))
  if (headRowCount > 0) return { kind: 'table', header, rows: texts.slice(headRowCount), page: null }
  const [firstRow = [], ...otherRows] = texts
  const hasHeader = hasHeaderRow(texts, false)
  return { kind: 'table', header: hasHeader ? firstRow : [], rows: hasHeader ? otherRows : texts, page: null }
}

function listCells(row: HtmlElement): HtmlElement[] {
  return [...row.childNodes].filter(isElement).filter(({ nodeName }) => nodeName === 'TD' || nodeName === 'TH')
}

/** Reads the rows. Repeats labels in all columns they span, and cells in all rows they span. */
function readRows(rowElements: readonly HtmlElement[], getText: (cell: HtmlElement) => string): Row[] {
  /** Cells that span further rows, by column. */
  const spans = new Map<number, { readonly cell: Cell; remainingRows: number }>()
  return rowElements.map((rowElement) => {
    const cells: Cell[] = []
    const placeSpanningCells = (): void => {
      for (let span = spans.get(cells.length); span !== undefined; span = spans.get(cells.length)) {
        span.remainingRows -= 1
        if (span.remainingRows === 0) spans.delete(cells.length)
        cells.push(span.cell)
      }
    }
    for (const element of listCells(rowElement)) {
      placeSpanningCells()
      const isLabel = element.nodeName === 'TH' || isBold(element)
      const cell: Cell = { text: getText(element), isLabel }
      const width = readSpan(element, 'colspan', MAX_COLSPAN)
      const height = readSpan(element, 'rowspan', MAX_ROWSPAN)
      for (let column = 0; column < width; column += 1) {
        const placedCell = column === 0 || isLabel ? cell : { text: '', isLabel }
        if (height > 1) spans.set(cells.length, { cell: placedCell, remainingRows: height - 1 })
        cells.push(placedCell)
      }
    }
    placeSpanningCells()
    return { cells, isHeadRow: rowElement.closest('thead') !== null }
  })
}

function readSpan(element: HtmlElement, name: string, maxSpan: number): number {
  const value = Number.parseInt(element.getAttribute(name) ?? '1', 10)
  return value >= 1 ? Math.min(value, maxSpan) : 1
}

function isBold(cell: HtmlElement): boolean {
  const text = cell.textContent?.trim() ?? ''
  const boldText = cell.querySelector('strong, b')?.textContent?.trim() ?? ''
  return text !== '' && text === boldText
}

function countHeadRows(rows: readonly Row[]): number {
  const headCount = rows.findIndex(({ isHeadRow }) => !isHeadRow)
  if (headCount > 0) return headCount
  const labelRowCount = rows.findIndex(
    ({ cells }) => !cells.every(({ isLabel, text }, column) => isLabel || (column === 0 && text === '')),
  )
  return Math.max(labelRowCount, 0)
}

function joinHeadRows(rows: readonly (readonly string[])[]): string[] {
  const width = rows.reduce((maxWidth, row) => Math.max(maxWidth, row.length), 0)
  return Array.from({ length: width }, (_, column) => {
    const parts = rows.map((row) => row[column] ?? '').filter((part) => part !== '')
    return [...new Set(parts)].join(' ')
  })
}
