import type { VersionSelector } from '@parley/contract/fields'
import type { Llm } from '@parley/contract/llm'
import type { Reader, Transaction } from '../../kernel/database.ts'
import type { VersionTarget } from '../../kernel/version-store.ts'

/** What the agents feature needs of others. */

/** One version of an LLM configuration. */
export interface SourcedLlm {
  readonly id: string
  readonly version: number
  readonly definition: Pick<
    Llm,
    | 'model'
    | 'model_temperature'
    | 'general_prompt'
    | 'begin_message'
    | 'general_tools'
    | 'default_dynamic_variables'
    | 'responsiveness'
  >
}

/** Reads and freezes LLM configurations. */
export interface LlmSource {
  /** `null` when the LLM or the version does not exist in the workspace. */
  find(reader: Reader, workspaceId: number, llmId: string, selector: VersionSelector): Promise<SourcedLlm | null>
  /** One value per reference, in one query; a version of `null` means the newest. */
  findResponsiveness(
    reader: Reader,
    workspaceId: number,
    references: readonly { readonly id: string; readonly version: number | null }[],
  ): Promise<readonly (string | null)[]>
  freeze(transaction: Transaction, target: VersionTarget): Promise<void>
}

/** The values that `voice_id` accepts. */
export interface VoiceCatalogue {
  has(workspaceId: number, voiceId: string): Promise<boolean>
}

/** Completes what is under way with an agent that goes away. */
export interface ConversationEnder {
  endChatsOf(transaction: Transaction, agentId: string, now: number): Promise<void>
}

/** Which models can be used now. */
export interface ModelDirectory {
  /** `null` when no configured provider serves the name. */
  resolve(name: string): unknown
  /** What can be named now, for messages. */
  configured(): readonly string[]
}
