import type { BatchStatement, Database } from '../../kernel/storage/database.ts'
import type { ToolVault } from './tool-vault.ts'

interface EncryptStoredToolsDependencies {
  readonly database: Pick<Database, 'read' | 'queryBuilder' | 'batch'>
  readonly vault: Pick<ToolVault, 'encrypt'>
}

/** Marks an installation whose tool secrets are all encrypted. Missing after an older backup is restored. */
const MARKER_NAME = 'tool_secrets_sealed'
const BATCH_SIZE = 50

/**
 * Encrypts the secrets that earlier versions stored as plain text, including secrets in frozen versions. Can be interrupted and
 * repeated.
 */
export async function encryptStoredTools({ database, vault }: EncryptStoredToolsDependencies): Promise<void> {
  const { read, queryBuilder } = database
  const marker = await read.selectFrom('installation').select('name').where('name', '=', MARKER_NAME).executeTakeFirst()
  if (marker !== undefined) return
  for (const readBatch of [readVersions, readComponents, readVersionComponents]) {
    let lastKey: StoredRow['key'] | null = null
    do {
      const rows: readonly StoredRow[] = await readBatch(database, lastKey)
      const statements = rows.flatMap((row) => encryptRow(row, vault))
      if (statements.length > 0) await database.batch(statements)
      lastKey = rows.at(-1)?.key ?? null
    } while (lastKey !== null)
  }
  const query = queryBuilder.insertInto('installation').values({ name: MARKER_NAME, value: '1' })
  await database.batch([{ query: query.onConflict((conflict) => conflict.column('name').doNothing()).compile() }])
}

interface StoredRow {
  readonly key: { readonly id: string; readonly version: number; readonly componentId: string }
  readonly workspaceId: number
  readonly definition: string
  readonly buildUpdate: (definition: string) => BatchStatement
}

function encryptRow(
  { workspaceId, definition, buildUpdate }: StoredRow,
  vault: EncryptStoredToolsDependencies['vault'],
) {
  const original = JSON.parse(definition) as object
  const encrypted = JSON.stringify(vault.encrypt(original, { workspaceId, storedDefinitions: [original] }))
  return encrypted === JSON.stringify(original) ? [] : [buildUpdate(encrypted)]
}

type ReadBatch = (
  database: Pick<Database, 'read' | 'queryBuilder'>,
  after: StoredRow['key'] | null,
) => Promise<readonly StoredRow[]>

const readVersions: ReadBatch = async ({ read, queryBuilder }, after) => {
  const rows = await read
    .selectFrom('resource_versions')
    .innerJoin('resources', 'resources.resource_id', 'resource_versions.resource_id')
    .select(['resource_versions.resource_id', 'version', 'definition', 'workspace_id'])
    .where('resources.kind', 'in', ['llm', 'conversation-flow'])
    .where(({ eb, and, or }) =>
      or([
        eb('resource_versions.resource_id', '>', after?.id ?? ''),
        and([eb('resource_versions.resource_id', '=', after?.id ?? ''), eb('version', '>', after?.version ?? 0)]),
      ]),
    )
    .orderBy('resource_versions.resource_id')
    .orderBy('version')
    .limit(BATCH_SIZE)
    .execute()
  return rows.map(({ resource_id: id, version, definition, workspace_id: workspaceId }) => ({
    key: { id, version, componentId: '' },
    workspaceId,
    definition,
    buildUpdate: (encryptedDefinition) => ({
      query: queryBuilder
        .updateTable('resource_versions')
        .set({ definition: encryptedDefinition })
        .where('resource_id', '=', id)
        .where('version', '=', version)
        .where('definition', '=', definition)
        .compile(),
    }),
  }))
}

const readComponents: ReadBatch = async ({ read, queryBuilder }, after) => {
  const rows = await read
    .selectFrom('flow_components')
    .select(['flow_component_id', 'definition', 'workspace_id'])
    .where('flow_component_id', '>', after?.id ?? '')
    .orderBy('flow_component_id')
    .limit(BATCH_SIZE)
    .execute()
  return rows.map(({ flow_component_id: id, definition, workspace_id: workspaceId }) => ({
    key: { id, version: 0, componentId: '' },
    workspaceId,
    definition,
    buildUpdate: (encryptedDefinition) => ({
      query: queryBuilder
        .updateTable('flow_components')
        .set({ definition: encryptedDefinition })
        .where('flow_component_id', '=', id)
        .where('definition', '=', definition)
        .compile(),
    }),
  }))
}

const readVersionComponents: ReadBatch = async ({ read, queryBuilder }, after) => {
  const { id: lastId = '', version: lastVersion = 0, componentId: lastComponent = '' } = after ?? {}
  const rows = await read
    .selectFrom('flow_version_components as used')
    .innerJoin('resources', 'resources.resource_id', 'used.resource_id')
    .select(['used.resource_id', 'used.version', 'flow_component_id', 'definition', 'workspace_id'])
    .where(({ eb, and, or }) =>
      or([
        eb('used.resource_id', '>', lastId),
        and([eb('used.resource_id', '=', lastId), eb('used.version', '>', lastVersion)]),
        and([
          eb('used.resource_id', '=', lastId),
          eb('used.version', '=', lastVersion),
          eb('flow_component_id', '>', lastComponent),
        ]),
      ]),
    )
    .orderBy('used.resource_id')
    .orderBy('used.version')
    .orderBy('flow_component_id')
    .limit(BATCH_SIZE)
    .execute()
  return rows.map(({ resource_id: id, version, flow_component_id: componentId, definition, workspace_id }) => ({
    key: { id, version, componentId },
    workspaceId: workspace_id,
    definition,
    buildUpdate: (encryptedDefinition) => ({
      query: queryBuilder
        .updateTable('flow_version_components')
        .set({ definition: encryptedDefinition })
        .where('resource_id', '=', id)
        .where('version', '=', version)
        .where('flow_component_id', '=', componentId)
        .where('definition', '=', definition)
        .compile(),
    }),
  }))
}
