import type { ChunkSizes } from '../chunk.ts'
import { computeBalancedSize, cutText, findSentenceEnds } from './cut-text.ts'
import { type ContentBlock, normalizeWhitespace } from './section-tree.ts'

/** A text and its first page. */
export interface PagedText {
  readonly text: string
  readonly page: number | null
}

/** Lines of a list, a table or preformatted text, with an optional sentence that introduces them. */
interface LineGroup {
  readonly leadIn: PagedText | null
  readonly lines: readonly PagedText[]
}

const PARAGRAPH_SEPARATOR = '\n\n'

/** Inverse of the largest share of a passage that a repeated lead-in can take. */
const LEAD_IN_SHARE = 4

/** Maximum length of a lead-in without a colon. */
const MAX_LEAD_IN_CHARACTERS = 200

/**
 * Packs the blocks of a section into passages; paragraphs, lists and tables stay whole while they fit. Joins
 * neighbors on one page up to `minChunkSize`, and a smaller last passage with the one before.
 */
export function packBlocks(blocks: readonly ContentBlock[], sizes: ChunkSizes): PagedText[] {
  const packed: PagedText[] = []
  for (const part of splitBlocks(blocks, sizes)) {
    const lastText = packed.at(-1)
    if (lastText !== undefined && lastText.text.length < sizes.minChunkSize && canMerge(lastText, part, sizes)) {
      packed[packed.length - 1] = joinTexts(lastText, part)
    } else packed.push(part)
  }
  const [previousText, last] = packed.slice(-2)
  if (previousText && last && last.text.length < sizes.minChunkSize && canMerge(previousText, last, sizes)) {
    packed.splice(-2, 2, joinTexts(previousText, last))
  }
  return packed
}

/** Whether two texts fit into one passage. Texts of different pages do not, because a passage is cited by its page. */
function canMerge(first: PagedText, second: PagedText, sizes: ChunkSizes): boolean {
  if (first.page !== second.page) return false
  return first.text.length + PARAGRAPH_SEPARATOR.length + second.text.length <= sizes.maxChunkSize
}

function joinTexts(first: PagedText, second: PagedText): PagedText {
  return { text: `${first.text}${PARAGRAPH_SEPARATOR}${second.text}`, page: first.page }
}

/** Splits blocks into texts that each fit into a passage. */
function splitBlocks(blocks: readonly ContentBlock[], sizes: ChunkSizes): PagedText[] {
  const { maxChunkSize } = sizes
  const parts: PagedText[] = []
  let index = 0
  while (index < blocks.length) {
    const block = blocks[index]
    if (block === undefined) break
    index += 1
    if (block.kind !== 'paragraph') {
      const { lines, nextIndex } = listLines(blocks, index - 1, maxChunkSize)
      for (const part of splitLineGroup({ leadIn: null, lines }, maxChunkSize)) parts.push(part)
      index = nextIndex
      continue
    }
    const nextBlock = blocks[index]
    const text = normalizeWhitespace(block.text)
    const leadIn = nextBlock === undefined || nextBlock.kind === 'paragraph' ? '' : findLeadIn(text, nextBlock.kind)
    for (const part of cutText(text.slice(0, text.length - leadIn.length).trim(), maxChunkSize)) {
      if (part !== '') parts.push({ text: part, page: block.page })
    }
    if (leadIn === '') continue
    const { lines, nextIndex } = listLines(blocks, index, maxChunkSize)
    const group = { leadIn: { text: leadIn, page: block.page }, lines }
    for (const part of splitLineGroup(group, maxChunkSize)) parts.push(part)
    index = nextIndex
  }
  return parts
}

/** Returns the last sentence of a paragraph if it introduces the next block, or an empty string. */
function findLeadIn(text: string, nextKind: ContentBlock['kind']): string {
  if (/[:：]$/.test(text)) {
    const start = findSentenceEnds(text).at(-2) ?? 0
    return text.slice(start)
  }
  return nextKind === 'list-item' && text.length <= MAX_LEAD_IN_CHARACTERS && findSentenceEnds(text).length === 1
    ? text
    : ''
}

/** Returns the lines of the block at `index`, or of the list that starts there. */
function listLines(
  blocks: readonly ContentBlock[],
  index: number,
  maxSize: number,
): { readonly lines: PagedText[]; readonly nextIndex: number } {
  const lines: PagedText[] = []
  let nextIndex = index
  while (nextIndex < blocks.length) {
    const block = blocks[nextIndex]
    if (block === undefined || block.kind === 'paragraph' || (nextIndex > index && block.kind !== 'list-item')) break
    for (const text of splitBlockLines(block, maxSize)) lines.push({ text, page: block.page })
    nextIndex += 1
    if (block.kind !== 'list-item') break
  }
  return { lines, nextIndex }
}

function splitBlockLines(block: Exclude<ContentBlock, { kind: 'paragraph' }>, maxSize: number): string[] {
  // Reserves space for the repeated lead-in and its line break.
  const availableSize = Math.max(1, maxSize - Math.floor(maxSize / LEAD_IN_SHARE) - 1)
  switch (block.kind) {
    case 'list-item': {
      const text = normalizeWhitespace(block.text)
      return text === '' ? [] : cutText(`- ${text}`, availableSize)
    }
    case 'table':
      return formatTable(block, availableSize)
    case 'preformatted':
      return block.text
        .replace(/\r\n?/g, '\n')
        .replace(/\n{3,}/g, '\n\n')
        .split('\n')
        .map((line) => line.trimEnd())
        .flatMap((line) => cutText(line, availableSize))
  }
}

/**
 * Splits lines into as few passages of similar size as possible. Each passage repeats the lead-in, which applies to
 * all lines.
 */
function splitLineGroup(group: LineGroup, maxSize: number): PagedText[] {
  const { leadIn } = group
  const leadInParts = leadIn === null ? [] : cutText(leadIn.text, maxSize).map((text) => ({ text, page: leadIn.page }))
  const prefix = leadIn !== null && leadIn.text.length <= maxSize / LEAD_IN_SHARE ? `${leadIn.text}\n` : ''
  const lines = [...leadInParts, ...group.lines]
  let totalSize = 0
  for (const line of lines) totalSize += line.text.length + 1
  const availableSize = Math.max(1, maxSize - prefix.length)
  const targetSize = totalSize <= maxSize + 1 ? maxSize : computeBalancedSize(totalSize, availableSize)
  const parts: PagedText[] = []
  let texts: string[] = []
  let size = 0
  let page: number | null = null
  const addPart = (): void => {
    const text = texts.join('\n').replace(/^\n+/, '').trimEnd()
    if (text !== '') parts.push({ text: parts.length === 0 ? text : `${prefix}${text}`, page })
    texts = []
    size = 0
  }
  for (const line of lines) {
    const limit = parts.length === 0 ? maxSize : availableSize
    const isFull = size + line.text.length > limit || size >= targetSize
    // A lead-in stays with the first line unless both do not fit together.
    if (
      texts.length > 0 &&
      isFull &&
      (texts.length > leadInParts.length || parts.length > 0 || size + line.text.length > limit)
    )
      addPart()
    if (texts.length === 0) page = line.page
    texts.push(line.text)
    size += line.text.length + 1
  }
  addPart()
  return parts
}

type Table = Extract<ContentBlock, { kind: 'table' }>

/**
 * Renders a table as lines of `Header: value; Header: value`, without empty cells. Long rows are split between cells;
 * each part repeats the first cell, which names the row.
 */
export function formatTable(table: Table, maxSize: number): string[] {
  const header = table.header.map(normalizeWhitespace)
  const rows = table.rows.map((row) => row.map(normalizeWhitespace))
  const lines = buildEmptyColumnLines(header, rows).flatMap((line) => cutText(line, maxSize))
  for (const row of rows) for (const line of formatRow(formatCells(header, row), maxSize)) lines.push(line)
  return lines
}

/** Returns the headers of columns that are empty in every row. */
function buildEmptyColumnLines(header: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const unusedColumns = header.filter((name, column) => name !== '' && rows.every((row) => (row[column] ?? '') === ''))
  return unusedColumns.length === 0 ? [] : [unusedColumns.join('; ')]
}

function formatCells(header: readonly string[], row: readonly string[]): string[] {
  const [first = '', second = ''] = row
  // Two columns without a header are names and values.
  if (header.length === 0 && row.length === 2 && first !== '' && second !== '') {
    return [first.endsWith(':') ? `${first} ${second}` : `${first}: ${second}`]
  }
  return row.flatMap((value, column) => {
    const name = header[column] ?? ''
    if (value === '') return []
    return name === '' ? [value] : [`${name.replace(/:$/, '')}: ${value}`]
  })
}

function formatRow(cells: readonly string[], maxSize: number): string[] {
  const row = cells.join('; ')
  if (row === '') return []
  if (row.length <= maxSize) return [row]
  const [first = ''] = cells
  const name = first.length <= maxSize / 4 ? `${first}; ` : ''
  const lines: string[] = []
  let line = ''
  for (const cell of cells) {
    for (const part of cutText(cell, maxSize - name.length)) {
      if (line !== '' && line.length + 2 + part.length > maxSize) {
        lines.push(line)
        line = `${name}${part}`
      } else line = line === '' ? part : `${line}; ${part}`
    }
  }
  lines.push(line)
  return lines
}
