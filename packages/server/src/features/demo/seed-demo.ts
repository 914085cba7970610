import type { CreateAgentBody } from '@parley/contract/agent'
import type { CreateLlmBody } from '@parley/contract/llm'
import { DEMO_LLM, demoAgent } from './demo-content.ts'

/** What the demo needs of other features; each answers the new resource's id. */
export interface DemoServices {
  readonly createLlm: (workspaceId: number, body: CreateLlmBody) => Promise<string>
  readonly createAgent: (workspaceId: number, body: CreateAgentBody) => Promise<string>
  readonly createChat: (workspaceId: number, agentId: string) => Promise<string>
}

export interface SeededDemo {
  readonly llmId: string
  readonly agentId: string
  readonly chatId: string
}

/** Fills a fresh workspace with something to talk to: an LLM configuration, an agent and a chat that awaits its first message. */
export async function seedDemo(services: DemoServices, workspaceId: number): Promise<SeededDemo> {
  const llmId = await services.createLlm(workspaceId, DEMO_LLM)
  const agentId = await services.createAgent(workspaceId, demoAgent(llmId))
  const chatId = await services.createChat(workspaceId, agentId)
  return { llmId, agentId, chatId }
}
