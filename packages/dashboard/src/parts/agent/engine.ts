import type { EngineKind, EngineType, ResponseEngine } from '@parley/contract/response-engine'

/** The kind behind every spelling of `response_engine.type`. */
export function engineKindOf(type: EngineType): EngineKind {
  if (type === 'conversation-flow' || type === 'conversation_flow') return 'conversation-flow'
  return type === 'custom-llm' || type === 'custom_llm' ? 'custom-llm' : 'llm'
}

/** The LLM configuration of an engine; null for other engines and while none is chosen. */
export function llmIdOf(engine: ResponseEngine): string | null {
  return 'llm_id' in engine && engine.llm_id !== '' ? engine.llm_id : null
}

export function emptyEngine(kind: EngineKind): ResponseEngine {
  if (kind === 'llm') return { type: 'llm', llm_id: '', version: null }
  if (kind === 'conversation-flow') return { type: 'conversation-flow', conversation_flow_id: '', version: null }
  return { type: 'custom-llm', llm_websocket_url: 'wss://', version: null }
}

/** Whether an engine is pinned to an older version than the newest. */
export function isOutdated({ version }: ResponseEngine, newestVersion: number): boolean {
  return version !== null && version < newestVersion
}
