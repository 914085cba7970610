import type { ChunkSizes } from '../chunk.ts'
import { balancedSize, cutText } from './cut-text.ts'
import { type ContentBlock, normalizeWhitespace } from './section-tree.ts'
import { sentenceEnds } from './sentence-ends.ts'
import { tableLines } from './table-lines.ts'

/** A text and the page that it begins on. */
export interface PagedText {
  readonly text: string
  readonly page: number | null
}

/** Lines that belong together: a list, a table or preformatted lines. `leadIn` introduces them. */
interface LineGroup {
  readonly leadIn: PagedText | null
  readonly lines: readonly PagedText[]
}

const PARAGRAPH_SEPARATOR = '\n\n'

/** What a repeated lead-in may take of a passage. */
const LEAD_IN_SHARE = 4

/** A sentence that introduces a list without a colon is not longer. */
const MAX_LEAD_IN_CHARACTERS = 200

/**
 * Packs the blocks of one section into passages. Paragraphs, lists and tables stay whole as long as they fit; neighbours are joined
 * until a passage has `minChunkSize`, and a last one that has not is joined to the one before, within a page.
 */
export function packBlocks(blocks: readonly ContentBlock[], sizes: ChunkSizes): PagedText[] {
  const packed: PagedText[] = []
  for (const part of partsOf(blocks, sizes)) {
    const last = packed.at(-1)
    if (last !== undefined && last.text.length < sizes.minChunkSize && canMerge(last, part, sizes)) {
      packed[packed.length - 1] = join(last, part)
    } else packed.push(part)
  }
  const [before, last] = packed.slice(-2)
  if (before && last && last.text.length < sizes.minChunkSize && canMerge(before, last, sizes)) {
    packed.splice(-2, 2, join(before, last))
  }
  return packed
}

/** Texts of two pages stay apart: a passage is cited by its page. */
function canMerge(one: PagedText, other: PagedText, sizes: ChunkSizes): boolean {
  if (one.page !== other.page) return false
  return one.text.length + PARAGRAPH_SEPARATOR.length + other.text.length <= sizes.maxChunkSize
}

function join(one: PagedText, other: PagedText): PagedText {
  return { text: `${one.text}${PARAGRAPH_SEPARATOR}${other.text}`, page: one.page }
}

/** Every part fits into a passage. */
function partsOf(blocks: readonly ContentBlock[], sizes: ChunkSizes): PagedText[] {
  const { maxChunkSize } = sizes
  const parts: PagedText[] = []
  let index = 0
  while (index < blocks.length) {
    const block = blocks[index]
    if (block === undefined) break
    index += 1
    if (block.kind !== 'paragraph') {
      const lines = linesFrom(blocks, index - 1, maxChunkSize)
      for (const part of groupParts({ leadIn: null, lines: lines.lines }, maxChunkSize)) parts.push(part)
      index = lines.next
      continue
    }
    const next = blocks[index]
    const text = normalizeWhitespace(block.text)
    const leadIn = next === undefined || next.kind === 'paragraph' ? '' : leadInFor(text, next.kind)
    for (const piece of cutText(text.slice(0, text.length - leadIn.length).trim(), maxChunkSize)) {
      if (piece !== '') parts.push({ text: piece, page: block.page })
    }
    if (leadIn === '') continue
    const { lines, next: behind } = linesFrom(blocks, index, maxChunkSize)
    const group = { leadIn: { text: leadIn, page: block.page }, lines }
    for (const part of groupParts(group, maxChunkSize)) parts.push(part)
    index = behind
  }
  return parts
}

/** The sentence at the end of a paragraph that introduces what follows, `''` for none. */
function leadInFor(text: string, follower: ContentBlock['kind']): string {
  if (/[:：]$/.test(text)) {
    const start = sentenceEnds(text).at(-2) ?? 0
    return text.slice(start)
  }
  return follower === 'list-item' && text.length <= MAX_LEAD_IN_CHARACTERS && sentenceEnds(text).length === 1
    ? text
    : ''
}

/** The lines of the block at `index`, or of the whole list that begins there. */
function linesFrom(
  blocks: readonly ContentBlock[],
  index: number,
  maxSize: number,
): { readonly lines: PagedText[]; readonly next: number } {
  const lines: PagedText[] = []
  let next = index
  while (next < blocks.length) {
    const block = blocks[next]
    if (block === undefined || block.kind === 'paragraph' || (next > index && block.kind !== 'list-item')) break
    for (const text of blockLines(block, maxSize)) lines.push({ text, page: block.page })
    next += 1
    if (block.kind !== 'list-item') break
  }
  return { lines, next }
}

function blockLines(block: Exclude<ContentBlock, { kind: 'paragraph' }>, maxSize: number): string[] {
  // Room for a lead-in that is repeated, and its line break.
  const room = Math.max(1, maxSize - Math.floor(maxSize / LEAD_IN_SHARE) - 1)
  switch (block.kind) {
    case 'list-item': {
      const text = normalizeWhitespace(block.text)
      return text === '' ? [] : cutText(`- ${text}`, room)
    }
    case 'table':
      return tableLines(block, room)
    case 'preformatted':
      return block.text
        .replace(/\r\n?/g, '\n')
        .replace(/\n{3,}/g, '\n\n')
        .split('\n')
        .map((line) => line.trimEnd())
        .flatMap((line) => cutText(line, room))
  }
}

/**
 * Lines in as few passages as they need, of about the same size. Where a group is cut, its lead-in is said again: what holds for
 * the first items ("not covered are:") holds for the last ones.
 */
function groupParts(group: LineGroup, maxSize: number): PagedText[] {
  const { leadIn } = group
  const leadInParts = leadIn === null ? [] : cutText(leadIn.text, maxSize).map((text) => ({ text, page: leadIn.page }))
  const repeated = leadIn !== null && leadIn.text.length <= maxSize / LEAD_IN_SHARE ? `${leadIn.text}\n` : ''
  const lines = [...leadInParts, ...group.lines]
  let total = 0
  for (const line of lines) total += line.text.length + 1
  const room = Math.max(1, maxSize - repeated.length)
  const target = total <= maxSize + 1 ? maxSize : balancedSize(total, room)
  const parts: PagedText[] = []
  let texts: string[] = []
  let size = 0
  let page: number | null = null
  const close = (): void => {
    const text = texts.join('\n').replace(/^\n+/, '').trimEnd()
    if (text !== '') parts.push({ text: parts.length === 0 ? text : `${repeated}${text}`, page })
    texts = []
    size = 0
  }
  for (const line of lines) {
    const limit = parts.length === 0 ? maxSize : room
    const isFull = size + line.text.length > limit || size >= target
    // A lead-in never stays behind alone, unless its first line does not fit beside it.
    if (
      texts.length > 0 &&
      isFull &&
      (texts.length > leadInParts.length || parts.length > 0 || size + line.text.length > limit)
    )
      close()
    if (texts.length === 0) page = line.page
    texts.push(line.text)
    size += line.text.length + 1
  }
  close()
  return parts
}
