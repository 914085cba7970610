import type { ChatAgent, CreateChatAgentBody, UpdateChatAgentBody } from '@parley/contract/chat-agent'
import { type AgentDefinition, defineConversation, editConversation, toChatAgent } from './agent-definition.ts'
import type { AgentKind } from './agent-kind.ts'

/** Agents that only write. */
export const CHAT_AGENT: AgentKind<AgentDefinition, CreateChatAgentBody, UpdateChatAgentBody, ChatAgent> = {
  resource: 'chat-agent',
  define: defineConversation,
  edit: editConversation,
  voiceOf: () => undefined,
  describe: async (_reader, _engines, versions) => versions.map(toChatAgent),
}
