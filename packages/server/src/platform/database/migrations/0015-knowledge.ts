import type { Kysely } from 'kysely'
import { key, referenceTo, required } from './columns.ts'

/** Creates knowledge bases, their sources and their contents. */
export async function addKnowledgeBases(database: Kysely<unknown>): Promise<void> {
  await createBases(database)
  await createSources(database)
  await createContent(database)
}

async function createBases({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('knowledge_bases')
    .addColumn('knowledge_base_id', 'text', key)
    .addColumn('workspace_id', 'integer', referenceTo('workspaces.workspace_id'))
    .addColumn('name', 'text', required)
    .addColumn('description', 'text', required)
    .addColumn('auto_refresh', 'integer', required)
    .addColumn('refresh_hours', 'integer', required)
    .addColumn('crawl', 'text', required)
    .addColumn('max_chunk_size', 'integer', required)
    .addColumn('min_chunk_size', 'integer', required)
    .addColumn('revision', 'bigint', required)
    .addColumn('edit_count', 'integer', required)
    .addColumn('refreshed_at', 'bigint')
    .addColumn('refresh_due_at', 'bigint')
    .addColumn('created_at', 'bigint', required)
    .addColumn('updated_at', 'bigint', required)
    .execute()
  await schema
    .createIndex('knowledge_bases_of_workspace')
    .on('knowledge_bases')
    .columns(['workspace_id', 'created_at desc', 'knowledge_base_id desc'])
    .execute()
  await schema.createIndex('knowledge_bases_due').on('knowledge_bases').column('refresh_due_at').execute()
}

async function createSources({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('knowledge_sources')
    .addColumn('source_id', 'text', key)
    .addColumn('knowledge_base_id', 'text', referenceTo('knowledge_bases.knowledge_base_id'))
    .addColumn('workspace_id', 'integer', referenceTo('workspaces.workspace_id'))
    .addColumn('kind', 'text', required)
    .addColumn('title', 'text', required)
    .addColumn('filename', 'text', required)
    .addColumn('url', 'text')
    .addColumn('given_content_type', 'text')
    .addColumn('content_type', 'text')
    .addColumn('identity', 'text', required)
    .addColumn('crawl_path', 'text')
    .addColumn('status', 'text', required)
    .addColumn('error', 'text')
    .addColumn('size_bytes', 'integer')
    .addColumn('characters', 'integer', required)
    .addColumn('page_count', 'integer')
    .addColumn('chunk_count', 'integer', required)
    .addColumn('content_hash', 'text')
    .addColumn('etag', 'text')
    .addColumn('last_modified', 'text')
    .addColumn('generation', 'integer', required)
    .addColumn('reading_id', 'text', required)
    .addColumn('created_at', 'bigint', required)
    .addColumn('updated_at', 'bigint', required)
    .addColumn('refreshed_at', 'bigint')
    .execute()
  await schema
    .createIndex('knowledge_sources_of_base')
    .on('knowledge_sources')
    .columns(['knowledge_base_id', 'created_at desc', 'source_id desc'])
    .execute()
  await schema
    .createIndex('knowledge_sources_by_identity')
    .on('knowledge_sources')
    .columns(['knowledge_base_id', 'identity'])
    .unique()
    .execute()
  await schema
    .createIndex('knowledge_sources_by_status')
    .on('knowledge_sources')
    .columns(['status', 'updated_at'])
    .execute()
}

async function createContent({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('knowledge_originals')
    .addColumn('source_id', 'text', referenceTo('knowledge_sources.source_id'))
    .addColumn('part', 'integer', required)
    .addColumn('content', 'text', required)
    .addPrimaryKeyConstraint('knowledge_originals_key', ['source_id', 'part'])
    .execute()
  await schema
    .createTable('knowledge_chunks')
    .addColumn('source_id', 'text', referenceTo('knowledge_sources.source_id'))
    .addColumn('generation', 'integer', required)
    .addColumn('position', 'integer', required)
    .addColumn('page', 'integer')
    .addColumn('headings', 'text', required)
    .addColumn('text', 'text', required)
    .addColumn('content_hash', 'text', required)
    .addPrimaryKeyConstraint('knowledge_chunks_key', ['source_id', 'generation', 'position'])
    .execute()
  await schema.createIndex('knowledge_chunks_by_hash').on('knowledge_chunks').column('content_hash').execute()
  await schema
    .createTable('knowledge_index_parts')
    .addColumn('source_id', 'text', referenceTo('knowledge_sources.source_id'))
    .addColumn('generation', 'integer', required)
    .addColumn('part', 'integer', required)
    .addColumn('content', 'text', required)
    .addPrimaryKeyConstraint('knowledge_index_parts_key', ['source_id', 'generation', 'part'])
    .execute()
  await schema
    .createTable('knowledge_vectors')
    .addColumn('knowledge_base_id', 'text', referenceTo('knowledge_bases.knowledge_base_id'))
    .addColumn('model', 'text', required)
    .addColumn('content_hash', 'text', required)
    .addColumn('vector', 'text', required)
    .addPrimaryKeyConstraint('knowledge_vectors_key', ['knowledge_base_id', 'model', 'content_hash'])
    .execute()
}
