import { describe, expect } from 'vitest'
import type { ApiResponse } from '../../../testing/api-client.ts'
import { createAgent, createChat, createLlm, send, test } from '../../../testing/server-test.ts'
import { expectRefusal } from './refusal-environment.ts'
import { PLAIN_NODES } from './scene.ts'

describe('all problems of a body are reported together with their paths', () => {
  const pathsOf = (answer: ApiResponse<unknown>) =>
    expectRefusal(answer, [400, 'invalid_request'])
      .details.map(({ path }) => path)
      .sort()

  test('for an LLM configuration', async ({ server }) => {
    const answer = await send(server, 'POST', '/api/v1/llms', {
      model: 7,
      responsiveness: 'hasty',
      general_tools: [{ type: 'end_call', name: 'a b' }, { type: 'custom', name: 'x', url: 'ftp://x' }, { type: 'no' }],
    })
    expect(pathsOf(answer)).toEqual([
      'general_tools[0].name',
      'general_tools[1].url',
      'general_tools[2].type',
      'model',
      'responsiveness',
    ])
  })

  test('for an agent', async ({ server }) => {
    const answer = await send(server, 'POST', '/api/agents', {
      agent_name: 7,
      response_threshold: -1,
      ambient_sound: 'disco',
      response_engine: { type: 'llm' },
    })
    expect(pathsOf(answer)).toEqual([
      'agent_name',
      'ambient_sound',
      'response_engine.llm_id',
      'response_threshold',
      'voice_id',
    ])
  })

  test('for a flow and its graph', async ({ server }) => {
    const badFields = await send(server, 'POST', '/api/conversation-flows', {
      start_speaker: 'nobody',
      global_prompt: 1,
      nodes: [{ id: 'a', type: 'conversation', edges: [{ transition_condition: { type: 'magic' } }] }, { type: 'end' }],
    })
    expect(pathsOf(badFields)).toEqual([
      'global_prompt',
      'nodes[0].edges[0].transition_condition.type',
      'nodes[1].id',
      'start_speaker',
    ])
    const edge = { transition_condition: { type: 'prompt', prompt: 'Always' }, destination_node_id: 'nowhere' }
    const badGraph = await send(server, 'POST', '/api/conversation-flows', {
      start_node_id: 'none',
      nodes: [...PLAIN_NODES, { id: 'c', type: 'conversation', edges: [edge] }, { id: 'bye', type: 'end' }],
    })
    expect(pathsOf(badGraph)).toEqual(['nodes[2].edges[0].destination_node_id', 'nodes[3].id', 'start_node_id'])
  })

  test('for a test case', async ({ server }) => {
    const { llm_id } = await createLlm(server)
    const body = { llm_id, test_case_definition_id: 'a b', version: 0, description: 1 }
    expect(pathsOf(await send(server, 'POST', '/api/test-case-definitions', body))).toEqual([
      'description',
      'name',
      'test_case_definition_id',
      'version',
    ])
  })

  test('for a chat', async ({ server }) => {
    const body = { metadata: [], custom_attributes: 'x', override_dynamic_variables: { a: {} } }
    const { chatId } = await createChat(server, await createAgent(server))
    expect(pathsOf(await send(server, 'PATCH', `/api/chats/${chatId}`, body))).toEqual([
      'custom_attributes',
      'metadata',
      'override_dynamic_variables.a',
    ])
  })

  test('for a query', async ({ server }) => {
    const query = { workspaceId: 'x', status: 'lost', startDate: 'soon', page: 0, limit: 101 }
    const answer = await server.call('GET', '/api/v1/calls', { query })
    const { details } = expectRefusal(answer, [400, 'invalid_request'], { isCallRoute: true })
    expect(details.map(({ path }) => path).sort()).toEqual(['limit', 'page', 'startDate', 'status', 'workspaceId'])
  })
})
