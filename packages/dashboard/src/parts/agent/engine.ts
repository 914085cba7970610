import type { EngineKind, EngineType, ResponseEngine } from '@parley/contract/response-engine'

/** Returns the engine kind for any spelling of `response_engine.type`. */
export function toEngineKind(type: EngineType): EngineKind {
  if (type === 'conversation-flow' || type === 'conversation_flow') return 'conversation-flow'
  return type === 'custom-llm' || type === 'custom_llm' ? 'custom-llm' : 'llm'
}

/** Returns the LLM configuration ID of an engine, or null if another engine or no LLM configuration is selected. */
export function getLlmId(engine: ResponseEngine): string | null {
  return 'llm_id' in engine && engine.llm_id !== '' ? engine.llm_id : null
}

export function createEmptyEngine(kind: EngineKind): ResponseEngine {
  if (kind === 'llm') return { type: 'llm', llm_id: '', version: null }
  if (kind === 'conversation-flow') return { type: 'conversation-flow', conversation_flow_id: '', version: null }
  return { type: 'custom-llm', llm_websocket_url: 'wss://', version: null }
}

/** Whether an engine is pinned to a version older than the latest. */
export function isOutdated({ version }: ResponseEngine, latestVersion: number): boolean {
  return version !== null && version < latestVersion
}
