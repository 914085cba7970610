import type { ChatAnalysis } from '@parley/contract/chat'
import type { JsonObject, JsonValue, ModelTool } from '../../ports.ts'
import { isJsonObject } from '../json.ts'
import { parseToolArguments } from '../tools/tool-arguments.ts'
import type { CustomItem, PresetKind, Questions } from './analyzed-conversation.ts'

/** Name of the tool that a model calls to answer all analysis questions at once. */
export const REPORT_TOOL = 'report_analysis'

const SENTIMENTS = ['Positive', 'Neutral', 'Negative', 'Unknown'] as const
const MAX_VALUE_CHARACTERS = 10_000

/** Property names that all model vendors accept. */
const FIELD_NAME = /^[a-zA-Z0-9_-]{1,64}$/

const PRESET_FIELDS: Readonly<Record<PresetKind, JsonObject>> = {
  summary: {
    type: 'string',
    description: 'The topic and the outcome of the conversation, in one to three sentences.',
  },
  sentiment: {
    type: 'string',
    enum: SENTIMENTS,
    description: 'The mood of the user over the whole conversation; Unknown when the user said too little.',
  },
  successful: {
    type: 'boolean',
    description: 'Whether the user got what the user came for, as far as this agent could give it.',
  },
}

export interface Report {
  readonly tool: ModelTool
  /** Parses the model's arguments, or returns a sentence that explains why they are invalid. */
  read(
    argumentsText: string,
  ): { readonly ok: true; readonly analysis: ChatAnalysis } | { readonly ok: false; readonly problem: string }
}

export function createReport({ presets, custom }: Questions): Report {
  const kinds = (Object.keys(PRESET_FIELDS) as PresetKind[]).filter((kind) => presets[kind] !== null)
  const itemsByKey = new Map(custom.map((item, index) => [toFieldKey(item, index), item]))
  const parameters: JsonObject = {
    type: 'object',
    properties: {
      ...Object.fromEntries(kinds.map((kind) => [kind, describePreset(kind, presets[kind])])),
      ...(itemsByKey.size > 0 && {
        fields: {
          type: 'object',
          description: 'Omit fields that the conversation does not answer.',
          properties: Object.fromEntries([...itemsByKey].map(([key, item]) => [key, buildItemSchema(key, item)])),
        },
      }),
    },
    required: [...kinds, ...(itemsByKey.size > 0 ? ['fields'] : [])],
  }
  return {
    tool: { name: REPORT_TOOL, description: 'Reports the analysis of the conversation.', parameters },
    read(argumentsText) {
      const parsed = parseToolArguments(argumentsText, parameters)
      if (!parsed.valid) return { ok: false, problem: parsed.problem }
      return { ok: true, analysis: readReport(parsed.args, itemsByKey) }
    },
  }
}

/** Returns an item's name as a key, replacing names that vendors reject. The description keeps the original name. */
function toFieldKey({ name }: CustomItem, index: number): string {
  return FIELD_NAME.test(name) && name !== '__proto__' && !/^field-\d+$/.test(name) ? name : `field-${index + 1}`
}

function describePreset(kind: PresetKind, item: Questions['presets'][PresetKind]): JsonObject {
  const field = PRESET_FIELDS[kind]
  return { ...field, description: joinSentences([item?.description || field.description, formatCondition(item)]) }
}

function buildItemSchema(key: string, item: CustomItem): JsonObject {
  const examples = item.type === 'string' ? (item.examples ?? []) : []
  const description = joinSentences([
    key === item.name ? '' : `${item.name}:`,
    item.description,
    formatCondition(item),
    examples.length === 0 ? '' : `For example: ${examples.join('; ')}.`,
  ])
  if (item.type === 'enum') return { type: 'string', enum: item.choices, description }
  return { type: item.type, description }
}

function formatCondition(item: { readonly conditional_prompt?: string | undefined } | null): string {
  return item?.conditional_prompt === undefined ? '' : `Only when: ${item.conditional_prompt}`
}

function joinSentences(parts: readonly unknown[]): string {
  return parts.filter((part) => typeof part === 'string' && part.trim() !== '').join(' ')
}

function readReport(args: JsonObject, itemsByKey: ReadonlyMap<string, CustomItem>): ChatAnalysis {
  const fields = args.fields
  const fieldValues = isJsonObject(fields) ? fields : {}
  const values = [...itemsByKey].map(([key, { name }]) => [
    name,
    readValue(Object.hasOwn(fieldValues, key) ? fieldValues[key] : undefined),
  ])
  const { summary, sentiment, successful } = args
  return {
    summary: typeof summary === 'string' && summary.trim() !== '' ? removeInvalidCharacters(summary) : null,
    sentiment: SENTIMENTS.find((name) => name === sentiment) ?? null,
    successful: typeof successful === 'boolean' ? successful : null,
    customData: Object.fromEntries(values) as ChatAnalysis['customData'],
  }
}

function readValue(value: JsonValue | undefined): string | number | boolean | null {
  if (typeof value === 'string') return value.trim() === '' ? null : removeInvalidCharacters(value)
  return typeof value === 'number' || typeof value === 'boolean' ? value : null
}

/** Removes null characters and lone surrogates, which databases reject. */
function removeInvalidCharacters(text: string): string {
  return text.replaceAll('\0', '').trim().slice(0, MAX_VALUE_CHARACTERS).toWellFormed()
}
