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
  /** The engine's state value; null before the first turn. */
  state: Json | null
  /** JSON array of {agentId, agentVersion, agentName, at, settings}: the agent transfers, oldest first. */
  hand_overs: Json
  /** Distinguishes histories of the same length. */
  rewind_count: number
  message_count: number
  turn_count: number
  /** The running turn; null between turns. */
  active_turn_id: string | null
  /** The provider's markup at the start of the chat, in percent. */
  markup_percent: number
  /** Silence after which it ends; null means never. */
  close_after_ms: number | null
  /** JSON of its own storage policy: {setting, categories, retentionDays}; null means that of its agent. */
  storage: Json | null
  /** When it is next due: for silence, for work after its end, or for deletion. */
  due_at: Milliseconds | null
  /** When it is deleted; set when its storage setting is applied. */
  delete_at: Milliseconds | null
  /** request, agent, silence or agent_deleted; null while it is ongoing. */
  end_reason: string | null
  /** When webhooks were notified of its end. */
  end_told_at: Milliseconds | null
  /** The applied storage setting; null before that. */
  stored_as: string | null
  /** JSON of the analysis: {summary, sentiment, successful, customData}; null until it is analyzed. */
  analysis: Json | null
  analysed_at: Milliseconds | null
  /** JSON array as in turns: the usage of its analyses. */
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
  /** running, completed, failed, cancelled or interrupted (the process died) */
  status: string
  user_message_id: string
  /** SHA-256 of actor and Idempotency-Key of the turn's request; a retry of a failed turn has the same. */
  idempotency_hash: string | null
  /** Error code and message when failed. */
  error_code: string | null
  error_message: string | null
  /** JSON array of {model, inputTokens, outputTokens, cachedInputTokens, cost}. */
  usage: Json
  /** JSON array of decisions with their reasons. */
  explanation: Json
  first_text_ms: number | null
  event_count: number
  /** The engine's state value after the turn; null when the turn did not change it. */
  state: Json | null
  /** The node running it. */
  node_id: string | null
  started_at: Milliseconds
  ended_at: Milliseconds | null
}

/** A turn queued behind one running on another node. */
export interface WaitingTurnRow {
  turn_id: string
  chat_id: string
  /** The lowest number of a chat is next. */
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
