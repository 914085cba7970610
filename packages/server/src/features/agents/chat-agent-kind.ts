import { CHAT_AGENT_SETTINGS } from '@parley/contract/agent-settings/agent-settings'
import type { ChatAgent, CreateChatAgentBody, UpdateChatAgentBody } from '@parley/contract/chat-agent'
import { type ChatAgentDefinition, defineAgent, describeVersion, editAgent } from './agent-definition.ts'
import type { AgentKind } from './agent-kind.ts'
import { chatAgentSettings } from './agent-settings.ts'

/** Agents that only write. */
export const CHAT_AGENT: AgentKind<ChatAgentDefinition, CreateChatAgentBody, UpdateChatAgentBody, ChatAgent> = {
  resource: 'chat-agent',
  define: (body) => defineAgent(CHAT_AGENT_SETTINGS, body),
  edit: (current, body) => editAgent(CHAT_AGENT_SETTINGS, current, body),
  describe: async (_reader, _engines, versions) =>
    versions.map((found) => ({ ...describeVersion(found), ...chatAgentSettings(found.definition) })),
}
