import type { ErrorDetail } from '@parley/contract/errors'
import type { ResolveModel } from '@parley/engine/ports'
import { AppError } from '../../kernel/errors.ts'
import type { Reader } from '../../kernel/storage/database.ts'
import type { ModelDirectory, StoredEngineKind } from '../engines/public.ts'
import { type AgentContent, type AgentDefinition, getStoredEngineKind } from './agent-definition.ts'
import type { NamedVoices } from './agent-kind.ts'
import type { Engines, VoiceCatalog } from './agent-ports.ts'
import type { PinnedAgent } from './pinned-agent.ts'

/** Display name of each engine kind and the body field that contains the engine's id. */
export const ENGINE_NAMES: Readonly<Record<StoredEngineKind, { readonly what: string; readonly path: string }>> = {
  llm: { what: 'LLM', path: 'response_engine.llm_id' },
  'conversation-flow': { what: 'conversation flow', path: 'response_engine.conversation_flow_id' },
}

/** Returns the problems with the engine in a body, or an empty list if the engine is valid. */
export async function checkEngine(
  reader: Reader,
  engines: Engines,
  { workspaceId, content }: { workspaceId: number; content: AgentContent },
): Promise<ErrorDetail[]> {
  const { engine, definition } = content
  const kind = getStoredEngineKind(definition)
  if (engine === null || kind === null) return []
  const source = engines[kind]
  if ((await source.find(reader, workspaceId, engine.id, engine.version ?? 'latest')) !== null) return []
  const { what, path } = ENGINE_NAMES[kind]
  const exists = engine.version !== null && (await source.find(reader, workspaceId, engine.id, 'latest')) !== null
  return exists
    ? [{ path: 'response_engine.version', message: `the ${what} "${engine.id}" has no version ${engine.version}` }]
    : [{ path, message: `no ${what} "${engine.id}" exists in this workspace` }]
}

/** Returns warnings about stored settings that cannot work at the moment. */
export function findFallbackModelWarnings(definition: AgentDefinition, models: ModelDirectory): string[] {
  const warnings: string[] = []
  for (const model of definition.fallback_models) {
    if (models.resolve(model) !== null) continue
    const configured = models.configured().join(', ')
    warnings.push(`No configured provider serves the fallback model "${model}". Configured: ${configured}.`)
  }
  return warnings
}

/**
 * Validates a body's voices together with the stored voices. Each given voice must be in the catalog. Fallback voices
 * must come from other vendors than the main voice, so that they do not fail together.
 */
export async function checkVoices(
  voices: VoiceCatalog,
  workspaceId: number,
  { given: changes, stored }: { readonly given: NamedVoices; readonly stored: NamedVoices },
): Promise<ErrorDetail[]> {
  const voiceId = changes.voice_id ?? stored.voice_id
  const fallbackVoiceIds = changes.fallback_voice_ids ?? stored.fallback_voice_ids ?? []
  if (changes.voice_id === undefined && changes.fallback_voice_ids === undefined) return []
  const findVendor = async (id: string | undefined): Promise<string | null> =>
    id !== undefined && (await voices.has(workspaceId, id))
      ? ((await voices.get(workspaceId, id)).provider ?? '')
      : null

  const mainVendor = await findVendor(voiceId)
  const problems: ErrorDetail[] = []
  if (mainVendor === null && changes.voice_id !== undefined)
    problems.push(buildUnknownVoiceProblem('voice_id', changes.voice_id))
  for (const [index, id] of fallbackVoiceIds.entries()) {
    const path = `fallback_voice_ids[${index}]`
    const provider = await findVendor(id)
    // A stored voice that was deleted later is not an error in this body.
    if (provider === null && changes.fallback_voice_ids !== undefined) problems.push(buildUnknownVoiceProblem(path, id))
    if (provider !== null && provider === mainVendor) problems.push({ path, message: SAME_VENDOR })
  }
  return problems
}

const SAME_VENDOR = 'must be a voice from another provider than voice_id'

function buildUnknownVoiceProblem(path: string, voiceId: string): ErrorDetail {
  return { path, message: `no voice "${voiceId}" exists in this workspace` }
}

/** The models that a workspace can use now. */
export interface UsableModels {
  readonly resolve: ResolveModel
  /** Lists the usable models for error messages. */
  configured(): readonly string[]
}

/** Throws `model_not_configured` if none of the agent's models is usable. */
export function checkModels({ engine, fallbackModels }: PinnedAgent, models: UsableModels): void {
  if (engine.kind === 'custom-llm') return
  if ([engine.model, ...fallbackModels].some((name) => models.resolve(name) !== null)) return
  const configured = models.configured().join(', ')
  throw new AppError(
    'model_not_configured',
    `No configured provider serves the model "${engine.model}". Configured: ${configured}.`,
  )
}
