import type { ConversationFlow } from '@parley/contract/conversation-flow'
import type { DialogGraph } from '@parley/contract/flow-problems/dialog-graph'
import type { Llm, LlmWritten, UpdateLlmBody } from '@parley/contract/llm'
import type { WithEditCount } from '../../kernel/api/edits.ts'
import type { Reader, Transaction } from '../../kernel/storage/database.ts'
import type { EngineSource } from '../engines/public.ts'

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
    | 'begin_after_user_silence_ms'
    | 'general_tools'
    | 'states'
    | 'starting_state'
    | 'mcps'
    | 'knowledge_base_ids'
    | 'kb_config'
    | 'default_dynamic_variables'
    | 'responsiveness'
  >
}

/** Reads and freezes LLM configurations. */
export interface LlmSource extends EngineSource<SourcedLlm['definition']> {
  /** One value per reference, in one query; a version of `null` means the newest. */
  findResponsiveness(
    reader: Reader,
    workspaceId: number,
    references: readonly { readonly id: string; readonly version: number | null }[],
  ): Promise<readonly (string | null)[]>
}

/** Edits LLM configurations as a part of the edit of an agent. */
export interface LlmDrafts {
  /** Throws `not_found`. */
  get(workspaceId: number, llmId: string, selector: 'latest'): Promise<WithEditCount<Llm>>
  /** Reads what an edit depends on, before the unit of work that writes it. */
  prepareEdit(workspaceId: number, llmId: string, body: UpdateLlmBody): Promise<LlmEdit>
}

export interface LlmEdit {
  /** Writes the newest version or the next one, which agents follow. Answers what describes the result after the commit. */
  write(
    transaction: Transaction,
    at: { readonly ifMatch: number | null },
  ): Promise<() => Promise<WithEditCount<LlmWritten>>>
}

/** One version of a conversation flow. */
export interface SourcedFlow {
  readonly id: string
  readonly version: number
  readonly definition: Pick<
    ConversationFlow,
    | 'start_speaker'
    | 'max_hops_per_turn'
    | 'begin_after_user_silence_ms'
    | 'global_prompt'
    | 'model_choice'
    | 'model_temperature'
    | 'start_node_id'
    | 'nodes'
    | 'tools'
    | 'mcps'
    | 'knowledge_base_ids'
    | 'kb_config'
    | 'components'
    | 'default_dynamic_variables'
  >
}

/** Reads and freezes conversation flows. */
export interface FlowSource extends EngineSource<SourcedFlow['definition']> {
  /**
   * The shared components that a version runs, those within others included, by id: as they were when it was frozen, of a draft
   * as they are now.
   */
  findComponents(reader: Reader, workspaceId: number, flow: SourcedFlow): Promise<ReadonlyMap<string, DialogGraph>>
}

/** The engines that are resources of ours, by kind. */
export interface Engines {
  readonly llm: LlmSource
  readonly 'conversation-flow': FlowSource
}

/** The values that `voice_id` and `fallback_voice_ids` accept. */
export interface VoiceCatalog {
  has(workspaceId: number, voiceId: string): Promise<boolean>
  /** Throws `not_found` for one that the workspace does not have. */
  get(workspaceId: number, voiceId: string): Promise<{ readonly provider: string | null }>
}
