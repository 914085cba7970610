import type { ErrorDetail } from '@parley/contract/errors'
import type { Reader, Transaction } from '../../kernel/database.ts'
import { AppError } from '../../kernel/errors.ts'
import type { Versioned } from '../../kernel/version-store.ts'
import { type AgentContent, type AgentDefinition, kindOf } from './agent-definition.ts'
import type { LlmSource, ModelDirectory } from './agent-ports.ts'

/** What is wrong with the engine that a body names; empty when it can be stored. */
export async function checkEngine(
  reader: Reader,
  llms: Pick<LlmSource, 'find'>,
  { workspaceId, content }: { workspaceId: number; content: AgentContent },
): Promise<ErrorDetail[]> {
  const { engine, definition } = content
  if (engine === null || kindOf(definition) !== 'llm') return []
  if ((await llms.find(reader, workspaceId, engine.id, engine.version ?? 'latest')) !== null) return []
  const exists = engine.version !== null && (await llms.find(reader, workspaceId, engine.id, 'latest')) !== null
  return exists
    ? [{ path: 'response_engine.version', message: `the LLM "${engine.id}" has no version ${engine.version}` }]
    : [{ path: 'response_engine.llm_id', message: `no LLM "${engine.id}" exists in this workspace` }]
}

/** Sentences about what was stored although it does not work now. */
export function agentWarnings(definition: AgentDefinition, models: ModelDirectory): string[] {
  const kind = kindOf(definition)
  const warnings =
    kind === 'llm' ? [] : [`This server does not run engines of type "${kind}" yet: conversations with it are refused.`]
  for (const model of definition.fallback_models) {
    if (models.resolve(model) !== null) continue
    const configured = models.configured().join(', ')
    warnings.push(`No configured provider serves the fallback model "${model}". Configured: ${configured}.`)
  }
  return warnings
}

/**
 * Freezes a version together with the engine version that it resolves to and records that, so that it means one engine version
 * from now on. Answers the engine's version; `null` for engines that are not ours.
 */
export async function freezeAgent(
  transaction: Transaction,
  { store, llms }: { store: FreezingStore; llms: LlmSource },
  { found, now }: { found: Versioned<AgentDefinition>; now: number },
): Promise<number | null> {
  const { id, version, engine } = found
  if (found.frozen) return engine?.version ?? null
  const engineVersion = await freezeEngine(transaction, llms, { found, now })
  await store.freeze(transaction, { id, version, now }, engineVersion)
  return engineVersion
}

interface FreezingStore {
  freeze(
    transaction: Transaction,
    target: { id: string; version: number; now: number },
    engineVersion: number | null,
  ): Promise<void>
}

async function freezeEngine(
  transaction: Transaction,
  llms: LlmSource,
  { found, now }: { found: Versioned<AgentDefinition>; now: number },
): Promise<number | null> {
  const { engine } = found
  if (engine === null || kindOf(found.definition) !== 'llm') return engine?.version ?? null
  const llm = await llms.find(transaction, found.workspaceId, engine.id, engine.version ?? 'latest')
  if (llm === null) {
    throw new AppError('engine_unavailable', `The LLM "${engine.id}" of agent "${found.id}" does not exist any more.`)
  }
  await llms.freeze(transaction, { id: llm.id, version: llm.version, now })
  return llm.version
}
