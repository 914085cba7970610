import { type Boundary, boundaryAt } from './clause-boundary.ts'
import { createMarkupStripper, type PlainPart } from './strip-markup.ts'

export interface ClauseSplitterOptions {
  /** A language tag such as `en-US`; without one, what holds in most languages. */
  readonly language?: string
}

/** Cuts a text that is still being written into pieces that can be spoken one after another. */
export interface ClauseSplitter {
  /** The clauses that are complete now. They have no white space around them and no markup (see `joinClauses`). */
  push(delta: string): readonly string[]
  /** What is left. The splitter begins anew afterwards. */
  end(): readonly string[]
}

/** A piece is at least so wide; characters of scripts that write whole syllables or words with one count twice. */
const MIN_WIDTH = 12
/** Behind the first piece, sentences are cut at a comma only when they are long. */
const LONG_SENTENCE = 120
/** No piece is wider. */
const MAX_WIDTH = 250
/** Where a sentence without marks is cut, it leaves at least so much. */
const MIN_CUT_WIDTH = 100

const WIDE_CHARACTERS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303F\uFF00-\uFFEF]/u
/** Words before which people take breath. */
const CONJUNCTIONS =
  /^(?:and|but|or|because|which|that|who|when|while|so|und|aber|oder|weil|dass|die|der|et|mais|ou|car|que|qui|y|pero|o|porque|e|ma|che|mas|en|maar|of|want|dat)\s/iu

/** What is known of the clause that is being looked for. */
interface Scan {
  /** Where the next character is looked at. */
  position: number
  width: number
  /** Where its last part ends. */
  part: number
}

/** The first clause comes as early as it can be spoken well, the others by sentence. */
export function createClauseSplitter(options: ClauseSplitterOptions = {}): ClauseSplitter {
  const language = options.language?.split('-', 1)[0]?.toLowerCase() ?? ''
  const stripper = createMarkupStripper()
  let text = ''
  let first = true
  let scan = newScan()

  function accepts({ strength }: Boundary, width: number): boolean {
    if (width < MIN_WIDTH) return false
    return strength === 'sentence' || first || width >= LONG_SENTENCE
  }

  function take(end: number): string {
    const clause = text.slice(0, end).trim()
    text = text.slice(end).trimStart()
    first &&= clause === ''
    scan = newScan()
    return clause
  }

  /** The next clause; `null` when more has to come first. */
  function next(isAtEnd: boolean): string | null {
    while (scan.position < text.length) {
      const { position } = scan
      const boundary = boundaryAt(text, position, { language, isAtEnd })
      if (boundary === 'wait') return null
      const end = boundary?.end ?? position + 1
      const width = scan.width + measureWidth(text, position, end)
      if (width > MAX_WIDTH) return take(findCut(text, scan))
      if (boundary !== null) {
        if (accepts(boundary, width)) return take(end)
        scan.part = end
      }
      scan.position = end
      scan.width = width
    }
    return null
  }

  function all(parts: readonly PlainPart[], isAtEnd: boolean): string[] {
    for (const part of parts) text += part.text
    // White space in front of a clause belongs to none.
    if (scan.position === 0) text = text.trimStart()
    const clauses: string[] = []
    for (let clause = next(isAtEnd); clause !== null; clause = next(isAtEnd)) if (clause !== '') clauses.push(clause)
    return clauses
  }

  return {
    push: (delta) => all(stripper.push(delta), false),
    end() {
      const clauses = all(stripper.end(), true)
      const last = take(text.length)
      first = true
      return last === '' ? clauses : [...clauses, last]
    },
  }
}

const newScan = (): Scan => ({ position: 0, width: 0, part: 0 })

function measureWidth(text: string, start: number, end: number): number {
  let width = 0
  for (let position = start; position < end; position += 1) width += WIDE_CHARACTERS.test(text[position] ?? '') ? 2 : 1
  return width
}

/** Where a clause that got too long is cut: behind a mark, before a word that joins, between words, and only then anywhere. */
function findCut(text: string, { position, part }: Scan): number {
  if (part >= MIN_CUT_WIDTH) return part
  const known = text.slice(0, position)
  const spaces = [...known.matchAll(/\s+/g)].map(({ index }) => index).filter((space) => !betweenDigits(known, space))
  const conjunction = spaces.findLast((space) => CONJUNCTIONS.test(known.slice(space).trimStart()))
  if (conjunction !== undefined && conjunction >= MIN_CUT_WIDTH) return conjunction
  const cut = [spaces.at(-1) ?? 0, part].find((one) => one > 0)
  if (cut !== undefined) return cut
  // Never within a character.
  let end = position
  while (end > 1 && /^(?:\p{M}|\u200D|[\uDC00-\uDFFF])/u.test(text.slice(end, end + 2))) end -= 1
  return end
}

function betweenDigits(text: string, position: number): boolean {
  return /\d/.test(text[position - 1] ?? '') && /^\s[\d(]/.test(text.slice(position, position + 2))
}
