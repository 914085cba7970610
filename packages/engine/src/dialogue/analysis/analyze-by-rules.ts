import type { ChatAnalysis } from '@parley/contract/chat'
import type { JsonObject, JsonValue } from '../../ports.ts'
import { type Field, readFields } from '../rules/fields.ts'
import { type Exchange, fillFields } from '../rules/fill-fields.ts'
import type { AnalyzedConversation, CustomItem, Questions } from './analyzed-conversation.ts'
import { detectSentiment } from './detect-sentiment.ts'
import { detectSuccess } from './detect-success.ts'
import { summarizeByRules } from './summarize-by-rules.ts'

const MAX_EXCHANGES = 60
/** Number of fields per `fillFields` call, the maximum that `readFields` accepts. */
const FIELD_BATCH_SIZE = 50

/** Analyzes a conversation by rules and leaves uncertain items `null`. */
export function analyzeByRules(conversation: AnalyzedConversation, { presets, custom }: Questions): ChatAnalysis {
  const userTexts = conversation.history.flatMap(({ role, content }) => (role === 'user' ? [content] : []))
  return {
    summary: presets.summary === null ? null : summarizeByRules(conversation),
    sentiment: presets.sentiment === null ? null : detectSentiment(userTexts),
    successful: presets.successful === null ? null : detectSuccess(conversation),
    customData: extractByRules(custom, conversation),
  }
}

/** Extracts custom values from the user's messages and the collected variables. Uncertain values are `null`. */
function extractByRules(
  items: readonly CustomItem[],
  { history, collectedVariables, today }: AnalyzedConversation,
): Record<string, JsonValue> {
  const exchanges = listExchanges(history)
  const valuesByName = new Map<string, JsonValue>()
  for (const item of items) valuesByName.set(item.name, readCollectedValue(item, collectedVariables))
  const missingItems = items.filter(({ name }) => valuesByName.get(name) === null)
  for (let offset = 0; offset < missingItems.length; offset += FIELD_BATCH_SIZE) {
    const batch = missingItems.slice(offset, offset + FIELD_BATCH_SIZE)
    const { values } = fillFields(toFields(batch), exchanges, { today })
    for (const [{ path }, value] of values) valuesByName.set(path[0] ?? '', value)
  }
  return Object.fromEntries(valuesByName)
}

/** Returns the user's latest messages, each paired with the agent's preceding message. */
function listExchanges(history: AnalyzedConversation['history']): Exchange[] {
  const exchanges: Exchange[] = []
  let question = ''
  for (const { role, content } of history) {
    if (role === 'assistant' && content.trim() !== '') question = content
    if (role !== 'user') continue
    exchanges.push({ agent: question, user: content })
    question = ''
  }
  return exchanges.slice(-MAX_EXCHANGES)
}

function toFields(items: readonly CustomItem[]): Field[] {
  const properties = Object.fromEntries(items.map((item): [string, JsonObject] => [item.name, toFieldSchema(item)]))
  return readFields({ type: 'object', properties })
}

function toFieldSchema(item: CustomItem): JsonObject {
  const { type, description } = item
  return type === 'enum' ? { type: 'string', enum: item.choices, description } : { type, description }
}

function readCollectedValue(item: CustomItem, collectedVariables: Readonly<Record<string, string>>): JsonValue | null {
  const value = Object.hasOwn(collectedVariables, item.name) ? (collectedVariables[item.name] ?? '').trim() : ''
  if (value === '') return null
  switch (item.type) {
    case 'string':
      return value
    case 'enum':
      return item.choices.find((choice) => choice.toLowerCase() === value.toLowerCase()) ?? null
    case 'number':
      return Number.isFinite(Number(value)) ? Number(value) : null
    case 'boolean':
      return /^(?:true|yes)$/i.test(value) ? true : /^(?:false|no)$/i.test(value) ? false : null
  }
}
