import type { Llm } from '@parley/contract/llm'

/** What every part of the settings of an LLM configuration gets: the record with its edits, and how to edit it. */
export interface LlmPartProps {
  readonly value: Llm
  readonly onChange: (changes: Partial<Llm>) => void
  /** The person may only look. */
  readonly disabled: boolean
}
