import type { Agent } from '@parley/contract/agent'

export type AnalysisItem = Agent['post_call_analysis_data'][number]
export type AnalysisType = AnalysisItem['type']
export type PresetName = Extract<AnalysisItem, { type: 'system-presets' }>['name']

interface CommonFields {
  readonly name: string
  readonly description: string
  readonly required: boolean
  readonly condition: string
}

export function pickCommonFields(item: AnalysisItem): CommonFields {
  const { name, description = '', required = false, conditional_prompt: condition = '' } = item
  return { name, description, required, condition }
}

/** Sets common fields of an item. Omits empty optional fields. */
export function setCommonFields(item: AnalysisItem, changes: Partial<CommonFields>): AnalysisItem {
  const { name, description, required, condition } = { ...pickCommonFields(item), ...changes }
  const {
    description: _description,
    required: _required,
    conditional_prompt: _condition,
    ...rest
  } = item as AnalysisItem & { description?: string }
  const optionalFields = { ...(required && { required }), ...(condition !== '' && { conditional_prompt: condition }) }
  if (rest.type === 'system-presets') {
    return { ...rest, name: name as PresetName, ...(description !== '' && { description }), ...optionalFields }
  }
  return { ...rest, name, description, ...optionalFields } as AnalysisItem
}

/** Converts an item to another type, keeping the fields that both types share. */
export function changeItemType(item: AnalysisItem, type: Exclude<AnalysisType, 'system-presets'>): AnalysisItem {
  const { name, description, required, condition } = pickCommonFields(item)
  const commonFields = {
    name,
    description,
    ...(required && { required }),
    ...(condition && { conditional_prompt: condition }),
  }
  return type === 'enum' ? { type, ...commonFields, choices: [] } : { type, ...commonFields }
}

export const PRESETS = {
  agent: ['call_summary', 'call_successful', 'user_sentiment'],
  'chat-agent': ['chat_summary', 'chat_successful', 'user_sentiment'],
} as const satisfies Readonly<Record<string, readonly PresetName[]>>

export function findMissingPresets(items: readonly AnalysisItem[], kind: keyof typeof PRESETS): PresetName[] {
  const existingNames = new Set(
    items.filter(({ type }) => type === 'system-presets').map(({ name }) => name.replace(/^chat_|^call_/, '')),
  )
  return PRESETS[kind].filter((name) => !existingNames.has(name.replace(/^chat_|^call_/, '')))
}
