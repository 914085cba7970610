import type { KnowledgeSearch } from '@parley/engine/ports'
import type { Chunk, ChunkSizes } from '@parley/retrieval/chunk'

/** A document to read. The content determines the type. Name and media type only resolve ambiguity. */
export interface RawDocument {
  readonly bytes: Uint8Array
  /** File name, or `''` if there is none. */
  readonly filename: string
  /** Media type given by the caller or the site. */
  readonly contentType: string | null
  /** Base URL for resolving links, or null if the document was not fetched. */
  readonly url: string | null
  /** Title given by the caller, or `''` to use the document's title. */
  readonly title: string
}

/** A parsed, chunked and indexed document. */
export interface PreparedDocument {
  readonly ok: true
  /** Detected media type. */
  readonly contentType: string
  /** The given title, or the document's title, or `''` if both are empty. */
  readonly title: string
  readonly pageCount: number | null
  readonly characters: number
  readonly chunks: readonly PreparedChunk[]
  /** Serialized index that `buildSegment` created from the chunks, in order. */
  readonly segment: Uint8Array
  /** Absolute URLs of the links on the page. */
  readonly links: readonly string[]
}

/**
 * A chunk with the hexadecimal SHA-256 hash of its embedded text. Equal texts are embedded only once.
 */
export interface PreparedChunk extends Chunk {
  readonly contentHash: string
}

/** The reason why a document could not be read, as a sentence for its owner that suggests a fix. */
export interface UnreadableDocument {
  readonly ok: false
  readonly message: string
  /** Whether the worker lacked resources, so that a retry may succeed. */
  readonly retryable: boolean
}

export interface PrepareOptions {
  /** Workspace for fair scheduling. */
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
      /** URL after redirects. */
      readonly url: string
      readonly bytes: Uint8Array
      readonly contentType: string | null
      readonly validators: PageValidators
    }
  /** The server reports that the page is unchanged. */
  | { readonly ok: true; readonly changed: false }
  | {
      readonly ok: false
      /** `gone` means that the server responded with 404 or 410. */
      readonly reason: 'gone' | 'refused' | 'failed'
      /** A sentence for the owner that suggests a fix and contains neither secrets nor internal addresses. */
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
  /** Reads up to `limit` URLs from a sitemap or sitemap index, plain or gzipped. */
  readSitemap(url: string, limit: number, signal: AbortSignal): Promise<ReadSitemap>
}

export type Embedded =
  /** Vectors in the order of the texts, all of equal length and normalized to length 1. */
  | { readonly ok: true; readonly vectors: readonly Float32Array[] }
  | { readonly ok: false; readonly message: string; readonly retryable: boolean; readonly retryAfterMs?: number }

/** An embedding model. Never rejects. */
export interface Embedder {
  /** Name of the model. Vectors of different models are not comparable. */
  readonly model: string
  /** Maximum number of texts per request. */
  readonly batchSize: number
  embed(texts: readonly string[], signal: AbortSignal): Promise<Embedded>
}

/** Provides the knowledge search of each workspace. */
export interface KnowledgeSearches {
  forWorkspace(workspaceId: number): KnowledgeSearch
}
