import type { Database, Reader } from '../../../kernel/storage/database.ts'
import { prepareQuery } from '../../../kernel/storage/prepared-query.ts'
import type { SourceGeneration } from './indexed-base.ts'

/** A source with searchable passages. */
export interface LiveSource extends SourceGeneration {
  readonly chunkCount: number
}

/** The location of a passage. */
export interface ChunkLocation extends SourceGeneration {
  readonly position: number
}

/** Reads data for retrieval. Statements are small, because the embedded database runs them on the main thread. */
export interface RetrievalStore {
  /** Returns the revisions of the knowledge bases that exist in the workspace. */
  readRevisions(workspaceId: number, knowledgeBaseIds: readonly string[]): Promise<ReadonlyMap<string, number>>
  /** Returns the revision, or null if the knowledge base does not exist. */
  readRevision(knowledgeBaseId: string): Promise<number | null>
  listLiveSources(knowledgeBaseId: string): Promise<readonly LiveSource[]>
  /** Reads all parts of the sources' prepared indexes, in order. Skips outdated generations. */
  readParts(sources: readonly SourceGeneration[]): Promise<readonly StoredPart[]>
  /** Reads one part of a large index. Returns null after the last part. */
  readPart(source: SourceGeneration, part: number): Promise<string | null>
  /** Reads the passages within a window of positions, with the title of their source. */
  readChunks(source: SourceGeneration, window: PositionWindow): Promise<readonly StoredChunk[]>
  hasVectors(knowledgeBaseId: string, model: string): Promise<boolean>
  /** Reads the vectors within a window of positions. Skips passages without a vector. */
  readVectors(request: VectorsRequest): Promise<readonly StoredVector[]>
  /** Reads the passages that have not changed since they were indexed. */
  readPassages(workspaceId: number, places: readonly ChunkLocation[]): Promise<readonly StoredPassage[]>
}

/** Positions from `from` (inclusive) to `to` (exclusive). */
export interface PositionWindow {
  readonly from: number
  readonly to: number
}

interface VectorsRequest {
  readonly knowledgeBaseId: string
  readonly model: string
  readonly sources: readonly SourceGeneration[]
  readonly window: PositionWindow
}

export interface StoredPart extends SourceGeneration {
  readonly content: string
}

interface StoredChunk {
  readonly position: number
  readonly title: string
  readonly headings: string
  readonly text: string
}

export interface StoredVector extends ChunkLocation {
  readonly vector: string
}

export interface StoredPassage extends ChunkLocation {
  readonly knowledgeBaseId: string
  readonly kind: string
  readonly title: string
  readonly filename: string
  readonly url: string | null
  readonly page: number | null
  readonly headings: string
  readonly text: string
}

/** Edit count of a hidden knowledge base that is being created or removed. */
const HIDDEN_EDIT_COUNT = 0

const selectRevision = prepareQuery<{ knowledgeBaseId: string }, { revision: number }>((reader, param) =>
  reader
    .selectFrom('knowledge_bases')
    .select('revision')
    .where('knowledge_base_id', '=', param('knowledgeBaseId'))
    .where('edit_count', '>', HIDDEN_EDIT_COUNT),
)

const selectPart = prepareQuery<SourceGeneration & { part: number }, { content: string }>((reader, param) =>
  reader
    .selectFrom('knowledge_index_parts')
    .select('content')
    .where('source_id', '=', param('sourceId'))
    .where('generation', '=', param('generation'))
    .where('part', '=', param('part')),
)

const selectAnyVector = prepareQuery<{ knowledgeBaseId: string; model: string }, { model: string }>((reader, param) =>
  reader
    .selectFrom('knowledge_vectors')
    .select('model')
    .where('knowledge_base_id', '=', param('knowledgeBaseId'))
    .where('model', '=', param('model'))
    .limit(1),
)

export function createRetrievalStore({ read }: Pick<Database, 'read'>): RetrievalStore {
  return {
    async readRevisions(workspaceId, knowledgeBaseIds) {
      const rows = await read
        .selectFrom('knowledge_bases')
        .select(['knowledge_base_id', 'revision'])
        .where('workspace_id', '=', workspaceId)
        .where('knowledge_base_id', 'in', knowledgeBaseIds)
        .where('edit_count', '>', HIDDEN_EDIT_COUNT)
        .execute()
      return new Map(rows.map(({ knowledge_base_id, revision }) => [knowledge_base_id, revision]))
    },

    async readRevision(knowledgeBaseId) {
      const [row] = await selectRevision(read, { knowledgeBaseId })
      return row?.revision ?? null
    },

    listLiveSources: (knowledgeBaseId) =>
      read
        .selectFrom('knowledge_sources')
        .select(['source_id as sourceId', 'generation', 'chunk_count as chunkCount'])
        .where('knowledge_base_id', '=', knowledgeBaseId)
        .where('generation', '>', 0)
        .execute(),

    readParts: (sources) =>
      read
        .selectFrom('knowledge_index_parts')
        .select(['source_id as sourceId', 'generation', 'content'])
        .where('source_id', 'in', getSourceIds(sources))
        .where('generation', 'in', getGenerations(sources))
        .orderBy('source_id')
        .orderBy('generation')
        .orderBy('part')
        .execute(),

    async readPart({ sourceId, generation }, part) {
      const [row] = await selectPart(read, { sourceId, generation, part })
      return row?.content ?? null
    },

    readChunks: (source, window) => readChunks(read, source, window),

    async hasVectors(knowledgeBaseId, model) {
      return (await selectAnyVector(read, { knowledgeBaseId, model })).length > 0
    },

    readVectors: (request) => readVectors(read, request),

    readPassages: (workspaceId, places) => readPassages(read, workspaceId, places),
  }
}

async function readChunks(
  read: Reader,
  { sourceId, generation }: SourceGeneration,
  { from, to }: PositionWindow,
): Promise<readonly StoredChunk[]> {
  const rows = await read
    .selectFrom('knowledge_chunks as c')
    .innerJoin('knowledge_sources as s', 's.source_id', 'c.source_id')
    .select(['c.position', 'c.headings', 'c.text', 's.title', 's.filename'])
    .where('c.source_id', '=', sourceId)
    .where('c.generation', '=', generation)
    .where('c.position', '>=', from)
    .where('c.position', '<', to)
    .orderBy('c.position')
    .execute()
  return rows.map(({ title, filename, ...chunk }) => ({ ...chunk, title: title || filename }))
}

function readVectors(
  read: Reader,
  { knowledgeBaseId, model, sources, window }: VectorsRequest,
): Promise<readonly StoredVector[]> {
  return read
    .selectFrom('knowledge_chunks as c')
    .innerJoin('knowledge_vectors as v', 'v.content_hash', 'c.content_hash')
    .select(['c.source_id as sourceId', 'c.generation', 'c.position', 'v.vector'])
    .where('v.knowledge_base_id', '=', knowledgeBaseId)
    .where('v.model', '=', model)
    .where('c.source_id', 'in', getSourceIds(sources))
    .where('c.generation', 'in', getGenerations(sources))
    .where('c.position', '>=', window.from)
    .where('c.position', '<', window.to)
    .execute()
}

function readPassages(
  read: Reader,
  workspaceId: number,
  places: readonly ChunkLocation[],
): Promise<readonly StoredPassage[]> {
  return read
    .selectFrom('knowledge_chunks as c')
    .innerJoin('knowledge_sources as s', (join) =>
      join.onRef('s.source_id', '=', 'c.source_id').onRef('s.generation', '=', 'c.generation'),
    )
    .select(['s.knowledge_base_id as knowledgeBaseId', 's.source_id as sourceId', 's.generation', 's.kind'])
    .select(['s.title', 's.filename', 's.url', 'c.position', 'c.page', 'c.headings', 'c.text'])
    .where('s.workspace_id', '=', workspaceId)
    .where(({ or, and, eb }) =>
      or(
        places.map(({ sourceId, generation, position }) =>
          and([eb('c.source_id', '=', sourceId), eb('c.generation', '=', generation), eb('c.position', '=', position)]),
        ),
      ),
    )
    .execute()
}

function getSourceIds(sources: readonly SourceGeneration[]): string[] {
  return sources.map(({ sourceId }) => sourceId)
}

function getGenerations(sources: readonly SourceGeneration[]): number[] {
  return [...new Set(sources.map(({ generation }) => generation))]
}
