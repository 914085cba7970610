import type { DocumentBlock } from '@parley/retrieval/read-document'
import { type HtmlElement, type HtmlNode, isElement, TEXT_NODE } from './html-node.ts'
import { isDataTable, readTable } from './html-table.ts'

const SKIPPED = new Set(
  'HEAD TITLE SCRIPT STYLE NOSCRIPT TEMPLATE SVG IFRAME OBJECT CANVAS AUDIO VIDEO BUTTON INPUT SELECT TEXTAREA MATH DIALOG'.split(
    ' ',
  ),
)
const BLOCKS = new Set(
  (
    'ADDRESS ARTICLE ASIDE BLOCKQUOTE BODY CENTER DD DETAILS DIV DL DT FIELDSET FIGCAPTION FIGURE FOOTER FORM HEADER HR ' +
    'HTML LEGEND LI MAIN NAV OL P SECTION SUMMARY TABLE TBODY TD TFOOT TH THEAD TR UL'
  ).split(' '),
)

/** Deeper elements are taken as the text that they hold: nothing real is nested like that. */
const MAX_DEPTH = 250

/** What the text that is being gathered will become. */
interface Place {
  readonly kind: 'paragraph' | 'list-item'
  /** Written before it, once. */
  readonly prefix: string
}

const PARAGRAPH: Place = { kind: 'paragraph', prefix: '' }

/** The blocks of a part of a page in their order. */
export function htmlBlocks(root: HtmlNode): DocumentBlock[] {
  const writer = createWriter()
  visit(root, writer, 0)
  writer.flush()
  return writer.blocks
}

interface Writer {
  readonly blocks: DocumentBlock[]
  append(text: string): void
  /** Ends the text that is being gathered. */
  flush(): void
  push(block: DocumentBlock): void
  /** Sets what the next text becomes and answers what it was before. */
  enter(place: Place): Place
}

function createWriter(): Writer {
  const blocks: DocumentBlock[] = []
  let gathered: string[] = []
  let place = PARAGRAPH
  const flush = (): void => {
    const lines = gathered
      .join('')
      .split('\n')
      .map((line) => line.replace(/\s+/g, ' ').trim())
      .filter((line) => line !== '')
    gathered = []
    if (lines.length === 0) return
    const { kind, prefix } = place
    if (kind === 'list-item') {
      blocks.push({ kind, text: prefix + lines.join(' '), page: null })
      place = { kind: 'paragraph', prefix: '' }
    } else if (lines.length > 1) blocks.push({ kind: 'preformatted', text: lines.join('\n'), page: null })
    else blocks.push({ kind, text: lines.join(''), page: null })
  }
  return {
    blocks,
    append: (text) => gathered.push(text),
    flush,
    push(block) {
      flush()
      blocks.push(block)
    },
    enter(next) {
      flush()
      const before = place
      place = next
      return before
    },
  }
}

function visit(node: HtmlNode, writer: Writer, depth: number): void {
  if (node.nodeType === TEXT_NODE) writer.append((node.textContent ?? '').replace(/\s+/g, ' '))
  if (!isElement(node) || isHidden(node)) return
  const name = node.nodeName
  if (depth > MAX_DEPTH) writer.append(` ${node.textContent ?? ''} `)
  else if (name === 'BR') writer.append('\n')
  else if (/^H[1-6]$/.test(name)) writer.push(heading(node, Number(name.charAt(1))))
  else if (name === 'PRE') writer.push({ kind: 'preformatted', text: node.textContent ?? '', page: null })
  else if (name === 'TABLE' && isDataTable(node)) visitTable(node, writer)
  else if (name === 'OL' || name === 'UL') visitList(node, writer, depth)
  else if (name === 'DL') visitDefinitions(node, writer, depth)
  else if (BLOCKS.has(name)) {
    writer.flush()
    visitChildren(node, writer, depth)
    writer.flush()
  } else visitChildren(node, writer, depth)
}

function visitChildren(node: HtmlNode, writer: Writer, depth: number): void {
  for (const child of node.childNodes) visit(child, writer, depth + 1)
}

function heading(node: HtmlElement, level: number): DocumentBlock {
  return { kind: 'heading', level, text: node.textContent ?? '', page: null }
}

/** A list inside an item follows as items of its own. */
function visitList(list: HtmlElement, writer: Writer, depth: number): void {
  let number = Number.parseInt(list.getAttribute('start') ?? '1', 10) || 1
  for (const child of list.childNodes) {
    const isItem = isElement(child) && child.nodeName === 'LI'
    const prefix = isItem && list.nodeName === 'OL' ? `${number}. ` : ''
    const before = writer.enter(isItem ? { kind: 'list-item', prefix } : PARAGRAPH)
    if (isItem) {
      number += 1
      visitChildren(child, writer, depth + 1)
    } else visit(child, writer, depth + 1)
    writer.enter(before)
  }
}

/** A term and what it means belong together. */
function visitDefinitions(list: HtmlElement, writer: Writer, depth: number): void {
  let term = ''
  for (const child of list.childNodes) {
    if (!isElement(child)) continue
    if (child.nodeName === 'DT') term = (child.textContent ?? '').trim()
    else if (child.nodeName === 'DD') {
      const before = writer.enter({ kind: 'list-item', prefix: term === '' ? '' : `${term.replace(/[:?]$/, '')}: ` })
      visitChildren(child, writer, depth + 1)
      writer.enter(before)
    } else visit(child, writer, depth + 1)
  }
}

function visitTable(table: HtmlElement, writer: Writer): void {
  const caption = table.querySelector('caption')?.textContent ?? ''
  if (caption.trim() !== '') writer.push({ kind: 'paragraph', text: caption, page: null })
  writer.push(readTable(table, cellText))
}

/** Everything that a cell says, on one line. */
function cellText(cell: HtmlElement): string {
  const writer = createWriter()
  visitChildren(cell, writer, 0)
  writer.flush()
  return writer.blocks.map((block) => (block.kind === 'table' ? block.rows.flat().join(', ') : block.text)).join(' ')
}

function isHidden(element: HtmlElement): boolean {
  if (SKIPPED.has(element.nodeName.toUpperCase()) || element.hasAttribute('hidden')) return true
  if (element.getAttribute('aria-hidden') === 'true') return true
  return /display\s*:\s*none|visibility\s*:\s*hidden/i.test(element.getAttribute('style') ?? '')
}
