import { createMissingVersionError } from '../../kernel/api/edits.ts'
import { AppError } from '../../kernel/errors.ts'
import { splitIntoChunks } from '../../kernel/storage/chunks.ts'
import type { Reader, Transaction } from '../../kernel/storage/database.ts'
import type { Versioned, VersionStore } from '../../kernel/versions/version-store.ts'
import { ENGINE_NAMES } from './agent-checks.ts'
import { type AgentDefinition, getStoredEngineKind } from './agent-definition.ts'
import { toAgentResourceName } from './agent-kind.ts'
import type { Engines } from './agent-ports.ts'
import { findAgentNames, findVersions, getAgentVersionStore } from './agent-store.ts'

/** Maximum number of references per query. */
const BATCH_SIZE = 250

type Reference = Parameters<AgentBinding['findAgents']>[2][number]
type BoundAgent = { readonly name: string; readonly versions: Set<number> }

export function createAgentBinding({ engines }: { readonly engines: Engines }): AgentBinding {
  return {
    async findAgents(reader, workspaceId, references) {
      const agents = new Map<string, BoundAgent>()
      for (const batch of splitIntoChunks(references, BATCH_SIZE))
        await addAgents(agents, { reader, workspaceId }, batch)
      return agents
    },

    async freezeVersion(transaction, { workspaceId, agentId, version, now }) {
      const store = getAgentVersionStore(agentId)
      const agentVersion = await store.find(transaction, workspaceId, agentId, version)
      if (agentVersion === null) throw createMissingVersionError(toAgentResourceName(agentId), version)
      await freezeAgent(transaction, { store, engines }, { agentVersion, now })
    },
  }
}

async function addAgents(
  agents: Map<string, BoundAgent>,
  { reader, workspaceId }: { readonly reader: Reader; readonly workspaceId: number },
  references: readonly Reference[],
): Promise<void> {
  const ids = [...new Set(references.map(({ agentId }) => agentId))]
  const names = await findAgentNames(reader, workspaceId, ids)
  if (names.size === 0) return
  for (const [id, name] of names) if (!agents.has(id)) agents.set(id, { name, versions: new Set() })
  const versionKeys = new Set(references.map(({ agentId, version }) => `${agentId}@${version}`))
  const versions = [...new Set(references.flatMap(({ version }) => version ?? []))]
  for (const { id, version } of await findVersions(reader, [...names.keys()], versions)) {
    if (versionKeys.has(`${id}@${version}`)) agents.get(id)?.versions.add(version)
  }
}

/** Lets other resources, such as numbers and widgets, reference agents and chat agents. */
export interface AgentBinding {
  /**
   * Finds the agents that exist in the workspace, by id. `versions` contains only the requested versions that exist.
   */
  findAgents(
    reader: Reader,
    workspaceId: number,
    references: readonly { readonly agentId: string; readonly version: number | null }[],
  ): Promise<ReadonlyMap<string, { readonly name: string; readonly versions: ReadonlySet<number> }>>
  /** Freezes a referenced agent version together with its resolved engine version. */
  freezeVersion(
    transaction: Transaction,
    target: { readonly workspaceId: number; readonly agentId: string; readonly version: number; readonly now: number },
  ): Promise<void>
}

/**
 * Freezes an agent version together with its resolved engine version and permanently records the engine version. Returns the
 * engine version, or `null` for external engines.
 */
export async function freezeAgent<Definition extends AgentDefinition>(
  transaction: Transaction,
  { store, engines }: { store: Pick<VersionStore<Definition>, 'freeze'>; engines: Engines },
  { agentVersion, now }: { agentVersion: Versioned<Definition>; now: number },
): Promise<number | null> {
  const { id, version, engine } = agentVersion
  if (agentVersion.frozen) return engine?.version ?? null
  const engineVersion = await freezeEngine(transaction, engines, { found: agentVersion, now })
  await store.freeze(transaction, { id, version, now }, engineVersion)
  return engineVersion
}

async function freezeEngine(
  transaction: Transaction,
  engines: Engines,
  { found: agentVersion, now }: { found: Versioned<AgentDefinition>; now: number },
): Promise<number | null> {
  const { engine } = agentVersion
  const kind = getStoredEngineKind(agentVersion.definition)
  if (engine === null || kind === null) return null
  const current = await engines[kind].find(transaction, agentVersion.workspaceId, engine.id, engine.version ?? 'latest')
  if (current === null) {
    const { kind: resourceKind, id } = toAgentResourceName(agentVersion.id)
    throw new AppError(
      'engine_unavailable',
      `The ${ENGINE_NAMES[kind].label} "${engine.id}" of ${resourceKind} "${id}" no longer exists.`,
    )
  }
  await engines[kind].freeze(transaction, { id: current.id, version: current.version, now })
  return current.version
}
