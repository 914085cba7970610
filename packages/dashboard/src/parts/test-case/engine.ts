import type { TestCase } from '@parley/contract/test-case'

/** Kinds of engine that can be tested. */
export const ENGINE_KINDS = ['llm', 'conversation-flow'] as const satisfies readonly TestCase['type'][]
export type EngineKind = (typeof ENGINE_KINDS)[number]

/** Which engine is tested; without an id while another one is being chosen. */
export interface Engine {
  readonly kind: EngineKind
  readonly id: string | null
}

export const NO_ENGINE: Engine = { kind: 'llm', id: null }

/** The engine as a request names it. */
export interface EngineFields {
  readonly llm_id?: string | null
  readonly conversation_flow_id?: string | null
}

/** The one engine that is named; none at all, when none is chosen yet, so that the server asks for one. */
export function engineBody({ kind, id }: Engine): EngineFields {
  if (id === null) return { llm_id: null, conversation_flow_id: null }
  return kind === 'llm' ? { llm_id: id } : { conversation_flow_id: id }
}
