import { z } from 'zod'
import { namedObject } from './named-object.ts'

/** Passages of documents, as search results. */

/** Search by keywords only, or by keywords and embeddings. */
export const SEARCH_MODES = ['lexical', 'hybrid'] as const
export const SearchMode = z.enum(SEARCH_MODES).meta({
  id: 'SearchMode',
  description: '`lexical`: by keywords only; `hybrid`: by keywords and by meaning, with an embedding model.',
})
export type SearchMode = z.infer<typeof SearchMode>

export const SOURCE_TYPES = ['text', 'url', 'file'] as const
export const SourceType = z.enum(SOURCE_TYPES).meta({ id: 'KnowledgeSourceType' })
export type SourceType = z.infer<typeof SourceType>

/** A search result: a passage with its place in the document. */
export const Passage = namedObject('Passage', {
  knowledgeBaseId: z.string(),
  sourceId: z.string(),
  sourceType: SourceType,
  sourceName: z.string().describe('Title, file name or URL of the source, for citations.'),
  url: z.string().nullable().describe('URL of the page; null for files and texts.'),
  page: z.int().nullable().describe('Page number in the document, starting at 1; null without pages.'),
  headings: z.array(z.string()).describe('Headings above the passage, outermost first.'),
  text: z.string(),
  score: z
    .number()
    .describe(
      'Relevance from 0 to 1. For keywords, the share of the weight of the question that the passage contains; ' +
        'for meaning, the cosine similarity; for both, the higher value.',
    ),
  mode: SearchMode,
})
export type Passage = z.infer<typeof Passage>

/** Default for the number of passages. */
export const DEFAULT_TOP_K = 3
/** Default for the minimum score, which excludes nothing. */
export const DEFAULT_FILTER_SCORE = 0
