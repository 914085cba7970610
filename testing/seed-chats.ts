import type { ChatRow, TurnRow } from '../packages/server/src/tables/chat-tables.ts'

/** Defaults of a seeded chat: an ongoing, empty web chat in workspace 1. */
const DEFAULTS: Omit<ChatRow, 'chat_id'> = {
  workspace_id: 1,
  agent_id: 'agent_1',
  agent_version: 1,
  agent_name: 'Agent',
  engine_kind: 'llm',
  engine_id: 'llm_1',
  engine_version: 1,
  type: 'web_chat',
  status: 'ongoing',
  metadata: '{}',
  custom_attributes: '{}',
  given_variables: '{}',
  collected_variables: '{}',
  override_variables: '{}',
  state: null,
  hand_overs: '[]',
  rewind_count: 0,
  message_count: 0,
  turn_count: 0,
  active_turn_id: null,
  markup_percent: 0,
  close_after_ms: null,
  storage: null,
  due_at: null,
  delete_at: null,
  end_reason: null,
  end_told_at: null,
  stored_as: null,
  analysis: null,
  analysed_at: null,
  analysis_usage: '[]',
  started_at: 0,
  ended_at: null,
  updated_at: 0,
}

/** Fields of a seeded chat. Omitted fields have defaults. */
export type SeededChat = Pick<ChatRow, 'chat_id'> & Partial<ChatRow>

/** Builds the database row of a chat. */
export function createChatRow(chat: SeededChat): ChatRow {
  return { ...DEFAULTS, ...chat }
}

const TURN_DEFAULTS: Omit<TurnRow, 'turn_id' | 'chat_id'> = {
  position: 0,
  status: 'completed',
  user_message_id: 'message_x',
  idempotency_hash: null,
  error_code: null,
  error_message: null,
  usage: '[]',
  explanation: '[]',
  first_text_ms: null,
  event_count: 0,
  state: null,
  node_id: null,
  started_at: 0,
  ended_at: null,
}

/** Builds the database row of a completed turn. */
export function createTurnRow(turn: Pick<TurnRow, 'turn_id' | 'chat_id'> & Partial<TurnRow>): TurnRow {
  return { ...TURN_DEFAULTS, ...turn }
}
