import type { KnowledgeSearch } from '@parley/engine/ports'
import type { Chunk, ChunkSizes } from '@parley/retrieval/chunk'

/** A document to parse. Its type is detected from the content. The name and media type only resolve ambiguity. */
export interface RawDocument {
  readonly bytes: Uint8Array
  /** File name, or `''` if there is none. */
  readonly filename: string
  /** Media type declared by the API client or the website. */
  readonly contentType: string | null
  /** Base URL for resolving links, or null if the document was not fetched. */
  readonly url: string | null
  /** Title to use, or `''` to use the document's title. */
  readonly title: string
}

/** A parsed, chunked and indexed document. */
export interface PreparedDocument {
  readonly ok: true
  /** Detected media type. */
  readonly contentType: string
  /** The requested title or the document's title, or `''` if both are empty. */
  readonly title: string
  readonly pageCount: number | null
  readonly characters: number
  readonly chunks: readonly PreparedChunk[]
  /** Serialized index that `buildSegment` created from the chunks, in order. */
  readonly segment: Uint8Array
  /** Absolute URLs of the links on the page. */
  readonly links: readonly string[]
}

/** A chunk with the hexadecimal SHA-256 hash of its embedded text. Equal texts are embedded only once. */
export interface PreparedChunk extends Chunk {
  readonly contentHash: string
}

/** A document that could not be read. `message` explains the problem to the owner and suggests a fix. */
export interface UnreadableDocument {
  readonly ok: false
  readonly message: string
  /** Whether a retry may succeed, because the worker lacked resources. */
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

/** HTTP cache validators from the website's last response. */
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
      /** `gone` means a 404 or 410 response. `refused` means that robots.txt disallows the page. */
      readonly reason: 'gone' | 'refused' | 'failed'
      /** Explains the problem to the owner and suggests a fix. Contains no secrets or internal addresses. */
      readonly message: string
      readonly retryable: boolean
    }

export type SitemapResult =
  /** Page URLs in order, including those of nested sitemaps. */
  | { readonly ok: true; readonly urls: readonly string[] }
  | { readonly ok: false; readonly message: string; readonly retryable: boolean }

/**
 * Fetches web pages. Respects robots.txt, limits the request rate per host, blocks private addresses at every redirect, and
 * limits time and size. Its promises never reject.
 */
export interface WebPageFetcher {
  fetch(url: string, validators: PageValidators, signal: AbortSignal): Promise<FetchedPage>
  /** Reads up to `limit` URLs from a sitemap or sitemap index, plain or gzipped. */
  readSitemap(url: string, limit: number, signal: AbortSignal): Promise<SitemapResult>
}

export type EmbedResult =
  /** Vectors in the order of the texts, all of equal length and normalized to length 1. */
  | { readonly ok: true; readonly vectors: readonly Float32Array[] }
  | { readonly ok: false; readonly message: string; readonly retryable: boolean; readonly retryAfterMs?: number }

/** An embedding model. Never rejects. */
export interface Embedder {
  /** Name of the model. Vectors of different models are not comparable. */
  readonly model: string
  /** Maximum number of texts per request. */
  readonly batchSize: number
  embed(texts: readonly string[], signal: AbortSignal): Promise<EmbedResult>
}

/** Provides the knowledge search of each workspace. */
export interface KnowledgeSearches {
  forWorkspace(workspaceId: number): KnowledgeSearch
}
