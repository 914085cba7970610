import type { DocumentBlock } from '@parley/retrieval/read-document'
import { joinLines } from './join-lines.ts'
import type { HeadingLevels } from './pdf-headings.ts'
import type { PdfLine } from './pdf-lines.ts'
import { findTable } from './pdf-tables.ts'

/** A page's lines, without what repeats on every page. */
export interface LinedPage {
  readonly number: number
  readonly lines: readonly PdfLine[]
}

interface OpenParagraph {
  readonly kind: 'paragraph' | 'list-item'
  readonly lines: PdfLine[]
}

const BULLET = /^(?:[•●◦▪■‣–—*-]|\d{1,2}[.)]|[a-z]\))\s+\S|^[•●◦▪■‣]$/
const MARK = /^[•●◦▪■‣*–—-]\s*/
/** Of the usual distance between lines: a wider one ends a paragraph. */
const PARAGRAPH_GAP = 1.35
const DEFAULT_PITCH = 1.2
/** Of the width of the text: a line that ends this much earlier is the last one, when the next begins like a sentence. */
const SHORT_LINE = 0.75

/** The blocks of a document in the order of reading. A paragraph that goes on over the page is one. */
export function toBlocks(
  pages: readonly LinedPage[],
  levelOf: HeadingLevels,
  words: ReadonlySet<string>,
): DocumentBlock[] {
  const blocks: DocumentBlock[] = []
  for (const page of pages) {
    const [first, ...rest] = pageBlocks(page, levelOf, words)
    const last = blocks.at(-1)
    const joined = last === undefined || first === undefined ? null : joinOverPages(last, first, words)
    if (joined !== null) blocks[blocks.length - 1] = joined
    else if (first !== undefined) blocks.push(first)
    for (const block of rest) blocks.push(block)
  }
  return blocks
}

/** Null when the second one begins something new. */
function joinOverPages(last: DocumentBlock, first: DocumentBlock, words: ReadonlySet<string>): DocumentBlock | null {
  if ((last.kind !== 'paragraph' && last.kind !== 'list-item') || first.kind !== 'paragraph') return null
  if (/[.!?:]["”»)]?$/.test(last.text) || !/^\p{Ll}/u.test(first.text)) return null
  return { ...last, text: joinLines([last.text, first.text], words) }
}

function pageBlocks({ number, lines }: LinedPage, levelOf: HeadingLevels, words: ReadonlySet<string>): DocumentBlock[] {
  const blocks: DocumentBlock[] = []
  const pitch = typicalPitch(lines)
  const rightEdgeOf = columnEdges(lines)
  let gathered: OpenParagraph | null = null
  const end = (): void => {
    if (gathered === null) return
    const text = joinLines(
      gathered.lines.map((line) => line.text),
      words,
    )
    blocks.push({
      kind: gathered.kind,
      text: gathered.kind === 'list-item' ? text.replace(MARK, '') : text,
      page: number,
    })
    gathered = null
  }
  for (let index = 0; index < lines.length; ) {
    const line = lines[index]
    if (line === undefined) break
    const found = BULLET.test(line.text) ? null : findTable(lines.slice(index, index + 500), number)
    const level = found === null ? levelOf(line) : null
    if (found !== null || level !== null) end()
    if (found !== null) blocks.push(found.table)
    else if (level !== null) writeHeading(blocks, { line, level, number, before: lines[index - 1] })
    else if (gathered !== null && continues(gathered, line, { pitch, rightEdgeOf })) gathered.lines.push(line)
    else {
      end()
      gathered = { kind: BULLET.test(line.text) ? 'list-item' : 'paragraph', lines: [line] }
    }
    index += found?.lineCount ?? 1
  }
  end()
  return blocks
}

interface HeadingLine {
  readonly line: PdfLine
  readonly level: number
  readonly number: number
  readonly before: PdfLine | undefined
}

/** A long heading takes two lines. */
function writeHeading(blocks: DocumentBlock[], { line, level, number, before }: HeadingLine): void {
  const last = blocks.at(-1)
  const isSecondLine =
    before !== undefined &&
    last?.kind === 'heading' &&
    last.level === level &&
    last.page === number &&
    last.text.endsWith(before.text) &&
    line.baseline > before.baseline &&
    line.baseline - before.baseline <= line.size * 1.4
  if (isSecondLine) blocks[blocks.length - 1] = { ...last, text: `${last.text} ${line.text}` }
  else blocks.push({ kind: 'heading', level, text: line.text, page: number })
}

interface Setting {
  readonly pitch: number
  /** How far the lines reach that begin where this one does. */
  rightEdgeOf(line: PdfLine): number
}

function continues({ lines }: OpenParagraph, line: PdfLine, { pitch, rightEdgeOf }: Setting): boolean {
  const last = lines.at(-1)
  if (last === undefined || BULLET.test(line.text)) return false
  const distance = line.baseline - last.baseline
  // Above the last one: the next column goes on.
  if (distance < 0) return !/[.!?:]$/.test(last.text)
  if (distance > Math.max(pitch, DEFAULT_PITCH * last.size) * PARAGRAPH_GAP) return false
  if (Math.abs(line.size - last.size) > last.size * 0.15) return false
  const isShort = last.right - last.left < (rightEdgeOf(last) - last.left) * SHORT_LINE
  return !(isShort && /^[\p{Lu}\p{N}]/u.test(line.text))
}

/** The distance that most lines have from the one above. */
function typicalPitch(lines: readonly PdfLine[]): number {
  const distances = lines
    .slice(1)
    .map((line, index) => line.baseline - (lines[index]?.baseline ?? 0))
    .filter((distance) => distance > 0)
    .sort((one, other) => one - other)
  return distances[Math.floor(distances.length / 3)] ?? 0
}

function columnEdges(lines: readonly PdfLine[]): (line: PdfLine) => number {
  const edges = new Map<number, number>()
  const placeOf = ({ left }: PdfLine): number => Math.round(left / 4)
  for (const line of lines) edges.set(placeOf(line), Math.max(edges.get(placeOf(line)) ?? 0, line.right))
  return (line) => edges.get(placeOf(line)) ?? line.right
}
