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
  /** JSON array of {agentId, agentVersion, agentName, at, settings}: the hand-overs, oldest first. */
  hand_overs: Json
  /** Tells histories of the same length apart. */
  rewind_count: number
  message_count: number
  turn_count: number
  /** The turn that runs; null between turns. */
  active_turn_id: string | null
  /** Of the provider when the chat began, in percent. */
  markup_percent: number
  /** Silence after which it is ended; null: never. */
  close_after_ms: number | null
  /** JSON of what is stored of it and for how long: {setting, categories, retentionDays}; null: that of its agent. */
  storage: Json | null
  /** When it is looked at next: for silence, for what is left to do after its end, or to be deleted. */
  due_at: Milliseconds | null
  /** When it is deleted; known once its storage setting was applied. */
  delete_at: Milliseconds | null
  /** request, agent, silence or agent_deleted; null while it is ongoing. */
  end_reason: string | null
  /** When its end was sent to webhooks. */
  end_told_at: Milliseconds | null
  /** The storage setting that was applied to it; null until then. */
  stored_as: string | null
  /** JSON of what was found out: {summary, sentiment, successful, customData}; null until it was analysed. */
  analysis: Json | null
  analysed_at: Milliseconds | null
  /** JSON array like that of turns: what the analyses used. */
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
  /** SHA-256 of actor and Idempotency-Key of the request that began the turn; a retry of a failed turn has the same. */
  idempotency_hash: string | null
  /** Error code and sentence when failed. */
  error_code: string | null
  error_message: string | null
  /** JSON array of {model, inputTokens, outputTokens, cachedInputTokens, cost}. */
  usage: Json
  /** JSON array of what was decided and why. */
  explanation: Json
  first_text_ms: number | null
  event_count: number
  /** The engine's state value after the turn where the turn changed it; null where the one before still holds. */
  state: Json | null
  /** The node that runs it. */
  node_id: string | null
  started_at: Milliseconds
  ended_at: Milliseconds | null
}

/** A turn that waits behind one that another node runs. */
export interface WaitingTurnRow {
  turn_id: string
  chat_id: string
  /** The lowest of a chat is next. */
  place: number
  node_id: string
}

/** Consecutive events of a turn, for readers on other nodes. */
export interface TurnEventsRow {
  turn_id: string
  /** Number of the first. Below zero there are none: -1 marks the first time that another node took the turn over, and so on. */
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
