/** Strips Markdown, tags and emoji from text to speak. Code and tables keep their text. */

export interface PlainPart {
  readonly text: string
  /** Position in the original text. */
  readonly start: number
  readonly end: number
}

/** The characters to consume and their replacement, or `wait` if more text is needed. */
type Step = 'wait' | { readonly length: number; readonly text: string; readonly keepsLineStart?: boolean }

/** State of the scanner. `input` starts at the next character. */
interface ScanState {
  readonly input: string
  readonly isAtEnd: boolean
  /** The previous character, or `''` at the start. */
  readonly previousCharacter: string
  /** Whether only whitespace precedes the next character in its line. */
  readonly isLineStart: boolean
  readonly inFence: boolean
  readonly inTableRow: boolean
}

/** Maximum number of characters to hold back while markup is incomplete. */
const MAX_LOOKAHEAD = 200
const MAX_LINK_LOOKAHEAD = 800

const PLAIN_TEXT = /^[[\p{L}\p{N}\p{M} \t,.;:'"\(\)?%$€£\/@=]--[\uFE0E\uFE0F\u20E3]]+/v
const WORD_START = /^[\p{L}\p{N}]/u
const EMOJI =
  /^(?:\p{Extended_Pictographic}|\p{Regional_Indicator}|\p{Emoji_Modifier}|[\uFE0E\uFE0F]|\u20E3|[\u{E0020}-\u{E007F}])/u
const TEXT_SYMBOLS = /^[©®™‼⁉]/
const INVISIBLE = /^[\u200B\u2060\uFEFF\u00AD]/
const JOINER = '\u200D'
const MAX_ASCII = '\u007F'

const skipCharacters = (length: number, keepsLineStart = false): Step => ({ length, text: '', keepsLineStart })
const keepText = (text: string): Step => ({ length: text.length, text })

/** Creates a stripper for streamed text that works independently of chunk boundaries. */
export function createMarkupStripper() {
  let scanner = new MarkupScanner()
  return {
    push: (delta: string): readonly PlainPart[] => scanner.push(delta, false),
    /** Returns the remaining text and resets the stripper. */
    end(): readonly PlainPart[] {
      const parts = scanner.push('', true)
      scanner = new MarkupScanner()
      return parts
    },
  }
}

/** Scans streamed text and tracks the state that affects the next characters. */
class MarkupScanner {
  #input = ''
  #position = 0
  #previousCharacter = ''
  #isLineStart = true
  #inFence = false
  #inTableRow = false
  /** Whether a backslash escapes the next character. */
  #isEscaped = false
  /** Range of a link's address, which is skipped after the label. */
  #skippedRange: { readonly start: number; readonly end: number } | null = null

  /** Returns the stripped parts. With `isAtEnd`, no text is held back. */
  push(delta: string, isAtEnd: boolean): PlainPart[] {
    this.#input += delta
    const parts: PlainPart[] = []
    while (this.#input !== '') {
      const step = this.#findNextStep(isAtEnd)
      if (step === 'wait') break
      const start = this.#position
      if (step.text !== '') parts.push({ text: step.text, start, end: start + step.length })
      this.#advance(step)
    }
    return parts
  }

  #advance({ length, text, keepsLineStart }: Exclude<Step, 'wait'>): void {
    const consumed = this.#input.slice(0, length)
    if (consumed.endsWith('\n')) {
      this.#isLineStart = true
      this.#inTableRow = false
    } else if (keepsLineStart !== true && consumed.trim() !== '') {
      if (this.#isLineStart && consumed.startsWith('|')) this.#inTableRow = true
      this.#isLineStart = false
    }
    this.#isEscaped = consumed === '\\' && text === ''
    this.#previousCharacter = length === 1 ? consumed : ([...consumed.slice(-2)].at(-1) ?? this.#previousCharacter)
    this.#position += length
    this.#input = this.#input.slice(length)
  }

  #findNextStep(isAtEnd: boolean): Step {
    const input = this.#input
    if (this.#skippedRange?.start === this.#position) {
      const { start, end } = this.#skippedRange
      this.#skippedRange = null
      return skipCharacters(end - start)
    }
    if (this.#isEscaped) return keepText(input.slice(0, 1))
    const fence = this.#isLineStart ? stripFence(input, isAtEnd) : null
    if (fence !== null) {
      if (fence !== 'wait') this.#inFence = !this.#inFence
      return fence
    }
    if (!this.#isLineStart) {
      const end = this.#skippedRange === null ? undefined : this.#skippedRange.start - this.#position
      const [plainText] = PLAIN_TEXT.exec(input.slice(0, end)) ?? []
      if (plainText !== undefined) return keepText(plainText)
    }
    const scanState: ScanState = {
      input,
      isAtEnd,
      previousCharacter: this.#previousCharacter,
      isLineStart: this.#isLineStart,
      inFence: this.#inFence,
      inTableRow: this.#inTableRow,
    }
    if (!this.#inFence && (input.startsWith('[') || input.startsWith('!') || input.startsWith('<'))) {
      return this.#stripLink(scanState)
    }
    return keepPlainText(scanState)
  }

  #stripLink(scanState: ScanState): Step {
    const prefixLength = scanState.input.startsWith('!') ? 1 : 0
    if (prefixLength === 1 && scanState.input.length > 1 && scanState.input[1] !== '[') return keepText('!')
    const link = findLink(scanState.input.slice(prefixLength), scanState.isAtEnd)
    if (link === 'wait') return 'wait'
    if (link === null)
      return scanState.input.startsWith('<')
        ? stripTag(scanState)
        : prefixLength === 1
          ? keepText('!')
          : stripBrackets(scanState)
    const start = this.#position + prefixLength + link.labelEnd
    this.#skippedRange = { start, end: this.#position + prefixLength + link.length }
    return skipCharacters(prefixLength + 1)
  }
}

/** Strips a complete text and maps its UTF-16 units to their original positions. */
export function stripMarkup(text: string): { readonly text: string; readonly positions: readonly number[] } {
  const stripper = createMarkupStripper()
  const positions: number[] = []
  let strippedText = ''
  for (const part of [...stripper.push(text), ...stripper.end()]) {
    const hasSameLength = part.text.length === part.end - part.start
    for (let index = 0; index < part.text.length; index += 1) positions.push(part.start + (hasSameLength ? index : 0))
    strippedText += part.text
  }
  return { text: strippedText, positions }
}

/** Strips the start or end of a code block, including its language. */
function stripFence(input: string, isAtEnd: boolean): Step | null {
  if (!input.startsWith('`') && !input.startsWith('~')) return null
  if (/^(`{1,2}|~{1,2})$/.test(input) && !isAtEnd) return 'wait'
  const fence = /^(```+|~~~+)([^\n`]*)(\n|$)?/.exec(input)
  if (fence === null) return null
  if (fence[3] === '\n' || isAtEnd) return skipCharacters(fence[0].length)
  return fence[0].length < input.length || input.length > MAX_LOOKAHEAD ? skipCharacters(fence[1]?.length ?? 3) : 'wait'
}

function keepPlainText(scanState: ScanState): Step {
  const { input, previousCharacter, isAtEnd, isLineStart, inFence } = scanState
  const character = String.fromCodePoint(input.codePointAt(0) ?? 0)
  if (character === '\n') return keepText(/^\n+/.exec(input)?.[0] ?? character)
  if (character.length === 1 && character >= '\uD800' && character <= '\uDBFF' && !isAtEnd) return 'wait'
  if (character > MAX_ASCII) {
    if (INVISIBLE.test(character) || (EMOJI.test(character) && !TEXT_SYMBOLS.test(character)))
      return skipCharacters(character.length)
    if (character === JOINER && EMOJI.test(previousCharacter)) return skipCharacters(1)
  }
  if (inFence) return keepText(character)
  if (isLineStart) {
    const [indent] = /^[ \t\u00A0]+/.exec(input) ?? []
    if (indent !== undefined) return keepText(indent)
    const step = stripBlockMarkup(scanState)
    if (step !== null) return step
    const [plainText] = PLAIN_TEXT.exec(input) ?? []
    if (plainText !== undefined) return keepText(plainText)
  }
  return stripInlineMarkup(scanState, character)
}

/** First character of all block markup. */
const BLOCK_MARK = /^[-*_=|:#>+•‣◦[]/

/** Strips markup at the start of a line: headings, quotes, lists, rules, tables. */
function stripBlockMarkup({ input, isAtEnd }: ScanState): Step | null {
  if (!BLOCK_MARK.test(input)) return null
  const line = input.slice(0, MAX_LOOKAHEAD)
  const isIncomplete = !isAtEnd && !line.includes('\n') && input.length < MAX_LOOKAHEAD
  if (isIncomplete && /^([#]{1,6}|[-*_=|: \t]+|\[[ xX]?\]?)$/.test(line) && line.trim() !== '') return 'wait'
  const rule =
    /^(?:[-*_=][ \t]*){3,}(?:\n|$)/.exec(line) ?? /^(?:\|[ \t]*)?:?-+:?[ \t]*(?:\|[ \t:-]*)+(?:\n|$)/.exec(line)
  if (rule !== null) return skipCharacters(rule[0].length, true)
  if (isIncomplete && /^[+•‣◦>]$/.test(line)) return 'wait'
  const mark = /^(?:#{1,6}[ \t]|>[ \t]?|[-*+•‣◦][ \t]|\[[ xX]\][ \t])/.exec(line)
  if (mark !== null) return skipCharacters(mark[0].length, true)
  return line.startsWith('|') ? skipCharacters(1) : null
}

/** Strips markup within a line. */
function stripInlineMarkup(scanState: ScanState, character: string): Step {
  const { input, isAtEnd } = scanState
  switch (character) {
    case '*':
    case '_':
      return stripEmphasis(scanState, character)
    case '`':
      return skipCharacters(1)
    case '~':
      if (input === '~' && !isAtEnd) return 'wait'
      return input.startsWith('~~') ? skipCharacters(2) : keepText('~')
    case '|':
      return replaceColumnSeparator(scanState)
    case '\\':
      if (input.length === 1 && !isAtEnd) return 'wait'
      return /^\\[!-/:-@[-`{-~]/.test(input) ? skipCharacters(1) : keepText('\\')
    case '&':
      return replaceEntity(scanState)
    default:
      return keepText(character)
  }
}

/** Strips emphasis marks, but keeps multiplication signs and underscores within names. */
function stripEmphasis({ input, previousCharacter, isAtEnd }: ScanState, mark: '*' | '_'): Step {
  let length = 1
  while (input[length] === mark) length += 1
  if (length === input.length && !isAtEnd && length < MAX_LOOKAHEAD) return 'wait'
  const marks = input.slice(0, length)
  const followingText = input.slice(length)
  const isSurroundedBySpace =
    (previousCharacter === '' || /\s/.test(previousCharacter)) && (followingText === '' || /^\s/.test(followingText))
  const isInsideWord =
    mark === '_'
      ? /[\p{L}\p{N}/@=&?.-]$/u.test(previousCharacter) && WORD_START.test(followingText)
      : /\d$/.test(previousCharacter) && /^\d/.test(followingText)
  return isInsideWord || (isSurroundedBySpace && length === 1) ? keepText(marks) : skipCharacters(length)
}

/** Replaces the separators of table columns with commas. */
function replaceColumnSeparator({ input, isAtEnd, inTableRow }: ScanState): Step {
  if (!inTableRow) return keepText('|')
  const contentStart = /^\|[ \t]*/.exec(input)?.[0].length ?? 1
  if (contentStart === input.length && !isAtEnd) return 'wait'
  return contentStart === input.length || input[contentStart] === '\n' ? skipCharacters(1) : { length: 1, text: ',' }
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&nbsp;': ' ',
  '&quot;': '"',
  '&apos;': "'",
  '&#39;': "'",
}

function replaceEntity({ input, isAtEnd }: ScanState): Step {
  if (/^&[a-z#0-9]{0,5}$/.test(input) && !isAtEnd) return 'wait'
  const [entity = '&'] = /^&[a-z#0-9]{1,5};/.exec(input) ?? []
  return { length: ENTITIES[entity] === undefined ? 1 : entity.length, text: ENTITIES[entity] ?? '&' }
}

/** Finds `[label](address)` or `<address>`, or returns `null` if there is no link. `labelEnd` is the end of the label. */
function findLink(input: string, isAtEnd: boolean): 'wait' | { labelEnd: number; length: number } | null {
  const autolink = /^<(https?:\/\/[^\s<>]{1,600}|[^\s@<>]{1,100}@[^\s@<>]{1,200})>/.exec(input)
  if (autolink !== null) return { labelEnd: autolink[0].length - 1, length: autolink[0].length }
  const link = /^\[([^[\]\n]{1,200})\]\((?:[^()\s]|\([^()\s]*\)){0,600}(?:[ \t]+"[^"\n]{0,100}")?\)/.exec(input)
  if (link !== null) return { labelEnd: (link[1]?.length ?? 0) + 1, length: link[0].length }
  if (isAtEnd || input.length > MAX_LINK_LOOKAHEAD) return null
  const isIncomplete =
    input === '' ||
    /^<(?:[^\s<>]{0,600})$/.test(input) ||
    /^\[[^[\]\n]{0,200}$/.test(input) ||
    /^\[[^[\]\n]{1,200}\]$/.test(input) ||
    /^\[[^[\]\n]{1,200}\]\([^\s]*(?:[ \t]+"?[^"\n]{0,100}"?)?$/.test(input)
  return isIncomplete ? 'wait' : null
}

/** Strips tags and converts block tags to line breaks. */
function stripTag({ input, isAtEnd }: ScanState): Step {
  const tag = /^<(?:!--[^\n]{0,200}?--|\/?[a-zA-Z][^<>\n]{0,200})>/.exec(input)
  if (tag !== null) {
    const isBlockTag = /^<(?:br|\/p|\/li|\/h\d|\/div|\/tr)\b/i.test(tag[0])
    return { length: tag[0].length, text: isBlockTag ? '\n' : '' }
  }
  const isIncomplete = /^<(?:[/!]?|\/?[a-zA-Z][^<>\n]{0,200}|!-[^\n]{0,200})$/.test(input)
  return isIncomplete && !isAtEnd && input.length <= MAX_LOOKAHEAD ? 'wait' : keepText('<')
}

/** Strips checkboxes and footnote numbers, but keeps other brackets. */
function stripBrackets(scanState: ScanState): Step {
  if (scanState.isLineStart) {
    const step = stripBlockMarkup(scanState)
    if (step !== null) return step
  }
  const footnote = /^\[\^?\d{1,3}\]/.exec(scanState.input)
  return footnote === null ? keepText('[') : skipCharacters(footnote[0].length)
}
