import { z } from 'zod'

/** Passages: parts of documents that were found for a question. */

/** How passages are found: by words alone, or by words and the vectors of an embedding model together. */
export const SEARCH_MODES = ['lexical', 'hybrid'] as const
export const SearchMode = z.enum(SEARCH_MODES).meta({
  id: 'SearchMode',
  description: '`lexical`: by words alone; `hybrid`: by words and by meaning together, with an embedding model.',
})
export type SearchMode = z.infer<typeof SearchMode>

export const SOURCE_TYPES = ['text', 'url', 'file'] as const
export const SourceType = z.enum(SOURCE_TYPES).meta({ id: 'KnowledgeSourceType' })
export type SourceType = z.infer<typeof SourceType>

/** A part of a document that fits a question, with where it stands. */
export const Passage = z
  .object({
    knowledgeBaseId: z.string(),
    sourceId: z.string(),
    sourceType: SourceType,
    sourceName: z.string().meta({ description: 'Title, file name or address of the source: what to cite it by.' }),
    url: z.string().nullable().meta({ description: 'Of the page it comes from; null for files and texts.' }),
    page: z.int().nullable().meta({ description: 'Page of the document, from 1; null where there are no pages.' }),
    headings: z.array(z.string()).meta({ description: 'Headings that it stands under, outermost first.' }),
    text: z.string(),
    score: z.number().meta({
      description:
        '0 to 1. By words: the share of the question’s weight that the passage holds; by meaning: the cosine; with both ' +
        'the larger.',
    }),
    mode: SearchMode,
  })
  .meta({ id: 'Passage' })
export type Passage = z.infer<typeof Passage>

/** How many passages are found at most unless a configuration says otherwise. */
export const DEFAULT_TOP_K = 3
/** Every passage that fits at all, unless a configuration says otherwise. */
export const DEFAULT_FILTER_SCORE = 0
