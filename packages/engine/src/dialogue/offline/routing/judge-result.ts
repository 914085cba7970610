import type { JsonValue } from '../../../ports.ts'
import { isObject, wordsOf } from '../schema-fields.ts'
import type { Condition } from './read-condition.ts'
import { likeness, share, type Topic, topicsOf } from './topics.ts'
import { meaningsOfTerm } from './vocabulary.ts'

/** What a tool's result says, as far as conditions ask for it. */
export interface ResultReading {
  readonly failed: boolean
  /** Nothing was found, nothing is there, or something is not so. */
  readonly empty: boolean
  readonly topics: readonly Topic[]
  /** Of values that are false or lists that are empty. */
  readonly denied: readonly Topic[]
  readonly numbers: readonly { readonly topics: readonly Topic[]; readonly value: number }[]
}

const maximumChars = 20_000
const maximumNodes = 2_000
const failure =
  /^\s*(?:error|failed|failure|exception|invalid arguments?|timed? ?out|http [45]\d{2}|not available in this channel|outcome unknown)\b|\b(?:the )?(?:tool|call|request|server|service|code|step|hand-?over|transfer|message|payment|booking) (?:failed|timed out|did not answer|answered with status [45]\d{2}|could not be (?:reached|run|used|done|made|sent))|\bwas not sent\b|\bno text message was sent\b\b|\b[A-Z]\w*Error:|\bcould not be handed over\b/i
const nothing =
  /\b(?:no|not|none|nothing|never|without|unavailable|unknown|fully booked|sold out|out of stock|zero)\b|n['’]t\b/i
const count = /^(?:total|count|found|results?|available|number|matches|hits|size|length|stock|quantity)$/

/** Meanings too wide to tell one state from another: what is shipped need not be delivered. */
const wide: ReadonlySet<string> = new Set([
  '#delivery',
  '~delivery',
  '~order',
  '#buy',
  '~status',
  '#status',
  '~answer',
  '~number',
])

function statesOf(text: string): Topic[] {
  return topicsOf(text).map(({ term, meanings }) => ({ term, meanings: meanings.filter((one) => !wide.has(one)) }))
}

/** Reads a result: pure, bounded, and whatever the content is. */
export function readResult(content: string): ResultReading {
  const text = content.trim().slice(0, maximumChars)
  let value: JsonValue
  try {
    value = JSON.parse(text) as JsonValue
  } catch {
    const failed = failure.test(text.slice(0, 400))
    return { failed, empty: nothing.test(text.slice(0, 400)), topics: statesOf(text), denied: [], numbers: [] }
  }
  return readValue(value)
}

function readValue(value: JsonValue): ResultReading {
  const topics = new Map<string, Topic>()
  const denied = new Map<string, Topic>()
  const numbers: { topics: readonly Topic[]; value: number }[] = []
  let empty = value === null || (Array.isArray(value) && value.length === 0)
  let nodes = 0
  const note = (words: string, into: Map<string, Topic>): void => {
    for (const topic of statesOf(words)) into.set(topic.term, topic)
  }
  const visit = (label: string, inner: JsonValue | undefined, depth: number): void => {
    if (nodes++ > maximumNodes || depth > 8 || inner === undefined) return
    if (inner === false || inner === null || (Array.isArray(inner) && inner.length === 0)) {
      note(label, denied)
      if (inner !== null && !/^(?:success|ok|errors?|warnings?|cached|debug|retry|messages?)$/.test(label)) empty = true
      return
    }
    if (Array.isArray(inner)) {
      note(label, topics)
      for (const entry of inner.slice(0, 20) as readonly JsonValue[]) visit('', entry, depth + 1)
    } else if (isObject(inner)) {
      note(label, topics)
      for (const [key, entry] of Object.entries(inner)) visit(wordsOf(key), entry, depth + 1)
    } else if (typeof inner === 'number') {
      const about = topicsOf(label)
      numbers.push({ topics: about, value: inner })
      if (inner === 0 && count.test(label)) empty = true
      note(label, inner === 0 ? denied : topics)
    } else {
      note(label, topics)
      if (typeof inner !== 'string') return
      note(/^[\w-]+$/.test(inner) ? wordsOf(inner) : inner, topics)
      if (
        /^(?:no|none|not|un)[\s_-]?\w*$|\bnot (?:found|available|possible)\b|\bno \w+ (?:found|available)\b/i.test(
          inner.slice(0, 200),
        )
      )
        empty = true
    }
  }
  visit('', value, 0)
  return { failed: reportsFailure(value), empty, topics: [...topics.values()], denied: [...denied.values()], numbers }
}

function reportsFailure(value: JsonValue): boolean {
  if (!isObject(value)) return false
  const error = value.error ?? value.errors ?? value.exception
  const status = value.status ?? value.statusCode ?? value.status_code ?? value.code
  return (
    (error !== undefined &&
      error !== null &&
      error !== false &&
      error !== '' &&
      !(Array.isArray(error) && error.length === 0)) ||
    value.success === false ||
    value.ok === false ||
    (typeof status === 'number' && status >= 400 && status < 600) ||
    /^(?:error|failed|failure)$/i.test(String(status ?? ''))
  )
}

const aboutFailure =
  /\b(?:errors?|fail(?:s|ed|ure)?|went wrong|(?:could|can|was|were|did|does)(?: not|n't) (?:be )?(?:done|run|work\w*|complet\w*|execut\w*|process\w*|reach\w*|succeed\w*)|unsuccessful\w*|timed? ?out|timeout|exception|crash\w*|unreachable|problem occurred)\b/i
const aboutSuccess =
  /\b(?:success\w*|succeed\w*|worked|went (?:well|through)|complet(?:e|ed)|done|without (?:an )?errors?)\b/i
const aboutBeing =
  /\b(?:found|available|exists?|there (?:is|are)|at least one|any|free|returned|has (?:results|slots|entries)|in stock|possible|valid|eligible|open)\b/i
const general = new Set(
  topicsOf(
    'tool result function returned return error found available exists successfully success there slot at least went wrong',
  ).map(({ term }) => term),
)

/** How well a condition fits a result, 0 to about 1. */
export function judgeResult(condition: Condition, result: ResultReading): number {
  if (condition.kinds.has('catch-all')) return 0.31
  if (condition.parts.length > 1 && condition.quantity === null) {
    const parts = condition.parts.map((text) => judgePart({ ...condition, text, topics: topicsOf(text) }, result))
    // "… was found and has been delivered": what is told of it shows that it was found.
    const firm = parts.filter((_part, position) => !aboutBeing.test(condition.parts[position] ?? '') || result.empty)
    return Math.min(...(firm.length > 0 ? firm : parts))
  }
  return judgePart(condition, result)
}

function judgePart(condition: Condition, result: ResultReading): number {
  const { text } = condition
  if (condition.quantity !== null) return judgeQuantity(condition, result)
  const own = condition.topics.filter(({ term }) => !general.has(term))
  const told = share(own, result.topics, () => 1)
  const denial = share(own, result.denied, () => 1)
  if (aboutFailure.test(text) && !/\b(?:not|n't|no) fail/i.test(text)) {
    const named = told >= 0.5 && condition.negative ? 0.6 : 0
    return result.failed ? 0.95 : named
  }
  if (result.failed) return condition.negative && told > 0.5 ? 0.98 : 0
  const settles = aboutSuccess.test(text)
  const being = aboutBeing.test(text)
  if (condition.negative) {
    if (result.empty) return 0.6 + 0.3 * Math.max(told, denial)
    return told >= 0.99 && !being ? 0.4 : 0
  }
  if (settles && own.length === 0) return result.empty ? 0.2 : 0.7
  if (being && own.every((topic) => isThing(topic))) return result.empty ? 0 : 0.45 + 0.3 * told
  if (denial > 0.5) return 0
  const fit = told === 0 ? 0 : 0.3 + 0.6 * told - 0.15 * surplus(own, result.topics)
  return settles && !result.empty ? Math.max(0.4, fit) : fit
}

/** Nouns say what it is about; of "The order was found" only "found" can be true or false. */
function isThing({ term }: Topic): boolean {
  return !/(?:ed|en)$/.test(term) && !['~later', '~status'].includes(term)
}

const qualifying: readonly Topic[] = ['already', 'partly', 'partial', 'pending', 'cancel', 'expired', 'blocked'].map(
  (term) => ({
    term,
    meanings: meaningsOfTerm(term),
  }),
)

/** A result that says "already …" is not what a condition without that word means. */
function surplus(wanted: readonly Topic[], told: readonly Topic[]): number {
  const extra = told.filter(
    (topic) => qualifying.some((one) => one.term === topic.term) && !wanted.some((one) => likeness(one, topic) > 0),
  )
  return extra.length > 0 ? 1 : 0
}

function judgeQuantity({ quantity }: Condition, { numbers }: ResultReading): number {
  if (quantity === null) return 0
  const near = numbers.filter(({ topics }) => share(topics, quantity.topics, () => 1) >= 0.5)
  const values = near.length > 0 ? near : numbers.length === 1 ? numbers : []
  return values.some(({ value }) => value >= quantity.least && value <= quantity.most) ? 0.95 : 0
}
