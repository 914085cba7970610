import type { DocumentBlock } from '@parley/retrieval/read-document'
import type { PdfLine } from './pdf-lines.ts'
import { findTable } from './pdf-tables.ts'

/** The lines of a page, without headers and footers. */
export interface PageLines {
  readonly number: number
  readonly lines: readonly PdfLine[]
}

interface OpenParagraph {
  readonly kind: 'paragraph' | 'list-item'
  readonly lines: PdfLine[]
}

const BULLET = /^(?:[•●◦▪■‣–—*-]|\d{1,2}[.)]|[a-z]\))\s+\S|^[•●◦▪■‣]$/
const BULLET_MARK = /^[•●◦▪■‣*–—-]\s*/
/** Relative to the usual line distance: a wider gap ends a paragraph. */
const PARAGRAPH_GAP = 1.35
const DEFAULT_LINE_DISTANCE = 1.2
/** Relative to the text width: a shorter line ends its paragraph if the next line starts like a sentence. */
const SHORT_LINE_RATIO = 0.75

/** Builds the blocks of a document in reading order. Joins paragraphs across pages. */
export function buildPdfBlocks(
  pages: readonly PageLines[],
  getLevel: GetHeadingLevel,
  hyphenatedWords: ReadonlySet<string>,
): DocumentBlock[] {
  const blocks: DocumentBlock[] = []
  for (const page of pages) {
    const [firstBlock, ...otherBlocks] = buildPageBlocks(page, getLevel, hyphenatedWords)
    const previousBlock = blocks.at(-1)
    const joinedBlock =
      previousBlock === undefined || firstBlock === undefined
        ? null
        : joinAcrossPages(previousBlock, firstBlock, hyphenatedWords)
    if (joinedBlock !== null) blocks[blocks.length - 1] = joinedBlock
    else if (firstBlock !== undefined) blocks.push(firstBlock)
    for (const block of otherBlocks) blocks.push(block)
  }
  return blocks
}

/** Joins two blocks across pages. Returns null if the second block starts a new paragraph. */
function joinAcrossPages(
  previous: DocumentBlock,
  next: DocumentBlock,
  hyphenatedWords: ReadonlySet<string>,
): DocumentBlock | null {
  if ((previous.kind !== 'paragraph' && previous.kind !== 'list-item') || next.kind !== 'paragraph') return null
  if (/[.!?:]["”»)]?$/.test(previous.text) || !/^\p{Ll}/u.test(next.text)) return null
  return { ...previous, text: joinLines([previous.text, next.text], hyphenatedWords) }
}

function buildPageBlocks(
  { number, lines }: PageLines,
  getLevel: GetHeadingLevel,
  hyphenatedWords: ReadonlySet<string>,
): DocumentBlock[] {
  const blocks: DocumentBlock[] = []
  const lineDistance = getTypicalLineDistance(lines)
  const getRightEdge = findColumnEdges(lines)
  let openParagraph: OpenParagraph | null = null
  const endParagraph = (): void => {
    if (openParagraph === null) return
    const text = joinLines(
      openParagraph.lines.map((line) => line.text),
      hyphenatedWords,
    )
    blocks.push({
      kind: openParagraph.kind,
      text: openParagraph.kind === 'list-item' ? text.replace(BULLET_MARK, '') : text,
      page: number,
    })
    openParagraph = null
  }
  for (let index = 0; index < lines.length; ) {
    const line = lines[index]
    if (line === undefined) break
    const foundTable = BULLET.test(line.text) ? null : findTable(lines.slice(index, index + 500), number)
    const level = foundTable === null ? getLevel(line) : null
    if (foundTable !== null || level !== null) endParagraph()
    if (foundTable !== null) blocks.push(foundTable.table)
    else if (level !== null) writeHeading(blocks, { line, level, pageNumber: number, previousLine: lines[index - 1] })
    else if (openParagraph !== null && continuesParagraph(openParagraph, line, { lineDistance, getRightEdge }))
      openParagraph.lines.push(line)
    else {
      endParagraph()
      openParagraph = { kind: BULLET.test(line.text) ? 'list-item' : 'paragraph', lines: [line] }
    }
    index += foundTable?.lineCount ?? 1
  }
  endParagraph()
  return blocks
}

interface HeadingLine {
  readonly line: PdfLine
  readonly level: number
  readonly pageNumber: number
  readonly previousLine: PdfLine | undefined
}

/** Writes a heading. Joins the lines of a two-line heading. */
function writeHeading(blocks: DocumentBlock[], { line, level, pageNumber, previousLine }: HeadingLine): void {
  const lastBlock = blocks.at(-1)
  const isSecondLine =
    previousLine !== undefined &&
    lastBlock?.kind === 'heading' &&
    lastBlock.level === level &&
    lastBlock.page === pageNumber &&
    lastBlock.text.endsWith(previousLine.text) &&
    line.baseline > previousLine.baseline &&
    line.baseline - previousLine.baseline <= line.size * 1.4
  if (isSecondLine) blocks[blocks.length - 1] = { ...lastBlock, text: `${lastBlock.text} ${line.text}` }
  else blocks.push({ kind: 'heading', level, text: line.text, page: pageNumber })
}

interface LineSpacing {
  readonly lineDistance: number
  /** Returns the right edge of the lines with the same left edge. */
  getRightEdge(line: PdfLine): number
}

function continuesParagraph(
  { lines }: OpenParagraph,
  line: PdfLine,
  { lineDistance, getRightEdge }: LineSpacing,
): boolean {
  const previous = lines.at(-1)
  if (previous === undefined || BULLET.test(line.text)) return false
  const distance = line.baseline - previous.baseline
  // A line above the previous line continues in the next column.
  if (distance < 0) return !/[.!?:]$/.test(previous.text)
  if (distance > Math.max(lineDistance, DEFAULT_LINE_DISTANCE * previous.size) * PARAGRAPH_GAP) return false
  if (Math.abs(line.size - previous.size) > previous.size * 0.15) return false
  const isShort = previous.right - previous.left < (getRightEdge(previous) - previous.left) * SHORT_LINE_RATIO
  return !(isShort && /^[\p{Lu}\p{N}]/u.test(line.text))
}

function getTypicalLineDistance(lines: readonly PdfLine[]): number {
  const distances = lines
    .slice(1)
    .map((line, index) => line.baseline - (lines[index]?.baseline ?? 0))
    .filter((distance) => distance > 0)
    .sort((left, right) => left - right)
  return distances[Math.floor(distances.length / 3)] ?? 0
}

function findColumnEdges(lines: readonly PdfLine[]): (line: PdfLine) => number {
  const edges = new Map<number, number>()
  const getColumnKey = ({ left }: PdfLine): number => Math.round(left / 4)
  for (const line of lines) edges.set(getColumnKey(line), Math.max(edges.get(getColumnKey(line)) ?? 0, line.right))
  return (line) => edges.get(getColumnKey(line)) ?? line.right
}

/** Returns the heading level of a line, or null for text. */
type GetHeadingLevel = (line: PdfLine) => number | null

/** Relative to the text size: larger lines are headings. */
const HEADING_SIZE_RATIO = 1.12
const MAX_HEADING_CHARACTERS = 160
const MAX_LEVELS = 6

/** Creates a heading detector. Each larger font size is one level, and bold lines in text size are one level below. */
export function createHeadingDetector(lines: readonly PdfLine[]): GetHeadingLevel {
  const textSize = findMostFrequentSize(lines)
  const boldCharacters = countCharacters(lines.filter((line) => line.isBold))
  // Bold is not distinctive in mostly bold documents.
  const isBoldDistinctive = boldCharacters * 2 < countCharacters(lines)
  const sizes = [...new Set(lines.filter((line) => isLarger(line, textSize) && canBeHeading(line)).map(roundSize))]
  const levels = sizes.sort((left, right) => right - left).slice(0, MAX_LEVELS)
  return (line) => {
    if (!canBeHeading(line)) return null
    if (isLarger(line, textSize)) return findLevel(levels, roundSize(line))
    const isBoldHeading = isBoldDistinctive && line.isBold && line.size >= textSize * 0.95 && !/[.;,]$/.test(line.text)
    return isBoldHeading ? levels.length + 1 : null
  }
}

function findLevel(levels: readonly number[], size: number): number {
  const index = levels.indexOf(size)
  return index === -1 ? levels.length + 1 : index + 1
}

function isLarger(line: PdfLine, textSize: number): boolean {
  return line.size >= textSize * HEADING_SIZE_RATIO
}

function canBeHeading({ text, fragments }: PdfLine): boolean {
  return fragments.length <= 2 && text.length <= MAX_HEADING_CHARACTERS && /\p{L}{2}|\p{Script=Han}/u.test(text)
}

function roundSize({ size }: PdfLine): number {
  return Math.round(size * 2) / 2
}

function countCharacters(lines: readonly PdfLine[]): number {
  return lines.reduce((sum, { text }) => sum + text.length, 0)
}

function findMostFrequentSize(lines: readonly PdfLine[]): number {
  const lengthBySize = new Map<number, number>()
  for (const line of lines)
    lengthBySize.set(roundSize(line), (lengthBySize.get(roundSize(line)) ?? 0) + line.text.length)
  return [...lengthBySize].sort((left, right) => right[1] - left[1])[0]?.[0] ?? 10
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
export function joinLines(lines: readonly string[], hyphenatedWords: ReadonlySet<string>): string {
  let text = ''
  for (const line of lines) {
    const nextLine = line.trim().replace(DOT_LEADERS, ' … ')
    const wordStart = HYPHENATED.exec(text.slice(-MAX_WORD_LENGTH))?.[1]
    const wordEnd = /^\p{Ll}+/u.exec(nextLine)?.[0]
    const isSoftHyphen = text.endsWith('\u00ad')
    if (isSoftHyphen) text = text.slice(0, -1) + nextLine
    else if (wordStart !== undefined && wordEnd !== undefined) {
      text = hyphenatedWords.has(`${wordStart}-${wordEnd}`.toLowerCase())
        ? text + nextLine
        : text.slice(0, -1) + nextLine
    } else text += (text === '' || joinsWithoutSpace(text, nextLine) ? '' : ' ') + nextLine
  }
  return text
}

/** Whether two lines join without a space, as in scripts without spaces. */
function joinsWithoutSpace(text: string, nextLine: string): boolean {
  const unspacedScripts = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u
  return unspacedScripts.test(text.at(-1) ?? '') && unspacedScripts.test(nextLine.at(0) ?? '')
}
