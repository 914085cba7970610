import type { TestCase } from '@parley/contract/test-case'

export const ENGINE_KINDS = ['llm', 'conversation-flow'] as const satisfies readonly TestCase['type'][]
export type EngineKind = (typeof ENGINE_KINDS)[number]

/** The prompt or flow to test. The ID is null until the user selects one. */
export interface Engine {
  readonly kind: EngineKind
  readonly id: string | null
}

export const NO_ENGINE: Engine = { kind: 'llm', id: null }

interface EngineFields {
  readonly llm_id?: string | null
  readonly conversation_flow_id?: string | null
}

/** Builds the request fields. Without a selection, both are null and the server rejects the request. */
export function toEngineBody({ kind, id }: Engine): EngineFields {
  if (id === null) return { llm_id: null, conversation_flow_id: null }
  return kind === 'llm' ? { llm_id: id } : { conversation_flow_id: id }
}
