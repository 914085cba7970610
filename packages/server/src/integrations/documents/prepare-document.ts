import { createHash } from 'node:crypto'
import type { Chunk } from '@parley/retrieval/chunk'
import { chunkDocument } from '@parley/retrieval/chunking/chunk-document'
import { buildSegment } from '@parley/retrieval/lexical/build-segment'
import type { ReadDocument } from '@parley/retrieval/read-document'
import type { PreparedChunk, PreparedDocument, UnreadableDocument } from '../../features/knowledge/public.ts'
import { listBlockTexts } from './clean-document.ts'
import type { PrepareRequest } from './document-protocol.ts'
import { buildEmbeddingText } from './embedded-text.ts'
import { readContent } from './read-content.ts'
import { createNoTextError, UnreadableContentError } from './unreadable-content.ts'

/** Reads, chunks and indexes one document. Never rejects. */
export async function prepareDocument(request: PrepareRequest): Promise<PreparedDocument | UnreadableDocument> {
  try {
    const { contentType, document } = await readContent(request.document, request.limits)
    return buildPreparedDocument(request, contentType, document)
  } catch (error) {
    if (error instanceof UnreadableContentError) return { ok: false, message: error.message, retryable: false }
    return { ok: false, message: describeParserError(error), retryable: false }
  }
}

function buildPreparedDocument(
  { document: raw, sizes }: PrepareRequest,
  contentType: string,
  document: ReadDocument,
): PreparedDocument {
  const title = raw.title || document.title || ''
  // Requires the final title, because a first heading that equals the title is dropped.
  const chunks = chunkDocument({ ...document, title }, sizes)
  if (chunks.length === 0) throw createNoTextError()
  const indexTitle = title || raw.filename
  return {
    ok: true,
    contentType,
    title,
    pageCount: document.pageCount,
    characters: document.blocks.reduce((sum, block) => sum + getTotalLength(listBlockTexts(block)), 0),
    chunks: chunks.map((chunk) => addContentHash(title, chunk)),
    segment: buildSegment(
      chunks.map(({ position, headings, text }) => ({ position, title: indexTitle, headings, text })),
    ),
    links: document.links,
  }
}

function addContentHash(title: string, chunk: Chunk): PreparedChunk {
  return {
    ...chunk,
    contentHash: createHash('sha256').update(buildEmbeddingText(title, chunk)).digest('hex'),
  }
}

function getTotalLength(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + text.length, 0)
}

/** Returns a message for the document's owner, because parser errors are too technical. */
function describeParserError(error: unknown): string {
  if (error instanceof RangeError) return 'The document is nested too deeply to be read: simplify it.'
  return 'The document seems to be damaged: it could not be read completely. Save it again and add the new file.'
}
