import type { ChatAnalysis } from '@parley/contract/chat'
import type { JsonObject, JsonValue } from '../../ports.ts'
import { fillArguments } from '../offline/fill-arguments.ts'
import { readMessages } from '../offline/read-messages.ts'
import { type Field, readFields } from '../offline/schema-fields.ts'
import type { AnalyzedConversation, CustomItem, Questions } from './analyzed-conversation.ts'
import { detectSentiment } from './detect-sentiment.ts'
import { detectSuccess } from './detect-success.ts'
import { summarizeByRules } from './summarize-by-rules.ts'

/** Fields that are filled at a time: as many as a schema is read for. */
const FIELD_BATCH_SIZE = 50

/** Finds out what rules can: in the words of the conversation, and nothing that is not certain. */
export function analyzeByRules(conversation: AnalyzedConversation, { presets, custom }: Questions): ChatAnalysis {
  const said = conversation.history.flatMap(({ role, content }) => (role === 'user' ? [content] : []))
  return {
    summary: presets.summary === null ? null : summarizeByRules(conversation),
    sentiment: presets.sentiment === null ? null : detectSentiment(said),
    successful: presets.successful === null ? null : detectSuccess(conversation),
    customData: extractByRules(custom, conversation),
  }
}

/** Values that the user told, or that were collected meanwhile. What is not certain is not found: `null`. */
function extractByRules(
  items: readonly CustomItem[],
  { history, collectedVariables, today }: AnalyzedConversation,
): Record<string, JsonValue> {
  const { exchanges } = readMessages(history.filter(({ role }) => role === 'user' || role === 'assistant'))
  const found = new Map<string, JsonValue>()
  for (const item of items) found.set(item.name, readCollected(item, collectedVariables))
  const open = items.filter(({ name }) => found.get(name) === null)
  for (let from = 0; from < open.length; from += FIELD_BATCH_SIZE) {
    const some = open.slice(from, from + FIELD_BATCH_SIZE)
    const { args } = fillArguments(fieldsOf(some), exchanges, 0, today)
    for (const { name } of some) if (Object.hasOwn(args, name)) found.set(name, args[name] ?? null)
  }
  return Object.fromEntries(found)
}

function fieldsOf(items: readonly CustomItem[]): Field[] {
  const properties = Object.fromEntries(items.map((item): [string, JsonObject] => [item.name, schemaOf(item)]))
  // The only choice of a list is not chosen for being the only one.
  return readFields({ type: 'object', properties }).map((field) => ({ ...field, constant: undefined }))
}

function schemaOf(item: CustomItem): JsonObject {
  const { type, description } = item
  return type === 'enum' ? { type: 'string', enum: item.choices, description } : { type, description }
}

function readCollected(item: CustomItem, collected: Readonly<Record<string, string>>): JsonValue | null {
  const value = Object.hasOwn(collected, item.name) ? (collected[item.name] ?? '').trim() : ''
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
