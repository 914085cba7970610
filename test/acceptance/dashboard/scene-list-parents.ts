import type { ServerClient } from '../../../testing/running-server.ts'
import { senderOf, VOICE } from '../../full/dashboard/scene-records.ts'
import { FLOW } from './scene-rows.ts'

/** Records that have their own lists. A second workspace holds them, so that the first one stays empty. */
export interface ListParents {
  readonly workspaceId: number
  readonly agentId: string
  readonly chatAgentId: string
  readonly llmId: string
  readonly flowId: string
  readonly knowledgeBaseId: string
  readonly chatId: string
}

export async function seedListParents(server: ServerClient): Promise<ListParents> {
  const send = senderOf(server)
  const { id: workspaceId } = await makeWorkspace(server)
  const make = (path: string, body: object) => send('POST', path, { workspaceId, ...body })
  const { llm_id: llmId = '' } = await make('/api/v1/llms', { display_name: 'Engine', model: 'offline' })
  const engine = { type: 'llm', llm_id: llmId }
  const { agent_id: agentId = '' } = await make('/api/agents', { voice_id: VOICE, response_engine: engine })
  const { agent_id: chatAgentId = '' } = await make('/api/chat-agents', { response_engine: engine })
  const { conversation_flow_id: flowId = '' } = await make('/api/conversation-flows', FLOW)
  const { knowledgeBaseId = '' } = await make('/api/knowledge-bases', { name: 'Handbook' })
  const { chatId = '' } = await make('/api/chats', { agentId })
  return { workspaceId, agentId, chatAgentId, llmId, flowId, knowledgeBaseId, chatId }
}

async function makeWorkspace(server: ServerClient): Promise<{ readonly id: number }> {
  const answer = await server.call<{ id: number }>('POST', '/api/workspaces', { body: { name: 'Workshop' } })
  if (answer.status !== 201) throw new Error(`No workspace: ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body
}
