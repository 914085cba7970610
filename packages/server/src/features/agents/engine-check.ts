import type { ErrorDetail } from '@parley/contract/errors'
import type { Reader } from '../../kernel/storage/database.ts'
import type { ModelDirectory, StoredEngineKind } from '../engines/public.ts'
import { type AgentContent, type AgentDefinition, storedEngineKindOf } from './agent-definition.ts'
import type { Engines } from './agent-ports.ts'

/** The words for an engine, and where bodies name one. */
export const ENGINE_WORDS: Readonly<Record<StoredEngineKind, { readonly what: string; readonly path: string }>> = {
  llm: { what: 'LLM', path: 'response_engine.llm_id' },
  'conversation-flow': { what: 'conversation flow', path: 'response_engine.conversation_flow_id' },
}

/** What is wrong with the engine that a body names; empty when it can be stored. */
export async function checkEngine(
  reader: Reader,
  engines: Engines,
  { workspaceId, content }: { workspaceId: number; content: AgentContent },
): Promise<ErrorDetail[]> {
  const { engine, definition } = content
  const kind = storedEngineKindOf(definition)
  if (engine === null || kind === null) return []
  const source = engines[kind]
  if ((await source.find(reader, workspaceId, engine.id, engine.version ?? 'latest')) !== null) return []
  const { what, path } = ENGINE_WORDS[kind]
  const exists = engine.version !== null && (await source.find(reader, workspaceId, engine.id, 'latest')) !== null
  return exists
    ? [{ path: 'response_engine.version', message: `the ${what} "${engine.id}" has no version ${engine.version}` }]
    : [{ path, message: `no ${what} "${engine.id}" exists in this workspace` }]
}

/** Sentences about what was stored although it does not work now. */
export function agentWarnings(definition: AgentDefinition, models: ModelDirectory): string[] {
  const warnings: string[] = []
  for (const model of definition.fallback_models) {
    if (models.resolve(model) !== null) continue
    const configured = models.configured().join(', ')
    warnings.push(`No configured provider serves the fallback model "${model}". Configured: ${configured}.`)
  }
  return warnings
}
