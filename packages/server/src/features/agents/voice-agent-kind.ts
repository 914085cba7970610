import type { Agent, CreateAgentBody, UpdateAgentBody } from '@parley/contract/agent'
import { AGENT_SETTINGS } from '@parley/contract/agent-settings/agent-settings'
import { defineAgent, describeVersion, editAgent, type VoiceAgentDefinition } from './agent-definition.ts'
import type { AgentKind } from './agent-kind.ts'
import { responsivenessOf } from './agent-responsiveness.ts'
import { agentSettings } from './agent-settings.ts'

/** Agents that speak, and write as well. */
export const VOICE_AGENT: AgentKind<VoiceAgentDefinition, CreateAgentBody, UpdateAgentBody, Agent> = {
  resource: 'agent',
  define: (body) => defineAgent(AGENT_SETTINGS, body),
  edit: (current, body) => editAgent(AGENT_SETTINGS, current, body),
  async describe(reader, engines, versions) {
    const responsiveness = await responsivenessOf(reader, engines.llm, versions)
    return versions.map((found) => ({
      ...describeVersion(found),
      ...agentSettings(found.definition),
      responsiveness: responsiveness(found),
    }))
  },
}
