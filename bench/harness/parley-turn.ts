import { createAgents, type EngineFactory, type ParleyServer } from './parley-server.ts'
import type { TurnTarget } from './streamed-turn.ts'

/** User message of every turn. */
export const TURN_CONTENT = 'Could you tell me when the practice is open on Thursday?'
export const JSON_TYPE = { 'content-type': 'application/json' }
/** Bytes that mark the start and the end of the stub model's answer. */
export const MODEL_STREAM = { firstToken: '"delta":{"content"', lastToken: 'data: [DONE]' }

/** A chat with an agent in the same workspace. */
export interface BenchChat {
  readonly workspaceId: number
  readonly chatId: string
}

/** Creates chats with one new agent. */
export async function createChats(
  parley: ParleyServer,
  count: number,
  createEngine?: EngineFactory,
): Promise<BenchChat[]> {
  const [agent] = await createAgents(parley, 1, createEngine)
  if (agent === undefined) throw new Error('No agent was created.')
  const chats: BenchChat[] = []
  for (let index = 0; index < count; index += 1) {
    const { chatId } = (await parley.call('POST', '/api/chats', { ...agent })) as { chatId: string }
    chats.push({ workspaceId: agent.workspaceId, chatId })
  }
  return chats
}

/** Builds the request for one streamed turn in a chat. */
export function buildParleyTurn(
  parley: { readonly url: string; readonly authorization: string },
  chat: BenchChat,
): TurnTarget {
  const { workspaceId, chatId } = chat
  return {
    origin: parley.url,
    path: `/api/chats/${chatId}/completions`,
    headers: { ...JSON_TYPE, authorization: parley.authorization },
    body: JSON.stringify({ workspaceId, content: TURN_CONTENT, stream: true }),
    firstToken: 'event: message.delta',
    lastToken: '"status":"completed"',
  }
}
