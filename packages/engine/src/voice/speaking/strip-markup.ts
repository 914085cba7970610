/** Takes out of a text what is not for ears: the marks of Markdown, tags, emoji. Code and tables are told as their text. */

/** Part of the text that is left, and what it stands for. */
export interface PlainPart {
  readonly text: string
  /** Where it stands in the text that was given, from its beginning on. */
  readonly start: number
  readonly end: number
}

/** Strips a text that is still being written. What comes out does not depend on how it was cut into pieces. */
export interface MarkupStripper {
  push(delta: string): readonly PlainPart[]
  /** What was held back. The stripper begins anew afterwards. */
  end(): readonly PlainPart[]
}

/** What a rule makes of the next characters; `wait` when it needs to see more. */
type Step = 'wait' | { readonly length: number; readonly text: string; readonly keepsLineStart?: boolean }

/** Where the stripper is; `rest` begins at the next character. */
interface Place {
  readonly rest: string
  readonly atEnd: boolean
  /** The character before, `''` at the beginning. */
  readonly before: string
  /** Nothing but white space stands before in this line. */
  readonly lineStart: boolean
  readonly inFence: boolean
  readonly inRow: boolean
}

/** Most characters that a mark may be held back for. */
const PATIENCE = 200
const LINK_PATIENCE = 800

const PLAIN = /^[[\p{L}\p{N}\p{M} \t,.;:'"\(\)?%$€£\/@=]--[\uFE0E\uFE0F\u20E3]]+/v
const WORD = /^[\p{L}\p{N}]/u
const EMOJI =
  /^(?:\p{Extended_Pictographic}|\p{Regional_Indicator}|\p{Emoji_Modifier}|[\uFE0E\uFE0F]|\u20E3|[\u{E0020}-\u{E007F}])/u
const KEPT_PICTURES = /^[©®™‼⁉]/
const INVISIBLE = /^[\u200B\u2060\uFEFF\u00AD]/
const JOINER = '\u200D'

const nothing = (length: number, keepsLineStart = false): Step => ({ length, text: '', keepsLineStart })
const asIs = (text: string): Step => ({ length: text.length, text })

export function createMarkupStripper(): MarkupStripper {
  let scanner = new MarkupScanner()
  return {
    push: (delta) => scanner.push(delta, false),
    end() {
      const parts = scanner.push('', true)
      scanner = new MarkupScanner()
      return parts
    },
  }
}

/** Where in a text the next character stands, and what of the text before matters to it. */
class MarkupScanner {
  #rest = ''
  #position = 0
  #before = ''
  #lineStart = true
  #inFence = false
  #inRow = false
  /** A backslash stood before: the next character is no mark. */
  #isEscaped = false
  /** Where the address of a link, or the end of one without a text, is left out once its text was read. */
  #leftOut: { readonly start: number; readonly end: number } | null = null

  /** `atEnd`: nothing follows, so that nothing is held back. */
  push(delta: string, atEnd: boolean): PlainPart[] {
    this.#rest += delta
    const parts: PlainPart[] = []
    while (this.#rest !== '') {
      const step = this.#nextStep(atEnd)
      if (step === 'wait') break
      const start = this.#position
      if (step.text !== '') parts.push({ text: step.text, start, end: start + step.length })
      this.#take(step)
    }
    return parts
  }

  #take({ length, text, keepsLineStart }: Exclude<Step, 'wait'>): void {
    const taken = this.#rest.slice(0, length)
    if (taken.endsWith('\n')) {
      this.#lineStart = true
      this.#inRow = false
    } else if (keepsLineStart !== true && taken.trim() !== '') {
      if (this.#lineStart && taken.startsWith('|')) this.#inRow = true
      this.#lineStart = false
    }
    this.#isEscaped = taken === '\\' && text === ''
    this.#before = [...taken.slice(-2)].at(-1) ?? this.#before
    this.#position += length
    this.#rest = this.#rest.slice(length)
  }

  #nextStep(atEnd: boolean): Step {
    const rest = this.#rest
    if (this.#leftOut?.start === this.#position) {
      const { start, end } = this.#leftOut
      this.#leftOut = null
      return nothing(end - start)
    }
    if (this.#isEscaped) return asIs(rest.slice(0, 1))
    const fence = this.#lineStart ? fenceStep(rest, atEnd) : null
    if (fence !== null) {
      if (fence !== 'wait') this.#inFence = !this.#inFence
      return fence
    }
    if (!this.#lineStart) {
      const end = this.#leftOut === null ? undefined : this.#leftOut.start - this.#position
      const [plain] = PLAIN.exec(rest.slice(0, end)) ?? []
      if (plain !== undefined) return asIs(plain)
    }
    const place: Place = {
      rest,
      atEnd,
      before: this.#before,
      lineStart: this.#lineStart,
      inFence: this.#inFence,
      inRow: this.#inRow,
    }
    if (!this.#inFence && (rest.startsWith('[') || rest.startsWith('!') || rest.startsWith('<'))) {
      return this.#linkStep(place)
    }
    return plainStep(place)
  }

  #linkStep(place: Place): Step {
    const bang = place.rest.startsWith('!') ? 1 : 0
    if (bang === 1 && place.rest.length > 1 && place.rest[1] !== '[') return asIs('!')
    const found = findLink(place.rest.slice(bang), place.atEnd)
    if (found === 'wait') return 'wait'
    if (found === null) return place.rest.startsWith('<') ? tagStep(place) : bang === 1 ? asIs('!') : bracketStep(place)
    const start = this.#position + bang + found.labelEnd
    this.#leftOut = { start, end: this.#position + bang + found.length }
    return nothing(bang + 1)
  }
}

/** A text without its markup, with the place of each of its UTF-16 units in the text that was given. */
export function stripMarkup(text: string): { readonly text: string; readonly positions: readonly number[] } {
  const stripper = createMarkupStripper()
  const positions: number[] = []
  let plain = ''
  for (const part of [...stripper.push(text), ...stripper.end()]) {
    const sameLength = part.text.length === part.end - part.start
    for (let unit = 0; unit < part.text.length; unit += 1) positions.push(part.start + (sameLength ? unit : 0))
    plain += part.text
  }
  return { text: plain, positions }
}

/** A line that begins or ends a block of code, with the name of its language. */
function fenceStep(rest: string, atEnd: boolean): Step | null {
  if (/^(`{1,2}|~{1,2})$/.test(rest) && !atEnd) return 'wait'
  const fence = /^(```+|~~~+)([^\n`]*)(\n|$)?/.exec(rest)
  if (fence === null) return null
  if (fence[3] === '\n' || atEnd) return nothing(fence[0].length)
  return fence[0].length < rest.length || rest.length > PATIENCE ? nothing(fence[1]?.length ?? 3) : 'wait'
}

function plainStep(place: Place): Step {
  const { rest, before, atEnd, lineStart, inFence } = place
  const first = String.fromCodePoint(rest.codePointAt(0) ?? 0)
  if (first === '\n') return asIs('\n')
  if (first.length === 1 && first >= '\uD800' && first <= '\uDBFF' && !atEnd) return 'wait'
  if (INVISIBLE.test(first) || (EMOJI.test(first) && !KEPT_PICTURES.test(first))) return nothing(first.length)
  if (first === JOINER && EMOJI.test(before)) return nothing(1)
  if (inFence) return asIs(first)
  if (lineStart) {
    const [blank] = /^[ \t]+/.exec(rest) ?? []
    if (blank !== undefined) return asIs(blank)
    const step = lineStep(place)
    if (step !== null) return step
    const [plain] = PLAIN.exec(rest) ?? []
    if (plain !== undefined) return asIs(plain)
  }
  return markStep(place, first)
}

/** Marks at the beginning of a line: headings, quotes, lists, rules, tables. */
function lineStep({ rest, atEnd }: Place): Step | null {
  const line = rest.slice(0, PATIENCE)
  const open = !atEnd && !line.includes('\n') && rest.length < PATIENCE
  if (open && /^([#]{1,6}|[-*_=|: \t]+|\[[ xX]?\]?)$/.test(line) && line.trim() !== '') return 'wait'
  const rule =
    /^(?:[-*_=][ \t]*){3,}(?:\n|$)/.exec(line) ?? /^(?:\|[ \t]*)?:?-+:?[ \t]*(?:\|[ \t:-]*)+(?:\n|$)/.exec(line)
  if (rule !== null) return nothing(rule[0].length, true)
  if (open && /^[+•‣◦>]$/.test(line)) return 'wait'
  const mark = /^(?:#{1,6}[ \t]|>[ \t]?|[-*+•‣◦][ \t]|\[[ xX]\][ \t])/.exec(line)
  if (mark !== null) return nothing(mark[0].length, true)
  return line.startsWith('|') ? nothing(1) : null
}

/** Marks within a line. */
function markStep(place: Place, first: string): Step {
  const { rest, atEnd } = place
  switch (first) {
    case '*':
    case '_':
      return emphasisStep(place, first)
    case '`':
      return nothing(1)
    case '~':
      if (rest === '~' && !atEnd) return 'wait'
      return rest.startsWith('~~') ? nothing(2) : asIs('~')
    case '|':
      return columnStep(place)
    case '\\':
      if (rest.length === 1 && !atEnd) return 'wait'
      return /^\\[!-/:-@[-`{-~]/.test(rest) ? nothing(1) : asIs('\\')
    case '&':
      return entityStep(place)
    default:
      return asIs(first)
  }
}

/** Marks of emphasis go; signs of multiplication and parts of names stay. */
function emphasisStep({ rest, before, atEnd }: Place, mark: '*' | '_'): Step {
  let length = 1
  while (rest[length] === mark) length += 1
  if (length === rest.length && !atEnd && length < PATIENCE) return 'wait'
  const run = rest.slice(0, length)
  const after = rest.slice(length)
  const alone = (before === '' || /\s/.test(before)) && (after === '' || /^\s/.test(after))
  const within =
    mark === '_' ? /[\p{L}\p{N}/@=&?.-]$/u.test(before) && WORD.test(after) : /\d$/.test(before) && /^\d/.test(after)
  return within || (alone && length === 1) ? asIs(run) : nothing(length)
}

/** Between the columns of a table stands a comma. */
function columnStep({ rest, atEnd, inRow }: Place): Step {
  if (!inRow) return asIs('|')
  const behind = /^\|[ \t]*/.exec(rest)?.[0].length ?? 1
  if (behind === rest.length && !atEnd) return 'wait'
  return behind === rest.length || rest[behind] === '\n' ? nothing(1) : { length: 1, text: ',' }
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&nbsp;': ' ',
  '&quot;': '"',
  '&apos;': "'",
  '&#39;': "'",
}

function entityStep({ rest, atEnd }: Place): Step {
  if (/^&[a-z#0-9]{0,5}$/.test(rest) && !atEnd) return 'wait'
  const [entity = '&'] = /^&[a-z#0-9]{1,5};/.exec(rest) ?? []
  return { length: ENTITIES[entity] === undefined ? 1 : entity.length, text: ENTITIES[entity] ?? '&' }
}

/** `[text](address)` or `<address>`: `labelEnd` is where its text ends. `null`: no link. */
function findLink(rest: string, atEnd: boolean): 'wait' | { labelEnd: number; length: number } | null {
  const own = /^<(https?:\/\/[^\s<>]{1,600}|[^\s@<>]{1,100}@[^\s@<>]{1,200})>/.exec(rest)
  if (own !== null) return { labelEnd: own[0].length - 1, length: own[0].length }
  const link = /^\[([^[\]\n]{1,200})\]\((?:[^()\s]|\([^()\s]*\)){0,600}(?:[ \t]+"[^"\n]{0,100}")?\)/.exec(rest)
  if (link !== null) return { labelEnd: (link[1]?.length ?? 0) + 1, length: link[0].length }
  if (atEnd || rest.length > LINK_PATIENCE) return null
  const begun =
    rest === '' ||
    /^<(?:[^\s<>]{0,600})$/.test(rest) ||
    /^\[[^[\]\n]{0,200}$/.test(rest) ||
    /^\[[^[\]\n]{1,200}\]$/.test(rest) ||
    /^\[[^[\]\n]{1,200}\]\([^\s]*(?:[ \t]+"?[^"\n]{0,100}"?)?$/.test(rest)
  return begun ? 'wait' : null
}

/** Tags go; those that end a line end it. */
function tagStep({ rest, atEnd }: Place): Step {
  const tag = /^<(?:!--[^\n]{0,200}?--|\/?[a-zA-Z][^<>\n]{0,200})>/.exec(rest)
  if (tag !== null) {
    const breaks = /^<(?:br|\/p|\/li|\/h\d|\/div|\/tr)\b/i.test(tag[0])
    return { length: tag[0].length, text: breaks ? '\n' : '' }
  }
  const begun = /^<(?:[/!]?|\/?[a-zA-Z][^<>\n]{0,200}|!-[^\n]{0,200})$/.test(rest)
  return begun && !atEnd && rest.length <= PATIENCE ? 'wait' : asIs('<')
}

/** Boxes of tasks and numbers of notes go; other brackets stay. */
function bracketStep(place: Place): Step {
  if (place.lineStart) {
    const step = lineStep(place)
    if (step !== null) return step
  }
  const note = /^\[\^?\d{1,3}\]/.exec(place.rest)
  return note === null ? asIs('[') : nothing(note[0].length)
}
