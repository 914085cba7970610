import type { Agent } from '@parley/contract/agent'
import type { ChatAgent } from '@parley/contract/chat-agent'
import type { Choice } from '../../../components/fields.tsx'
import type { Translate } from '../../../lib/language.ts'
import type { SharedAgent } from '../agent-api.ts'

export interface SectionProps<Value> {
  readonly value: Value
  readonly onChange: (changes: Partial<Value>) => void
  readonly disabled: boolean
}

export type SharedSectionProps = SectionProps<SharedAgent>

export interface CustomFieldProps<Value> extends SectionProps<Value> {
  readonly label: string
  readonly help?: string
}
export type SharedFieldProps = CustomFieldProps<SharedAgent>
export type VoiceFieldProps = CustomFieldProps<Agent>
export type ChatFieldProps = CustomFieldProps<ChatAgent>

/** A two-column grid on wide screens. `FULL_WIDTH` spans both columns. */
export const FIELD_GRID = 'grid min-w-0 grid-cols-1 items-start gap-x-5 gap-y-4 sm:grid-cols-2'
export const FULL_WIDTH = 'sm:col-span-2'

/** Builds the choices of a select from value labels. */
export function buildChoices<Value extends string>(
  labels: Readonly<Record<Value, string>>,
  t: Translate,
): Choice<Value>[] {
  return (Object.entries(labels) as [Value, string][]).map(([value, label]) => ({ value, label: t(label) }))
}
