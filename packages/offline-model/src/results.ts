import { hasFailed } from '@parley/engine/dialogue/analysis/detect-success'
import { isObject, wordsOfName } from '@parley/engine/dialogue/rules/fields'
import { asSentence, joinAsSpoken, shorten, splitSentences } from '@parley/engine/dialogue/rules/sentences'
import type { JsonObject, JsonValue } from '@parley/engine/ports'
import { isInstruction } from './instructions.ts'
import { phrasesOf } from './phrases.ts'
import { shareIn, wordSetOf } from './words.ts'

/** What is said of a tool's result. */
export interface ResultReply {
  readonly text: string
  readonly isFailed: boolean
}

type Leaf = readonly [label: string, value: string]

const MAX_CHARACTERS = 20_000
const MAX_LEAVES = 4
const MAX_ROWS = 3
const MAX_DEPTH = 4
const MONTHS = 'January February March April May June July August September October November December'.split(' ')
const TECHNICAL =
  /(?:^| )(?:id|uuid|token|hash|etag|version|url|href|link|created at|updated at|ok|success|http status|code|timestamp|type|object)$/
const NAMED_ID = /(?:order|booking|reservation|confirmation|reference|ticket|tracking|invoice) (?:id|number|code)$/
const SENTENCE_KEY = /^(?:message|answer|summary|text|description|result|response|reply|content)$/i
const FAILURE =
  /^(?:failed|failure|invalid argument|timed? ?out|http \d{3}|not available|not run yet|there is no tool|no request was sent)/i
const NOTHING = /^(?:ok|null|\{\}|\[\]|done\b.*|success|true|""|no content|status 2\d\d.*|sent)\.?$/i

/** Whether a result only says that something was noted or the conversation went on, which nobody needs to hear. */
export function isQuietResult(name: string, content: string): boolean {
  const isQuietTool = /^(?:transition|end_|hang|extract|collect|capture|record|store)_?/i.test(name)
  return isQuietTool || /^(?:stored: |nothing was stored|the conversation was handed)/i.test(content)
}

/** Whether a result tells of a failure. */
export function isFailedResult(content: string): boolean {
  return FAILURE.test(content.trim()) || hasFailed(content)
}

/** Says what a tool answered, shaped by what was asked. Whatever the content, it answers. */
export function describeResult(content: string, question: string, language: string): ResultReply {
  const { done, failed } = phrasesOf(language)
  const text = content.trim().slice(0, MAX_CHARACTERS)
  if (text === '' || NOTHING.test(text)) return { text: done, isFailed: false }
  if (isFailedResult(text)) return { text: failed, isFailed: true }
  return { text: sayInner(parse(text) ?? text, question.slice(0, 500)) || done, isFailed: false }
}

function sayInner(value: JsonValue, question: string): string {
  if (Array.isArray(value)) return sayRows(value, question)
  return isObject(value) ? sayObject(value, question) : sayText(String(value), question)
}

function parse(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return undefined
  }
}

/** ISO dates and times as they are said; anything else stays. */
export function sayValue(value: JsonValue): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  const text = String(value).replace(/\s+/g, ' ').trim()
  const [, year, month, day, time] = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}:\d{2})\S{0,12})?$/.exec(text) ?? []
  const name = MONTHS[Number(month) - 1]
  if (name !== undefined) return `${name} ${Number(day)}, ${year}${time === undefined ? '' : ` at ${time}`}`
  return shorten(/^[a-z]+(?:_[a-z]+)+$/.test(text) ? text.replaceAll('_', ' ') : text, 200)
}

function leavesOf(value: JsonValue, label = '', depth = 0): Leaf[] {
  if (value === null || value === '' || depth > MAX_DEPTH) return []
  if (Array.isArray(value)) {
    const plain = value.filter((entry: JsonValue) => typeof entry !== 'object').slice(0, 6)
    if (plain.length > 0) return [[label, joinAsSpoken(plain.map(sayValue))]]
    return value.slice(0, MAX_ROWS).flatMap((entry: JsonValue) => leavesOf(entry, label, depth + 1))
  }
  if (!isObject(value)) return [[label, sayValue(value)]]
  const entries = Object.entries(value).slice(0, 40)
  const leaves = entries.flatMap(([key, inner]) => leavesOf(inner ?? null, wordsOfName(key), depth + 1))
  return leaves.filter(([name]) => !TECHNICAL.test(name) || NAMED_ID.test(name))
}

function sayObject(value: JsonObject, question: string): string {
  const inner = Object.entries(value).filter(([key]) => !TECHNICAL.test(wordsOfName(key)))
  // What is in `{"data": [ … ]}` and its like.
  if (inner.length === 1 && Array.isArray(inner[0]?.[1])) return sayRows(inner[0][1], question)
  const text = Object.entries(value).find(([key, entry]) => SENTENCE_KEY.test(key) && / \S+ /.test(String(entry)))?.[1]
  if (typeof text === 'string') return sayText(text, question)
  const asked = wordSetOf(question)
  const leaves = leavesOf(value)
  const byRank = leaves.toSorted(([left], [right]) => shareIn(asked, right) - shareIn(asked, left)).slice(0, MAX_LEAVES)
  return asSentence(joinAsSpoken(leaves.filter((leaf) => byRank.includes(leaf)).map(sayLeaf)))
}

function sayLeaf([label, value]: Leaf): string {
  const name = label.replace(/\bid\b/g, 'number')
  return name === '' ? value : `the ${name} ${/[^su]s$/.test(name) || value.includes(' and ') ? 'are' : 'is'} ${value}`
}

function sayRows(rows: readonly JsonValue[], question: string): string {
  if (rows.length === 0) return 'I found nothing for that.'
  if (rows.length === 1) return sayInner(rows[0] ?? '', question)
  const named = rows.slice(0, MAX_ROWS).map((row) => {
    const [first, ...rest] = leavesOf(row).slice(0, 3)
    const more = rest.map(([label, value]) => `${label} ${value}`)
    return `${first?.[1] ?? 'one'}${more.length > 0 ? ` (${more.join(', ')})` : ''}`
  })
  return asSentence(`I found ${rows.length}${rows.length > MAX_ROWS ? ', the first are' : ':'} ${joinAsSpoken(named)}`)
}

/** What a text says about the question, in its words; orders in it are not said. */
function sayText(content: string, question: string): string {
  const plain = content.slice(0, 8_000).replace(/<[^<>]{0,200}>/g, ' ')
  const telling = splitSentences(plain.replace(/\s+/g, ' '))
    .slice(0, 100)
    .filter((one) => /[\p{L}\p{N}]/u.test(one) && !isInstruction(one, 'facts'))
  const asked = wordSetOf(question)
  const best = telling.toSorted((left, right) => shareIn(asked, right) - shareIn(asked, left)).slice(0, 2)
  return shorten(
    telling
      .filter((one) => best.includes(one))
      .map(asSentence)
      .join(' '),
    400,
  )
}
