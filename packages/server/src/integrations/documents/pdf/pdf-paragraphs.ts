import type { DocumentBlock } from '@parley/retrieval/read-document'
import type { PdfLine } from './pdf-lines.ts'
import { findTable } from './pdf-tables.ts'

/** The lines of a page, without headers and footers. */
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
/** Relative to the usual line distance: a wider gap ends a paragraph. */
const PARAGRAPH_GAP = 1.35
const DEFAULT_PITCH = 1.2
/** Relative to the text width: a shorter line ends its paragraph if the next line starts like a sentence. */
const SHORT_LINE = 0.75

/** Builds the blocks of a document in reading order. Joins paragraphs across pages. */
export function toBlocks(
  pages: readonly LinedPage[],
  getLevel: HeadingLevels,
  words: ReadonlySet<string>,
): DocumentBlock[] {
  const blocks: DocumentBlock[] = []
  for (const page of pages) {
    const [first, ...rest] = buildPageBlocks(page, getLevel, words)
    const last = blocks.at(-1)
    const joined = last === undefined || first === undefined ? null : joinOverPages(last, first, words)
    if (joined !== null) blocks[blocks.length - 1] = joined
    else if (first !== undefined) blocks.push(first)
    for (const block of rest) blocks.push(block)
  }
  return blocks
}

/** Joins two blocks across pages. Returns null if the second block starts a new paragraph. */
function joinOverPages(last: DocumentBlock, first: DocumentBlock, words: ReadonlySet<string>): DocumentBlock | null {
  if ((last.kind !== 'paragraph' && last.kind !== 'list-item') || first.kind !== 'paragraph') return null
  if (/[.!?:]["”»)]?$/.test(last.text) || !/^\p{Ll}/u.test(first.text)) return null
  return { ...last, text: joinLines([last.text, first.text], words) }
}

function buildPageBlocks(
  { number, lines }: LinedPage,
  getLevel: HeadingLevels,
  words: ReadonlySet<string>,
): DocumentBlock[] {
  const blocks: DocumentBlock[] = []
  const pitch = getTypicalPitch(lines)
  const rightEdgeOf = findColumnEdges(lines)
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
    const level = found === null ? getLevel(line) : null
    if (found !== null || level !== null) end()
    if (found !== null) blocks.push(found.table)
    else if (level !== null) writeHeading(blocks, { line, level, number, before: lines[index - 1] })
    else if (gathered !== null && doesLineContinue(gathered, line, { pitch, rightEdgeOf })) gathered.lines.push(line)
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

/** Writes a heading. Joins the lines of a two-line heading. */
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
  /** Returns the right edge of the lines with the same left edge. */
  rightEdgeOf(line: PdfLine): number
}

function doesLineContinue({ lines }: OpenParagraph, line: PdfLine, { pitch, rightEdgeOf }: Setting): boolean {
  const last = lines.at(-1)
  if (last === undefined || BULLET.test(line.text)) return false
  const distance = line.baseline - last.baseline
  // A line above the previous line continues in the next column.
  if (distance < 0) return !/[.!?:]$/.test(last.text)
  if (distance > Math.max(pitch, DEFAULT_PITCH * last.size) * PARAGRAPH_GAP) return false
  if (Math.abs(line.size - last.size) > last.size * 0.15) return false
  const isShort = last.right - last.left < (rightEdgeOf(last) - last.left) * SHORT_LINE
  return !(isShort && /^[\p{Lu}\p{N}]/u.test(line.text))
}

/** Returns the usual distance between lines. */
function getTypicalPitch(lines: readonly PdfLine[]): number {
  const distances = lines
    .slice(1)
    .map((line, index) => line.baseline - (lines[index]?.baseline ?? 0))
    .filter((distance) => distance > 0)
    .sort((one, other) => one - other)
  return distances[Math.floor(distances.length / 3)] ?? 0
}

function findColumnEdges(lines: readonly PdfLine[]): (line: PdfLine) => number {
  const edges = new Map<number, number>()
  const placeOf = ({ left }: PdfLine): number => Math.round(left / 4)
  for (const line of lines) edges.set(placeOf(line), Math.max(edges.get(placeOf(line)) ?? 0, line.right))
  return (line) => edges.get(placeOf(line)) ?? line.right
}

/** Returns the heading level of a line, or null for text. */
type HeadingLevels = (line: PdfLine) => number | null

/** Relative to the text size: larger lines are headings. */
const HEADING_SIZE_RATIO = 1.12
const MAX_HEADING_CHARACTERS = 160
const MAX_LEVELS = 6

/** Detects headings. Each larger font size is one level, and bold lines in text size are below these levels. */
export function findHeadingLevels(lines: readonly PdfLine[]): HeadingLevels {
  const textSize = findMostFrequentSize(lines)
  const bold = countCharacters(lines.filter((line) => line.isBold))
  // Bold is not distinctive in mostly bold documents.
  const isBoldDistinctive = bold * 2 < countCharacters(lines)
  const sizes = [...new Set(lines.filter((line) => isLarger(line, textSize) && isPlausible(line)).map(roundSize))]
  const levels = sizes.sort((one, other) => other - one).slice(0, MAX_LEVELS)
  return (line) => {
    if (!isPlausible(line)) return null
    if (isLarger(line, textSize)) return getLevel(levels, roundSize(line))
    const isLabel = isBoldDistinctive && line.isBold && line.size >= textSize * 0.95 && !/[.;,]$/.test(line.text)
    return isLabel ? levels.length + 1 : null
  }
}

function getLevel(levels: readonly number[], size: number): number {
  const index = levels.indexOf(size)
  return index === -1 ? levels.length + 1 : index + 1
}

function isLarger(line: PdfLine, textSize: number): boolean {
  return line.size >= textSize * HEADING_SIZE_RATIO
}

function isPlausible({ text, fragments }: PdfLine): boolean {
  return fragments.length <= 2 && text.length <= MAX_HEADING_CHARACTERS && /\p{L}{2}|\p{Script=Han}/u.test(text)
}

function roundSize({ size }: PdfLine): number {
  return Math.round(size * 2) / 2
}

function countCharacters(lines: readonly PdfLine[]): number {
  return lines.reduce((sum, { text }) => sum + text.length, 0)
}

function findMostFrequentSize(lines: readonly PdfLine[]): number {
  const bySize = new Map<number, number>()
  for (const line of lines) bySize.set(roundSize(line), (bySize.get(roundSize(line)) ?? 0) + line.text.length)
  return [...bySize].sort((one, other) => other[1] - one[1])[0]?.[0] ?? 10
}

const HYPHENATED = /(?<!\p{L})(\p{L}+)-$/u
/** Longer than any hyphenated word. */
const MAX_WORD_LENGTH = 100
const DOT_LEADERS = /(?:\s?[.·…_]){4,}/g

/** Returns a document's hyphenated words in lower case. They keep their hyphen at line ends. */
export function listHyphenatedWords(texts: Iterable<string>): Set<string> {
  const words = new Set<string>()
  for (const text of texts)
    for (const [word] of text.matchAll(/(?<!\p{L})\p{L}+-\p{L}+/gu)) words.add(word.toLowerCase())
  return words
}

/** Joins wrapped lines into one text, rejoins divided words and shortens dot leaders. */
export function joinLines(lines: readonly string[], hyphenated: ReadonlySet<string>): string {
  let text = ''
  for (const line of lines) {
    const next = line.trim().replace(DOT_LEADERS, ' … ')
    const wordStart = HYPHENATED.exec(text.slice(-MAX_WORD_LENGTH))?.[1]
    const rest = /^\p{Ll}+/u.exec(next)?.[0]
    const isSoftHyphen = text.endsWith('\u00ad')
    if (isSoftHyphen) text = text.slice(0, -1) + next
    else if (wordStart !== undefined && rest !== undefined) {
      text = hyphenated.has(`${wordStart}-${rest}`.toLowerCase()) ? text + next : text.slice(0, -1) + next
    } else text += (text === '' || isDense(text, next) ? '' : ' ') + next
  }
  return text
}

/** Whether two lines join without a space, as in scripts without spaces. */
function isDense(text: string, next: string): boolean {
  const wide = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u
  return wide.test(text.at(-1) ?? '') && wide.test(next.at(0) ?? '')
}
