import { type Pronunciation, respell } from './respell.ts'
import { beginningAt, type SpeechRule } from './rules/speech-rule.ts'
import { speechRules } from './speech-rules.ts'
import { stripMarkup } from './strip-markup.ts'

/** From and to (exclusive), in UTF-16 units. */
export type TextRange = readonly [start: number, end: number]

/** A written word with its punctuation, and the words that are spoken for it, without theirs. */
export interface SpokenSpan {
  readonly written: TextRange
  readonly spoken: TextRange
}

export interface SpeechPreparation {
  /** A language tag such as `en-US`. */
  readonly language: string
  /** Numbers, dates, addresses and the like become words, where the language is known. */
  readonly normalise: boolean
  /** English texts have these words respelled where letters stand for their sound; nothing else is done with them. */
  readonly pronunciations: readonly Pronunciation[]
}

export interface PreparedSpeech {
  /** Ready to be spoken; `''` when nothing in the text can be. */
  readonly text: string
  /** In order, without overlaps. */
  readonly spans: readonly SpokenSpan[]
}

/** A piece of the written text, and what is said for it. */
interface Piece {
  readonly kind: 'word' | 'mark' | 'space'
  readonly start: number
  readonly end: number
  readonly spoken: string
}

/** Makes a written text one that can be spoken. */
export function prepareSpeech(text: string, preparation: SpeechPreparation): PreparedSpeech {
  const plain = stripMarkup(text)
  const pieces = readPieces(plain.text, {
    rules: preparation.normalise ? speechRules(preparation.language) : [],
    dictionary: dictionaryRule(preparation.pronunciations),
    respells: preparation.language.toLowerCase().startsWith('en'),
  })
  const written = (start: number, end: number): TextRange => [
    plain.positions[start] ?? text.length,
    (plain.positions[end - 1] ?? text.length - 1) + 1,
  ]
  return compose(pieces, { text: plain.text, written, whole: text.length, normalise: preparation.normalise })
}

/** Where the written text ends of which everything up to `spokenOffset` was spoken: at the end of a whole written word. */
export function writtenUpTo(spans: readonly SpokenSpan[], spokenOffset: number): number {
  return spans.findLast(({ spoken }) => spoken[1] <= spokenOffset)?.written[1] ?? 0
}

interface Dictionary {
  readonly pattern: RegExp
  readonly entries: ReadonlyMap<string, Pronunciation>
}

function dictionaryRule(pronunciations: readonly Pronunciation[]): Dictionary | null {
  if (pronunciations.length === 0) return null
  // The first entry of a word counts.
  const entries = new Map([...pronunciations].reverse().map((one) => [one.word.toLowerCase(), one]))
  const words = [...entries.keys()].sort((one, other) => other.length - one.length)
  const pattern = words.map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('|')
  return { entries, pattern: new RegExp(`(?:${pattern})(?![\\p{L}\\p{M}\\p{N}])`, 'yiu') }
}

interface Reading {
  readonly rules: readonly SpeechRule[]
  readonly dictionary: Dictionary | null
  readonly respells: boolean
}

/** Characters of scripts without spaces are words of their own. */
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]\p{M}*|[[\p{L}\p{M}\p{N}]--[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]]+(?:['’][\p{L}\p{M}]+)*/vy
const SPACE = /\s+/uy
const WITHIN = /[\p{L}\p{M}\p{N}]$/u

function readPieces(text: string, reading: Reading): readonly Piece[] {
  const pieces: Piece[] = []
  for (let place = 0; place < text.length; ) {
    const piece = pieceAt(text, place, reading)
    pieces.push(piece)
    place = piece.end
  }
  return pieces
}

function pieceAt(text: string, place: number, { rules, dictionary, respells }: Reading): Piece {
  const start = place
  const within = WITHIN.test(text.slice(Math.max(0, place - 2), place))
  if (!within) {
    const entry = dictionary === null ? null : exec(dictionary.pattern, text, place)
    const pronunciation = dictionary?.entries.get(entry?.[0].toLowerCase() ?? '')
    if (entry !== null && pronunciation !== undefined) {
      const spoken = (respells ? respell(pronunciation) : null) ?? entry[0]
      return { kind: 'word', start, end: place + entry[0].length, spoken }
    }
  }
  const beginning = beginningAt(text, place)
  for (const { begins, pattern, say } of rules) {
    // Signs may stand behind a figure or letter, words may not.
    if (!begins.includes(beginning) || (within && (beginning === 'letter' || beginning === 'figure'))) continue
    const match = exec(pattern, text, place)
    if (match === null) continue
    const said = say(match, text.slice(0, place))
    if (said === null) continue
    const end = place + match[0].length
    return { kind: 'word', start, end, spoken: said.replace('\u0000', () => (isBlankFrom(text, end) ? '.' : '')) }
  }
  const space = exec(SPACE, text, place)
  if (space !== null) return { kind: 'space', start, end: place + space[0].length, spoken: ' ' }
  const word = exec(WORD, text, place)
  if (word !== null) return { kind: 'word', start, end: place + word[0].length, spoken: word[0] }
  const mark = String.fromCodePoint(text.codePointAt(place) ?? 0)
  return { kind: 'mark', start, end: place + mark.length, spoken: mark }
}

/** Whether nothing but white space follows. */
function isBlankFrom(text: string, place: number): boolean {
  const visible = /\S/g
  visible.lastIndex = place
  return !visible.test(text)
}

function exec(pattern: RegExp, text: string, place: number): RegExpExecArray | null {
  pattern.lastIndex = place
  return pattern.exec(text)
}

interface Composition {
  readonly text: string
  readonly written: (start: number, end: number) => TextRange
  /** Length of the text that was given. */
  readonly whole: number
  readonly normalise: boolean
}

/** Marks that are not for ears. */
const SILENT = /^[[\]{}<>|\\^~*_#→←•·]$/u

function compose(pieces: readonly Piece[], { text, written, whole, normalise }: Composition): PreparedSpeech {
  const spoken = createSpokenText()
  const spans: { written: TextRange; spoken: TextRange }[] = []
  let leading: number | null = null
  let touches = false
  for (const piece of pieces) {
    if (piece.kind === 'space') {
      touches = false
      spoken.space(normalise ? pauseOf(text, piece, spoken.end()) : '')
      continue
    }
    if (piece.kind === 'mark') {
      const last = spans.at(-1)
      if (touches && last !== undefined) last.written = [last.written[0], written(piece.start, piece.end)[1]]
      else leading ??= piece.start
      if (!normalise || !SILENT.test(piece.spoken)) spoken.add(piece.spoken)
      continue
    }
    const said = piece.spoken.startsWith(' ') ? piece.spoken.trimStart() : piece.spoken
    if (said !== piece.spoken) spoken.space('')
    const core = said.trimEnd().replace(/[.,]$/, '')
    const range: TextRange = [spoken.length(), spoken.length() + core.length]
    spans.push({ written: written(leading ?? piece.start, piece.end), spoken: range })
    spoken.add(said)
    leading = null
    touches = true
  }
  const last = spans.at(-1)
  if (last === undefined) return { text: '', spans: [] }
  last.written = [last.written[0], whole]
  return { text: spoken.text().trimEnd(), spans }
}

/** The spoken text as it grows. Only its end is read, so that it is joined once. */
function createSpokenText() {
  const parts: string[] = []
  let length = 0
  let end = ''
  const add = (text: string): void => {
    parts.push(text)
    length += text.length
    end = (end + text).slice(-2)
  }
  return {
    add,
    /** A space after a pause, unless there is one already. */
    space(pause: string): void {
      if (end !== '' && !end.endsWith(' ')) add(`${pause} `)
    },
    length: () => length,
    /** Its last two UTF-16 units. */
    end: () => end,
    text: () => parts.join(''),
  }
}

/** What a line that ends without a mark is followed by. */
function pauseOf(text: string, { start, end }: Piece, spokenEnd: string): string {
  const breaks = text.slice(start, end).split('\n').length - 1
  if (breaks === 0 || end === text.length || !/[\p{L}\p{M}\p{N}]$/u.test(spokenEnd)) return ''
  if (breaks === 1) return /^\p{Ll}/u.test(text.slice(end, end + 2)) ? '' : ','
  return '.'
}
