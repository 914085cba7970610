import type { Flag, Json, Milliseconds } from './columns.ts'

export interface ChatRow {
  chat_id: string
  workspace_id: number
  agent_id: string
  agent_version: number
  agent_name: string | null
  engine_kind: string
  engine_id: string | null
  engine_version: number | null
  /** web_chat, sms_chat or api_chat */
  type: string
  /** ongoing, completed or error */
  status: string
  metadata: Json
  custom_attributes: Json
  given_variables: Json
  collected_variables: Json
  override_variables: Json
  /** The engine's state; null before the first turn. */
  state: Json | null
  /** JSON array of {agentId, agentVersion, agentName, at, settings}: the agent handoffs, oldest first. */
  hand_overs: Json
  /** Distinguishes histories of the same length. */
  rewind_count: number
  message_count: number
  turn_count: number
  /** The running turn; null between turns. */
  active_turn_id: string | null
  /** The provider's markup in percent at the start of the chat. */
  markup_percent: number
  /** Inactivity after which the chat ends; null means never. */
  close_after_ms: number | null
  /** JSON of the chat's storage policy: {setting, categories, retentionDays}; null means the agent's policy. */
  storage: Json | null
  /** Time of the next check: for inactivity, for work after the end of the chat, or for deletion. */
  due_at: Milliseconds | null
  /** Time of deletion, set when the storage setting is applied. */
  delete_at: Milliseconds | null
  /** request, agent, silence or agent_deleted; null while the chat is ongoing. */
  end_reason: string | null
  /** Time when webhooks were notified of the end of the chat. */
  end_told_at: Milliseconds | null
  /** The applied storage setting; null until it is applied. */
  stored_as: string | null
  /** JSON of the analysis: {summary, sentiment, successful, customData}; null until the chat is analyzed. */
  analysis: Json | null
  analysed_at: Milliseconds | null
  /** JSON array as in turns: the usage of the chat's analyses. */
  analysis_usage: Json
  started_at: Milliseconds
  ended_at: Milliseconds | null
  updated_at: Milliseconds
}

export interface MessageRow {
  message_id: string
  chat_id: string
  /** Position in the chat, from 0. */
  position: number
  turn_id: string | null
  role: string
  content: string
  name: string
  tool_calls: Json
  tool_call_id: string | null
  incomplete: Flag
  created_at: Milliseconds
}

export interface TurnRow {
  turn_id: string
  chat_id: string
  /** Position in the chat, from 0. */
  position: number
  /** running, completed, failed, cancelled or interrupted (the process crashed) */
  status: string
  user_message_id: string
  /** SHA-256 of the actor and Idempotency-Key of the turn's request. A retry of a failed turn has the same hash. */
  idempotency_hash: string | null
  /** Error code and message if the turn failed. */
  error_code: string | null
  error_message: string | null
  /** JSON array of {model, inputTokens, outputTokens, cachedInputTokens, cost}. */
  usage: Json
  /** JSON array of decisions with their reasons. */
  explanation: Json
  first_text_ms: number | null
  event_count: number
  /** The engine's state after the turn; null if the turn did not change it. */
  state: Json | null
  /** The node that runs the turn. */
  node_id: string | null
  started_at: Milliseconds
  ended_at: Milliseconds | null
}

/** A turn queued behind a turn that is running on another node. */
export interface WaitingTurnRow {
  turn_id: string
  chat_id: string
  /** The turn of the chat with the lowest number runs next. */
  place: number
  node_id: string
}

/** Consecutive events of a turn, for readers on other nodes. */
export interface TurnEventsRow {
  turn_id: string
  /** Number of the first event. Negative rows have no events: -1 marks the turn's first takeover by another node. */
  first_event: number
  /** JSON array of [event, data], where data is JSON text. */
  frames: Json
  created_at: Milliseconds
}

export interface ChatTables {
  chats: ChatRow
  messages: MessageRow
  turns: TurnRow
  waiting_turns: WaitingTurnRow
  turn_events: TurnEventsRow
}
