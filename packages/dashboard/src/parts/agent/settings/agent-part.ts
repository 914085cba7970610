import type { Agent } from '@parley/contract/agent'
import type { SharedAgent } from '../agent-kind.ts'

/** What every part of the settings of agents gets: the record with its edits, and how to edit it. */
interface PartProps<Value> {
  readonly value: Value
  readonly onChange: (changes: Partial<Value>) => void
  /** The person may only look. */
  readonly disabled: boolean
}

/** A part that agents of every kind have. */
export type SharedPartProps = PartProps<SharedAgent>

/** A part that only agents of calls have. */
export type VoicePartProps = PartProps<Agent>

/** Fields side by side where there is room. */
export const FIELD_GRID = 'grid min-w-0 items-start gap-x-5 gap-y-4 sm:grid-cols-2'

/** Shown in empty fields; the same in every language. */
export const EXAMPLES = { model: 'provider/model', language: 'en-US', address: 'https://' } as const
