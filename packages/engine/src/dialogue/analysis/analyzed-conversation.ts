import type { AnalysisItem } from '@parley/contract/after-conversation'
import type { ChatAnalysis } from '@parley/contract/chat'
import type { HistoryMessage } from '../conversation.ts'

/** A conversation that is over, as its analysis sees it. */
export interface AnalyzedConversation {
  /** Oldest first; what is no message of anybody is left out. */
  readonly history: readonly HistoryMessage[]
  /** Collected while it went on. */
  readonly collectedVariables: Readonly<Record<string, string>>
  readonly endedBy: 'user' | 'agent' | 'silence' | 'other'
  /** The last turn failed, or broke off. */
  readonly lastTurnFailed: boolean
  /** Day of its end, `YYYY-MM-DD`, for "tomorrow" and its like. */
  readonly today: string
}

type Preset = Extract<AnalysisItem, { type: 'system-presets' }>
export type CustomItem = Exclude<AnalysisItem, Preset>
export type PresetKind = 'summary' | 'successful' | 'sentiment'

/** What is to be found out. */
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

/** Sorts items by what they ask. The last of two that ask the same counts. */
export function readQuestions(items: readonly AnalysisItem[]): Questions {
  const presets: Record<PresetKind, Preset | null> = { summary: null, successful: null, sentiment: null }
  const custom = new Map<string, CustomItem>()
  for (const item of items) {
    if (item.type === 'system-presets') presets[PRESET_KINDS[item.name]] = item
    else custom.set(item.name, item)
  }
  return { presets, custom: [...custom.values()] }
}

/** What is found out in any case: summary, success and sentiment, unless nothing at all is asked. */
export function withPresets(items: readonly AnalysisItem[], presets: readonly AnalysisItem[]): readonly AnalysisItem[] {
  return items.length === 0 ? [] : [...presets, ...items]
}

/** An analysis that knows nothing. */
export const NOTHING_FOUND: ChatAnalysis = { summary: null, sentiment: null, successful: null, customData: {} }

/** A conversation in which something required was not found out is no success, whatever else was said. */
export function applyRequiredFields(analysis: ChatAnalysis, { presets, custom }: Questions): ChatAnalysis {
  const isPresetMissing =
    (presets.summary?.required === true && analysis.summary === null) ||
    (presets.sentiment?.required === true && (analysis.sentiment === null || analysis.sentiment === 'Unknown'))
  const isFieldMissing = custom.some(
    ({ name, required }) => required === true && (analysis.customData[name] ?? null) === null,
  )
  return isPresetMissing || isFieldMissing ? { ...analysis, successful: false } : analysis
}
