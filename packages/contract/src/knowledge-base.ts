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

/** Knowledge bases: documents of a business that its agents answer from. */

export const KNOWLEDGE_BASE_STATUSES = ['processing', 'ready', 'error', 'refreshing'] as const
export const KnowledgeBaseStatus = z.enum(KNOWLEDGE_BASE_STATUSES).meta({
  id: 'KnowledgeBaseStatus',
  description:
    '`processing`: a source is read for the first time; `refreshing`: sources are read again, answers still come from what ' +
    'was read before; `error`: no source could be read; else `ready`.',
})
export type KnowledgeBaseStatus = z.infer<typeof KnowledgeBaseStatus>

export const DEFAULT_MAX_CHUNK_SIZE = 2000
export const DEFAULT_MIN_CHUNK_SIZE = 400
export const DEFAULT_REFRESH_INTERVAL_HOURS = 24
/** Sites of one knowledge base, and pages that one of them may add. */
export const MAX_CRAWLS = 10
export const MAX_CRAWL_PAGES = 500

/** A site, or a part of one, whose pages become sources. */
export const Crawl = z
  .object({
    path: z.string().meta({ description: 'Address that the pages to read begin with, or of a sitemap.' }),
    exclude: z.array(z.string()).meta({ description: 'Beginnings of addresses or paths that are left out.' }),
    maxPages: z.int().meta({ description: 'How many pages at most.' }),
  })
  .meta({ id: 'KnowledgeCrawl' })
export type Crawl = z.infer<typeof Crawl>

const NAME = { description: 'What people know it by; 1 to 39 characters.' }
const DESCRIPTION = { description: 'What it is for.' }
const AUTO_REFRESH = { description: 'Whether its pages are read again by themselves.' }
const INTERVAL = { description: 'Hours between two refreshes.' }
const CRAWL = { description: 'Sites whose pages are followed within their path; robots.txt is respected.' }
const MAX_CHUNK = { description: 'Characters that a passage has at most; fixed at the creation.' }
const MIN_CHUNK = { description: 'Characters below which neighbours are joined; fixed at the creation.' }

export const KnowledgeBase = z
  .object({
    knowledgeBaseId: z.string(),
    workspaceId: z.int(),
    name: z.string().meta(NAME),
    description: z.string().meta(DESCRIPTION),
    status: KnowledgeBaseStatus,
    sources: z.array(KnowledgeSource).meta({ description: 'Newest first: the newest 1000 of more.' }),
    sourceCount: z.int(),
    chunkCount: z.int().meta({ description: 'Passages that can be found.' }),
    searchMode: SearchMode,
    enableAutoRefresh: z.boolean().meta(AUTO_REFRESH),
    refreshIntervalHours: z.int().meta(INTERVAL),
    crawl: z.array(Crawl).meta(CRAWL),
    maxChunkSize: z.int().meta(MAX_CHUNK),
    minChunkSize: z.int().meta(MIN_CHUNK),
    lastRefreshedAt: DateTime.nullable().meta({ description: 'When a refresh was last begun; null until then.' }),
    createdAt: DateTime,
    updatedAt: DateTime,
  })
  .meta({ id: 'KnowledgeBase' })
export type KnowledgeBase = z.infer<typeof KnowledgeBase>

/** In a list: without its sources, which may be many. */
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
      path: PageUrl.meta({ description: 'Address that the pages to read begin with, or of a sitemap (`….xml`).' }),
      exclude: orDefault(z.array(z.string().min(1).max(2000)).max(100), () => []),
      maxPages: orDefault(integer(1, MAX_CRAWL_PAGES), () => 100),
    }),
  )
  .max(MAX_CRAWLS)
  .meta({ description: `${CRAWL.description} The complete list.` })

const Sources = z
  .array(SourceInput)
  .max(MAX_SOURCES_PER_REQUEST)
  .meta({
    description: `Documents to add, at most ${MAX_SOURCES_PER_REQUEST} at once and ${MAX_SOURCES} in all.`,
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
  .meta({ id: 'UpdateKnowledgeBaseBody', description: 'Absent fields stay as they are.' })
export type UpdateKnowledgeBaseBody = z.output<typeof UpdateKnowledgeBaseBody>

export const AddSourcesBody = z
  .object({ workspaceId: bodyWorkspace(), sources: orDefault(Sources, () => []) })
  .meta({ id: 'AddKnowledgeSourcesBody' })
export type AddSourcesBody = z.output<typeof AddSourcesBody>

export const RefreshKnowledgeBaseBody = z
  .object({
    workspaceId: bodyWorkspace(),
    sourceIds: z.array(id()).min(1).max(MAX_SOURCES).optional().meta({ description: 'Only these; all when absent.' }),
  })
  .meta({ id: 'RefreshKnowledgeBaseBody' })
export type RefreshKnowledgeBaseBody = z.output<typeof RefreshKnowledgeBaseBody>

export const SearchKnowledgeBaseBody = z
  .object({
    workspaceId: bodyWorkspace(),
    query: text(4000)
      .refine((query) => query.trim() !== '', { error: 'must not be blank' })
      .meta({ description: 'A question or some words.' }),
    topK: orDefault(integer(1, 10), () => DEFAULT_TOP_K).meta({ description: 'How many passages at most.' }),
    filterScore: orDefault(z.number().min(0).max(1), () => DEFAULT_FILTER_SCORE).meta({
      description: 'How well a passage must fit at least.',
    }),
  })
  .meta({ id: 'SearchKnowledgeBaseBody' })
export type SearchKnowledgeBaseBody = z.output<typeof SearchKnowledgeBaseBody>

/** A passage as it was cut from its source. */
export const KnowledgeChunk = z
  .object({
    position: z.int().meta({ description: 'Within its source, from 0.' }),
    page: z.int().nullable(),
    headings: z.array(z.string()),
    text: z.string(),
  })
  .meta({ id: 'KnowledgeChunk' })
export type KnowledgeChunk = z.infer<typeof KnowledgeChunk>

const BasePath = z.object({
  knowledgeBaseId: id().meta({ description: 'The knowledge base, `knowledge_base_…`.' }),
})
const SourcePath = BasePath.extend({ sourceId: id().meta({ description: 'The source, `source_…`.' }) })
const TAG = 'Knowledge Bases'

export const listKnowledgeBases = defineOperation({
  name: 'listKnowledgeBases',
  method: 'GET',
  path: '/api/knowledge-bases',
  tag: TAG,
  summary: 'List knowledge bases',
  description: 'Newest first, without their sources.',
  access: 'read',
  workspace: 'query',
  query: pagingQuery(EXTENSION_LIST_LIMIT),
  status: 200,
  result: z.array(KnowledgeBaseSummary),
  features: ['paged'],
})

export const createKnowledgeBase = defineOperation({
  name: 'createKnowledgeBase',
  method: 'POST',
  path: '/api/knowledge-bases',
  tag: TAG,
  summary: 'Create a knowledge base',
  description: 'Empty, or with its first sources, which are read in the background.',
  access: 'write',
  workspace: 'body',
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
  summary: 'Read a knowledge base',
  description: 'Answers it with its sources and how far each has come.',
  access: 'read',
  workspace: 'query',
  pathParameters: BasePath,
  query: WorkspaceQuery,
  status: 200,
  result: KnowledgeBase,
  errors: ['not_found'],
  features: ['etag'],
})

export const updateKnowledgeBase = defineOperation({
  name: 'updateKnowledgeBase',
  method: 'PATCH',
  path: '/api/knowledge-bases/{knowledgeBaseId}',
  tag: TAG,
  summary: 'Change a knowledge base',
  description: 'Pages of a site that was taken out of `crawl` are removed; those of a new one are read.',
  access: 'write',
  workspace: 'body',
  pathParameters: BasePath,
  body: UpdateKnowledgeBaseBody,
  status: 200,
  result: KnowledgeBase,
  errors: ['not_found', 'version_conflict'],
  features: ['etag'],
})

export const deleteKnowledgeBase = defineOperation({
  name: 'deleteKnowledgeBase',
  method: 'DELETE',
  path: '/api/knowledge-bases/{knowledgeBaseId}',
  tag: TAG,
  summary: 'Delete a knowledge base',
  description: 'Removes it and its sources for good. Drafts that name it lose it, versions in use skip it.',
  access: 'write',
  workspace: 'query',
  pathParameters: BasePath,
  query: WorkspaceQuery,
  status: 204,
  errors: ['not_found', 'version_conflict'],
})

export const addKnowledgeSources = defineOperation({
  name: 'addKnowledgeSources',
  method: 'POST',
  path: '/api/knowledge-bases/{knowledgeBaseId}/sources',
  tag: TAG,
  summary: 'Add sources to a knowledge base',
  description:
    'Texts, pages and files, read in the background: look at `status` and at each source’s. Content that is there already ' +
    'is not added again. Larger files are sent as `multipart/form-data`.',
  access: 'write',
  workspace: 'body',
  pathParameters: BasePath,
  body: AddSourcesBody,
  bodyLimitBytes: SOURCES_BODY_LIMIT_BYTES,
  upload: UPLOAD_LIMITS,
  status: 201,
  result: KnowledgeBase,
  errors: ['not_found'],
})

export const listKnowledgeSources = defineOperation({
  name: 'listKnowledgeSources',
  method: 'GET',
  path: '/api/knowledge-bases/{knowledgeBaseId}/sources',
  tag: TAG,
  summary: 'List the sources of a knowledge base',
  description: 'Newest first.',
  access: 'read',
  workspace: 'query',
  pathParameters: BasePath,
  query: pagingQuery(EXTENSION_LIST_LIMIT).extend({
    status: SourceStatus.optional().meta({ description: 'Only those with this status.' }),
  }),
  status: 200,
  result: z.array(KnowledgeSource),
  errors: ['not_found'],
  features: ['paged'],
})

export const deleteKnowledgeSource = defineOperation({
  name: 'deleteKnowledgeSource',
  method: 'DELETE',
  path: '/api/knowledge-bases/{knowledgeBaseId}/sources/{sourceId}',
  tag: TAG,
  summary: 'Delete a source',
  description: 'Removes it with everything that was read from it. No answer comes from it any more.',
  access: 'write',
  workspace: 'query',
  pathParameters: SourcePath,
  query: WorkspaceQuery,
  status: 204,
  errors: ['not_found'],
})

export const listKnowledgeChunks = defineOperation({
  name: 'listKnowledgeChunks',
  method: 'GET',
  path: '/api/knowledge-bases/{knowledgeBaseId}/sources/{sourceId}/chunks',
  tag: TAG,
  summary: 'List the passages of a source',
  description: 'What was read from it, in the order of the document.',
  access: 'read',
  workspace: 'query',
  pathParameters: SourcePath,
  query: pagingQuery(EXTENSION_LIST_LIMIT),
  status: 200,
  result: z.array(KnowledgeChunk),
  errors: ['not_found'],
  features: ['paged'],
})

export const refreshKnowledgeBase = defineOperation({
  name: 'refreshKnowledgeBase',
  method: 'POST',
  path: '/api/knowledge-bases/{knowledgeBaseId}/refresh',
  tag: TAG,
  summary: 'Refresh a knowledge base',
  description:
    'Reads its pages again, follows its sites for new ones, and tries sources that could not be read once more. Answers ' +
    'come from what was read before until that is done.',
  access: 'write',
  workspace: 'body',
  pathParameters: BasePath,
  body: RefreshKnowledgeBaseBody,
  status: 200,
  result: KnowledgeBase,
  errors: ['not_found'],
})

export const searchKnowledgeBase = defineOperation({
  name: 'searchKnowledgeBase',
  method: 'POST',
  path: '/api/knowledge-bases/{knowledgeBaseId}/search',
  tag: TAG,
  summary: 'Search a knowledge base',
  description: 'Answers the passages that an agent would be given for the question, the best first.',
  access: 'read',
  workspace: 'body',
  pathParameters: BasePath,
  body: SearchKnowledgeBaseBody,
  status: 200,
  result: z.array(Passage),
  errors: ['not_found'],
})
