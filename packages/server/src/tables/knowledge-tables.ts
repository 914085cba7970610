import type { Flag, Json, Milliseconds } from './columns.ts'

/** Documents that agents answer from. */
export interface KnowledgeBaseRow {
  knowledge_base_id: string
  workspace_id: number
  name: string
  description: string
  auto_refresh: Flag
  refresh_hours: number
  /** Sites whose pages are followed: `Crawl[]` of the contract. */
  crawl: Json
  max_chunk_size: number
  min_chunk_size: number
  /** Grows with every change of what can be found, in the transaction of that change: an index of another revision is stale. */
  revision: number
  /** 0 while its content is on its way in or out: nobody sees it then. */
  edit_count: number
  /** When a refresh was last begun. */
  refreshed_at: Milliseconds | null
  /** When the next one is due; null without automatic refreshes. */
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
  /** As the caller or the site named it. */
  given_content_type: string | null
  /** As it was recognised. */
  content_type: string | null
  /** What makes it the same document when it is added again: its normalised address, or a hash of its content. */
  identity: string
  /** The site of `crawl` that it was found on; null when a caller named it. */
  crawl_path: string | null
  /** As in the contract; `staged` while its content is on its way in, `removed` on its way out: nobody sees it then. */
  status: string
  error: string | null
  size_bytes: number | null
  characters: number
  page_count: number | null
  chunk_count: number
  /** SHA-256 of the bytes that the live chunks were read from. */
  content_hash: string | null
  /** Validators of the page's server for conditional requests. */
  etag: string | null
  last_modified: string | null
  /** Which of its chunks can be found; 0 while there are none. */
  generation: number
  /** Changes whenever it is to be read anew: work that was begun under another one is void. */
  reading_id: string
  created_at: Milliseconds
  updated_at: Milliseconds
  refreshed_at: Milliseconds | null
}

/** Content of a file or text until it was read, in parts. */
export interface KnowledgeOriginalRow {
  source_id: string
  part: number
  /** Base64. */
  content: string
}

/** A passage. Those of a generation other than the source's are on their way in or out. */
export interface KnowledgeChunkRow {
  source_id: string
  generation: number
  position: number
  page: number | null
  /** Texts, outermost first. */
  headings: Json
  text: string
  /** SHA-256 of what is embedded of it. */
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

/** What an embedding model made of a text; kept while a chunk of the knowledge base has that text. */
export interface KnowledgeVectorRow {
  knowledge_base_id: string
  model: string
  content_hash: string
  /** Base64 of 32-bit floats, little endian. */
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
