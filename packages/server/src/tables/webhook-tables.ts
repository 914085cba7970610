import type { Flag, Json, Milliseconds } from './columns.ts'

/** An address that a workspace wants events posted to. */
export interface WebhookRow {
  webhook_id: string
  workspace_id: number
  url: string
  /** Names of events. */
  events: Json
  description: string
  enabled: Flag
  edit_count: number
  created_at: Milliseconds
  updated_at: Milliseconds
}

/** An event; all endpoints get the same body. */
export interface WebhookEventRow {
  event_id: string
  workspace_id: number
  event: string
  subject_kind: string
  subject_id: string
  /** Order of events of one subject. */
  position: number
  /** As it is sent, byte for byte; null until it was read. */
  body: string | null
  /** When it happened while its deliveries are not made yet; null afterwards. */
  untold_since: Milliseconds | null
  created_at: Milliseconds
}

/** One event on its way to one address. */
export interface WebhookDeliveryRow {
  delivery_id: string
  workspace_id: number
  event_id: string
  /** Those of its event, so that lists and the order need no second table. */
  event: string
  subject_kind: string
  subject_id: string
  position: number
  /** A destination with ordered delivery: an endpoint, or an address set on an agent. */
  target: string
  /** The endpoint, which may be gone; null for an address that an agent named. */
  webhook_id: string | null
  /** Where it was last sent to; until then, where it is to be sent. */
  url: string
  timeout_ms: number
  /** pending, delivered, failed or cancelled */
  status: string
  /** All attempts so far; the number of the last one in `webhook_attempts`. */
  attempts: number
  /** Those since it was made or last asked for again. */
  tries: number
  /** May be sent from then on; while a worker has it, the end of its lease. Null when it has ended. */
  due_at: Milliseconds | null
  leased_by: string | null
  /** Its position while later deliveries about the subject to the target wait for it. */
  blocking_position: number | null
  created_at: Milliseconds
  ended_at: Milliseconds | null
}

/** One time that a delivery was sent. */
export interface WebhookAttemptRow {
  delivery_id: string
  attempt: number
  at: Milliseconds
  /** HTTP status; null without an answer. */
  status: number | null
  duration_ms: number
  error: string | null
  /** Beginning of the answer. */
  response_body: string
}

export interface WebhookTables {
  webhooks: WebhookRow
  webhook_events: WebhookEventRow
  webhook_deliveries: WebhookDeliveryRow
  webhook_attempts: WebhookAttemptRow
}
