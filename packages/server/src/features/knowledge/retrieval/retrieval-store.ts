import type { Database, Reader } from '../../../kernel/storage/database.ts'
import { prepareQuery } from '../../../kernel/storage/prepared-query.ts'
import type { SourceGeneration } from './segment-key.ts'

/** A source whose passages can be found. */
export interface LiveSource extends SourceGeneration {
  readonly chunkCount: number
}

/** A passage that a search has found. */
export interface ChunkLocation extends SourceGeneration {
  readonly position: number
}

/** What is read for retrieval. Every statement is small: they run on the main thread where the database is embedded. */
export interface RetrievalStore {
  /** Of those that exist in the workspace. */
  readRevisions(workspaceId: number, knowledgeBaseIds: readonly string[]): Promise<ReadonlyMap<string, number>>
  /** Null when it does not exist any more. */
  readRevision(knowledgeBaseId: string): Promise<number | null>
  listLive(knowledgeBaseId: string): Promise<readonly LiveSource[]>
  /** All parts of the prepared indexes of some sources, in order; those of a generation that is gone are missing. */
  readParts(sources: readonly SourceGeneration[]): Promise<readonly StoredPart[]>
  /** One part of a large one; null after the last. */
  readPart(source: SourceGeneration, part: number): Promise<string | null>
  /** Passages from a position on, with the title that they are indexed under. */
  readChunks(source: SourceGeneration, window: PositionWindow): Promise<readonly StoredChunk[]>
  hasVectors(knowledgeBaseId: string, model: string): Promise<boolean>
  /** Vectors of the passages within a window of positions; passages without one are missing. */
  readVectors(request: VectorsRequest): Promise<readonly StoredVector[]>
  /** Those of the places that still are what they were when they were indexed. */
  readPassages(workspaceId: number, places: readonly ChunkLocation[]): Promise<readonly StoredPassage[]>
}

/** From `from` up to, but not including, `to`. */
export interface PositionWindow {
  readonly from: number
  readonly to: number
}

export interface VectorsRequest {
  readonly knowledgeBaseId: string
  readonly model: string
  readonly sources: readonly SourceGeneration[]
  readonly window: PositionWindow
}

export interface StoredPart extends SourceGeneration {
  readonly content: string
}

export interface StoredChunk {
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

/** One without edits is on its way out: nobody sees it any more. */
const HIDDEN_EDIT_COUNT = 0

const revisionOf = prepareQuery<{ knowledgeBaseId: string }, { revision: number }>((reader, slot) =>
  reader
    .selectFrom('knowledge_bases')
    .select('revision')
    .where('knowledge_base_id', '=', slot('knowledgeBaseId'))
    .where('edit_count', '>', HIDDEN_EDIT_COUNT),
)

const partOf = prepareQuery<SourceGeneration & { part: number }, { content: string }>((reader, slot) =>
  reader
    .selectFrom('knowledge_index_parts')
    .select('content')
    .where('source_id', '=', slot('sourceId'))
    .where('generation', '=', slot('generation'))
    .where('part', '=', slot('part')),
)

const anyVector = prepareQuery<{ knowledgeBaseId: string; model: string }, { model: string }>((reader, slot) =>
  reader
    .selectFrom('knowledge_vectors')
    .select('model')
    .where('knowledge_base_id', '=', slot('knowledgeBaseId'))
    .where('model', '=', slot('model'))
    .limit(1),
)

/** Opens the store. */
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
      const [row] = await revisionOf(read, { knowledgeBaseId })
      return row?.revision ?? null
    },

    listLive: (knowledgeBaseId) =>
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
        .where('source_id', 'in', idsOf(sources))
        .where('generation', 'in', generationsOf(sources))
        .orderBy('source_id')
        .orderBy('generation')
        .orderBy('part')
        .execute(),

    async readPart({ sourceId, generation }, part) {
      const [row] = await partOf(read, { sourceId, generation, part })
      return row?.content ?? null
    },

    readChunks: (source, window) => readChunks(read, source, window),

    async hasVectors(knowledgeBaseId, model) {
      return (await anyVector(read, { knowledgeBaseId, model })).length > 0
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
    .where('c.source_id', 'in', idsOf(sources))
    .where('c.generation', 'in', generationsOf(sources))
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

function idsOf(sources: readonly SourceGeneration[]): string[] {
  return sources.map(({ sourceId }) => sourceId)
}

function generationsOf(sources: readonly SourceGeneration[]): number[] {
  return [...new Set(sources.map(({ generation }) => generation))]
}
