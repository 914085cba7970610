import type { Agent } from '@parley/contract/agent'
import { CreateAgentBody, UpdateAgentBody } from '@parley/contract/agent'
import type { ChatAgent } from '@parley/contract/chat-agent'
import { CreateChatAgentBody } from '@parley/contract/chat-agent'
import type { Llm } from '@parley/contract/llm'
import { CreateLlmBody } from '@parley/contract/llm'
import { expect, test } from 'vitest'
import {
  createAgentFields,
  createChatAgentFields,
  engineOfCopy,
  llmFields,
  updateAgentFields,
  updateChatAgentFields,
} from './agent-body.ts'

const engine = { type: 'llm', llm_id: 'llm_1', version: 2 } as const

/** Every field of a body, each with a value of its own that can be told from the others'. */
function valuesOf(body: { readonly shape: object }): Record<string, unknown> {
  const names = Object.keys(body.shape).filter((name) => name !== 'workspaceId' && name !== 'version')
  return { ...Object.fromEntries(names.map((name) => [name, `value of ${name}`])), response_engine: engine }
}

test('every setting that an agent can be edited in is sent', () => {
  const edits = { ...valuesOf(UpdateAgentBody), webhook_events: ['call_ended'] }
  expect(updateAgentFields(edits as unknown as Partial<Agent>)).toEqual(edits)
})

test('every setting that an agent can be made with is taken over, and nothing else', () => {
  const settings = { ...valuesOf(CreateAgentBody), webhook_events: ['call_ended'] }
  const answer = { ...settings, agent_id: 'agent_1', version: 4, is_frozen: true, max_call_duration_ms: 60_000 }
  expect(createAgentFields(answer as unknown as Agent)).toEqual(settings)
})

test('the same holds for chat agents and LLM configurations', () => {
  const settings = { ...valuesOf(CreateChatAgentBody), webhook_events: ['chat_ended'] }
  expect(createChatAgentFields({ ...settings, agent_id: 'x', version: 1 } as unknown as ChatAgent)).toEqual(settings)
  const { response_engine: _none, secrets_from: _copied, ...llm } = valuesOf(CreateLlmBody)
  expect(llmFields({ ...llm, llm_id: 'llm_1', version: 3, is_published: true } as unknown as Llm)).toEqual(llm)
})

test('an emptied model is the default one of the server', () => {
  expect(llmFields({ model: '', general_prompt: 'Be brief.' })).toEqual({ model: null, general_prompt: 'Be brief.' })
  expect(llmFields({ model: 'offline' })).toEqual({ model: 'offline' })
})

test('only what was edited is sent, an emptied value included', () => {
  expect(updateAgentFields({ agent_name: 'Ada', webhook_url: null })).toEqual({ agent_name: 'Ada', webhook_url: null })
})

test('events that the kind of agent has none of are left out', () => {
  const events: Agent['webhook_events'] = ['call_ended', 'chat_ended', 'batch_test_completed']
  expect(updateAgentFields({ webhook_events: events }).webhook_events).toEqual(['call_ended', 'chat_ended'])
  expect(updateChatAgentFields({ webhook_events: events }).webhook_events).toEqual(['chat_ended'])
})

test('an engine of one’s own has no version', () => {
  const own = { type: 'custom-llm', llm_websocket_url: 'wss://a.example', version: null } as const
  expect(updateAgentFields({ response_engine: own }).response_engine).toEqual({
    type: 'custom-llm',
    llm_websocket_url: 'wss://a.example',
  })
})

test('a copy keeps a pin, but not the version that was only recorded at the first use', () => {
  expect(engineOfCopy({ response_engine: engine, is_frozen: false })).toEqual(engine)
  expect(engineOfCopy({ response_engine: engine, is_frozen: true })).toEqual({ ...engine, version: null })
})
