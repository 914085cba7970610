import type { Agent, AgentWritten } from '@parley/contract/agent'
import type { Chat } from '@parley/contract/chat'
import type { ChatMessage } from '@parley/contract/chat-message'
import type { LlmWritten } from '@parley/contract/llm'
import { expect, test as plainTest } from 'vitest'
import type { ApiResponse, CallOptions, StreamedEvent } from './api-client.ts'
import { runServer, type ServerClient } from './running-server.ts'

/** Test function with one server per file: `test('…', async ({ server }) => …)`. */
export const test = plainTest
  // biome-ignore lint/correctness/noEmptyPattern: the runner wants an object pattern to see what a fixture needs
  .extend('server', { scope: 'file' }, async ({}, { onCleanup }) => {
    const server = await runServer()
    onCleanup(() => server[Symbol.asyncDispose]())
    return server
  })

export const VOICE = 'voice_builtin_slt'

/** Sends JSON to the first workspace. */
export function send<Body = Record<string, unknown>>(
  server: ServerClient,
  method: 'POST' | 'PATCH' | 'PUT',
  path: string,
  body: object = {},
  options: CallOptions = {},
): Promise<ApiResponse<Body>> {
  return server.call<Body>(method, path, { ...options, body: { workspaceId: server.workspaceId, ...body } })
}

/** Reads from the first workspace. */
export function read<Body = Record<string, unknown>>(
  server: ServerClient,
  path: string,
  query: Readonly<Record<string, string | number>> = {},
): Promise<ApiResponse<Body>> {
  return server.call<Body>('GET', path, { query: { workspaceId: server.workspaceId, ...query } })
}

/** Deletes from the first workspace. */
export function remove(server: ServerClient, path: string, options: CallOptions = {}): Promise<ApiResponse> {
  return server.call('DELETE', path, { ...options, query: { workspaceId: server.workspaceId, ...options.query } })
}

/** Returns the body of a response that must have the given status. */
export async function expectBody<Body>(status: number, request: Promise<ApiResponse<Body>>): Promise<Body> {
  const response = await request
  expect(response.status, JSON.stringify(response.body)).toBe(status)
  return response.body
}

export async function createLlm(server: ServerClient, fields: object = {}): Promise<LlmWritten> {
  return await expectBody(201, send<LlmWritten>(server, 'POST', '/api/v1/llms', fields))
}

/** Creates an agent. Without an engine, the agent uses a new LLM configuration created from `llm`. */
export async function createAgent(server: ServerClient, fields: object = {}, llm: object = {}): Promise<AgentWritten> {
  const engine =
    'response_engine' in fields
      ? {}
      : { response_engine: { type: 'llm', llm_id: (await createLlm(server, llm)).llm_id } }
  return await expectBody(
    201,
    send<AgentWritten>(server, 'POST', '/api/agents', { voice_id: VOICE, ...engine, ...fields }),
  )
}

export async function createChat(
  server: ServerClient,
  agent: Pick<Agent, 'agent_id'>,
  fields: object = {},
): Promise<Chat> {
  return await expectBody(201, send<Chat>(server, 'POST', '/api/chats', { agentId: agent.agent_id, ...fields }))
}

export async function readChat(server: ServerClient, chatId: string): Promise<Chat> {
  return await expectBody(200, read<Chat>(server, `/api/chats/${chatId}`))
}

/** Sends a message and returns the new messages in the response. */
export async function complete(server: ServerClient, chatId: string, content: string): Promise<ChatMessage[]> {
  const response = send<{ messages: ChatMessage[] }>(server, 'POST', `/api/chats/${chatId}/completions`, { content })
  return (await expectBody(201, response)).messages
}

/** Sends a message and reads the streamed turn to its end. */
export async function completeStreamed(
  server: ServerClient,
  chatId: string,
  content: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<StreamedEvent[]> {
  const { status, events } = await server.stream('POST', `/api/chats/${chatId}/completions`, {
    body: { workspaceId: server.workspaceId, content },
    headers,
  })
  expect(status).toBe(200)
  return await Array.fromAsync(events)
}

/** Waits until the clock advances by a millisecond, so that later records are newer. */
export function waitForNextMillisecond(): void {
  const startedAt = Date.now()
  while (Date.now() === startedAt);
}
