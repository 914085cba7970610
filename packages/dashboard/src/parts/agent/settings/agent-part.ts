import type { Agent } from '@parley/contract/agent'
import type { ChatAgent } from '@parley/contract/chat-agent'
import type { SharedAgent } from '../agent-kind.ts'

/** What every part of the settings of agents gets: the record with its edits, and how to edit it. */
export interface PartProps<Value> {
  readonly value: Value
  readonly onChange: (changes: Partial<Value>) => void
  /** The person may only look. */
  readonly disabled: boolean
}

/** A part that agents of every kind have. */
export type SharedPartProps = PartProps<SharedAgent>

/** A setting with a field of its own: the part together with the words of the setting. */
export interface CustomFieldProps<Value> extends PartProps<Value> {
  readonly label: string
  readonly help?: string
}
export type SharedFieldProps = CustomFieldProps<SharedAgent>
export type VoiceFieldProps = CustomFieldProps<Agent>
export type ChatFieldProps = CustomFieldProps<ChatAgent>

/** Fields side by side where there is room, and one that takes a row of its own there. */
export const FIELD_GRID = 'grid min-w-0 grid-cols-1 items-start gap-x-5 gap-y-4 sm:grid-cols-2'
export const WHOLE_ROW = 'sm:col-span-2'

/** Shown in an empty field; the same in every language. */
export const EXAMPLE_LANGUAGE = 'en-US'
