import type { AnalysisItem } from '@parley/contract/after-conversation'
import type { ChatAnalysis } from '@parley/contract/chat'
import type { HistoryMessage } from '../conversation.ts'

/** A finished conversation. */
export interface AnalyzedConversation {
  /** Spoken messages and tool calls only, oldest first. */
  readonly history: readonly HistoryMessage[]
  /** Variables collected during the conversation. */
  readonly collectedVariables: Readonly<Record<string, string>>
  readonly endedBy: 'user' | 'agent' | 'silence' | 'other'
  /** Whether the last turn failed or was interrupted. */
  readonly lastTurnFailed: boolean
  /** End date of the conversation as `YYYY-MM-DD`, for resolving words such as "tomorrow". */
  readonly today: string
}

type Preset = Extract<AnalysisItem, { type: 'system-presets' }>
export type CustomItem = Exclude<AnalysisItem, Preset>
export type PresetKind = 'summary' | 'successful' | 'sentiment'

/** The questions that an analysis answers. */
export interface Questions {
  readonly presets: Readonly<Record<PresetKind, Preset | null>>
  readonly custom: readonly CustomItem[]
}

const PRESET_KINDS: Readonly<Record<Preset['name'], PresetKind>> = {
  chat_summary: 'summary',
  call_summary: 'summary',
  chat_successful: 'successful',
  call_successful: 'successful',
  user_sentiment: 'sentiment',
}

/** Groups analysis items by type. A later item replaces an earlier one with the same question. */
export function readQuestions(items: readonly AnalysisItem[]): Questions {
  const presets: Record<PresetKind, Preset | null> = { summary: null, successful: null, sentiment: null }
  const custom = new Map<string, CustomItem>()
  for (const item of items) {
    if (item.type === 'system-presets') presets[PRESET_KINDS[item.name]] = item
    else custom.set(item.name, item)
  }
  return { presets, custom: [...custom.values()] }
}

/** Adds the summary, success and sentiment presets, or returns an empty list if there are no items. */
export function addPresets(items: readonly AnalysisItem[], presets: readonly AnalysisItem[]): readonly AnalysisItem[] {
  return items.length === 0 ? [] : [...presets, ...items]
}

/** An analysis without any findings. */
export const EMPTY_ANALYSIS: ChatAnalysis = { summary: null, sentiment: null, successful: null, customData: {} }

/** Marks a conversation as unsuccessful if a required value is missing. */
export function applyRequiredFields(analysis: ChatAnalysis, { presets, custom }: Questions): ChatAnalysis {
  const isPresetMissing =
    (presets.summary?.required === true && analysis.summary === null) ||
    (presets.sentiment?.required === true && (analysis.sentiment === null || analysis.sentiment === 'Unknown'))
  const isFieldMissing = custom.some(
    ({ name, required }) => required === true && (analysis.customData[name] ?? null) === null,
  )
  return isPresetMissing || isFieldMissing ? { ...analysis, successful: false } : analysis
}
