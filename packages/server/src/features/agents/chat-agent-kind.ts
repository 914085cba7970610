import type { ChatAgent, CreateChatAgentBody, UpdateChatAgentBody } from '@parley/contract/chat-agent'
import type { Versioned } from '../../kernel/version-store.ts'
import { type ChatAnalysisSettings, chatAnalysisSettings, givenChatAnalysis } from './after-conversation.ts'
import {
  type AgentContent,
  type AgentDefinition,
  defineConversation,
  editConversation,
  toConversationFields,
} from './agent-definition.ts'
import type { AgentKind } from './agent-kind.ts'

/** What a version of an agent that only writes stores. */
export type ChatAgentDefinition = AgentDefinition & Partial<ChatAnalysisSettings>

/** Agents that only write. */
export const CHAT_AGENT: AgentKind<ChatAgentDefinition, CreateChatAgentBody, UpdateChatAgentBody, ChatAgent> = {
  resource: 'chat-agent',
  define: defineChatAgent,
  edit: editChatAgent,
  voicesIn: () => ({}),
  describe: async (_reader, _engines, versions) => versions.map(toChatAgent),
}

function defineChatAgent(body: CreateChatAgentBody): AgentContent<ChatAgentDefinition> {
  const { definition, engine } = defineConversation(body)
  return { definition: { ...definition, ...givenChatAnalysis(body) }, engine }
}

function editChatAgent(
  current: AgentContent<ChatAgentDefinition>,
  body: UpdateChatAgentBody,
): AgentContent<ChatAgentDefinition> {
  const { definition, engine } = editConversation(current, body)
  const analysis = { ...givenChatAnalysis(current.definition), ...givenChatAnalysis(body) }
  return { definition: { ...definition, ...analysis }, engine }
}

function toChatAgent(found: Versioned<ChatAgentDefinition>): ChatAgent {
  const { agent_id, workspaceId, version, agent_name, response_engine, ...rest } = toConversationFields(found)
  const analysis = chatAnalysisSettings(found.definition)
  return { agent_id, workspaceId, version, agent_name, response_engine, ...analysis, ...rest }
}
