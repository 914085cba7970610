import type { Agent } from '@parley/contract/agent'
import type { Llm } from '@parley/contract/llm'
import { expect, test } from 'vitest'
import { buildAgentFileName, formatAgentFile, readAgentFile } from './agent-file.ts'

const agent = {
  agent_id: 'agent_1',
  agent_name: 'Robin',
  response_engine: { type: 'llm', llm_id: 'llm_1', version: null },
} as Agent
const llm = { llm_id: 'llm_1', general_prompt: 'Be kind.' } as Llm

test('reads an exported agent with its LLM configuration', () => {
  const { file, error } = readAgentFile<Agent>('agent', formatAgentFile('agent', { agent, llm }))
  expect(error).toBeNull()
  expect(file).toEqual({ agent, llm, flow: null, omittedPaths: [] })
})

test('an agent with a custom LLM needs no LLM configuration', () => {
  const customAgent = {
    ...agent,
    response_engine: { type: 'custom-llm', llm_websocket_url: 'wss://a.example', version: null },
  }
  const { file } = readAgentFile<Agent>('agent', formatAgentFile('agent', { agent: customAgent as Agent, llm: null }))
  expect(file?.llm).toBeNull()
})

test.each([
  ['{"kind":', 'invalid-json'],
  ['[]', 'no-agent'],
  ['{"kind":"parley.agent"}', 'no-agent'],
  ['{"kind":"something","agent":{}}', 'no-agent'],
  [JSON.stringify({ kind: 'parley.chat-agent', agent, llm }), 'wrong-kind'],
  ['{"kind":"parley.agent","agent":{"response_engine":"llm"}}', 'no-engine'],
  [JSON.stringify({ kind: 'parley.agent', agent, llm: null }), 'no-llm'],
  [JSON.stringify({ kind: 'parley.agent', agent, llm: 'llm_1' }), 'no-llm'],
])('rejects %s with the error %s', (text, error) => {
  expect(readAgentFile('agent', text)).toEqual({ file: null, error })
})

test('the file is named after the agent', () => {
  expect(buildAgentFileName({ agent_id: 'agent_1', agent_name: 'Front desk / Köln' })).toBe('Front-desk-Köln.json')
  expect(buildAgentFileName({ agent_id: 'agent_1', agent_name: '🙂' })).toBe('agent_1.json')
})
