import { sql } from 'kysely'
import type { ResourceUser } from '../../kernel/errors.ts'
import type { Reader } from '../../kernel/storage/database.ts'
import {
  activeVersion,
  type EngineReference,
  selectLatestVersions,
  VersionStore,
} from '../../kernel/versions/version-store.ts'
import type { ResourceVersionRow } from '../../tables/resource-tables.ts'
import type { AgentDefinition, VoiceAgentDefinition } from './agent-definition.ts'
import { AGENT_RESOURCES, type AgentResource, getAgentResource } from './agent-kind.ts'

const stores: Readonly<Record<AgentResource, VersionStore<AgentDefinition>>> = {
  agent: new VersionStore('agent'),
  'chat-agent': new VersionStore('chat-agent'),
}

/** Returns the version store for the agent's kind. */
export function getAgentVersionStore(agentId: string): VersionStore<AgentDefinition> {
  return stores[getAgentResource(agentId)]
}

/** An agent's newest version and the number of the version that new conversations use. */
export interface AgentOnEngine {
  readonly id: string
  readonly newestVersion: number
  readonly activeVersion: number
  readonly activatedVersion: number | null
  readonly frozen: boolean
  readonly published: boolean
  readonly definition: AgentDefinition
  readonly engine: EngineReference | null
}

/** Builds a query for the newest and active versions of a workspace's agents of both kinds. */
function selectNewestAndActive(reader: Reader, workspaceId: number) {
  return reader
    .selectFrom('resources')
    .innerJoin('resource_versions as newest', (join) =>
      join
        .onRef('newest.resource_id', '=', 'resources.resource_id')
        .onRef('newest.version', '=', 'resources.newest_version'),
    )
    .innerJoin('resource_versions as active', (join) =>
      join.onRef('active.resource_id', '=', 'resources.resource_id').on('active.version', '=', activeVersion),
    )
    .where('resources.kind', 'in', AGENT_RESOURCES)
    .where('resources.workspace_id', '=', workspaceId)
    .orderBy('resources.created_at')
    .orderBy('resources.resource_id')
}

/** Finds the agents in a workspace whose newest or active version runs on the engine, oldest first. */
export async function findAgentsOnEngine(
  reader: Reader,
  workspaceId: number,
  engineId: string,
): Promise<readonly AgentOnEngine[]> {
  const rows = await selectNewestAndActive(reader, workspaceId)
    .select([
      'resources.resource_id',
      'resources.active_version',
      'newest.version as newest_version',
      'active.version as resolved_version',
      'newest.frozen_at',
      'newest.published_at',
      'newest.definition',
      'newest.engine_id',
      'newest.engine_version',
      'newest.engine_pinned',
    ])
    // Narrows the search with the index on engines before both versions are compared.
    .where('resources.resource_id', 'in', (select) =>
      select.selectFrom('resource_versions').select('resource_id').where('engine_id', '=', engineId),
    )
    .where((where) => where.or([where('newest.engine_id', '=', engineId), where('active.engine_id', '=', engineId)]))
    .execute()
  return rows.map((row) => ({
    id: row.resource_id,
    newestVersion: row.newest_version,
    activeVersion: row.resolved_version,
    activatedVersion: row.active_version,
    frozen: row.frozen_at !== null,
    published: row.published_at !== null,
    definition: JSON.parse(row.definition) as AgentDefinition,
    engine: toEngineReference(row),
  }))
}

function toEngineReference({
  engine_id,
  engine_version,
  engine_pinned,
}: Pick<ResourceVersionRow, 'engine_id' | 'engine_version' | 'engine_pinned'>): EngineReference | null {
  return engine_id === null ? null : { id: engine_id, version: engine_version, pinned: engine_pinned === 1 }
}

/** Finds the agents in a workspace whose newest or active version uses the voice, oldest first. */
export async function findAgentsWithVoice(
  reader: Reader,
  workspaceId: number,
  voiceId: string,
): Promise<readonly ResourceUser[]> {
  const rows = await selectNewestAndActive(reader, workspaceId)
    .select(['resources.resource_id', 'newest.definition', 'active.definition as active_definition'])
    // Avoids parsing most definitions. The comparison below is exact.
    .where((where) =>
      where.or([
        buildMentionCondition('newest.definition', voiceId),
        buildMentionCondition('active.definition', voiceId),
      ]),
    )
    .execute()
  return rows.flatMap((row) => {
    const newest = JSON.parse(row.definition) as Partial<VoiceAgentDefinition>
    const active = JSON.parse(row.active_definition) as Partial<VoiceAgentDefinition>
    if (newest.voice_id !== voiceId && active.voice_id !== voiceId) return []
    return [{ id: row.resource_id, name: newest.agent_name ?? '' }]
  })
}

function buildMentionCondition(column: string, voiceId: string) {
  const pattern = `%${JSON.stringify(voiceId).replace(/[\\%_]/g, '\\$&')}%`
  return sql<boolean>`${sql.ref(column)} like ${pattern} escape '\\'`
}

/** Returns the names of existing agents in the workspace, by id. */
export async function findAgentNames(
  reader: Reader,
  workspaceId: number,
  agentIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await selectLatestVersions(reader, AGENT_RESOURCES, workspaceId)
    .select(['resources.resource_id', 'resource_versions.definition'])
    .where('resources.resource_id', 'in', agentIds)
    .execute()
  return new Map(rows.map((row) => [row.resource_id, (JSON.parse(row.definition) as AgentDefinition).agent_name]))
}

/** Finds the existing versions of agents. */
export async function findVersions(
  reader: Reader,
  agentIds: readonly string[],
  versions: readonly number[],
): Promise<readonly { readonly id: string; readonly version: number }[]> {
  if (versions.length === 0) return []
  const rows = await reader
    .selectFrom('resource_versions')
    .select(['resource_id', 'version'])
    .where('resource_id', 'in', agentIds)
    .where('version', 'in', versions)
    .execute()
  return rows.map((row) => ({ id: row.resource_id, version: row.version }))
}
