import { AGENT_DEFAULTS, type Agent, type CreateAgentBody, type UpdateAgentBody } from '@parley/contract/agent'
import type { VoiceSettings } from '@parley/contract/voice-settings'
import type { Versioned } from '../../kernel/version-store.ts'
import { type CallAnalysisSettings, callAnalysisSettings, givenCallAnalysis } from './after-conversation.ts'
import {
  type AgentContent,
  type AgentDefinition,
  defineConversation,
  editConversation,
  toConversationFields,
} from './agent-definition.ts'
import type { AgentKind } from './agent-kind.ts'
import { responsivenessOf } from './agent-responsiveness.ts'
import { givenVoiceSettings, voiceSettings } from './voice-settings.ts'

/** What a version of an agent with a voice stores. */
export type VoiceAgentDefinition = AgentDefinition &
  Pick<
    Agent,
    'voice_id' | 'response_threshold' | 'interruption_sensitivity' | 'ambient_sound' | 'max_call_duration_ms'
  > &
  Partial<VoiceSettings> &
  Partial<CallAnalysisSettings>

/** Agents that speak, and write as well. */
export const VOICE_AGENT: AgentKind<VoiceAgentDefinition, CreateAgentBody, UpdateAgentBody, Agent> = {
  resource: 'agent',
  define: defineVoiceAgent,
  edit: editVoiceAgent,
  voicesIn: ({ voice_id, fallback_voice_ids }) => ({ voiceId: voice_id, fallbackVoiceIds: fallback_voice_ids }),
  async describe(reader, engines, versions) {
    const responsiveness = await responsivenessOf(reader, engines.llm, versions)
    return versions.map((found) => toAgent(found, responsiveness(found)))
  },
}

function defineVoiceAgent(body: CreateAgentBody): AgentContent<VoiceAgentDefinition> {
  const { definition, engine } = defineConversation(body)
  return {
    definition: {
      ...definition,
      voice_id: body.voice_id,
      response_threshold: body.response_threshold,
      interruption_sensitivity: body.interruption_sensitivity,
      ambient_sound: body.ambient_sound,
      max_call_duration_ms: AGENT_DEFAULTS.max_call_duration_ms,
      ...givenVoiceSettings(body),
      ...givenCallAnalysis(body),
    },
    engine,
  }
}

function editVoiceAgent(
  current: AgentContent<VoiceAgentDefinition>,
  body: UpdateAgentBody,
): AgentContent<VoiceAgentDefinition> {
  const { definition: stored } = current
  const { definition, engine } = editConversation(current, body)
  return {
    definition: {
      ...definition,
      voice_id: body.voice_id ?? stored.voice_id,
      response_threshold: body.response_threshold ?? stored.response_threshold,
      interruption_sensitivity: body.interruption_sensitivity ?? stored.interruption_sensitivity,
      ambient_sound: body.ambient_sound ?? stored.ambient_sound,
      max_call_duration_ms: body.max_call_duration_ms ?? stored.max_call_duration_ms,
      ...givenVoiceSettings(stored),
      ...givenVoiceSettings(body),
      ...givenCallAnalysis(stored),
      ...givenCallAnalysis(body),
    },
    engine,
  }
}

function toAgent(found: Versioned<VoiceAgentDefinition>, responsiveness: string): Agent {
  const { definition } = found
  const { agent_id, workspaceId, version, agent_name, response_engine, ...rest } = toConversationFields(found)
  return {
    agent_id,
    workspaceId,
    version,
    agent_name,
    voice_id: definition.voice_id,
    response_engine,
    response_threshold: definition.response_threshold,
    interruption_sensitivity: definition.interruption_sensitivity,
    ambient_sound: definition.ambient_sound,
    responsiveness,
    max_call_duration_ms: definition.max_call_duration_ms,
    ...voiceSettings(definition),
    ...callAnalysisSettings(definition),
    ...rest,
  }
}
