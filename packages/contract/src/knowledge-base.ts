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
import { defineDescribedObject, defineObject } from './named-object.ts'
import { defineOperation } from './operation.ts'
import { EXTENSION_LIST_LIMIT, pagingQuery } from './pagination.ts'

/** Knowledge bases: business documents that agents use to answer questions. */

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
/** Maximum number of sites per knowledge base, and of pages per site. */
export const MAX_CRAWLS = 10
export const MAX_CRAWL_PAGES = 500

/** A site, or part of a site, whose pages become sources. */
export const Crawl = defineObject('KnowledgeCrawl', {
  path: z.string().describe('URL prefix of the pages to read, or URL of a sitemap.'),
  exclude: z.array(z.string()).describe('URL or path prefixes to skip.'),
  maxPages: z.int().describe('Maximum number of pages.'),
})
export type Crawl = z.infer<typeof Crawl>

const NAME = 'Display name of 1 to 39 characters.'
const DESCRIPTION = 'Description of the contents.'
const AUTO_REFRESH = 'Whether pages are refreshed automatically.'
const INTERVAL = 'Hours between automatic refreshes.'
const CRAWL = 'Sites to crawl within their path, respecting robots.txt.'
const MAX_CHUNK = 'Maximum number of characters in a passage. The value cannot be changed later.'
const MIN_CHUNK = 'Number of characters below which adjacent passages are merged. The value cannot be changed later.'

export const KnowledgeBase = defineObject('KnowledgeBase', {
  knowledgeBaseId: z.string(),
  workspaceId: z.int(),
  name: z.string().describe(NAME),
  description: z.string().describe(DESCRIPTION),
  status: KnowledgeBaseStatus,
  sources: z.array(KnowledgeSource).describe('Newest 1000 sources, newest first.'),
  sourceCount: z.int(),
  chunkCount: z.int().describe('Number of indexed passages.'),
  searchMode: SearchMode,
  enableAutoRefresh: z.boolean().describe(AUTO_REFRESH),
  refreshIntervalHours: z.int().describe(INTERVAL),
  crawl: z.array(Crawl).describe(CRAWL),
  maxChunkSize: z.int().describe(MAX_CHUNK),
  minChunkSize: z.int().describe(MIN_CHUNK),
  lastRefreshedAt: DateTime.nullable().describe('Time when the last refresh started, or null if there was none.'),
  createdAt: DateTime,
  updatedAt: DateTime,
})
export type KnowledgeBase = z.infer<typeof KnowledgeBase>

/** A list item, which omits the sources because of their number. */
export const KnowledgeBaseSummary = KnowledgeBase.omit({ sources: true }).meta({ id: 'KnowledgeBaseSummary' })
export type KnowledgeBaseSummary = z.infer<typeof KnowledgeBaseSummary>

const Name = z
  .string()
  .max(39)
  .refine((name) => name.trim() !== '', { error: 'must not be blank' })
  .describe(NAME)
const Description = text(2000).describe(`${DESCRIPTION} At most 2,000 bytes.`)
const AutoRefresh = z.boolean().describe(AUTO_REFRESH)
const Interval = integer(1, 8760).describe(INTERVAL)
const Crawls = z
  .array(
    z.object({
      path: PageUrl.describe('URL prefix of the pages to read, or URL of a sitemap (`….xml`).'),
      exclude: orDefault(z.array(z.string().min(1).max(2000)).max(100), () => []),
      maxPages: orDefault(integer(1, MAX_CRAWL_PAGES), () => 100),
    }),
  )
  .max(MAX_CRAWLS)
  .describe(`${CRAWL} Complete list.`)

const Sources = z
  .array(SourceInput)
  .max(MAX_SOURCES_PER_REQUEST)
  .describe(`Documents to add, at most ${MAX_SOURCES_PER_REQUEST} per request and ${MAX_SOURCES} in total.`)

export const CreateKnowledgeBaseBody = z
  .object({
    workspaceId: bodyWorkspace(),
    name: Name,
    description: orDefault(Description, () => ''),
    sources: orDefault(Sources, () => []),
    enableAutoRefresh: orDefault(AutoRefresh, () => false),
    refreshIntervalHours: orDefault(Interval, () => DEFAULT_REFRESH_INTERVAL_HOURS),
    crawl: orDefault(Crawls, () => []),
    maxChunkSize: orDefault(integer(600, 6000).describe(MAX_CHUNK), () => DEFAULT_MAX_CHUNK_SIZE),
    minChunkSize: orDefault(integer(200, 2000).describe(MIN_CHUNK), () => DEFAULT_MIN_CHUNK_SIZE),
  })
  .refine(({ minChunkSize, maxChunkSize }) => minChunkSize < maxChunkSize, {
    error: 'must be less than maxChunkSize',
    path: ['minChunkSize'],
  })
  .meta({ id: 'CreateKnowledgeBaseBody' })
export type CreateKnowledgeBaseBody = z.output<typeof CreateKnowledgeBaseBody>

export const UpdateKnowledgeBaseBody = defineDescribedObject(
  'UpdateKnowledgeBaseBody',
  'Omitted fields do not change.',
  {
    workspaceId: bodyWorkspace(),
    name: Name.optional(),
    description: clearable(Description, () => ''),
    enableAutoRefresh: clearable(AutoRefresh, () => false),
    refreshIntervalHours: clearable(Interval, () => DEFAULT_REFRESH_INTERVAL_HOURS),
    crawl: clearable(Crawls, () => []),
  },
)
export type UpdateKnowledgeBaseBody = z.output<typeof UpdateKnowledgeBaseBody>

export const AddSourcesBody = defineObject('AddKnowledgeSourcesBody', {
  workspaceId: bodyWorkspace(),
  sources: orDefault(Sources, () => []),
})
export type AddSourcesBody = z.output<typeof AddSourcesBody>

export const RefreshKnowledgeBaseBody = defineObject('RefreshKnowledgeBaseBody', {
  workspaceId: bodyWorkspace(),
  sourceIds: z
    .array(id())
    .min(1)
    .max(MAX_SOURCES)
    .optional()
    .describe('IDs of the sources to refresh. Defaults to all sources.'),
})
export type RefreshKnowledgeBaseBody = z.output<typeof RefreshKnowledgeBaseBody>

export const SearchKnowledgeBaseBody = defineObject('SearchKnowledgeBaseBody', {
  workspaceId: bodyWorkspace(),
  query: text(4000)
    .refine((query) => query.trim() !== '', { error: 'must not be blank' })
    .describe('Question or keywords.'),
  topK: orDefault(integer(1, 10), () => DEFAULT_TOP_K).describe('Maximum number of passages.'),
  filterScore: orDefault(z.number().min(0).max(1), () => DEFAULT_FILTER_SCORE).describe('Minimum score of a passage.'),
})
export type SearchKnowledgeBaseBody = z.output<typeof SearchKnowledgeBaseBody>

/** An indexed passage of a source. */
export const KnowledgeChunk = defineObject('KnowledgeChunk', {
  position: z.int().describe('Position in the source, starting at 0.'),
  page: z.int().nullable(),
  headings: z.array(z.string()),
  text: z.string(),
})
export type KnowledgeChunk = z.infer<typeof KnowledgeChunk>

const BasePath = z.object({
  knowledgeBaseId: id().describe('ID of the knowledge base (`knowledge_base_…`).'),
})
const SourcePath = BasePath.extend({ sourceId: id().describe('ID of the source (`source_…`).') })
const TAG = 'Knowledge Bases'

export const listKnowledgeBases = defineOperation({
  name: 'listKnowledgeBases',
  route: 'GET /api/knowledge-bases',
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
  route: 'POST /api/knowledge-bases',
  tag: TAG,
  summary: 'Create a knowledge base',
  description: 'Creates a knowledge base, optionally with sources. Sources are read in the background.',
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
  route: 'GET /api/knowledge-bases/{knowledgeBaseId}',
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
  route: 'PATCH /api/knowledge-bases/{knowledgeBaseId}',
  tag: TAG,
  summary: 'Update a knowledge base',
  description:
    'Updates a knowledge base. Pages of sites that are removed from `crawl` are deleted, and pages of added sites are ' +
    'fetched.',
  access: 'write',
  pathParameters: BasePath,
  body: UpdateKnowledgeBaseBody,
  result: KnowledgeBase,
  errors: ['version_conflict'],
  features: ['etag'],
})

export const deleteKnowledgeBase = defineOperation({
  name: 'deleteKnowledgeBase',
  route: 'DELETE /api/knowledge-bases/{knowledgeBaseId}',
  tag: TAG,
  summary: 'Delete a knowledge base',
  description:
    'Permanently deletes the knowledge base and its sources. References to it are removed from drafts and ignored in ' +
    'versions that are in use.',
  access: 'write',
  pathParameters: BasePath,
  query: WorkspaceQuery,
  errors: ['version_conflict'],
})

export const addKnowledgeSources = defineOperation({
  name: 'addKnowledgeSources',
  route: 'POST /api/knowledge-bases/{knowledgeBaseId}/sources',
  tag: TAG,
  summary: 'Add sources to a knowledge base',
  description:
    'Adds texts, pages and files, which are read in the background; check `status` of the knowledge base and of ' +
    'each source. Duplicate content is not added again. Send larger files as `multipart/form-data`.',
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
  route: 'GET /api/knowledge-bases/{knowledgeBaseId}/sources',
  tag: TAG,
  summary: 'List the sources of a knowledge base',
  description: 'Returns the sources, newest first.',
  access: 'read',
  pathParameters: BasePath,
  query: pagingQuery(EXTENSION_LIST_LIMIT).extend({
    status: SourceStatus.optional().describe('Return only sources with this status.'),
  }),
  result: z.array(KnowledgeSource),
  features: ['paged'],
})

export const deleteKnowledgeSource = defineOperation({
  name: 'deleteKnowledgeSource',
  route: 'DELETE /api/knowledge-bases/{knowledgeBaseId}/sources/{sourceId}',
  tag: TAG,
  summary: 'Delete a source',
  description: 'Permanently deletes the source and its content. Agents stop using the source.',
  access: 'write',
  pathParameters: SourcePath,
  query: WorkspaceQuery,
})

export const listKnowledgeChunks = defineOperation({
  name: 'listKnowledgeChunks',
  route: 'GET /api/knowledge-bases/{knowledgeBaseId}/sources/{sourceId}/chunks',
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
  route: 'POST /api/knowledge-bases/{knowledgeBaseId}/refresh',
  tag: TAG,
  summary: 'Refresh a knowledge base',
  description:
    'Fetches all pages again, crawls sites for new pages and retries failed sources. Answers use the previous ' +
    'content until the refresh is complete.',
  access: 'write',
  pathParameters: BasePath,
  body: RefreshKnowledgeBaseBody,
  result: KnowledgeBase,
})

export const searchKnowledgeBase = defineOperation({
  name: 'searchKnowledgeBase',
  route: 'POST /api/knowledge-bases/{knowledgeBaseId}/search',
  tag: TAG,
  summary: 'Search a knowledge base',
  description: 'Returns the passages that an agent would receive for the question, best match first.',
  access: 'read',
  pathParameters: BasePath,
  body: SearchKnowledgeBaseBody,
  result: z.array(Passage),
})
