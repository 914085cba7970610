import { type Boundary, findBoundaryAt } from './clause-boundary.ts'
import { createMarkupStripper, type PlainPart } from './strip-markup.ts'

interface ClauseSplitterOptions {
  /** Language tag such as `en-US`. */
  readonly language?: string
}

/** Splits streamed text into clauses to speak one at a time. */
export interface ClauseSplitter {
  /** Returns the clauses that this text completes, trimmed and without markup (see `joinClauses`). */
  push(delta: string): readonly string[]
  /** Returns the remaining text and resets the splitter. */
  end(): readonly string[]
}

/** Minimum width of a clause. Characters of syllabic and logographic scripts count twice. */
const MIN_WIDTH = 12
/** After the first clause, only sentences of at least this width are split at commas. */
const LONG_SENTENCE_WIDTH = 120
/** Maximum width of a clause. */
const MAX_WIDTH = 250
/** Preferred minimum width of a clause that is cut because it is too long. */
const MIN_CUT_WIDTH = 100

const WIDE_CHARACTERS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303F\uFF00-\uFFEF]/u
const FIRST_WIDE_CHARACTER = '\u1100'
/** Words that usually follow a pause. */
const CONJUNCTIONS =
  /^(?:and|but|or|because|which|that|who|when|while|so|und|aber|oder|weil|dass|die|der|et|mais|ou|car|que|qui|y|pero|o|porque|e|ma|che|mas|en|maar|of|want|dat)\s/iu

/** State of the search for the next clause. */
interface Scan {
  /** Position of the next character. */
  position: number
  width: number
  /** End of the last clause boundary, or 0 if there is none. */
  boundaryEnd: number
}

/** Creates a splitter that returns the first clause as early as possible and later clauses by sentence. */
export function createClauseSplitter(options: ClauseSplitterOptions = {}): ClauseSplitter {
  const language = options.language?.split('-', 1)[0]?.toLowerCase() ?? ''
  const stripper = createMarkupStripper()
  let text = ''
  let isFirstClause = true
  let scan = createScan()

  function shouldSplit({ kind }: Boundary, width: number): boolean {
    if (width < MIN_WIDTH) return false
    return kind === 'sentence' || isFirstClause || width >= LONG_SENTENCE_WIDTH
  }

  function takeClause(end: number): string {
    const clause = text.slice(0, end).trim()
    text = text.slice(end).trimStart()
    isFirstClause &&= clause === ''
    scan = createScan()
    return clause
  }

  /** Returns the next clause, or `null` if more text is needed. */
  function takeNextClause(isAtEnd: boolean): string | null {
    while (scan.position < text.length) {
      const { position } = scan
      const boundary = findBoundaryAt(text, position, { language, isAtEnd })
      if (boundary === 'wait') return null
      const end = boundary?.end ?? position + 1
      const width = scan.width + measureWidth(text, position, end)
      if (width > MAX_WIDTH) return takeClause(findCut(text, scan))
      if (boundary !== null) {
        if (shouldSplit(boundary, width)) return takeClause(end)
        scan.boundaryEnd = end
      }
      scan.position = end
      scan.width = width
    }
    return null
  }

  function takeClauses(parts: readonly PlainPart[], isAtEnd: boolean): string[] {
    for (const part of parts) text += part.text
    // Drop whitespace before a clause.
    if (scan.position === 0) text = text.trimStart()
    const clauses: string[] = []
    for (let clause = takeNextClause(isAtEnd); clause !== null; clause = takeNextClause(isAtEnd))
      if (clause !== '') clauses.push(clause)
    return clauses
  }

  return {
    push: (delta) => takeClauses(stripper.push(delta), false),
    end() {
      const clauses = takeClauses(stripper.end(), true)
      const lastClause = takeClause(text.length)
      isFirstClause = true
      return lastClause === '' ? clauses : [...clauses, lastClause]
    },
  }
}

const createScan = (): Scan => ({ position: 0, width: 0, boundaryEnd: 0 })

function measureWidth(text: string, start: number, end: number): number {
  let width = 0
  for (let position = start; position < end; position += 1) {
    const character = text[position] ?? ''
    width += character >= FIRST_WIDE_CHARACTER && WIDE_CHARACTERS.test(character) ? 2 : 1
  }
  return width
}

/**
 * Returns the position at which to cut an overlong clause: after punctuation, before a conjunction, between words, or anywhere.
 */
function findCut(text: string, { position, boundaryEnd }: Scan): number {
  if (boundaryEnd >= MIN_CUT_WIDTH) return boundaryEnd
  const scannedText = text.slice(0, position)
  const spaces = [...scannedText.matchAll(/\s+/g)]
    .map(({ index }) => index)
    .filter((space) => !isBetweenDigits(scannedText, space))
  const conjunction = spaces.findLast((space) => CONJUNCTIONS.test(scannedText.slice(space).trimStart()))
  if (conjunction !== undefined && conjunction >= MIN_CUT_WIDTH) return conjunction
  const cut = [spaces.at(-1) ?? 0, boundaryEnd].find((position) => position > 0)
  if (cut !== undefined) return cut
  // Never cut within a character.
  let end = position
  while (end > 1 && /^(?:\p{M}|\u200D|[\uDC00-\uDFFF])/u.test(text.slice(end, end + 2))) end -= 1
  return end
}

function isBetweenDigits(text: string, position: number): boolean {
  return /\d/.test(text[position - 1] ?? '') && /^\s[\d(]/.test(text.slice(position, position + 2))
}
