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
  message_count: number
  turn_count: number
  /** Of the provider when the chat began, in percent. */
  markup_percent: number
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
  started_at: Milliseconds
  ended_at: Milliseconds | null
}

export interface ChatTables {
  chats: ChatRow
  messages: MessageRow
  turns: TurnRow
}
