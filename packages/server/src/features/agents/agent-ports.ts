import type { Llm } from '@parley/contract/llm'
import type { Reader } from '../../kernel/database.ts'
import type { EngineSource, StoredEngineKind } from '../../kernel/engine-source.ts'

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
export interface LlmSource extends EngineSource<SourcedLlm['definition']> {
  /** One value per reference, in one query; a version of `null` means the newest. */
  findResponsiveness(
    reader: Reader,
    workspaceId: number,
    references: readonly { readonly id: string; readonly version: number | null }[],
  ): Promise<readonly (string | null)[]>
}

/** The engines that are resources of ours, by kind. */
export interface Engines extends Readonly<Record<StoredEngineKind, EngineSource>> {
  readonly llm: LlmSource
}

/** The values that `voice_id` accepts. */
export interface VoiceCatalogue {
  has(workspaceId: number, voiceId: string): Promise<boolean>
}
