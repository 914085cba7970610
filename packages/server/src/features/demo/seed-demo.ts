import type { CreateAgentBody } from '@parley/contract/agent'
import type { CreateChatAgentBody } from '@parley/contract/chat-agent'
import type { CreateConversationFlowBody } from '@parley/contract/conversation-flow'
import type { CreateLlmBody } from '@parley/contract/llm'
import { DEMO_LLM, demoAgent } from './demo-content.ts'
import { demoFlow, demoFlowAgent } from './demo-flow.ts'

/** What the demo needs of other features; each answers the new resource's id. */
export interface DemoServices {
  readonly createLlm: (workspaceId: number, body: CreateLlmBody) => Promise<string>
  readonly createAgent: (workspaceId: number, body: CreateAgentBody) => Promise<string>
  readonly createFlow: (workspaceId: number, body: CreateConversationFlowBody) => Promise<string>
  readonly createChatAgent: (workspaceId: number, body: CreateChatAgentBody) => Promise<string>
  readonly createChat: (workspaceId: number, agentId: string) => Promise<string>
}

export interface SeededDemo {
  readonly llmId: string
  readonly agentId: string
  readonly chatId: string
  /** Books repairs, by a flow. */
  readonly flowAgentId: string
}

/**
 * Fills a fresh workspace with something to talk to: an agent on an LLM configuration with a chat that awaits its first
 * message, and one on a conversation flow.
 */
export async function seedDemo(services: DemoServices, workspaceId: number): Promise<SeededDemo> {
  const llmId = await services.createLlm(workspaceId, DEMO_LLM)
  const agentId = await services.createAgent(workspaceId, demoAgent(llmId))
  const chatId = await services.createChat(workspaceId, agentId)
  const flowId = await services.createFlow(workspaceId, demoFlow())
  const flowAgentId = await services.createChatAgent(workspaceId, demoFlowAgent(flowId))
  return { llmId, agentId, chatId, flowAgentId }
}
