import type { Chunk } from '@parley/retrieval/chunk'

/** What an embedding model gets of a passage: where it stands, and what it says. */
export function embeddedText(title: string, chunk: Pick<Chunk, 'headings' | 'text'>): string {
  return [title, chunk.headings.join(' > '), chunk.text].filter((part) => part !== '').join('\n')
}
