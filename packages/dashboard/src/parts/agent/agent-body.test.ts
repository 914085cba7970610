import type { Agent } from '@parley/contract/agent'
import { CreateAgentBody, UpdateAgentBody } from '@parley/contract/agent'
import type { ChatAgent } from '@parley/contract/chat-agent'
import { CreateChatAgentBody } from '@parley/contract/chat-agent'
import type { Llm } from '@parley/contract/llm'
import { CreateLlmBody } from '@parley/contract/llm'
import { expect, test } from 'vitest'
import {
  toCopiedEngine,
  toCreateAgentFields,
  toCreateChatAgentFields,
  toLlmFields,
  toUpdateAgentFields,
  toUpdateChatAgentFields,
} from './agent-body.ts'

const engine = { type: 'llm', llm_id: 'llm_1', version: 2 } as const

/** Returns a distinct value for each field of a body. */
function buildDistinctValues(body: { readonly shape: object }): Record<string, unknown> {
  const names = Object.keys(body.shape).filter((name) => name !== 'workspaceId' && name !== 'version')
  return { ...Object.fromEntries(names.map((name) => [name, `value of ${name}`])), response_engine: engine }
}

test('sends every editable setting of an agent', () => {
  const edits = { ...buildDistinctValues(UpdateAgentBody), webhook_events: ['call_ended'] }
  expect(toUpdateAgentFields(edits as unknown as Partial<Agent>)).toEqual(edits)
})

test('a copy contains only creatable settings', () => {
  const settings = { ...buildDistinctValues(CreateAgentBody), webhook_events: ['call_ended'] }
  const response = { ...settings, agent_id: 'agent_1', version: 4, is_frozen: true, max_call_duration_ms: 60_000 }
  expect(toCreateAgentFields(response as unknown as Agent)).toEqual(settings)
})

test('keeps only creatable settings of chat agents and LLM configurations', () => {
  const settings = { ...buildDistinctValues(CreateChatAgentBody), webhook_events: ['chat_ended'] }
  expect(toCreateChatAgentFields({ ...settings, agent_id: 'x', version: 1 } as unknown as ChatAgent)).toEqual(settings)
  const { response_engine: _none, secrets_from: _copied, ...llm } = buildDistinctValues(CreateLlmBody)
  expect(toLlmFields({ ...llm, llm_id: 'llm_1', version: 3, is_published: true } as unknown as Llm)).toEqual(llm)
})

test("an empty model selects the server's default", () => {
  expect(toLlmFields({ model: '', general_prompt: 'Be brief.' })).toEqual({ model: null, general_prompt: 'Be brief.' })
  expect(toLlmFields({ model: 'offline' })).toEqual({ model: 'offline' })
})

test('sends only edited fields, including emptied ones', () => {
  expect(toUpdateAgentFields({ agent_name: 'Ada', webhook_url: null })).toEqual({
    agent_name: 'Ada',
    webhook_url: null,
  })
})

test('omits webhook events that the agent kind does not support', () => {
  const events: Agent['webhook_events'] = ['call_ended', 'chat_ended', 'batch_test_completed']
  expect(toUpdateAgentFields({ webhook_events: events }).webhook_events).toEqual(['call_ended', 'chat_ended'])
  expect(toUpdateChatAgentFields({ webhook_events: events }).webhook_events).toEqual(['chat_ended'])
})

test('a custom LLM has no version', () => {
  const customEngine = { type: 'custom-llm', llm_websocket_url: 'wss://a.example', version: null } as const
  expect(toUpdateAgentFields({ response_engine: customEngine }).response_engine).toEqual({
    type: 'custom-llm',
    llm_websocket_url: 'wss://a.example',
  })
})

test('a copy keeps a pinned engine version, but not one recorded at first use', () => {
  expect(toCopiedEngine({ response_engine: engine, is_frozen: false })).toEqual(engine)
  expect(toCopiedEngine({ response_engine: engine, is_frozen: true })).toEqual({ ...engine, version: null })
})
