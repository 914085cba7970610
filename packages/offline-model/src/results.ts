import { isObject, wordsOfName } from '@parley/engine/dialogue/rules/fields'
import { asSentence, joinAsSpoken, shorten, splitSentences } from '@parley/engine/dialogue/rules/sentences'
import type { JsonValue } from '@parley/engine/ports'
import { isInstruction } from './instructions.ts'
import { phrasesOf } from './phrases.ts'
import { languageOf, topicWords, WordSet } from './words.ts'

/** What is said of a tool's result. */
export interface ResultReply {
  readonly text: string
  readonly isFailed: boolean
}

interface Leaf {
  readonly label: string
  readonly value: string
}

const MAX_CHARACTERS = 20_000
const MAX_LEAVES = 4
const MAX_ROWS = 3
const MAX_DEPTH = 4
const MONTHS = 'January February March April May June July August September October November December'.split(' ')
const TECHNICAL =
  /(?:^| )(?:id|uuid|token|hash|etag|version|url|href|link|created at|updated at|ok|success|http status|code|timestamp|type|object)$/
const NAMED_ID =
  /(?:order|booking|reservation|confirmation|reference|ticket|tracking|invoice) (?:id|number|code|reference)$/
const SENTENCE_KEY = /^(?:message|answer|summary|text|description|result|response|reply|content)$/i
const FAILURE =
  /^(?:error|failed|failure|the tool (?:failed|was)|invalid argument|timed? ?out|http \d{3}|not available|outcome unknown|not run yet|there is no tool|the conversation could not|no request was sent)/i
const NOTHING = /^(?:ok|null|\{\}|\[\]|done\b.*|success|true|""|no content|status 2\d\d.*|sent)\.?$/i

/** Whether a result only says that something was noted or the conversation went on, which nobody needs to hear. */
export function isQuietResult(name: string, content: string): boolean {
  return (
    /^(?:transition|end_|hang|extract|collect|capture|record|store)_?/i.test(name) ||
    /^(?:stored: |nothing was stored|the conversation was handed)/i.test(content)
  )
}

/** Whether a result tells of a failure. */
export function isFailedResult(content: string): boolean {
  const text = content.slice(0, MAX_CHARACTERS).trim()
  return FAILURE.test(text) || isError(parse(text))
}

/** Says what a tool answered, shaped by what was asked. Whatever the content, it answers. */
export function describeResult(content: string, question: string, language: string): ResultReply {
  const phrases = phrasesOf(language)
  const text = content.trim().slice(0, MAX_CHARACTERS)
  if (text === '' || NOTHING.test(text)) return { text: phrases.done, isFailed: false }
  if (isFailedResult(text)) return { text: phrases.failed, isFailed: true }
  const value = parse(text)
  const asked = new WordSet(topicWords(question.slice(0, 500), languageOf(question) ?? 'en'))
  const inner = unwrap(value === undefined ? text : value)
  const said = Array.isArray(inner)
    ? sayRows(inner, asked)
    : isObject(inner)
      ? sayObject(inner, asked)
      : sayText(String(inner), asked)
  return { text: said === '' ? phrases.done : said, isFailed: false }
}

function parse(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return undefined
  }
}

function isError(value: JsonValue | undefined): boolean {
  if (!isObject(value)) return false
  const error = value.error ?? value.errors
  const isSet =
    error !== undefined &&
    error !== null &&
    error !== false &&
    error !== '' &&
    !(Array.isArray(error) && error.length === 0)
  return (
    isSet ||
    value.success === false ||
    value.ok === false ||
    /^(?:error|failed|failure)$/i.test(String(value.status ?? ''))
  )
}

/** What is in `{"data": …}` and its like. */
function unwrap(value: JsonValue): JsonValue {
  let inner = value
  for (let depth = 0; depth < MAX_DEPTH && isObject(inner); depth += 1) {
    const entries: [string, JsonValue | undefined][] = Object.entries(inner).filter(
      ([key]) => !TECHNICAL.test(wordsOfName(key)),
    )
    const [only] = entries
    if (entries.length !== 1 || only?.[1] === undefined || typeof only[1] !== 'object' || only[1] === null) break
    inner = only[1]
  }
  return inner
}

/** ISO dates and times as they are said; anything else stays. */
export function sayValue(value: JsonValue): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  const text = String(value).replace(/\s+/g, ' ').trim()
  const found = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}:\d{2})\S{0,12})?$/.exec(text)
  const month = MONTHS[Number(found?.[2]) - 1]
  if (found === null || month === undefined)
    return shorten(/^[a-z]+(?:_[a-z]+)+$/.test(text) ? text.replaceAll('_', ' ') : text, 200)
  return `${month} ${Number(found[3])}, ${found[1]}${found[4] === undefined ? '' : ` at ${found[4]}`}`
}

function leavesOf(value: JsonValue, label: string, depth: number): Leaf[] {
  if (value === null || value === '' || depth > MAX_DEPTH) return []
  if (Array.isArray(value)) {
    const plain = value.filter((entry: JsonValue) => typeof entry !== 'object').slice(0, 6)
    if (plain.length > 0) return [{ label, value: joinAsSpoken(plain.map(sayValue)) }]
    return value.slice(0, MAX_ROWS).flatMap((entry: JsonValue) => leavesOf(entry, label, depth + 1))
  }
  if (!isObject(value)) return [{ label, value: sayValue(value) }]
  return Object.entries(value)
    .slice(0, 40)
    .flatMap(([key, inner]) => (inner === undefined ? [] : leavesOf(inner, wordsOfName(key), depth + 1)))
    .filter((leaf) => !TECHNICAL.test(leaf.label) || NAMED_ID.test(leaf.label))
}

function sayObject(value: JsonValue, asked: WordSet): string {
  const sentence = isObject(value)
    ? Object.entries(value).find(
        ([key, entry]) => SENTENCE_KEY.test(key) && typeof entry === 'string' && entry.trim().split(/\s+/).length >= 3,
      )
    : undefined
  if (sentence !== undefined) return sayText(String(sentence[1]), asked)
  const leaves = leavesOf(value, '', 0)
  const rank = ({ label }: Leaf): number => topicWords(label, 'en').reduce((sum, word) => sum + asked.shareOf(word), 0)
  const best = [...leaves].sort((left, right) => rank(right) - rank(left)).slice(0, MAX_LEAVES)
  return asSentence(joinAsSpoken(leaves.filter((leaf) => best.includes(leaf)).map(sayLeaf)))
}

function sayLeaf({ label, value }: Leaf): string {
  const name = label.replace(/\bid\b/g, 'number')
  return name === '' ? value : `the ${name} ${/[^su]s$/.test(name) || value.includes(' and ') ? 'are' : 'is'} ${value}`
}

function sayRows(rows: readonly JsonValue[], asked: WordSet): string {
  if (rows.length === 0) return 'I found nothing for that.'
  if (rows.length === 1) return sayObject(rows[0] ?? null, asked)
  if (rows.every((row) => typeof row !== 'object'))
    return asSentence(`I found ${joinAsSpoken(rows.slice(0, 6).map(sayValue))}`)
  const named = rows.slice(0, MAX_ROWS).map((row) => {
    const [first, ...rest] = leavesOf(row, '', 0).slice(0, 3)
    const more = rest.map(({ label, value }) => `${label} ${value}`)
    return `${first?.value ?? 'one'}${more.length > 0 ? ` (${more.join(', ')})` : ''}`
  })
  return asSentence(`I found ${rows.length}${rows.length > MAX_ROWS ? ', the first are' : ':'} ${joinAsSpoken(named)}`)
}

/** What a text says about the question, in its words; orders in it are not said. */
function sayText(content: string, asked: WordSet): string {
  const plain = content
    .slice(0, 8_000)
    .replace(/[<>][^<>]{0,200}(?=[<>]|$)/g, (part) => (part.startsWith('<') ? ' ' : part.slice(1)))
  const sentences = splitSentences(plain.replace(/\s+/g, ' ')).filter(
    (one) => /[\p{L}\p{N}]/u.test(one) && !isInstruction(one, 'facts'),
  )
  const rank = (sentence: string): number =>
    topicWords(sentence.slice(0, 500), 'en').reduce((sum, word) => sum + asked.shareOf(word), 0)
  const ranks = new Map(sentences.slice(0, 100).map((sentence) => [sentence, rank(sentence)]))
  const best = [...ranks.keys()].sort((left, right) => (ranks.get(right) ?? 0) - (ranks.get(left) ?? 0)).slice(0, 2)
  return shorten(
    [...ranks.keys()]
      .filter((one) => best.includes(one))
      .map(asSentence)
      .join(' '),
    400,
  )
}
