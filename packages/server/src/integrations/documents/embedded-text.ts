import type { Chunk } from '@parley/retrieval/chunk'

/** Builds the text of a passage for an embedding model: title, headings and text. */
export function buildEmbeddingText(title: string, chunk: Pick<Chunk, 'headings' | 'text'>): string {
  return [title, chunk.headings.join(' > '), chunk.text].filter((text) => text !== '').join('\n')
}
