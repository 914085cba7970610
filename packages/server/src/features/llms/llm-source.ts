import type { Reader } from '../../kernel/storage/database.ts'
import { createEngineSource, type EngineSource } from '../engines/public.ts'
import { completeLlm, type LlmDefinition } from './llm-definition.ts'

/** An LLM that an agent version references. A null `version` refers to the latest one. */
interface LlmReference {
  readonly id: string
  readonly version: number | null
}

/** Reads LLM configurations for other features, inside or outside of a transaction. */
export interface LlmSource extends EngineSource<LlmDefinition> {
  /** Returns the responsiveness of each reference with one query, or null for a missing LLM. */
  findResponsiveness(
    reader: Reader,
    workspaceId: number,
    references: readonly LlmReference[],
  ): Promise<readonly (string | null)[]>
}

export function createLlmSource(): LlmSource {
  const source = createEngineSource<LlmDefinition>('llm', completeLlm)
  return {
    ...source,
    async findResponsiveness(reader, workspaceId, references) {
      const [firstReference] = references
      if (firstReference === undefined || references.length > 1)
        return await readResponsiveness(reader, workspaceId, references)
      // Uses a precompiled query for a single reference, which is the common case.
      const version = await source.find(reader, workspaceId, firstReference.id, firstReference.version ?? 'latest')
      return [version?.definition.responsiveness ?? null]
    },
  }
}

async function readResponsiveness(
  reader: Reader,
  workspaceId: number,
  references: readonly LlmReference[],
): Promise<readonly (string | null)[]> {
  if (references.length === 0) return []
  const ids = [...new Set(references.map(({ id }) => id))]
  const versions = [...new Set(references.flatMap(({ version }) => version ?? []))]
  const rows = await reader
    .selectFrom('resources')
    .innerJoin('resource_versions', 'resource_versions.resource_id', 'resources.resource_id')
    .select([
      'resources.resource_id',
      'resources.newest_version',
      'resource_versions.version',
      'resource_versions.definition',
    ])
    .where('resources.kind', '=', 'llm')
    .where('resources.workspace_id', '=', workspaceId)
    .where('resources.resource_id', 'in', ids)
    .where((where) =>
      where.or([
        where('resource_versions.version', '=', where.ref('resources.newest_version')),
        ...(versions.length === 0 ? [] : [where('resource_versions.version', 'in', versions)]),
      ]),
    )
    .execute()
  const responsivenessByKey = new Map<string, string>()
  for (const row of rows) {
    const { responsiveness } = JSON.parse(row.definition) as LlmDefinition
    responsivenessByKey.set(`${row.resource_id}@${row.version}`, responsiveness)
    if (row.version === row.newest_version) responsivenessByKey.set(`${row.resource_id}@null`, responsiveness)
  }
  return references.map(({ id, version }) => responsivenessByKey.get(`${id}@${version}`) ?? null)
}
