import { AppError } from '../../kernel/errors.ts'
import type { Transaction } from '../../kernel/storage/database.ts'
import type { Versioned, VersionStore } from '../../kernel/versions/version-store.ts'
import { type AgentDefinition, storedEngineKindOf } from './agent-definition.ts'
import { agentName } from './agent-kind.ts'
import type { Engines } from './agent-ports.ts'
import { ENGINE_WORDS } from './engine-check.ts'

/**
 * Freezes a version together with the engine version that it resolves to and records that, so that it means one engine version
 * from now on. Answers the engine's version; `null` for engines that are not ours.
 */
export async function freezeAgent<Definition extends AgentDefinition>(
  transaction: Transaction,
  { store, engines }: { store: Pick<VersionStore<Definition>, 'freeze'>; engines: Engines },
  { found, now }: { found: Versioned<Definition>; now: number },
): Promise<number | null> {
  const { id, version, engine } = found
  if (found.frozen) return engine?.version ?? null
  const engineVersion = await freezeEngine(transaction, engines, { found, now })
  await store.freeze(transaction, { id, version, now }, engineVersion)
  return engineVersion
}

async function freezeEngine(
  transaction: Transaction,
  engines: Engines,
  { found, now }: { found: Versioned<AgentDefinition>; now: number },
): Promise<number | null> {
  const { engine } = found
  const kind = storedEngineKindOf(found.definition)
  if (engine === null || kind === null) return null
  const current = await engines[kind].find(transaction, found.workspaceId, engine.id, engine.version ?? 'latest')
  if (current === null) {
    const { what, id } = agentName(found.id)
    throw new AppError(
      'engine_unavailable',
      `The ${ENGINE_WORDS[kind].what} "${engine.id}" of ${what} "${id}" does not exist any more.`,
    )
  }
  await engines[kind].freeze(transaction, { id: current.id, version: current.version, now })
  return current.version
}
