import { z } from 'zod'
import { bodyWorkspace, clearable, DateTime, id, integer, orDefault, text, WorkspaceQuery } from './fields.ts'
import { DEFAULT_FILTER_SCORE, DEFAULT_TOP_K, Passage, SearchMode } from './knowledge-passage.ts'
import {
  KnowledgeSource,
  MAX_SOURCES,
  MAX_SOURCES_PER_REQUEST,
  PageUrl,
  SOURCES_BODY_LIMIT_BYTES,
  SourceInput,
  SourceStatus,
  UPLOAD_LIMITS,
} from './knowledge-source.ts'
import { defineOperation } from './operation.ts'
import { EXTENSION_LIST_LIMIT, pagingQuery } from './pagination.ts'

/** Knowledge bases: business documents that agents answer from. */

export const KNOWLEDGE_BASE_STATUSES = ['processing', 'ready', 'error', 'refreshing'] as const
export const KnowledgeBaseStatus = z.enum(KNOWLEDGE_BASE_STATUSES).meta({
  id: 'KnowledgeBaseStatus',
  description:
    '`processing`: a source is being read for the first time; `refreshing`: sources are being read again, and ' +
    'answers use the previous content; `error`: no source could be read; `ready`: all other cases.',
})
export type KnowledgeBaseStatus = z.infer<typeof KnowledgeBaseStatus>

export const DEFAULT_MAX_CHUNK_SIZE = 2000
export const DEFAULT_MIN_CHUNK_SIZE = 400
export const DEFAULT_REFRESH_INTERVAL_HOURS = 24
/** Maximum number of sites in a knowledge base, and of pages per site. */
export const MAX_CRAWLS = 10
export const MAX_CRAWL_PAGES = 500

/** A site, or a part of one, whose pages become sources. */
export const Crawl = z
  .object({
    path: z.string().meta({ description: 'URL prefix of the pages to read, or URL of a sitemap.' }),
    exclude: z.array(z.string()).meta({ description: 'URL or path prefixes to skip.' }),
    maxPages: z.int().meta({ description: 'Maximum number of pages.' }),
  })
  .meta({ id: 'KnowledgeCrawl' })
export type Crawl = z.infer<typeof Crawl>

const NAME = { description: 'Display name of 1 to 39 characters.' }
const DESCRIPTION = { description: 'Description of the contents.' }
const AUTO_REFRESH = { description: 'Whether pages are refreshed automatically.' }
const INTERVAL = { description: 'Hours between automatic refreshes.' }
const CRAWL = { description: 'Sites to crawl within their path, respecting robots.txt.' }
const MAX_CHUNK = { description: 'Maximum number of characters in a passage. Cannot be changed later.' }
const MIN_CHUNK = {
  description: 'Number of characters below which adjacent passages are merged. Cannot be changed later.',
}

export const KnowledgeBase = z
  .object({
    knowledgeBaseId: z.string(),
    workspaceId: z.int(),
    name: z.string().meta(NAME),
    description: z.string().meta(DESCRIPTION),
    status: KnowledgeBaseStatus,
    sources: z.array(KnowledgeSource).meta({ description: 'Newest 1000 sources, newest first.' }),
    sourceCount: z.int(),
    chunkCount: z.int().meta({ description: 'Number of indexed passages.' }),
    searchMode: SearchMode,
    enableAutoRefresh: z.boolean().meta(AUTO_REFRESH),
    refreshIntervalHours: z.int().meta(INTERVAL),
    crawl: z.array(Crawl).meta(CRAWL),
    maxChunkSize: z.int().meta(MAX_CHUNK),
    minChunkSize: z.int().meta(MIN_CHUNK),
    lastRefreshedAt: DateTime.nullable().meta({ description: 'Time when the last refresh started, or null.' }),
    createdAt: DateTime,
    updatedAt: DateTime,
  })
  .meta({ id: 'KnowledgeBase' })
export type KnowledgeBase = z.infer<typeof KnowledgeBase>

/** An item of a list, without the sources, which may be many. */
export const KnowledgeBaseSummary = KnowledgeBase.omit({ sources: true }).meta({ id: 'KnowledgeBaseSummary' })
export type KnowledgeBaseSummary = z.infer<typeof KnowledgeBaseSummary>

const Name = z
  .string()
  .max(39)
  .refine((name) => name.trim() !== '', { error: 'must not be blank' })
  .meta(NAME)
const Description = text(2000).meta({ description: `${DESCRIPTION.description} At most 2,000 bytes.` })
const AutoRefresh = z.boolean().meta(AUTO_REFRESH)
const Interval = integer(1, 8760).meta(INTERVAL)
const Crawls = z
  .array(
    z.object({
      path: PageUrl.meta({ description: 'URL prefix of the pages to read, or URL of a sitemap (`….xml`).' }),
      exclude: orDefault(z.array(z.string().min(1).max(2000)).max(100), () => []),
      maxPages: orDefault(integer(1, MAX_CRAWL_PAGES), () => 100),
    }),
  )
  .max(MAX_CRAWLS)
  .meta({ description: `${CRAWL.description} Complete list.` })

const Sources = z
  .array(SourceInput)
  .max(MAX_SOURCES_PER_REQUEST)
  .meta({
    description: `Documents to add, at most ${MAX_SOURCES_PER_REQUEST} per request and ${MAX_SOURCES} in total.`,
  })

export const CreateKnowledgeBaseBody = z
  .object({
    workspaceId: bodyWorkspace(),
    name: Name,
    description: orDefault(Description, () => ''),
    sources: orDefault(Sources, () => []),
    enableAutoRefresh: orDefault(AutoRefresh, () => false),
    refreshIntervalHours: orDefault(Interval, () => DEFAULT_REFRESH_INTERVAL_HOURS),
    crawl: orDefault(Crawls, () => []),
    maxChunkSize: orDefault(integer(600, 6000).meta(MAX_CHUNK), () => DEFAULT_MAX_CHUNK_SIZE),
    minChunkSize: orDefault(integer(200, 2000).meta(MIN_CHUNK), () => DEFAULT_MIN_CHUNK_SIZE),
  })
  .refine(({ minChunkSize, maxChunkSize }) => minChunkSize < maxChunkSize, {
    error: 'must be less than maxChunkSize',
    path: ['minChunkSize'],
  })
  .meta({ id: 'CreateKnowledgeBaseBody' })
export type CreateKnowledgeBaseBody = z.output<typeof CreateKnowledgeBaseBody>

export const UpdateKnowledgeBaseBody = z
  .object({
    workspaceId: bodyWorkspace(),
    name: Name.optional(),
    description: clearable(Description, () => ''),
    enableAutoRefresh: clearable(AutoRefresh, () => false),
    refreshIntervalHours: clearable(Interval, () => DEFAULT_REFRESH_INTERVAL_HOURS),
    crawl: clearable(Crawls, () => []),
  })
  .meta({ id: 'UpdateKnowledgeBaseBody', description: 'Omitted fields keep their value.' })
export type UpdateKnowledgeBaseBody = z.output<typeof UpdateKnowledgeBaseBody>

export const AddSourcesBody = z
  .object({ workspaceId: bodyWorkspace(), sources: orDefault(Sources, () => []) })
  .meta({ id: 'AddKnowledgeSourcesBody' })
export type AddSourcesBody = z.output<typeof AddSourcesBody>

export const RefreshKnowledgeBaseBody = z
  .object({
    workspaceId: bodyWorkspace(),
    sourceIds: z
      .array(id())
      .min(1)
      .max(MAX_SOURCES)
      .optional()
      .meta({ description: 'IDs of the sources to refresh. Defaults to all sources.' }),
  })
  .meta({ id: 'RefreshKnowledgeBaseBody' })
export type RefreshKnowledgeBaseBody = z.output<typeof RefreshKnowledgeBaseBody>

export const SearchKnowledgeBaseBody = z
  .object({
    workspaceId: bodyWorkspace(),
    query: text(4000)
      .refine((query) => query.trim() !== '', { error: 'must not be blank' })
      .meta({ description: 'Question or keywords.' }),
    topK: orDefault(integer(1, 10), () => DEFAULT_TOP_K).meta({ description: 'Maximum number of passages.' }),
    filterScore: orDefault(z.number().min(0).max(1), () => DEFAULT_FILTER_SCORE).meta({
      description: 'Minimum score of a passage.',
    }),
  })
  .meta({ id: 'SearchKnowledgeBaseBody' })
export type SearchKnowledgeBaseBody = z.output<typeof SearchKnowledgeBaseBody>

/** An indexed passage of a source. */
export const KnowledgeChunk = z
  .object({
    position: z.int().meta({ description: 'Position in the source, starting at 0.' }),
    page: z.int().nullable(),
    headings: z.array(z.string()),
    text: z.string(),
  })
  .meta({ id: 'KnowledgeChunk' })
export type KnowledgeChunk = z.infer<typeof KnowledgeChunk>

const BasePath = z.object({
  knowledgeBaseId: id().meta({ description: 'ID of the knowledge base (`knowledge_base_…`).' }),
})
const SourcePath = BasePath.extend({ sourceId: id().meta({ description: 'ID of the source (`source_…`).' }) })
const TAG = 'Knowledge Bases'

export const listKnowledgeBases = defineOperation({
  name: 'listKnowledgeBases',
  method: 'GET',
  path: '/api/knowledge-bases',
  tag: TAG,
  summary: 'List knowledge bases',
  description: 'Returns knowledge bases without their sources, newest first.',
  access: 'read',
  query: pagingQuery(EXTENSION_LIST_LIMIT),
  result: z.array(KnowledgeBaseSummary),
  features: ['paged'],
})

export const createKnowledgeBase = defineOperation({
  name: 'createKnowledgeBase',
  method: 'POST',
  path: '/api/knowledge-bases',
  tag: TAG,
  summary: 'Create a knowledge base',
  description: 'Creates a knowledge base, optionally with sources, which are read in the background.',
  access: 'write',
  body: CreateKnowledgeBaseBody,
  bodyLimitBytes: SOURCES_BODY_LIMIT_BYTES,
  upload: UPLOAD_LIMITS,
  status: 201,
  result: KnowledgeBase,
  features: ['etag'],
})

export const getKnowledgeBase = defineOperation({
  name: 'getKnowledgeBase',
  method: 'GET',
  path: '/api/knowledge-bases/{knowledgeBaseId}',
  tag: TAG,
  summary: 'Get a knowledge base',
  description: 'Returns a knowledge base with its sources and their status.',
  access: 'read',
  pathParameters: BasePath,
  query: WorkspaceQuery,
  result: KnowledgeBase,
  features: ['etag'],
})

export const updateKnowledgeBase = defineOperation({
  name: 'updateKnowledgeBase',
  method: 'PATCH',
  path: '/api/knowledge-bases/{knowledgeBaseId}',
  tag: TAG,
  summary: 'Update a knowledge base',
  description:
    'Changes a knowledge base. Pages of sites that are removed from `crawl` are deleted; pages of added sites are ' +
    'read.',
  access: 'write',
  pathParameters: BasePath,
  body: UpdateKnowledgeBaseBody,
  result: KnowledgeBase,
  errors: ['version_conflict'],
  features: ['etag'],
})

export const deleteKnowledgeBase = defineOperation({
  name: 'deleteKnowledgeBase',
  method: 'DELETE',
  path: '/api/knowledge-bases/{knowledgeBaseId}',
  tag: TAG,
  summary: 'Delete a knowledge base',
  description:
    'Permanently deletes the knowledge base and its sources. Drafts lose their reference to it, and versions in ' +
    'use ignore it.',
  access: 'write',
  pathParameters: BasePath,
  query: WorkspaceQuery,
  errors: ['version_conflict'],
})

export const addKnowledgeSources = defineOperation({
  name: 'addKnowledgeSources',
  method: 'POST',
  path: '/api/knowledge-bases/{knowledgeBaseId}/sources',
  tag: TAG,
  summary: 'Add sources to a knowledge base',
  description:
    'Adds texts, pages and files, which are read in the background; check `status` of the knowledge base and of ' +
    'each source. Content that already exists is not added again. Send larger files as `multipart/form-data`.',
  access: 'write',
  pathParameters: BasePath,
  body: AddSourcesBody,
  bodyLimitBytes: SOURCES_BODY_LIMIT_BYTES,
  upload: UPLOAD_LIMITS,
  status: 201,
  result: KnowledgeBase,
})

export const listKnowledgeSources = defineOperation({
  name: 'listKnowledgeSources',
  method: 'GET',
  path: '/api/knowledge-bases/{knowledgeBaseId}/sources',
  tag: TAG,
  summary: 'List the sources of a knowledge base',
  description: 'Returns the sources, newest first.',
  access: 'read',
  pathParameters: BasePath,
  query: pagingQuery(EXTENSION_LIST_LIMIT).extend({
    status: SourceStatus.optional().meta({ description: 'Only sources with this status.' }),
  }),
  result: z.array(KnowledgeSource),
  features: ['paged'],
})

export const deleteKnowledgeSource = defineOperation({
  name: 'deleteKnowledgeSource',
  method: 'DELETE',
  path: '/api/knowledge-bases/{knowledgeBaseId}/sources/{sourceId}',
  tag: TAG,
  summary: 'Delete a source',
  description: 'Permanently deletes the source with its content. Agents no longer answer from it.',
  access: 'write',
  pathParameters: SourcePath,
  query: WorkspaceQuery,
})

export const listKnowledgeChunks = defineOperation({
  name: 'listKnowledgeChunks',
  method: 'GET',
  path: '/api/knowledge-bases/{knowledgeBaseId}/sources/{sourceId}/chunks',
  tag: TAG,
  summary: 'List the passages of a source',
  description: 'Returns the passages in the order of the document.',
  access: 'read',
  pathParameters: SourcePath,
  query: pagingQuery(EXTENSION_LIST_LIMIT),
  result: z.array(KnowledgeChunk),
  features: ['paged'],
})

export const refreshKnowledgeBase = defineOperation({
  name: 'refreshKnowledgeBase',
  method: 'POST',
  path: '/api/knowledge-bases/{knowledgeBaseId}/refresh',
  tag: TAG,
  summary: 'Refresh a knowledge base',
  description:
    'Reads all pages again, crawls sites for new pages and retries sources that failed. Answers use the previous ' +
    'content until then.',
  access: 'write',
  pathParameters: BasePath,
  body: RefreshKnowledgeBaseBody,
  result: KnowledgeBase,
})

export const searchKnowledgeBase = defineOperation({
  name: 'searchKnowledgeBase',
  method: 'POST',
  path: '/api/knowledge-bases/{knowledgeBaseId}/search',
  tag: TAG,
  summary: 'Search a knowledge base',
  description: 'Returns the passages that an agent would get for the question, best first.',
  access: 'read',
  pathParameters: BasePath,
  body: SearchKnowledgeBaseBody,
  result: z.array(Passage),
})
