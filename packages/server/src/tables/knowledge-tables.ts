import type { Flag, Json, Milliseconds } from './columns.ts'

/** A set of documents that agents use for their answers. */
export interface KnowledgeBaseRow {
  knowledge_base_id: string
  workspace_id: number
  name: string
  description: string
  auto_refresh: Flag
  refresh_hours: number
  /** Crawled sites: `Crawl[]` of the contract. */
  crawl: Json
  max_chunk_size: number
  min_chunk_size: number
  /** Increases in the transaction of every change of the searchable content. An index of another revision is stale. */
  revision: number
  /** 0 while content is being added or removed, which hides the knowledge base. */
  edit_count: number
  /** Start of the last refresh. */
  refreshed_at: Milliseconds | null
  /** Time of the next refresh; null without automatic refreshes. */
  refresh_due_at: Milliseconds | null
  created_at: Milliseconds
  updated_at: Milliseconds
}

/** One document of a knowledge base. */
export interface KnowledgeSourceRow {
  source_id: string
  knowledge_base_id: string
  workspace_id: number
  /** `text`, `url` or `file`. */
  kind: string
  title: string
  /** `''` for texts and pages. */
  filename: string
  url: string | null
  /** Content type given by the caller or the site. */
  given_content_type: string | null
  /** Detected content type. */
  content_type: string | null
  /** Identifies the document if it is added again: its normalized URL or a hash of its content. */
  identity: string
  /** The site in `crawl` on which the document was found; null if a caller added it. */
  crawl_path: string | null
  /**
   * As in the contract. The source is hidden while `staged` (its content is being added) or `removed` (it is being
   * deleted).
   */
  status: string
  error: string | null
  size_bytes: number | null
  characters: number
  page_count: number | null
  chunk_count: number
  /** SHA-256 of the bytes from which the live chunks were read. */
  content_hash: string | null
  /** Validators from the page's server for conditional requests. */
  etag: string | null
  last_modified: string | null
  /** Generation of the searchable chunks; 0 without chunks. */
  generation: number
  /** Changes if the source must be read again. Work started under another value is discarded. */
  reading_id: string
  created_at: Milliseconds
  updated_at: Milliseconds
  refreshed_at: Milliseconds | null
}

/** Unprocessed content of a file or text, in parts. */
export interface KnowledgeOriginalRow {
  source_id: string
  part: number
  /** Base64. */
  content: string
}

/** A passage. Chunks with a different generation than their source are being added or removed. */
export interface KnowledgeChunkRow {
  source_id: string
  generation: number
  position: number
  page: number | null
  /** JSON array of headings, outermost first. */
  headings: Json
  text: string
  /** SHA-256 of the embedded text. */
  content_hash: string
}

/** The prepared index of a source's chunks, in parts. */
export interface KnowledgeIndexPartRow {
  source_id: string
  generation: number
  part: number
  /** Base64. */
  content: string
}

/** The embedding of a text, kept as long as a chunk of the knowledge base has that text. */
export interface KnowledgeVectorRow {
  knowledge_base_id: string
  model: string
  content_hash: string
  /** Base64 of 32-bit floats, little-endian. */
  vector: string
}

export interface KnowledgeTables {
  knowledge_bases: KnowledgeBaseRow
  knowledge_sources: KnowledgeSourceRow
  knowledge_originals: KnowledgeOriginalRow
  knowledge_chunks: KnowledgeChunkRow
  knowledge_index_parts: KnowledgeIndexPartRow
  knowledge_vectors: KnowledgeVectorRow
}
