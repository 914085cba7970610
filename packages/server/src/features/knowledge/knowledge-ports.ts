import type { KnowledgeSearch } from '@parley/engine/ports'
import type { Chunk, ChunkSizes } from '@parley/retrieval/chunk'

/** A document to read. Its content determines the type; name and media type only help when that is ambiguous. */
export interface RawDocument {
  readonly bytes: Uint8Array
  /** `''` when it has none. */
  readonly filename: string
  /** As given by the caller or the site. */
  readonly contentType: string | null
  /** Where it was fetched from: links are resolved against it. */
  readonly url: string | null
  /** As given by the caller; `''` uses the document's own. */
  readonly title: string
}

/** A parsed, chunked and indexed document. */
export interface PreparedDocument {
  readonly ok: true
  /** Detected media type. */
  readonly contentType: string
  /** The given title or the document's own; `''` without either. */
  readonly title: string
  readonly pageCount: number | null
  readonly characters: number
  readonly chunks: readonly PreparedChunk[]
  /** `buildSegment` of the chunks, in order. */
  readonly segment: Uint8Array
  /** Absolute URLs of links on the page. */
  readonly links: readonly string[]
}

/** `contentHash`: hex SHA-256 of `embeddedText`, so that equal texts are embedded once. */
export interface PreparedChunk extends Chunk {
  readonly contentHash: string
}

/** Why a document could not be read: a sentence for its owner with a fix. */
export interface UnreadableDocument {
  readonly ok: false
  readonly message: string
  /** The worker lacked resources, so the same document may succeed later. */
  readonly retryable: boolean
}

export interface PrepareOptions {
  /** The workspace, for fair scheduling. */
  readonly workspaceId: number
  readonly sizes: ChunkSizes
  readonly signal: AbortSignal
}

/** Reads documents off the main thread with limits on time, memory, pages and unpacked size. Never rejects. */
export interface DocumentPreparer {
  prepare(document: RawDocument, options: PrepareOptions): Promise<PreparedDocument | UnreadableDocument>
}

/** Validators from the server's last response. */
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
  /** The server reports it unchanged. */
  | { readonly ok: true; readonly changed: false }
  | {
      readonly ok: false
      /** `gone`: the server says that the page does not exist (404, 410). */
      readonly reason: 'gone' | 'refused' | 'failed'
      /** A sentence for the owner with a fix, without secrets and internal addresses. */
      readonly message: string
      readonly retryable: boolean
    }

export type ReadSitemap =
  /** Page URLs in order, including those of nested sitemaps. */
  | { readonly ok: true; readonly urls: readonly string[] }
  | { readonly ok: false; readonly message: string; readonly retryable: boolean }

/**
 * Fetches pages politely: respects robots.txt (`refused`), limits the rate per host, rejects private addresses at every
 * redirect, and bounds time and size. Never rejects.
 */
export interface WebPages {
  fetch(url: string, validators: PageValidators, signal: AbortSignal): Promise<FetchedPage>
  /** Reads a sitemap or sitemap index, plain or gzipped; at most `limit` URLs. */
  readSitemap(url: string, limit: number, signal: AbortSignal): Promise<ReadSitemap>
}

export type Embedded =
  /** In the order of the texts, equally long, normalized to length 1. */
  | { readonly ok: true; readonly vectors: readonly Float32Array[] }
  | { readonly ok: false; readonly message: string; readonly retryable: boolean; readonly retryAfterMs?: number }

/** An embedding model. Never rejects. */
export interface Embedder {
  /** Changes when vectors are no longer comparable. */
  readonly model: string
  /** Maximum texts per request. */
  readonly batchSize: number
  embed(texts: readonly string[], signal: AbortSignal): Promise<Embedded>
}

/** Searches of a workspace. */
export interface KnowledgeSearches {
  forWorkspace(workspaceId: number): KnowledgeSearch
}
