import { missingVersion } from '../../kernel/api/edits.ts'
import type { Reader, Transaction } from '../../kernel/storage/database.ts'
import { agentName } from './agent-kind.ts'
import type { Engines } from './agent-ports.ts'
import { findAgentNames, findVersions, versionsOf } from './agent-store.ts'
import { freezeAgent } from './freeze-agent.ts'

/** Bounds the parameters of one query. */
const BATCH_SIZE = 250

type Reference = Parameters<AgentBinding['findAgents']>[2][number]
type Found = { readonly name: string; readonly versions: Set<number> }

/** How other resources point at agents of either kind. */
export function createAgentBinding({ engines }: { readonly engines: Engines }): AgentBinding {
  return {
    async findAgents(reader, workspaceId, references) {
      const found = new Map<string, Found>()
      for (let start = 0; start < references.length; start += BATCH_SIZE) {
        await addAgents(found, { reader, workspaceId }, references.slice(start, start + BATCH_SIZE))
      }
      return found
    },

    async freezeVersion(transaction, { workspaceId, agentId, version, now }) {
      const store = versionsOf(agentId)
      const found = await store.find(transaction, workspaceId, agentId, version)
      if (found === null) throw missingVersion(agentName(agentId), version)
      await freezeAgent(transaction, { store, engines }, { found, now })
    },
  }
}

async function addAgents(
  found: Map<string, Found>,
  { reader, workspaceId }: { readonly reader: Reader; readonly workspaceId: number },
  references: readonly Reference[],
): Promise<void> {
  const ids = [...new Set(references.map(({ agentId }) => agentId))]
  const names = await findAgentNames(reader, workspaceId, ids)
  if (names.size === 0) return
  for (const [id, name] of names) if (!found.has(id)) found.set(id, { name, versions: new Set() })
  const versionKeys = new Set(references.map(({ agentId, version }) => `${agentId}@${version}`))
  const versions = [...new Set(references.flatMap(({ version }) => version ?? []))]
  for (const { id, version } of await findVersions(reader, [...names.keys()], versions)) {
    if (versionKeys.has(`${id}@${version}`)) found.get(id)?.versions.add(version)
  }
}

/** How other resources (numbers, widgets) point at agents and chat agents; implemented by the agents feature. */
export interface AgentBinding {
  /**
   * Names and versions of the agents that exist in the workspace; those that do not are missing from the answer.
   * `versions` holds only what was asked for and exists.
   */
  findAgents(
    reader: Reader,
    workspaceId: number,
    references: readonly { readonly agentId: string; readonly version: number | null }[],
  ): Promise<ReadonlyMap<string, { readonly name: string; readonly versions: ReadonlySet<number> }>>
  /** Freezes a version, because something names it, together with the engine version it resolves to. */
  freezeVersion(
    transaction: Transaction,
    target: { readonly workspaceId: number; readonly agentId: string; readonly version: number; readonly now: number },
  ): Promise<void>
}
