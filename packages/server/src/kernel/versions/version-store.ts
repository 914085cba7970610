import type { VersionSelector } from '@parley/contract/fields'
import { sql } from 'kysely'
import type { ResourceRow, ResourceVersionRow } from '../../tables/resource-tables.ts'
import { type Page, type PageRequest, readNewest } from '../api/paging.ts'
import type { BatchStatement, Database, Reader, Transaction } from '../storage/database.ts'
import { type CreatePlaceholder, prepareQuery, prepareStatement } from '../storage/prepared-query.ts'

/** Kinds of versioned resources. */
export type ResourceKind = 'llm' | 'conversation-flow' | 'agent' | 'chat-agent'

/** A version of a resource without its content. */
export interface VersionMetadata {
  readonly id: string
  readonly workspaceId: number
  readonly version: number
  readonly newestVersion: number
  readonly pinnedVersion: number | null
  /**
   * Version used by new conversations: the pinned version, otherwise the highest published version, otherwise the latest
   * version.
   */
  readonly activeVersion: number
  readonly editCount: number
  readonly frozen: boolean
  readonly published: boolean
  readonly title: string | null
  readonly description: string | null
  /** Creation time of the resource. */
  readonly createdAt: number
  /** Time of the latest change to this version. */
  readonly updatedAt: number
}

/** A version of a resource with its content. */
export interface Versioned<Definition> extends VersionMetadata {
  readonly definition: Definition
  readonly engine: EngineReference | null
}

/** The engine of an agent version. `version` is null while the agent follows the latest engine version. */
export interface EngineReference {
  readonly id: string
  readonly version: number | null
  readonly pinned: boolean
}

/** Content that an edit writes. */
export interface VersionContent<Definition> {
  readonly definition: Definition
  readonly engine?: EngineReference | null
}

export interface Publication {
  readonly title?: string | null | undefined
  readonly description?: string | null | undefined
}

type VersionMetadataRow = ResourceRow &
  Pick<ResourceVersionRow, 'version' | 'frozen_at' | 'published_at' | 'version_title' | 'version_description'> & {
    resolved_version: number
    version_updated_at: number
  }
type VersionRow = VersionMetadataRow &
  Pick<ResourceVersionRow, 'definition' | 'engine_id' | 'engine_version' | 'engine_pinned'>

/** Stores the versions of one kind of resource. Every write except freezing counts as an edit. */
export class VersionStore<Definition> {
  readonly #kind: ResourceKind

  constructor(kind: ResourceKind) {
    this.#kind = kind
  }

  /** Returns the selected version, or null if the resource or version does not exist in the workspace. */
  async find(
    reader: Reader,
    workspaceId: number,
    id: string,
    selector: VersionSelector,
  ): Promise<Versioned<Definition> | null> {
    const lookup = { kind: this.#kind, workspaceId, id }
    const [row] = await (typeof selector === 'number'
      ? findVersionByNumber(reader, { ...lookup, version: selector })
      : (selector === 'active' ? findActiveVersion : findNewestVersion)(reader, lookup))
    return row === undefined ? null : toVersioned(row)
  }

  /** Returns the latest version of each resource, newest resource first. */
  async list(reader: Reader, workspaceId: number, page: PageRequest): Promise<Page<Versioned<Definition>>> {
    const query = selectVersions(reader)
      .where('resources.kind', '=', this.#kind)
      .where('resources.workspace_id', '=', workspaceId)
      .where('resource_versions.version', '=', newestVersion)
    const columns = ['resources.created_at', 'resources.resource_id'] as const
    return await readNewest(query, page, columns, (row) => toVersioned<Definition>(row))
  }

  /** Returns all versions of a resource, newest first. Returns an empty list if the resource does not exist. */
  async listVersions(reader: Reader, workspaceId: number, id: string): Promise<readonly VersionMetadata[]> {
    const rows = await selectVersionMetadata(reader)
      .where('resources.kind', '=', this.#kind)
      .where('resources.resource_id', '=', id)
      .where('resources.workspace_id', '=', workspaceId)
      .orderBy('resource_versions.version', 'desc')
      .execute()
    return rows.map(toVersionMetadata)
  }

  async insert(
    transaction: Transaction,
    resource: { id: string; workspaceId: number; now: number },
    content: VersionContent<Definition>,
  ): Promise<void> {
    const { id, workspaceId, now } = resource
    const resourceInsert = transaction
      .insertInto('resources')
      .values({
        resource_id: id,
        kind: this.#kind,
        workspace_id: workspaceId,
        newest_version: 1,
        active_version: null,
        edit_count: 1,
        created_at: now,
        updated_at: now,
      })
      .execute()
    // The database writer preserves the order of the two statements.
    await Promise.all([resourceInsert, insertVersion(transaction, { id, version: 1, now }, content)])
  }

  /** Overwrites an unused draft. */
  async updateDraft(
    transaction: Transaction,
    target: VersionTarget,
    content: VersionContent<Definition>,
  ): Promise<void> {
    // Every write locks the resource first, which avoids deadlocks on PostgreSQL.
    await Promise.all([
      recordEdit(transaction, target),
      rewriteVersion(transaction, { ...target, ...toContentColumns(content) }),
    ])
  }

  /**
   * Builds batch statements that store the draft after `edits` edits. They conflict if the draft was used or the edit
   * count is not `editCount`.
   */
  buildDraftStatements(
    database: Pick<Database, 'queryBuilder'>,
    target: VersionTarget & { readonly editCount: number; readonly edits: number },
    content: VersionContent<Definition>,
  ): readonly BatchStatement[] {
    const { id, version, now, editCount, edits } = target
    return [
      { query: addEditsIfUnchanged(database, { id, now, editCount, edits }), expectRows: 1 },
      { query: rewriteDraft(database, { id, version, now, ...toContentColumns(content) }), expectRows: 1 },
    ]
  }

  /** Inserts the next version, which becomes the latest. */
  async insertNext(
    transaction: Transaction,
    target: VersionTarget,
    content: VersionContent<Definition>,
  ): Promise<void> {
    await Promise.all([
      insertVersion(transaction, target, content),
      recordEdit(transaction, target, { newest_version: target.version }),
    ])
  }

  /** Freezes a version. For an agent, also records the resolved engine version. */
  async freeze(transaction: Transaction, target: VersionTarget, engineVersion: number | null): Promise<void> {
    await transaction
      .updateTable('resource_versions')
      .set({ frozen_at: target.now, ...(engineVersion !== null && { engine_version: engineVersion }) })
      .where('resource_id', '=', target.id)
      .where('version', '=', target.version)
      .where('frozen_at', 'is', null)
      .execute()
  }

  async publish(transaction: Transaction, target: VersionTarget, publication: Publication): Promise<void> {
    await recordEdit(transaction, target)
    await transaction
      .updateTable('resource_versions')
      .set((builder) => ({
        published_at: builder.fn.coalesce('published_at', sql.lit(target.now)),
        ...(publication.title !== undefined && { version_title: publication.title }),
        ...(publication.description !== undefined && { version_description: publication.description }),
        updated_at: target.now,
      }))
      .where('resource_id', '=', target.id)
      .where('version', '=', target.version)
      .execute()
  }

  async activate(transaction: Transaction, target: { id: string; version: number | null; now: number }): Promise<void> {
    await recordEdit(transaction, target, { active_version: target.version })
  }

  /** Removes the resource and all its versions. */
  async remove(transaction: Transaction, id: string): Promise<void> {
    await transaction.deleteFrom('resource_versions').where('resource_id', '=', id).execute()
    await transaction.deleteFrom('resources').where('resource_id', '=', id).execute()
  }
}

export interface VersionTarget {
  readonly id: string
  readonly version: number
  readonly now: number
}

const newestVersion = sql<number>`resources.newest_version`
/** SQL expression over `resources` for the version that new conversations use. */
export const activeVersion = sql<number>`coalesce(
  resources.active_version,
  (select max(published.version) from resource_versions as published
    where published.resource_id = resources.resource_id and published.published_at is not null),
  resources.newest_version
)`

/** Selects the latest versions of all resources of the given kinds in a workspace. */
export function selectLatestVersions(reader: Reader, kinds: readonly ResourceKind[], workspaceId: number) {
  return reader
    .selectFrom('resources')
    .innerJoin('resource_versions', (join) =>
      join
        .onRef('resource_versions.resource_id', '=', 'resources.resource_id')
        .onRef('resource_versions.version', '=', 'resources.newest_version'),
    )
    .where('resources.kind', 'in', kinds)
    .where('resources.workspace_id', '=', workspaceId)
}

function selectVersionMetadata(reader: Reader) {
  return reader
    .selectFrom('resources')
    .innerJoin('resource_versions', 'resource_versions.resource_id', 'resources.resource_id')
    .selectAll('resources')
    .select([
      'resource_versions.version',
      'resource_versions.frozen_at',
      'resource_versions.published_at',
      'resource_versions.version_title',
      'resource_versions.version_description',
      'resource_versions.updated_at as version_updated_at',
      activeVersion.as('resolved_version'),
    ])
}

function selectVersions(reader: Reader) {
  return selectVersionMetadata(reader).select([
    'resource_versions.definition',
    'resource_versions.engine_id',
    'resource_versions.engine_version',
    'resource_versions.engine_pinned',
  ])
}

interface ResourceLookup {
  readonly kind: ResourceKind
  readonly workspaceId: number
  readonly id: string
}

function prepareVersionQuery<Lookup extends ResourceLookup>(
  getVersion: (param: CreatePlaceholder<Lookup>) => number | typeof newestVersion,
): (reader: Reader, lookup: Lookup) => Promise<VersionRow[]> {
  return prepareQuery<Lookup, VersionRow>((reader, param) =>
    selectVersions(reader)
      .where('resources.resource_id', '=', param('id'))
      .where('resources.workspace_id', '=', param('workspaceId'))
      .where('resources.kind', '=', param('kind'))
      .where('resource_versions.version', '=', getVersion(param)),
  )
}

const findActiveVersion = prepareVersionQuery<ResourceLookup>(() => activeVersion)
const findNewestVersion = prepareVersionQuery<ResourceLookup>(() => newestVersion)
const findVersionByNumber = prepareVersionQuery<ResourceLookup & { readonly version: number }>((param) =>
  param('version'),
)

type VersionRewrite = VersionTarget & ReturnType<typeof toContentColumns>

const updateContent = (writer: Reader, param: CreatePlaceholder<VersionRewrite>) =>
  writer
    .updateTable('resource_versions')
    .set({
      definition: param('definition'),
      engine_id: param('engine_id'),
      engine_version: param('engine_version'),
      engine_pinned: param('engine_pinned'),
      updated_at: param('now'),
    })
    .where('resource_id', '=', param('id'))
    .where('version', '=', param('version'))

const rewriteVersion = prepareQuery<VersionRewrite, unknown>(updateContent)

const rewriteDraft = prepareStatement<VersionRewrite>((queryBuilder, param) =>
  updateContent(queryBuilder, param).where('frozen_at', 'is', null),
)

const addEditsIfUnchanged = prepareStatement<{ id: string; now: number; editCount: number; edits: number }>(
  (queryBuilder, param) =>
    queryBuilder
      .updateTable('resources')
      .set((builder) => ({ edit_count: builder('edit_count', '+', param('edits')), updated_at: param('now') }))
      .where('resource_id', '=', param('id'))
      .where('edit_count', '=', param('editCount')),
)

function toContentColumns<Definition>(content: VersionContent<Definition>) {
  const engine = content.engine ?? null
  return {
    definition: JSON.stringify(content.definition),
    engine_id: engine?.id ?? null,
    engine_version: engine?.version ?? null,
    engine_pinned: engine?.pinned === true ? (1 as const) : (0 as const),
  }
}

async function insertVersion<Definition>(
  transaction: Transaction,
  target: VersionTarget,
  content: VersionContent<Definition>,
): Promise<void> {
  await transaction
    .insertInto('resource_versions')
    .values({
      resource_id: target.id,
      version: target.version,
      ...toContentColumns(content),
      frozen_at: null,
      published_at: null,
      version_title: null,
      version_description: null,
      created_at: target.now,
      updated_at: target.now,
    })
    .execute()
}

const incrementEditCount = prepareQuery<{ id: string; now: number }, unknown>((transaction, param) =>
  transaction
    .updateTable('resources')
    .set((builder) => ({ edit_count: builder('edit_count', '+', 1), updated_at: param('now') }))
    .where('resource_id', '=', param('id')),
)

async function recordEdit(
  transaction: Transaction,
  target: { id: string; now: number },
  changes?: { newest_version?: number; active_version?: number | null },
): Promise<void> {
  if (changes === undefined) {
    await incrementEditCount(transaction, target)
    return
  }
  await transaction
    .updateTable('resources')
    .set((builder) => ({ ...changes, edit_count: builder('edit_count', '+', 1), updated_at: target.now }))
    .where('resource_id', '=', target.id)
    .execute()
}

function toVersionMetadata(row: VersionMetadataRow): VersionMetadata {
  return {
    id: row.resource_id,
    workspaceId: row.workspace_id,
    version: row.version,
    newestVersion: row.newest_version,
    pinnedVersion: row.active_version,
    activeVersion: row.resolved_version,
    editCount: row.edit_count,
    frozen: row.frozen_at !== null,
    published: row.published_at !== null,
    title: row.version_title,
    description: row.version_description,
    createdAt: row.created_at,
    updatedAt: row.version_updated_at,
  }
}

function toVersioned<Definition>(row: VersionRow): Versioned<Definition> {
  return {
    ...toVersionMetadata(row),
    definition: JSON.parse(row.definition) as Definition,
    engine:
      row.engine_id === null
        ? null
        : { id: row.engine_id, version: row.engine_version, pinned: row.engine_pinned === 1 },
  }
}
