import type { DocumentBlock } from '@parley/retrieval/read-document'
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

/** Says of a line whether it is a heading, and of which level. */
type HeadingLevels = (line: PdfLine) => number | null

/** Of the size of the text: letters this much larger make a heading. */
const HEADING_SIZE_RATIO = 1.12
const MAX_HEADING_CHARACTERS = 160
const MAX_LEVELS = 6

/** Finds out how the headings of a document look: larger than its text, each size one level; bold lines of its size below. */
export function findHeadingLevels(lines: readonly PdfLine[]): HeadingLevels {
  const textSize = mostFrequentSize(lines)
  const bold = characters(lines.filter((line) => line.isBold))
  // Bold tells nothing where everything is.
  const isBoldDistinctive = bold * 2 < characters(lines)
  const sizes = [...new Set(lines.filter((line) => isLarger(line, textSize) && isPlausible(line)).map(roundedSize))]
  const levels = sizes.sort((one, other) => other - one).slice(0, MAX_LEVELS)
  return (line) => {
    if (!isPlausible(line)) return null
    if (isLarger(line, textSize)) return levelOf(levels, roundedSize(line))
    const isLabel = isBoldDistinctive && line.isBold && line.size >= textSize * 0.95 && !/[.;,]$/.test(line.text)
    return isLabel ? levels.length + 1 : null
  }
}

function levelOf(levels: readonly number[], size: number): number {
  const index = levels.indexOf(size)
  return index === -1 ? levels.length + 1 : index + 1
}

function isLarger(line: PdfLine, textSize: number): boolean {
  return line.size >= textSize * HEADING_SIZE_RATIO
}

function isPlausible({ text, fragments }: PdfLine): boolean {
  return fragments.length <= 2 && text.length <= MAX_HEADING_CHARACTERS && /\p{L}{2}|\p{Script=Han}/u.test(text)
}

function roundedSize({ size }: PdfLine): number {
  return Math.round(size * 2) / 2
}

function characters(lines: readonly PdfLine[]): number {
  return lines.reduce((sum, { text }) => sum + text.length, 0)
}

function mostFrequentSize(lines: readonly PdfLine[]): number {
  const bySize = new Map<number, number>()
  for (const line of lines) bySize.set(roundedSize(line), (bySize.get(roundedSize(line)) ?? 0) + line.text.length)
  return [...bySize].sort((one, other) => other[1] - one[1])[0]?.[0] ?? 10
}

const HYPHENATED = /(?<!\p{L})(\p{L}+)-$/u
/** Longer than any word that a line break divides. */
const MAX_WORD_LENGTH = 100
const DOT_LEADERS = /(?:\s?[.·…_]){4,}/g

/** Words of a document with a hyphen inside, in lower case: they keep it where a line ends with it. */
export function hyphenatedWords(texts: Iterable<string>): Set<string> {
  const words = new Set<string>()
  for (const text of texts)
    for (const [word] of text.matchAll(/(?<!\p{L})\p{L}+-\p{L}+/gu)) words.add(word.toLowerCase())
  return words
}

/** One text of lines that were broken to fit: words that were divided are whole again, rows of dots are short. */
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

/** Scripts without spaces get none at the end of a line. */
function isDense(text: string, next: string): boolean {
  const wide = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u
  return wide.test(text.at(-1) ?? '') && wide.test(next.at(0) ?? '')
}
