/** Prefixes of all ids: `<prefix>_<26 lowercase hex>`. Workspace ids are integers, `…_sid` values are UUIDs. */
export const ID_PREFIXES = [
  'llm',
  'agent',
  'chat_agent',
  'conversation_flow',
  'chat',
  'turn',
  'message',
  'call',
  'voice',
  'token',
  'user',
  'job',
  'worker',
  'tool_call',
  'lease',
  'secret',
  'req',
] as const

export type IdPrefix = (typeof ID_PREFIXES)[number]
