import type { ConversationFlow } from '@parley/contract/conversation-flow'
import type { DialogGraph } from '@parley/contract/flow-problems/dialog-graph'
import type { Llm, LlmWritten, UpdateLlmBody } from '@parley/contract/llm'
import type { WithEditCount } from '../../kernel/api/edits.ts'
import type { Reader, Transaction } from '../../kernel/storage/database.ts'
import type { EngineSource } from '../engines/public.ts'

export interface VersionedLlm {
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
export interface LlmSource extends EngineSource<VersionedLlm['definition']> {
  /** Returns one value per reference with a single query. Version `null` means the newest version. */
  findResponsiveness(
    reader: Reader,
    workspaceId: number,
    references: readonly { readonly id: string; readonly version: number | null }[],
  ): Promise<readonly (string | null)[]>
}

/** Edits LLM configurations as part of an agent edit. */
export interface LlmDrafts {
  /** Returns an LLM configuration. Throws `not_found`. */
  get(workspaceId: number, llmId: string, selector: 'latest'): Promise<WithEditCount<Llm>>
  /** Reads the data that an edit depends on. Must be called before the transaction that writes the edit. */
  prepareEdit(workspaceId: number, llmId: string, body: UpdateLlmBody): Promise<LlmEdit>
}

export interface LlmEdit {
  /**
   * Edits the newest version, or creates the next version and updates the agents that follow the configuration. Returns a
   * function that builds the response after the commit.
   */
  write(
    transaction: Transaction,
    condition: { readonly ifMatch: number | null },
  ): Promise<() => Promise<WithEditCount<LlmWritten>>>
}

export interface VersionedFlow {
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
export interface FlowSource extends EngineSource<VersionedFlow['definition']> {
  /**
   * Returns the shared components that a version uses, by id and including nested components. Frozen versions use frozen
   * components, and drafts use current components.
   */
  findComponents(reader: Reader, workspaceId: number, flow: VersionedFlow): Promise<ReadonlyMap<string, DialogGraph>>
}

/** Sources of stored engines by kind. */
export interface Engines {
  readonly llm: LlmSource
  readonly 'conversation-flow': FlowSource
}

/** The voices that `voice_id` and `fallback_voice_ids` accept. */
export interface VoiceCatalog {
  has(workspaceId: number, voiceId: string): Promise<boolean>
  /** Returns a voice's vendor. Throws `not_found` if the workspace does not have the voice. */
  get(workspaceId: number, voiceId: string): Promise<{ readonly provider: string | null }>
}

/** Removes references to an agent in the transaction that deletes the agent. */
export interface AgentRemoval {
  removeAgentReferences(
    transaction: Transaction,
    agent: { readonly workspaceId: number; readonly agentId: string; readonly now: number },
  ): Promise<void>
}
