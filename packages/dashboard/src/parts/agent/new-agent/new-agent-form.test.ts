import type { Agent } from '@parley/contract/agent'
import { expect, test } from 'vitest'
import { readAgentFile } from '../agent-file.ts'
import { emptyForm, isComplete, planAgent } from './new-agent-form.ts'

const form = { ...emptyForm<Agent>('de-DE'), name: ' Robin ' }

test('a prompt becomes a configuration of the agent’s own', () => {
  const { agent, llm } = planAgent({ ...form, prompt: 'Be kind.', beginMessage: 'Hello' })
  expect(agent).toMatchObject({ agent_name: 'Robin', language: 'de-DE' })
  expect(llm).toEqual({ display_name: 'Robin', general_prompt: 'Be kind.', begin_message: 'Hello' })
  expect(planAgent(form).llm).not.toHaveProperty('begin_message')
})

test('a flow or a server of one’s own needs no configuration', () => {
  expect(planAgent({ ...form, way: 'flow', flowId: 'conversation_flow_1' })).toEqual({
    llm: null,
    flow: null,
    agent: {
      agent_name: 'Robin',
      language: 'de-DE',
      response_engine: { type: 'conversation-flow', conversation_flow_id: 'conversation_flow_1', version: null },
    },
  })
  expect(planAgent({ ...form, way: 'custom', url: 'wss://a.example ' }).agent.response_engine).toEqual({
    type: 'custom-llm',
    llm_websocket_url: 'wss://a.example',
    version: null,
  })
})

test('an imported agent keeps its settings and gets a configuration like the one in the file', () => {
  const text = JSON.stringify({
    kind: 'parley.agent',
    agent: { agent_name: 'Ada', volume: 2, response_engine: { type: 'llm', llm_id: 'llm_1', version: 3 } },
    llm: { llm_id: 'llm_1', version: 3, general_prompt: 'Be kind.' },
  })
  const { file } = readAgentFile<Agent>('agent', text)
  const { agent, llm } = planAgent({ ...form, way: 'import', file })
  expect(agent).toMatchObject({ agent_name: 'Ada', volume: 2, response_engine: { version: null } })
  expect(llm).toEqual({ general_prompt: 'Be kind.' })
})

test('a name is needed, a flow where there shall be one, and a file for an import', () => {
  expect(isComplete({ ...form, name: ' ' })).toBe(false)
  expect(isComplete(form)).toBe(true)
  expect(isComplete({ ...form, way: 'flow' })).toBe(false)
  expect(isComplete({ ...form, way: 'flow', flowId: 'conversation_flow_1' })).toBe(true)
  expect(isComplete({ ...form, way: 'import' })).toBe(false)
})
