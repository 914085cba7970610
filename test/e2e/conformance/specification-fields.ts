/**
 * Field tables of the specification, part 2, copied by hand rather than derived from the contract. `?` marks nullable
 * fields.
 */

type PlainFieldType = 'string' | 'integer' | 'number' | 'boolean' | 'object' | 'date-time'
export type FieldTypeName = PlainFieldType | `${PlainFieldType}?`

/** Shape of a value. An array contains the shape of all its elements; `string` matches any text. */
export type Shape = FieldTypeName | readonly [Shape] | { readonly [name: string]: Shape }

export const WORKSPACE = {
  id: 'integer',
  name: 'string',
  accountSid: 'string',
  accountPath: 'string',
  nativeTransferEnabled: 'boolean',
} as const satisfies Shape

export const LLM_SUMMARY = { llm_id: 'string', display_name: 'string', version: 'integer' } as const satisfies Shape

export const LLM = {
  llm_id: 'string',
  display_name: 'string',
  version: 'integer',
  model: 'string',
  general_prompt: 'string',
  begin_message: 'string?',
  responsiveness: 'string',
  general_tools: [{ name: 'string', type: 'string', description: 'string' }],
  updated_at: 'date-time',
} as const satisfies Shape

const ENGINE_FREE_AGENT = {
  agent_id: 'string',
  version: 'integer',
  agent_name: 'string',
  voice_id: 'string',
  response_threshold: 'integer',
  interruption_sensitivity: 'string',
  ambient_sound: 'string',
  responsiveness: 'string',
  max_call_duration_ms: 'integer',
  created_at: 'date-time',
  updated_at: 'date-time',
} as const satisfies Shape

export const AGENT = { ...ENGINE_FREE_AGENT, response_engine: { type: 'string', llm_id: 'string' } } as const

/** The specification only shows agents with LLM configurations. */
export const FLOW_AGENT = {
  ...ENGINE_FREE_AGENT,
  response_engine: { type: 'string', conversation_flow_id: 'string' },
} as const

/** Fields of agents with any engine. */
export const ANY_AGENT = { ...ENGINE_FREE_AGENT, response_engine: { type: 'string' } } as const

export const AGENT_VERSION = {
  agent_id: 'string',
  version: 'integer',
  updated_at: 'date-time',
} as const satisfies Shape

const EDGE = {
  id: 'string',
  transition_condition: { type: 'string', prompt: 'string' },
  destination_node_id: 'string',
} as const satisfies Shape

/** A node with all fields of the specification. Omitted fields are not returned. */
const NODE = {
  id: 'string',
  type: 'string',
  instruction: { type: 'string', text: 'string' },
  edges: [EDGE],
} as const satisfies Shape

const EMPTY_FLOW = {
  conversation_flow_id: 'string',
  version: 'integer',
  start_speaker: 'string',
  workspaceId: 'integer',
  global_prompt: 'string',
  model_choice: { type: 'string', model: 'string' },
} as const satisfies Shape

export const FLOW = { ...EMPTY_FLOW, nodes: [NODE] } as const
export const PLAIN_FLOW = { ...EMPTY_FLOW, nodes: [{ id: 'string', type: 'string', edges: [EDGE] }] } as const

export const FLOW_ITEM = {
  conversation_flow_id: 'string',
  version: 'integer',
  start_speaker: 'string',
} as const satisfies Shape

export const MESSAGE = {
  role: 'string',
  content: 'string',
  name: 'string',
  tool_calls: ['object'],
} as const satisfies Shape

export const CHAT = {
  chatId: 'string',
  agentId: 'string',
  version: 'integer',
  status: 'string',
  type: 'string',
  metadata: 'object',
  customAttributes: 'object',
  startedAt: 'date-time',
  endedAt: 'date-time?',
  transcript: 'string',
  messages: [MESSAGE],
  chatCost: 'object',
  chatAnalysis: 'object',
  collectedDynamicVariables: 'object',
  service_dynamic_variables: 'object',
  overrideDynamicVariables: 'object',
} as const satisfies Shape

export const CALL = {
  callId: 'string',
  callType: 'string',
  status: 'string',
  agentId: 'string',
  agentVersion: 'integer',
  metadata: 'object',
  optOutSensitiveDataStorage: 'boolean',
  accessToken: 'string?',
  expiresAt: 'date-time?',
  webCallUrl: 'string?',
  service_dynamic_variables: 'object',
} as const satisfies Shape

export const HISTORY_ITEM = {
  callSid: 'string',
  callStatus: 'string',
  agentId: 'string',
  agentVersion: 'integer',
  agentName: 'string',
  workspaceId: 'integer',
  workspaceName: 'string',
  fromNumber: 'string?',
  toNumber: 'string?',
  direction: 'string?',
  customerName: 'string?',
  duration: 'integer?',
  startedAt: 'date-time?',
  recordingUrl: 'string?',
  sentiment: 'string?',
  summary: 'string?',
  costs: { voice: 'number?', llm: 'number?', gross: 'number?', total: 'number?' },
} as const satisfies Shape

const WEIGHTED_AGENT = { agent_id: 'string', agent_version: 'integer?', weight: 'number' } as const satisfies Shape

const PHONE_NUMBER = {
  id: 'integer',
  number: 'string',
  base_number: 'string',
  account_sid: 'string',
  workspace_id: 'integer',
  agent_id: 'string?',
  default_agent_id: 'string?',
  inbound_agent_id: 'string?',
  inbound_agents: [WEIGHTED_AGENT],
  outbound_agents: [WEIGHTED_AGENT],
  inbound_agent_version: 'integer?',
  outbound_agent_version: 'integer?',
  application_sid: 'string',
  phone_number_sid: 'string',
  inbound_webhook_url: 'string?',
  is_time_routing_enabled: 'boolean',
  platform_import_error: 'boolean',
  platform_import_error_message: 'string?',
} as const satisfies Shape

const ASSIGNMENT = {
  account_sid: 'string',
  workspace_id: 'integer',
  agent_id: 'string?',
  inbound_agent_id: 'string?',
  outbound_agents: [WEIGHTED_AGENT],
  inbound_agents: [WEIGHTED_AGENT],
  is_time_routing_enabled: 'boolean',
  platform_import_error: 'boolean',
  platform_import_error_message: 'string?',
} as const satisfies Shape

export const ASSIGNED = {
  success: 'boolean',
  message: 'string',
  numbers: [PHONE_NUMBER],
  assignment: ASSIGNMENT,
} as const satisfies Shape

export const TEST_CASE = {
  test_case_definition_id: 'string',
  workspaceId: 'integer',
  type: 'string',
  llm_id: 'string?',
  conversation_flow_id: 'string?',
  version: 'integer',
  name: 'string',
  description: 'string',
} as const satisfies Shape

export const KNOWLEDGE_BASE = {
  knowledgeBaseId: 'string',
  name: 'string',
  status: 'string',
  description: 'string',
  sources: [{ source_id: 'string', source_type: 'string', filename: 'string' }],
  workspaceId: 'integer',
} as const satisfies Shape

export const VOICE = {
  voiceId: 'string',
  name: 'string',
  gender: 'string?',
  language: 'string?',
  accent: 'string?',
  description: 'string',
  provider: 'string?',
  previewUrl: 'string',
  playbackOverrideUrl: 'string?',
  tags: ['string'],
  createdAt: 'date-time',
  updatedAt: 'date-time',
} as const satisfies Shape

export const COMMUNITY_VOICE = {
  providerVoiceId: 'string',
  name: 'string',
  description: 'string',
  publicUserId: 'string?',
  voiceProvider: 'string',
} as const satisfies Shape

export const CONCURRENCY = {
  maxConcurrent: 'integer',
  currentUsage: 'integer',
  purchasedConcurrency: 'integer',
  concurrencyPurchaseLimit: 'integer',
} as const satisfies Shape
