import type { ErrorDetail } from '@parley/contract/errors'
import type { ResolveModel } from '@parley/engine/ports'
import { AppError } from '../../kernel/errors.ts'
import type { Reader } from '../../kernel/storage/database.ts'
import type { ModelDirectory, StoredEngineKind } from '../engines/public.ts'
import { type AgentContent, type AgentDefinition, getStoredEngineKind } from './agent-definition.ts'
import type { VoiceSelection } from './agent-kind.ts'
import type { Engines, VoiceCatalog } from './agent-ports.ts'
import type { PinnedAgent } from './pinned-agent.ts'

/** Display name of each engine kind and the body field that contains the engine's id. */
export const ENGINE_NAMES: Readonly<Record<StoredEngineKind, { readonly label: string; readonly path: string }>> = {
  llm: { label: 'LLM', path: 'response_engine.llm_id' },
  'conversation-flow': { label: 'conversation flow', path: 'response_engine.conversation_flow_id' },
}

/** Returns the problems with an agent's engine. */
export async function findEngineProblems(
  reader: Reader,
  engines: Engines,
  { workspaceId, content }: { workspaceId: number; content: AgentContent },
): Promise<ErrorDetail[]> {
  const { engine, definition } = content
  const kind = getStoredEngineKind(definition)
  if (engine === null || kind === null) return []
  const source = engines[kind]
  if ((await source.find(reader, workspaceId, engine.id, engine.version ?? 'latest')) !== null) return []
  const { label, path } = ENGINE_NAMES[kind]
  const engineExists = engine.version !== null && (await source.find(reader, workspaceId, engine.id, 'latest')) !== null
  return engineExists
    ? [{ path: 'response_engine.version', message: `the ${label} "${engine.id}" has no version ${engine.version}` }]
    : [{ path, message: `no ${label} "${engine.id}" exists in this workspace` }]
}

/** Returns warnings about fallback models that no configured provider serves. */
export function findFallbackModelWarnings(definition: AgentDefinition, models: ModelDirectory): string[] {
  const warnings: string[] = []
  for (const model of definition.fallback_models) {
    if (models.resolve(model) !== null) continue
    const configuredModels = models.listConfigured().join(', ')
    warnings.push(`No configured provider serves the fallback model "${model}". Configured: ${configuredModels}.`)
  }
  return warnings
}

/**
 * Returns problems with changed voices. Each changed voice must be in the catalog. Fallback voices must come from other vendors
 * than the main voice, so that they do not fail together.
 */
export async function checkVoices(
  voices: VoiceCatalog,
  workspaceId: number,
  { changes, stored }: { readonly changes: VoiceSelection; readonly stored: VoiceSelection },
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
    const vendor = await findVendor(id)
    // Ignores stored voices that were deleted.
    if (vendor === null && changes.fallback_voice_ids !== undefined) problems.push(buildUnknownVoiceProblem(path, id))
    if (vendor !== null && vendor === mainVendor) problems.push({ path, message: SAME_VENDOR })
  }
  return problems
}

const SAME_VENDOR = 'must be a voice from another provider than voice_id'

function buildUnknownVoiceProblem(path: string, voiceId: string): ErrorDetail {
  return { path, message: `no voice "${voiceId}" exists in this workspace` }
}

/** The models that a workspace can currently use. */
export interface UsableModels {
  readonly resolve: ResolveModel
  /** Lists the usable models for error messages. */
  listConfigured(): readonly string[]
}

/** Throws `model_not_configured` if none of the agent's models is usable. */
export function checkModels({ engine, fallbackModels }: PinnedAgent, models: UsableModels): void {
  if (engine.kind === 'custom-llm') return
  if ([engine.model, ...fallbackModels].some((name) => models.resolve(name) !== null)) return
  const configuredModels = models.listConfigured().join(', ')
  throw new AppError(
    'model_not_configured',
    `No configured provider serves the model "${engine.model}". Configured: ${configuredModels}.`,
  )
}
