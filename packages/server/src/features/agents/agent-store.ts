import type { Reader } from '../../kernel/database.ts'
import { activeVersion, type EngineReference } from '../../kernel/version-store.ts'
import type { AgentDefinition } from './agent-definition.ts'

/** An agent's newest version and which one new conversations use. */
export interface AgentOnEngine {
  readonly id: string
  readonly newestVersion: number
  readonly activeVersion: number
  readonly activePointer: number | null
  readonly frozen: boolean
  readonly published: boolean
  readonly definition: AgentDefinition
  readonly engine: EngineReference | null
}

/** The agents of a workspace whose newest or active version runs on the engine, oldest first. */
export async function findAgentsOnEngine(
  reader: Reader,
  workspaceId: number,
  engineId: string,
): Promise<readonly AgentOnEngine[]> {
  const rows = await reader
    .selectFrom('resources')
    .innerJoin('resource_versions as newest', (join) =>
      join
        .onRef('newest.resource_id', '=', 'resources.resource_id')
        .onRef('newest.version', '=', 'resources.newest_version'),
    )
    .innerJoin('resource_versions as active', (join) =>
      join.onRef('active.resource_id', '=', 'resources.resource_id').on('active.version', '=', activeVersion),
    )
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
    .where('resources.kind', '=', 'agent')
    .where('resources.workspace_id', '=', workspaceId)
    // The index on engines narrows the search before the two versions are looked at.
    .where('resources.resource_id', 'in', (select) =>
      select.selectFrom('resource_versions').select('resource_id').where('engine_id', '=', engineId),
    )
    .where((where) => where.or([where('newest.engine_id', '=', engineId), where('active.engine_id', '=', engineId)]))
    .orderBy('resources.created_at')
    .orderBy('resources.resource_id')
    .execute()
  return rows.map((row) => ({
    id: row.resource_id,
    newestVersion: row.newest_version,
    activeVersion: row.resolved_version,
    activePointer: row.active_version,
    frozen: row.frozen_at !== null,
    published: row.published_at !== null,
    definition: JSON.parse(row.definition) as AgentDefinition,
    engine:
      row.engine_id === null
        ? null
        : { id: row.engine_id, version: row.engine_version, pinned: row.engine_pinned === 1 },
  }))
}
