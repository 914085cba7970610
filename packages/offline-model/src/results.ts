import { isFailedToolResult } from '@parley/engine/dialogue/analysis/detect-success'
import { parseJson } from '@parley/engine/dialogue/json'
import { isObject, splitIdentifier } from '@parley/engine/dialogue/rules/fields'
import { joinList, shorten, splitSentences, toSentence } from '@parley/engine/dialogue/rules/sentences'
import type { JsonValue } from '@parley/engine/ports'
import { isInstruction } from './instructions.ts'
import { getPhrases } from './phrases.ts'

type Leaf = readonly [label: string, value: string]

const MAX_CHARACTERS = 20_000
const MAX_LEAVES = 4
const MAX_ROWS = 3
const MAX_DEPTH = 4
const MONTHS = 'January February March April May June July August September October November December'.split(' ')
const TECHNICAL =
  /(?:^| )(?:id|uuid|token|hash|etag|version|url|href|link|created at|updated at|ok|success|http status|code|timestamp|type|object)$/
const FAILURE =
  /^(?:failed|failure|invalid argument|timed? ?out|http \d{3}|not available|not run yet|there is no tool|no request was sent)/i
const NOTHING = /^(?:ok|null|\{\}|\[\]|done\b.*|success|true|""|no content|status 2\d\d.*|sent)\.?$/i

/** Whether a result only confirms bookkeeping, such as a stored value. */
export function isQuietResult(name: string, content: string): boolean {
  const isQuietTool = /^(?:transition|end_|hang|extract|collect|capture|record|store)_?/i.test(name)
  return isQuietTool || /^(?:stored: |nothing was stored|the conversation was handed)/i.test(content)
}

/** Whether a result reports a failure. */
export function isFailedResult(content: string): boolean {
  return FAILURE.test(content.trim()) || isFailedToolResult(content)
}

/** Describes the result of a tool in words. */
export function describeResult(content: string, language: string): string {
  const { done, failed } = getPhrases(language)
  const text = content.trim().slice(0, MAX_CHARACTERS)
  if (isFailedResult(text)) return failed
  return (text === '' || NOTHING.test(text) ? '' : formatResult(parseJson(text) ?? text)) || done
}

function formatResult(value: JsonValue): string {
  if (Array.isArray(value)) return formatRows(value)
  if (!isObject(value)) return formatText(String(value))
  const [firstValue, ...otherValues] = Object.values(value)
  if (otherValues.length === 0 && Array.isArray(firstValue)) return formatRows(firstValue)
  return toSentence(joinList(listLeaves(value).slice(0, MAX_LEAVES).map(formatLeaf)))
}

/** Formats a value. ISO dates and times are written as spoken. */
export function formatValue(value: JsonValue): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  const text = String(value).replace(/\s+/g, ' ').trim()
  const [, year, month, day, time] = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}:\d{2})\S{0,12})?$/.exec(text) ?? []
  const name = MONTHS[Number(month) - 1]
  if (name !== undefined) return `${name} ${Number(day)}, ${year}${time === undefined ? '' : ` at ${time}`}`
  return shorten(text, 200)
}

function listLeaves(value: JsonValue, label = '', depth = 0): Leaf[] {
  if (value === null || value === '' || depth > MAX_DEPTH) return []
  if (Array.isArray(value)) return value.slice(0, MAX_ROWS).flatMap((entry) => listLeaves(entry, label, depth + 1))
  if (!isObject(value)) return TECHNICAL.test(label) ? [] : [[label, formatValue(value)]]
  const entries = Object.entries(value).slice(0, 40)
  return entries.flatMap(([key, inner]) => listLeaves(inner ?? null, splitIdentifier(key), depth + 1))
}

function formatLeaf([label, value]: Leaf): string {
  return label === '' ? value : `the ${label} ${/[^su]s$/.test(label) ? 'are' : 'is'} ${value}`
}

function formatRows(rows: readonly JsonValue[]): string {
  const named = rows.slice(0, MAX_ROWS).map((row) => {
    const [first, ...rest] = listLeaves(row).slice(0, 3)
    const otherLeaves = rest.map((leaf) => leaf.join(' '))
    return `${first?.[1] ?? 'one'}${otherLeaves.length > 0 ? ` (${otherLeaves.join(', ')})` : ''}`
  })
  return toSentence(`I found ${rows.length}${rows.length > MAX_ROWS ? ', the first are' : ':'} ${joinList(named)}`)
}

/** Returns the first sentences of a text, without instructions. */
function formatText(content: string): string {
  const plainText = content.slice(0, 8_000).replace(/<[^<>]{0,200}>|\s+/g, ' ')
  const facts = splitSentences(plainText).filter((one) => /[\p{L}\p{N}]/u.test(one) && !isInstruction(one, 'facts'))
  return shorten(facts.slice(0, 2).map(toSentence).join(' '), 400)
}
