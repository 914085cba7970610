import type { Flag, Json, Milliseconds } from './columns.ts'

/** A URL that receives events of a workspace. */
export interface WebhookRow {
  webhook_id: string
  workspace_id: number
  url: string
  /** Event names. */
  events: Json
  description: string
  enabled: Flag
  edit_count: number
  created_at: Milliseconds
  updated_at: Milliseconds
}

/** An event. All endpoints receive the same body. */
export interface WebhookEventRow {
  event_id: string
  workspace_id: number
  event: string
  subject_kind: string
  subject_id: string
  /** Position of the event among the events of its subject. */
  position: number
  /** The exact request body; null until it is prepared. */
  body: string | null
  /** Time when the event happened; null once its deliveries exist. */
  untold_since: Milliseconds | null
  created_at: Milliseconds
}

/** The delivery of one event to one URL. */
export interface WebhookDeliveryRow {
  delivery_id: string
  workspace_id: number
  event_id: string
  /** Copied from the event, so that lists and ordering need no join. */
  event: string
  subject_kind: string
  subject_id: string
  position: number
  /** A destination with ordered delivery: an endpoint, or a URL set on an agent. */
  target: string
  /** The endpoint, which may have been deleted; null for a URL set on an agent. */
  webhook_id: string | null
  /** The URL of the latest attempt, or of the first attempt if none was made yet. */
  url: string
  timeout_ms: number
  /** pending, delivered, failed or cancelled */
  status: string
  /** Number of attempts, which is also the number of the latest attempt in `webhook_attempts`. */
  attempts: number
  /** Number of attempts since creation or the latest requested retry. */
  tries: number
  /** Earliest time to send, or the end of a worker's lease; null once the delivery has ended. */
  due_at: Milliseconds | null
  leased_by: string | null
  /** Position of this delivery while later deliveries of the subject to the target wait for it. */
  blocking_position: number | null
  created_at: Milliseconds
  ended_at: Milliseconds | null
}

/** One attempt of a delivery. */
export interface WebhookAttemptRow {
  delivery_id: string
  attempt: number
  at: Milliseconds
  /** HTTP status; null without a response. */
  status: number | null
  duration_ms: number
  error: string | null
  /** Start of the response body. */
  response_body: string
}

export interface WebhookTables {
  webhooks: WebhookRow
  webhook_events: WebhookEventRow
  webhook_deliveries: WebhookDeliveryRow
  webhook_attempts: WebhookAttemptRow
}
