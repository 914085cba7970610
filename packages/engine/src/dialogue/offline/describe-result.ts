import type { JsonValue } from '../../ports.ts'
import { isInstruction } from './classify-sentence.ts'
import { withoutMarkup } from './phrase-fact.ts'
import { isObject, wordsOf } from './schema-fields.ts'
import { asSentence, joinAsSpoken, shorten, splitSentences } from './split-sentences.ts'
import { overlap } from './term-overlap.ts'
import { contentTerms, tokenize } from './tokenise.ts'

/** What is said of a tool's result. `failed` when the result reports an error. */
export interface ResultReply {
  readonly text: string
  readonly failed: boolean
}

interface Leaf {
  readonly label: string
  readonly value: string
  readonly list: boolean
}

const failureText =
  'I am sorry, that did not work just now. We can try again in a moment, or is there something else I can do?'
const months = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]
const wrapper = /^(?:data|result|results|response|body|payload|output|items?)$/i
const sentenceKey = /^(?:message|answer|summary|text|description|result|response|reply|details?|content)$/i
const technical =
  /(?:^|[ _])(?:id|uuid|guid|token|hash|signature|etag|version|url|href|link|created at|updated at|request id|trace id|ok|success|http status|status code|code|timestamp|type|object)$/i
const spokenId =
  /(?:order|booking|reservation|confirmation|reference|ticket|tracking|invoice)[ _](?:id|number|code|reference)$|^(?:reference|confirmation)$/i
const important = new Set(
  tokenize(
    'status date time price total cost name amount confirmation reference booking eta delivery available availability slot balance due reason',
  ),
)

/** ISO dates and times as they are said; anything else stays. */
export function sayValue(value: JsonValue): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  const text = withoutMarkup(String(value)).replace(/\s+/g, ' ')
  const found = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}:\d{2})(?::\d{2})?(?:\.\d+)?(?:Z|[+-]\d{2}:?\d{2})?)?$/.exec(text)
  const month = months[Number(found?.[2]) - 1]
  if (!found || month === undefined)
    return shorten(/^[a-z]+(?:_[a-z]+)+$/.test(text) ? text.replaceAll('_', ' ') : text, 200)
  return `${Number(found[3])} ${month} ${found[1]}${found[4] === undefined ? '' : ` at ${found[4]}`}`
}

function errorOf(value: JsonValue): string | null {
  if (!isObject(value)) return null
  const error = value.error ?? value.errors
  const status = value.status ?? value.statusCode ?? value.status_code
  const failed =
    (error !== undefined && error !== null && error !== false && !(Array.isArray(error) && error.length === 0)) ||
    value.success === false ||
    value.ok === false ||
    (typeof status === 'number' && status >= 400) ||
    /^(?:error|failed|failure)$/i.test(String(status ?? ''))
  if (!failed) return null
  const detail = typeof error === 'string' ? error : isObject(error) ? error.message : (value.message ?? value.reason)
  return typeof detail === 'string' ? detail : ''
}

/** An error is passed on only when it reads like a sentence for a customer. */
function sayError(detail: string): ResultReply {
  const plain = detail.trim()
  const readable =
    plain.length >= 8 &&
    plain.length <= 160 &&
    /^[\p{L}\p{N} ,.'’:;!?€$%()-]+$/u.test(plain) &&
    plain.includes(' ') &&
    !/\b(?:http|status|error|exception|undefined|null|json|timeout|timed out|network|server|argument|schema|property|invalid|failed)\b/i.test(
      plain,
    ) &&
    !isInstruction(plain) &&
    !/\p{Lu}{4}|\d\.\d+\.\d/u.test(plain)
  return {
    text: readable
      ? `I am sorry, that did not work: ${asSentence(plain.charAt(0).toLowerCase() + plain.slice(1))}`
      : failureText,
    failed: true,
  }
}

function unwrap(value: JsonValue): JsonValue {
  let inner = value
  for (let depth = 0; depth < 4 && isObject(inner); depth++) {
    const entries: [string, JsonValue | undefined][] = Object.entries(inner)
    const wrapped = entries.find(
      ([key, content]) => wrapper.test(key) && typeof content === 'object' && content !== null,
    )
    const others = entries.filter(
      ([key, content]) =>
        key !== wrapped?.[0] &&
        typeof content !== 'object' &&
        !technical.test(wordsOf(key)) &&
        key !== 'status' &&
        !sentenceKey.test(key),
    )
    if (wrapped?.[1] === undefined || others.length > 0) break
    inner = wrapped[1]
  }
  return inner
}

function leavesOf(value: JsonValue, label: string, depth: number): Leaf[] {
  if (value === null || value === '' || depth > 3) return []
  if (Array.isArray(value)) {
    const scalars = value.filter((entry: JsonValue) => typeof entry !== 'object').slice(0, 6)
    if (scalars.length > 0) return [{ label, value: joinAsSpoken(scalars.map(sayValue)), list: scalars.length > 1 }]
    return value.slice(0, 3).flatMap((entry: JsonValue) => leavesOf(entry, label, depth + 1))
  }
  if (!isObject(value)) return [{ label, value: sayValue(value), list: false }]
  return Object.entries(value)
    .slice(0, 40)
    .flatMap(([key, inner]) => (inner === undefined ? [] : leavesOf(inner, wordsOf(key), depth + 1)))
}

function phraseLeaf(leaf: Leaf): string {
  const label = leaf.label.replace(/\bid\b/g, 'number')
  if (label === '') return leaf.value
  return `the ${label} ${leaf.list || /[^su]s$/.test(label) ? 'are' : 'is'} ${leaf.value}`
}

function phraseObject(value: JsonValue, question: string): string {
  const asked = contentTerms(question)
  const leaves = leavesOf(value, '', 0).filter(
    (leaf) =>
      (!technical.test(leaf.label) || spokenId.test(leaf.label)) &&
      !(leaf.label === 'status' && /^(?:ok|success|done|200|201)$/i.test(leaf.value)),
  )
  const ranked = leaves
    .map((leaf, position) => ({
      leaf,
      position,
      rank:
        overlap(tokenize(leaf.label), asked) * 2 + (tokenize(leaf.label).some((term) => important.has(term)) ? 1 : 0),
    }))
    .sort((left, right) => right.rank - left.rank || left.position - right.position)
    .slice(0, 4)
    .sort((left, right) => left.position - right.position)
  return ranked.length === 0 ? '' : asSentence(joinAsSpoken(ranked.map(({ leaf }) => phraseLeaf(leaf))))
}

function phraseRows(rows: readonly JsonValue[], question: string): string {
  if (rows.length === 0) return 'I found nothing for that.'
  if (rows.every((row) => typeof row !== 'object'))
    return asSentence(`I found ${joinAsSpoken(rows.slice(0, 6).map(sayValue))}`)
  if (rows.length === 1) return phraseObject(rows[0] ?? null, question)
  const named = rows.slice(0, 3).map((row) => {
    const leaves = leavesOf(row, '', 0)
      .filter((leaf) => !technical.test(leaf.label))
      .slice(0, 3)
    const rest = leaves.slice(1).map((leaf) => `${leaf.label} ${leaf.value}`)
    return `${leaves[0]?.value ?? 'one'}${rest.length > 0 ? ` (${rest.join(', ')})` : ''}`
  })
  return asSentence(`I found ${rows.length}${rows.length > 3 ? ', the first are' : ':'} ${joinAsSpoken(named)}`)
}

function phraseText(content: string, question: string): string {
  const asked = contentTerms(question)
  const plain = withoutMarkup(content.slice(0, 8_000).replace(/<(script|style)\b[\s\S]*?(?:<\/\1>|$)/gi, ' ')).replace(
    /\s+/g,
    ' ',
  )
  const sentences = splitSentences(plain).filter(
    (sentence) => !isInstruction(sentence) && /\p{L}|\p{N}/u.test(sentence),
  )
  const best = sentences
    .map((sentence, position) => ({ sentence, position, rank: overlap(asked, contentTerms(sentence)) }))
    .sort((left, right) => right.rank - left.rank || left.position - right.position)
  const chosen = best.slice(0, 2).sort((left, right) => left.position - right.position)
  return shorten(chosen.map(({ sentence }) => asSentence(sentence)).join(' '), 400)
}

/** Says what a tool answered, shaped by what was asked. Reads at most 20,000 characters; whatever the content, it answers. */
export function describeResult(content: string, question: string): ResultReply {
  const text = content.trim().slice(0, 20_000)
  if (text === '' || /^(?:ok|null|\{\}|done|success|true|""|no content)\.?$/i.test(text))
    return { text: 'That is done.', failed: false }
  let value: JsonValue
  try {
    value = JSON.parse(text) as JsonValue
  } catch {
    if (
      /^(?:error|failed|failure|the tool|tool (?:call )?failed|invalid arguments?|timed? ?out|http \d{3}|not available in this channel|outcome unknown|not run yet|there is no tool|the conversation could not)\b/i.test(
        text,
      )
    )
      return sayError(text.replace(/^[\w ]{0,30}:\s*/, ''))
    return { text: phraseText(text, question) || 'That is done.', failed: false }
  }
  const error = errorOf(value)
  if (error !== null) return sayError(error)
  const inner = unwrap(value)
  if (Array.isArray(inner)) return { text: phraseRows(inner, question), failed: false }
  if (!isObject(inner))
    return { text: phraseText(String(inner), question) || asSentence(sayValue(inner)), failed: false }
  const sentence = Object.entries(inner).find(
    ([key, entry]) => sentenceKey.test(key) && typeof entry === 'string' && entry.trim().split(/\s+/).length >= 3,
  )
  const said = sentence === undefined ? '' : phraseText(String(sentence[1]), question)
  return { text: said || phraseObject(inner, question) || 'That is done.', failed: false }
}
