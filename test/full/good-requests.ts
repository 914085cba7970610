import type { Operation } from '@parley/contract/operation'
import { expect } from 'vitest'
import type { ApiClient } from '../../testing/api-client.ts'
import { VOICE } from '../../testing/server-test.ts'
import { EVERY_TOOL } from '../e2e/every-tool.ts'

/** Resources of one workspace; `values` by the names of path parameters. */
export interface KnownIds {
  readonly workspaceId: number
  readonly values: Readonly<Record<'llmId' | 'agentId' | 'chatId' | 'turnId', string>>
}

/** Makes one resource of each kind in a workspace. Whatever is told of them holds `mark`. */
export async function makeIds(client: ApiClient, workspaceId: number, mark = 'Mark'): Promise<KnownIds> {
  const create = async <Body>(path: string, fields: object): Promise<Body> => {
    const { status, body } = await client.call<Body>('POST', path, { body: { workspaceId, ...fields } })
    expect(status, JSON.stringify(body)).toBe(201)
    return body
  }
  const { llm_id: llmId } = await create<{ llm_id: string }>('/api/v1/llms', {
    display_name: mark,
    general_prompt: `You are ${mark}.`,
    begin_message: `This is ${mark}.`,
  })
  const { agent_id: agentId } = await create<{ agent_id: string }>('/api/agents', {
    agent_name: mark,
    voice_id: VOICE,
    response_engine: { type: 'llm', llm_id: llmId },
  })
  const { chatId } = await create<{ chatId: string }>('/api/chats', { agentId, metadata: { mark } })
  const { messages } = await create<{ messages: { turn_id: string }[] }>(`/api/chats/${chatId}/completions`, {
    content: `Hello ${mark}`,
  })
  return { workspaceId, values: { llmId, agentId, chatId, turnId: messages[0]?.turn_id ?? '' } }
}

/** A body of the operation that is good in every field; `undefined` when it takes none. */
export function goodBody({ name, body }: Operation, { workspaceId, values }: KnownIds): unknown {
  if (body === undefined) return undefined
  const llm = {
    workspaceId,
    display_name: 'Name',
    model: 'offline',
    model_temperature: 0.5,
    general_prompt: 'Prompt',
    begin_message: 'Hello',
    responsiveness: 'fast',
    general_tools: EVERY_TOOL,
    default_dynamic_variables: { a: 'b' },
  }
  const agent = {
    workspaceId,
    agent_name: 'Agent',
    voice_id: VOICE,
    response_engine: { type: 'llm', llm_id: values.llmId, version: null },
    response_threshold: 100,
    interruption_sensitivity: 'high',
    ambient_sound: 'none',
    language: 'en-US',
    timezone: 'UTC',
    fallback_models: ['offline'],
    fallback_message: 'Sorry',
  }
  const publish = { workspaceId, version: 1, title: 'Title', description: 'Description' }
  const bodies: Readonly<Record<string, unknown>> = {
    createLlm: llm,
    updateLlm: { ...llm, version: 1 },
    publishLlm: publish,
    createAgent: agent,
    updateAgent: { ...agent, version: 1, max_call_duration_ms: 60_000 },
    publishAgent: publish,
    activateAgent: { workspaceId, version: 1 },
    createChat: {
      workspaceId,
      agentId: values.agentId,
      agentVersion: 1,
      type: 'web_chat',
      metadata: { a: { b: 1 } },
      customAttributes: {},
      dynamicVariables: { a: 'b' },
    },
    updateChat: { workspaceId, metadata: { a: 1 }, custom_attributes: {}, override_dynamic_variables: { a: 'b' } },
    createCompletion: { workspaceId, content: 'Hello', stream: false },
  }
  return bodies[name] ?? { workspaceId }
}
