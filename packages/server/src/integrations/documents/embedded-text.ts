import type { Chunk } from '@parley/retrieval/chunk'

/** The text of a passage for an embedding model: title, headings and text. */
export function embeddedText(title: string, chunk: Pick<Chunk, 'headings' | 'text'>): string {
  return [title, chunk.headings.join(' > '), chunk.text].filter((part) => part !== '').join('\n')
}
