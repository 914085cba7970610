import { type Pronunciation, respell } from './respell.ts'
import { getCharacterClass, type SpeechRule } from './rules/speech-rule.ts'
import { getSpeechRules } from './speech-rules.ts'
import { stripMarkup } from './strip-markup.ts'

/** Start and exclusive end in UTF-16 units. */
type TextRange = readonly [start: number, end: number]

/** A written word with its punctuation, and the matching spoken words without punctuation. */
interface SpokenSpan {
  readonly written: TextRange
  readonly spoken: TextRange
}

interface SpeechOptions {
  /** Language tag such as `en-US`. */
  readonly language: string
  /** Whether to convert numbers, dates, addresses and similar text to words in supported languages. */
  readonly normalize: boolean
  /** Custom pronunciations, which are respelled only in English texts. */
  readonly pronunciations: readonly Pronunciation[]
}

export interface PreparedSpeech {
  /** Text to synthesize, or `''` if nothing can be spoken. */
  readonly text: string
  /** Spans in order, without overlaps. */
  readonly spans: readonly SpokenSpan[]
}

/** A part of the written text with its spoken form. */
interface Token {
  readonly kind: 'word' | 'mark' | 'space'
  readonly start: number
  readonly end: number
  readonly spoken: string
}

/** Converts written text to spoken text. */
export function prepareSpeech(text: string, options: SpeechOptions): PreparedSpeech {
  const strippedText = stripMarkup(text)
  const tokens = tokenize(strippedText.text, {
    rules: options.normalize ? getSpeechRules(options.language) : [],
    dictionary: createDictionary(options.pronunciations),
    usesRespelling: options.language.toLowerCase().startsWith('en'),
  })
  const toWrittenRange = (start: number, end: number): TextRange => [
    strippedText.positions[start] ?? text.length,
    (strippedText.positions[end - 1] ?? text.length - 1) + 1,
  ]
  return composeSpeech(tokens, {
    text: strippedText.text,
    toWrittenRange,
    originalLength: text.length,
    normalize: options.normalize,
  })
}

/** Returns the end of the last written word that was completely spoken at `spokenOffset`. */
export function findWrittenOffset(spans: readonly SpokenSpan[], spokenOffset: number): number {
  return spans.findLast(({ spoken }) => spoken[1] <= spokenOffset)?.written[1] ?? 0
}

interface Dictionary {
  readonly pattern: RegExp
  readonly entries: ReadonlyMap<string, Pronunciation>
}

function createDictionary(pronunciations: readonly Pronunciation[]): Dictionary | null {
  if (pronunciations.length === 0) return null
  // If a word has several entries, the first one applies.
  const entries = new Map([...pronunciations].reverse().map((entry) => [entry.word.toLowerCase(), entry]))
  const words = [...entries.keys()].sort((first, second) => second.length - first.length)
  const pattern = words.map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('|')
  return { entries, pattern: new RegExp(`(?:${pattern})(?![\\p{L}\\p{M}\\p{N}])`, 'yiu') }
}

interface TokenizerOptions {
  readonly rules: readonly SpeechRule[]
  readonly dictionary: Dictionary | null
  readonly usesRespelling: boolean
}

/** Characters of scripts without spaces count as words. */
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]\p{M}*|[[\p{L}\p{M}\p{N}]--[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]]+(?:['’][\p{L}\p{M}]+)*/vy
const SPACE = /\s+/uy
const ENDS_WITH_WORD = /[\p{L}\p{M}\p{N}]$/u

function tokenize(text: string, options: TokenizerOptions): readonly Token[] {
  const tokens: Token[] = []
  for (let position = 0; position < text.length; ) {
    const token = readTokenAt(text, position, options)
    tokens.push(token)
    position = token.end
  }
  return tokens
}

function readTokenAt(text: string, position: number, { rules, dictionary, usesRespelling }: TokenizerOptions): Token {
  const start = position
  const isInsideWord = ENDS_WITH_WORD.test(text.slice(Math.max(0, position - 2), position))
  if (!isInsideWord) {
    const entry = dictionary === null ? null : matchAt(dictionary.pattern, text, position)
    const pronunciation = dictionary?.entries.get(entry?.[0].toLowerCase() ?? '')
    if (entry !== null && pronunciation !== undefined) {
      const spoken = (usesRespelling ? respell(pronunciation) : null) ?? entry[0]
      return { kind: 'word', start, end: position + entry[0].length, spoken }
    }
  }
  const startClass = getCharacterClass(text, position)
  for (const { startClasses, pattern, toSpoken } of rules) {
    // A symbol may directly follow a letter or digit, but a word or number may not.
    if (!startClasses.includes(startClass) || (isInsideWord && (startClass === 'letter' || startClass === 'digit')))
      continue
    const match = matchAt(pattern, text, position)
    if (match === null) continue
    const spokenText = toSpoken(match, text.slice(0, position))
    if (spokenText === null) continue
    const end = position + match[0].length
    return { kind: 'word', start, end, spoken: spokenText.replace('\u0000', () => (isBlankFrom(text, end) ? '.' : '')) }
  }
  const space = matchAt(SPACE, text, position)
  if (space !== null) return { kind: 'space', start, end: position + space[0].length, spoken: ' ' }
  const word = matchAt(WORD, text, position)
  if (word !== null) return { kind: 'word', start, end: position + word[0].length, spoken: word[0] }
  const mark = String.fromCodePoint(text.codePointAt(position) ?? 0)
  return { kind: 'mark', start, end: position + mark.length, spoken: mark }
}

/** Whether only whitespace follows. */
function isBlankFrom(text: string, position: number): boolean {
  const nonWhitespace = /\S/g
  nonWhitespace.lastIndex = position
  return !nonWhitespace.test(text)
}

function matchAt(pattern: RegExp, text: string, position: number): RegExpExecArray | null {
  pattern.lastIndex = position
  return pattern.exec(text)
}

interface CompositionOptions {
  readonly text: string
  readonly toWrittenRange: (start: number, end: number) => TextRange
  /** Length of the original text. */
  readonly originalLength: number
  readonly normalize: boolean
}

/** Symbols that are not spoken. */
const SILENT_SYMBOLS = /^[[\]{}<>|\\^~*_#→←•·]$/u

function composeSpeech(
  tokens: readonly Token[],
  { text, toWrittenRange, originalLength, normalize }: CompositionOptions,
): PreparedSpeech {
  const builder = createSpokenTextBuilder()
  const spans: { written: TextRange; spoken: TextRange }[] = []
  let leadingMarkStart: number | null = null
  let isAdjacent = false
  for (const token of tokens) {
    if (token.kind === 'space') {
      isAdjacent = false
      builder.addSpace(normalize ? getPausePunctuation(text, token, builder.getLastCharacters()) : '')
      continue
    }
    if (token.kind === 'mark') {
      const lastSpan = spans.at(-1)
      if (isAdjacent && lastSpan !== undefined)
        lastSpan.written = [lastSpan.written[0], toWrittenRange(token.start, token.end)[1]]
      else leadingMarkStart ??= token.start
      if (!normalize || !SILENT_SYMBOLS.test(token.spoken)) builder.add(token.spoken)
      continue
    }
    const spokenText = token.spoken.startsWith(' ') ? token.spoken.trimStart() : token.spoken
    if (spokenText !== token.spoken) builder.addSpace('')
    const spokenWords = spokenText.trimEnd().replace(/[.,]$/, '')
    const spokenRange: TextRange = [builder.getLength(), builder.getLength() + spokenWords.length]
    spans.push({ written: toWrittenRange(leadingMarkStart ?? token.start, token.end), spoken: spokenRange })
    builder.add(spokenText)
    leadingMarkStart = null
    isAdjacent = true
  }
  const lastSpan = spans.at(-1)
  if (lastSpan === undefined) return { text: '', spans: [] }
  lastSpan.written = [lastSpan.written[0], originalLength]
  return { text: builder.build().trimEnd(), spans }
}

/** Creates a builder for the spoken text, which is joined once at the end. */
function createSpokenTextBuilder() {
  const parts: string[] = []
  let length = 0
  let lastCharacters = ''
  const add = (text: string): void => {
    parts.push(text)
    length += text.length
    lastCharacters = (lastCharacters + text).slice(-2)
  }
  return {
    add,
    /** Adds a pause and a space unless the text already ends with a space. */
    addSpace(pause: string): void {
      if (lastCharacters !== '' && !lastCharacters.endsWith(' ')) add(`${pause} `)
    },
    getLength: () => length,
    /** Returns the last two UTF-16 units. */
    getLastCharacters: () => lastCharacters,
    build: () => parts.join(''),
  }
}

/** Returns punctuation that adds a pause after a line without punctuation. */
function getPausePunctuation(text: string, { start, end }: Token, spokenEnd: string): string {
  const lineBreaks = text.slice(start, end).split('\n').length - 1
  if (lineBreaks === 0 || end === text.length || !/[\p{L}\p{M}\p{N}]$/u.test(spokenEnd)) return ''
  if (lineBreaks === 1) return /^\p{Ll}/u.test(text.slice(end, end + 2)) ? '' : ','
  return '.'
}
