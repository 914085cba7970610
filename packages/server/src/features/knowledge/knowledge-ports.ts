import type { KnowledgeSearch } from '@parley/engine/ports'
import type { Chunk, ChunkSizes } from '@parley/retrieval/chunk'

/** A document to be read. Its content decides what it is; name and type only help where that tells nothing. */
export interface RawDocument {
  readonly bytes: Uint8Array
  /** `''` when it has none. */
  readonly filename: string
  /** As the caller or the site named it. */
  readonly contentType: string | null
  /** Where it was fetched from: links of the page are resolved against it. */
  readonly url: string | null
  /** As the caller named it; `''` leaves it to the document. */
  readonly title: string
}

/** A document, read, cut and indexed. */
export interface PreparedDocument {
  readonly ok: true
  /** Media type that it was recognised as. */
  readonly contentType: string
  /** What the document calls itself; the given title when there was one. `''` for neither. */
  readonly title: string
  readonly pageCount: number | null
  readonly characters: number
  readonly chunks: readonly PreparedChunk[]
  /** `buildSegment` of the chunks, in their order. */
  readonly segment: Uint8Array
  /** Absolute addresses that a page links to. */
  readonly links: readonly string[]
}

/** `contentHash`: hex SHA-256 of `embeddedText`, so that equal texts are embedded once. */
export interface PreparedChunk extends Chunk {
  readonly contentHash: string
}

/** Why a document could not be read: a sentence for its owner that says what helps. */
export interface UnreadableDocument {
  readonly ok: false
  readonly message: string
  /** The same document may be read another time: the worker was out of breath, not the document at fault. */
  readonly retryable: boolean
}

export interface PrepareOptions {
  /** Whose document it is: workspaces take turns. */
  readonly workspaceId: number
  readonly sizes: ChunkSizes
  readonly signal: AbortSignal
}

/** Reads documents outside of the main thread within limits of time, memory, pages and unpacked size. Never rejects. */
export interface DocumentPreparer {
  prepare(document: RawDocument, options: PrepareOptions): Promise<PreparedDocument | UnreadableDocument>
}

/** What a page's server told the last time. */
export interface PageValidators {
  readonly etag: string | null
  readonly lastModified: string | null
}

export type FetchedPage =
  | {
      readonly ok: true
      readonly changed: true
      /** After redirects. */
      readonly url: string
      readonly bytes: Uint8Array
      readonly contentType: string | null
      readonly validators: PageValidators
    }
  /** The server says that it is what it was. */
  | { readonly ok: true; readonly changed: false }
  | {
      readonly ok: false
      /** `gone`: the server says that there is no such page (404, 410). */
      readonly reason: 'gone' | 'refused' | 'failed'
      /** A sentence for the owner that says what helps: no secret, no internal address. */
      readonly message: string
      readonly retryable: boolean
    }

export type ReadSitemap =
  /** Addresses of pages, in its order; those of nested sitemaps included. */
  | { readonly ok: true; readonly urls: readonly string[] }
  | { readonly ok: false; readonly message: string; readonly retryable: boolean }

/**
 * Fetches pages politely: robots.txt is respected (`refused`), a host is not asked too often, private addresses are refused at
 * every redirect, time and size are limited. Never rejects.
 */
export interface WebPages {
  fetch(url: string, validators: PageValidators, signal: AbortSignal): Promise<FetchedPage>
  /** A sitemap or sitemap index, plain or gzipped; at most `limit` addresses. */
  readSitemap(url: string, limit: number, signal: AbortSignal): Promise<ReadSitemap>
}

export type Embedded =
  /** In the order of the texts, all of the same length, normalised to length 1. */
  | { readonly ok: true; readonly vectors: readonly Float32Array[] }
  | { readonly ok: false; readonly message: string; readonly retryable: boolean; readonly retryAfterMs?: number }

/** An embedding model. Never rejects. */
export interface Embedder {
  /** Changes when vectors of before cannot be compared with those of now. */
  readonly model: string
  /** Texts in one request at most. */
  readonly batchSize: number
  embed(texts: readonly string[], signal: AbortSignal): Promise<Embedded>
}

/** Searches of a workspace. */
export interface KnowledgeSearches {
  forWorkspace(workspaceId: number): KnowledgeSearch
}
