import type { Agent } from '@parley/contract/agent'
import { AGENT_SETTINGS, CHAT_AGENT_SETTINGS } from '@parley/contract/agent-settings/agent-settings'
import { listSettingNames, pickSettings } from '@parley/contract/agent-settings/setting'
import type { ChatAgent } from '@parley/contract/chat-agent'
import type { Llm } from '@parley/contract/llm'
import type { ResponseEngine } from '@parley/contract/response-engine'
import type { RequestParams } from '../../lib/api/request.ts'

export type UpdateAgentFields = Omit<RequestParams<'updateAgent'>['body'], 'workspaceId' | 'version'>
export type CreateAgentFields = Omit<RequestParams<'createAgent'>['body'], 'workspaceId'>
export type UpdateChatAgentFields = Omit<RequestParams<'updateChatAgent'>['body'], 'workspaceId' | 'version'>
export type CreateChatAgentFields = Omit<RequestParams<'createChatAgent'>['body'], 'workspaceId'>
export type FlowFields = Omit<RequestParams<'createConversationFlow'>['body'], 'workspaceId' | 'secrets_from'>
export type LlmFields = Omit<RequestParams<'createLlm'>['body'], 'workspaceId' | 'secrets_from'>

type EventName = Agent['webhook_events'][number]

/** Webhook events that both voice and chat agents can send. */
export const CHAT_EVENTS = [
  'chat_started',
  'chat_ended',
  'chat_analyzed',
  'transcript_updated',
] as const satisfies readonly EventName[]

export const VOICE_EVENTS = ['call_started', 'call_ended', 'call_analyzed', ...CHAT_EVENTS] as const

export const isChatEvent = (name: unknown): name is (typeof CHAT_EVENTS)[number] =>
  (CHAT_EVENTS as readonly unknown[]).includes(name)

export const isVoiceEvent = (name: unknown): name is (typeof VOICE_EVENTS)[number] =>
  (VOICE_EVENTS as readonly unknown[]).includes(name)

export const AGENT_FIELDS: Readonly<Record<'agent' | 'chat-agent', readonly string[]>> = {
  agent: listSettingNames(AGENT_SETTINGS),
  'chat-agent': listSettingNames(CHAT_AGENT_SETTINGS),
}

export const LLM_FIELDS = [
  'display_name',
  'model',
  'model_temperature',
  'general_prompt',
  'begin_message',
  'begin_after_user_silence_ms',
  'responsiveness',
  'general_tools',
  'states',
  'starting_state',
  'mcps',
  'knowledge_base_ids',
  'kb_config',
  'default_dynamic_variables',
] as const satisfies readonly (keyof LlmFields)[]

function pickFields<Value extends object, Name extends keyof Value>(
  value: Value,
  names: readonly Name[],
): Partial<Pick<Value, Name>> {
  const pickedFields: Partial<Pick<Value, Name>> = {}
  for (const name of names) if (value[name] !== undefined) pickedFields[name] = value[name]
  return pickedFields
}

/** Builds the body of `updateAgent`, without response-only fields. */
export function toUpdateAgentFields(edits: Partial<Agent>): UpdateAgentFields {
  const { response_engine: engine, webhook_events: events } = edits
  const { webhook_events: _webhookEvents, ...settings } = pickSettings(AGENT_SETTINGS, edits)
  return {
    ...settings,
    ...(events && { webhook_events: events.filter(isVoiceEvent) }),
    ...(engine && { response_engine: toEngineFields(engine) }),
  }
}

/** Builds the body of `createAgent`, which does not accept the maximum call duration. */
export function toCreateAgentFields(
  agent: Partial<Agent> & Pick<Agent, 'voice_id' | 'response_engine'>,
): CreateAgentFields {
  const { max_call_duration_ms: _maxDurationMs, ...fields } = toUpdateAgentFields(agent)
  return { ...fields, voice_id: agent.voice_id, response_engine: toEngineFields(agent.response_engine) }
}

export function toUpdateChatAgentFields(edits: Partial<ChatAgent>): UpdateChatAgentFields {
  const { response_engine: engine, webhook_events: events } = edits
  const { webhook_events: _webhookEvents, ...settings } = pickSettings(CHAT_AGENT_SETTINGS, edits)
  return {
    ...settings,
    ...(events && { webhook_events: events.filter(isChatEvent) }),
    ...(engine && { response_engine: toEngineFields(engine) }),
  }
}

export function toCreateChatAgentFields(
  agent: Partial<ChatAgent> & Pick<ChatAgent, 'response_engine'>,
): CreateChatAgentFields {
  return { ...toUpdateChatAgentFields(agent), response_engine: toEngineFields(agent.response_engine) }
}

/** Builds the body of an LLM configuration. Without a model, the server uses its default. */
export function toLlmFields(llm: Partial<Llm>): LlmFields {
  return { ...pickFields(llm, LLM_FIELDS), ...(llm.model === '' && { model: null }) }
}

function toEngineFields(engine: ResponseEngine): CreateAgentFields['response_engine'] {
  return 'llm_websocket_url' in engine ? { type: engine.type, llm_websocket_url: engine.llm_websocket_url } : engine
}

/** Returns the engine for an agent's copy. A copy of a frozen agent follows the latest engine version. */
export function toCopiedEngine({
  response_engine: engine,
  is_frozen: isFrozen,
}: Pick<Agent, 'response_engine' | 'is_frozen'>): ResponseEngine {
  return isFrozen ? { ...engine, version: null } : engine
}
