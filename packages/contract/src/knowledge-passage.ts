import { z } from 'zod'
import { defineObject } from './named-object.ts'

/** Document passages in search results. */

export const SEARCH_MODES = ['lexical', 'hybrid'] as const
export const SearchMode = z.enum(SEARCH_MODES).meta({
  id: 'SearchMode',
  description: '`lexical`: search by keywords; `hybrid`: search by keywords and embeddings.',
})
export type SearchMode = z.infer<typeof SearchMode>

export const SOURCE_TYPES = ['text', 'url', 'file'] as const
export const SourceType = z.enum(SOURCE_TYPES).meta({ id: 'KnowledgeSourceType' })
export type SourceType = z.infer<typeof SourceType>

/** A search result: a passage with its location in the document. */
export const Passage = defineObject('Passage', {
  knowledgeBaseId: z.string(),
  sourceId: z.string(),
  sourceType: SourceType,
  sourceName: z.string().describe('Title, file name or URL of the source, for citations.'),
  url: z.string().nullable().describe('URL of the page, or null for files and texts.'),
  page: z
    .int()
    .nullable()
    .describe('Page number in the document, starting at 1, or null if the document has no pages.'),
  headings: z.array(z.string()).describe('Headings above the passage, outermost first.'),
  text: z.string(),
  score: z
    .number()
    .describe(
      'Relevance from 0 to 1. For keyword matches, the weighted share of the question’s words that the passage contains; ' +
        'for embedding matches, the cosine similarity; for both, the higher value.',
    ),
  mode: SearchMode,
})
export type Passage = z.infer<typeof Passage>

/** Default number of passages. */
export const DEFAULT_TOP_K = 3
/** Default minimum score, which excludes nothing. */
export const DEFAULT_FILTER_SCORE = 0
