/**
 * Prefixes of IDs in the form `<prefix>_<26 lowercase hex>`. Workspace IDs are integers, and `…_sid` values are
 * UUIDs.
 */
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
  'provider',
  'session',
  'link',
  'audit',
  'provider_key',
  'flow_component',
  'node',
  'edge',
  'test_case',
  'webhook',
  'evt',
  'delivery',
  'knowledge_base',
  'source',
  'reading',
] as const

export type IdPrefix = (typeof ID_PREFIXES)[number]
