/** Strips unspoken markup: Markdown, tags and emoji. Code and tables keep their text. */

/** A part of the stripped text. */
export interface PlainPart {
  readonly text: string
  /** Position in the original text. */
  readonly start: number
  readonly end: number
}

/** The outcome of a rule, or `wait` if more text is needed. */
type Step = 'wait' | { readonly length: number; readonly text: string; readonly keepsLineStart?: boolean }

/** State of the stripper. `rest` starts at the next character. */
interface ScanState {
  readonly rest: string
  readonly isAtEnd: boolean
  /** The previous character, or `''` at the start. */
  readonly before: string
  /** Whether only whitespace precedes the character in its line. */
  readonly isLineStart: boolean
  readonly inFence: boolean
  readonly inRow: boolean
}

/** Maximum number of characters to hold back for markup. */
const MAX_LOOKAHEAD = 200
const MAX_LINK_LOOKAHEAD = 800

const PLAIN = /^[[\p{L}\p{N}\p{M} \t,.;:'"\(\)?%$€£\/@=]--[\uFE0E\uFE0F\u20E3]]+/v
const WORD = /^[\p{L}\p{N}]/u
const EMOJI =
  /^(?:\p{Extended_Pictographic}|\p{Regional_Indicator}|\p{Emoji_Modifier}|[\uFE0E\uFE0F]|\u20E3|[\u{E0020}-\u{E007F}])/u
const KEPT_SYMBOLS = /^[©®™‼⁉]/
const INVISIBLE = /^[\u200B\u2060\uFEFF\u00AD]/
const JOINER = '\u200D'
const ASCII_END = '\u007F'

const omit = (length: number, keepsLineStart = false): Step => ({ length, text: '', keepsLineStart })
const keep = (text: string): Step => ({ length: text.length, text })

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

/** A position in the text, with the state that affects the following characters. */
class MarkupScanner {
  #rest = ''
  #position = 0
  #before = ''
  #isLineStart = true
  #inFence = false
  #inRow = false
  /** Whether a backslash escapes the next character. */
  #isEscaped = false
  /** Range of a link address to skip after its label was read. */
  #skippedRange: { readonly start: number; readonly end: number } | null = null

  /** Returns the stripped parts. With `isAtEnd`, no text is held back. */
  push(delta: string, isAtEnd: boolean): PlainPart[] {
    this.#rest += delta
    const parts: PlainPart[] = []
    while (this.#rest !== '') {
      const step = this.#findNextStep(isAtEnd)
      if (step === 'wait') break
      const start = this.#position
      if (step.text !== '') parts.push({ text: step.text, start, end: start + step.length })
      this.#advance(step)
    }
    return parts
  }

  #advance({ length, text, keepsLineStart }: Exclude<Step, 'wait'>): void {
    const consumed = this.#rest.slice(0, length)
    if (consumed.endsWith('\n')) {
      this.#isLineStart = true
      this.#inRow = false
    } else if (keepsLineStart !== true && consumed.trim() !== '') {
      if (this.#isLineStart && consumed.startsWith('|')) this.#inRow = true
      this.#isLineStart = false
    }
    this.#isEscaped = consumed === '\\' && text === ''
    this.#before = length === 1 ? consumed : ([...consumed.slice(-2)].at(-1) ?? this.#before)
    this.#position += length
    this.#rest = this.#rest.slice(length)
  }

  #findNextStep(isAtEnd: boolean): Step {
    const rest = this.#rest
    if (this.#skippedRange?.start === this.#position) {
      const { start, end } = this.#skippedRange
      this.#skippedRange = null
      return omit(end - start)
    }
    if (this.#isEscaped) return keep(rest.slice(0, 1))
    const fence = this.#isLineStart ? stripFence(rest, isAtEnd) : null
    if (fence !== null) {
      if (fence !== 'wait') this.#inFence = !this.#inFence
      return fence
    }
    if (!this.#isLineStart) {
      const end = this.#skippedRange === null ? undefined : this.#skippedRange.start - this.#position
      const [plain] = PLAIN.exec(rest.slice(0, end)) ?? []
      if (plain !== undefined) return keep(plain)
    }
    const scanState: ScanState = {
      rest,
      isAtEnd,
      before: this.#before,
      isLineStart: this.#isLineStart,
      inFence: this.#inFence,
      inRow: this.#inRow,
    }
    if (!this.#inFence && (rest.startsWith('[') || rest.startsWith('!') || rest.startsWith('<'))) {
      return this.#stripLink(scanState)
    }
    return keepPlainText(scanState)
  }

  #stripLink(scanState: ScanState): Step {
    const imageMark = scanState.rest.startsWith('!') ? 1 : 0
    if (imageMark === 1 && scanState.rest.length > 1 && scanState.rest[1] !== '[') return keep('!')
    const link = findLink(scanState.rest.slice(imageMark), scanState.isAtEnd)
    if (link === 'wait') return 'wait'
    if (link === null)
      return scanState.rest.startsWith('<')
        ? stripTag(scanState)
        : imageMark === 1
          ? keep('!')
          : stripBrackets(scanState)
    const start = this.#position + imageMark + link.labelEnd
    this.#skippedRange = { start, end: this.#position + imageMark + link.length }
    return omit(imageMark + 1)
  }
}

/** Strips a complete text and maps its UTF-16 units to their original positions. */
export function stripMarkup(text: string): { readonly text: string; readonly positions: readonly number[] } {
  const stripper = createMarkupStripper()
  const positions: number[] = []
  let plain = ''
  for (const part of [...stripper.push(text), ...stripper.end()]) {
    const hasSameLength = part.text.length === part.end - part.start
    for (let unit = 0; unit < part.text.length; unit += 1) positions.push(part.start + (hasSameLength ? unit : 0))
    plain += part.text
  }
  return { text: plain, positions }
}

/** Strips the start or end of a code block, including its language. */
function stripFence(rest: string, isAtEnd: boolean): Step | null {
  if (/^(`{1,2}|~{1,2})$/.test(rest) && !isAtEnd) return 'wait'
  const fence = /^(```+|~~~+)([^\n`]*)(\n|$)?/.exec(rest)
  if (fence === null) return null
  if (fence[3] === '\n' || isAtEnd) return omit(fence[0].length)
  return fence[0].length < rest.length || rest.length > MAX_LOOKAHEAD ? omit(fence[1]?.length ?? 3) : 'wait'
}

function keepPlainText(scanState: ScanState): Step {
  const { rest, before, isAtEnd, isLineStart, inFence } = scanState
  const character = String.fromCodePoint(rest.codePointAt(0) ?? 0)
  if (character === '\n') return keep('\n')
  if (character.length === 1 && character >= '\uD800' && character <= '\uDBFF' && !isAtEnd) return 'wait'
  if (character > ASCII_END) {
    if (INVISIBLE.test(character) || (EMOJI.test(character) && !KEPT_SYMBOLS.test(character)))
      return omit(character.length)
    if (character === JOINER && EMOJI.test(before)) return omit(1)
  }
  if (inFence) return keep(character)
  if (isLineStart) {
    const [indent] = /^[ \t\u00A0]+/.exec(rest) ?? []
    if (indent !== undefined) return keep(indent)
    const step = stripLineMarkup(scanState)
    if (step !== null) return step
    const [plain] = PLAIN.exec(rest) ?? []
    if (plain !== undefined) return keep(plain)
  }
  return stripMark(scanState, character)
}

/** Strips markup at the start of a line: headings, quotes, lists, rules, tables. */
function stripLineMarkup({ rest, isAtEnd }: ScanState): Step | null {
  const line = rest.slice(0, MAX_LOOKAHEAD)
  const isIncomplete = !isAtEnd && !line.includes('\n') && rest.length < MAX_LOOKAHEAD
  if (isIncomplete && /^([#]{1,6}|[-*_=|: \t]+|\[[ xX]?\]?)$/.test(line) && line.trim() !== '') return 'wait'
  const rule =
    /^(?:[-*_=][ \t]*){3,}(?:\n|$)/.exec(line) ?? /^(?:\|[ \t]*)?:?-+:?[ \t]*(?:\|[ \t:-]*)+(?:\n|$)/.exec(line)
  if (rule !== null) return omit(rule[0].length, true)
  if (isIncomplete && /^[+•‣◦>]$/.test(line)) return 'wait'
  const mark = /^(?:#{1,6}[ \t]|>[ \t]?|[-*+•‣◦][ \t]|\[[ xX]\][ \t])/.exec(line)
  if (mark !== null) return omit(mark[0].length, true)
  return line.startsWith('|') ? omit(1) : null
}

/** Strips markup within a line. */
function stripMark(scanState: ScanState, character: string): Step {
  const { rest, isAtEnd } = scanState
  switch (character) {
    case '*':
    case '_':
      return stripEmphasis(scanState, character)
    case '`':
      return omit(1)
    case '~':
      if (rest === '~' && !isAtEnd) return 'wait'
      return rest.startsWith('~~') ? omit(2) : keep('~')
    case '|':
      return replaceColumnMark(scanState)
    case '\\':
      if (rest.length === 1 && !isAtEnd) return 'wait'
      return /^\\[!-/:-@[-`{-~]/.test(rest) ? omit(1) : keep('\\')
    case '&':
      return replaceEntity(scanState)
    default:
      return keep(character)
  }
}

/** Strips emphasis, but keeps multiplication signs and parts of names. */
function stripEmphasis({ rest, before, isAtEnd }: ScanState, mark: '*' | '_'): Step {
  let length = 1
  while (rest[length] === mark) length += 1
  if (length === rest.length && !isAtEnd && length < MAX_LOOKAHEAD) return 'wait'
  const run = rest.slice(0, length)
  const after = rest.slice(length)
  const isAlone = (before === '' || /\s/.test(before)) && (after === '' || /^\s/.test(after))
  const isInsideWord =
    mark === '_' ? /[\p{L}\p{N}/@=&?.-]$/u.test(before) && WORD.test(after) : /\d$/.test(before) && /^\d/.test(after)
  return isInsideWord || (isAlone && length === 1) ? keep(run) : omit(length)
}

/** Replaces the separators of table columns with commas. */
function replaceColumnMark({ rest, isAtEnd, inRow }: ScanState): Step {
  if (!inRow) return keep('|')
  const contentStart = /^\|[ \t]*/.exec(rest)?.[0].length ?? 1
  if (contentStart === rest.length && !isAtEnd) return 'wait'
  return contentStart === rest.length || rest[contentStart] === '\n' ? omit(1) : { length: 1, text: ',' }
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&nbsp;': ' ',
  '&quot;': '"',
  '&apos;': "'",
  '&#39;': "'",
}

function replaceEntity({ rest, isAtEnd }: ScanState): Step {
  if (/^&[a-z#0-9]{0,5}$/.test(rest) && !isAtEnd) return 'wait'
  const [entity = '&'] = /^&[a-z#0-9]{1,5};/.exec(rest) ?? []
  return { length: ENTITIES[entity] === undefined ? 1 : entity.length, text: ENTITIES[entity] ?? '&' }
}

/** Finds `[label](address)` or `<address>`, or returns `null` if there is no link. `labelEnd` is the end of the label. */
function findLink(rest: string, isAtEnd: boolean): 'wait' | { labelEnd: number; length: number } | null {
  const autolink = /^<(https?:\/\/[^\s<>]{1,600}|[^\s@<>]{1,100}@[^\s@<>]{1,200})>/.exec(rest)
  if (autolink !== null) return { labelEnd: autolink[0].length - 1, length: autolink[0].length }
  const link = /^\[([^[\]\n]{1,200})\]\((?:[^()\s]|\([^()\s]*\)){0,600}(?:[ \t]+"[^"\n]{0,100}")?\)/.exec(rest)
  if (link !== null) return { labelEnd: (link[1]?.length ?? 0) + 1, length: link[0].length }
  if (isAtEnd || rest.length > MAX_LINK_LOOKAHEAD) return null
  const isIncomplete =
    rest === '' ||
    /^<(?:[^\s<>]{0,600})$/.test(rest) ||
    /^\[[^[\]\n]{0,200}$/.test(rest) ||
    /^\[[^[\]\n]{1,200}\]$/.test(rest) ||
    /^\[[^[\]\n]{1,200}\]\([^\s]*(?:[ \t]+"?[^"\n]{0,100}"?)?$/.test(rest)
  return isIncomplete ? 'wait' : null
}

/** Strips tags and converts block tags to line breaks. */
function stripTag({ rest, isAtEnd }: ScanState): Step {
  const tag = /^<(?:!--[^\n]{0,200}?--|\/?[a-zA-Z][^<>\n]{0,200})>/.exec(rest)
  if (tag !== null) {
    const isBlockTag = /^<(?:br|\/p|\/li|\/h\d|\/div|\/tr)\b/i.test(tag[0])
    return { length: tag[0].length, text: isBlockTag ? '\n' : '' }
  }
  const isIncomplete = /^<(?:[/!]?|\/?[a-zA-Z][^<>\n]{0,200}|!-[^\n]{0,200})$/.test(rest)
  return isIncomplete && !isAtEnd && rest.length <= MAX_LOOKAHEAD ? 'wait' : keep('<')
}

/** Strips checkboxes and footnote numbers, but keeps other brackets. */
function stripBrackets(scanState: ScanState): Step {
  if (scanState.isLineStart) {
    const step = stripLineMarkup(scanState)
    if (step !== null) return step
  }
  const footnote = /^\[\^?\d{1,3}\]/.exec(scanState.rest)
  return footnote === null ? keep('[') : omit(footnote[0].length)
}
