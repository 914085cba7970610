import type { Flag, Json, Milliseconds } from './columns.ts'

/** One row per versioned resource, whatever its kind; its definition stands in its versions. */
export interface ResourceRow {
  resource_id: string
  /** llm, conversation-flow, agent or chat-agent. */
  kind: string
  workspace_id: number
  newest_version: number
  /** Set by activate; null = the highest published version, else the newest. */
  active_version: number | null
  /** Counts edits: the ETag. */
  edit_count: number
  created_at: Milliseconds
  updated_at: Milliseconds
}

export interface ResourceVersionRow {
  resource_id: string
  version: number
  /** The contract object without what is derived. */
  definition: Json
  /** Of agents: the response engine, for look-ups. */
  engine_id: string | null
  /** The engine version that a caller pinned, or that this version resolved to when it was frozen. */
  engine_version: number | null
  /** 1 when a caller set response_engine.version. */
  engine_pinned: Flag
  frozen_at: Milliseconds | null
  published_at: Milliseconds | null
  version_title: string | null
  version_description: string | null
  created_at: Milliseconds
  updated_at: Milliseconds
}

export interface ResourceTables {
  resources: ResourceRow
  resource_versions: ResourceVersionRow
}
