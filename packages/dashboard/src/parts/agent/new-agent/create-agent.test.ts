import type { Agent } from '@parley/contract/agent'
import { expect, test } from 'vitest'
import type { NewAgent } from '../agent-api.ts'
import { readAgentFile } from '../agent-file.ts'
import {
  buildAgentInput,
  type CreateOperations,
  createAgentWithEngine,
  createEmptyForm,
  isFormComplete,
  type OrphanedRecord,
} from './create-agent.ts'

const form = { ...createEmptyForm<Agent>('de-DE'), name: ' Robin ' }

test('a prompt becomes an LLM configuration of the agent', () => {
  const { agent, llm } = buildAgentInput({ ...form, prompt: 'Be kind.', beginMessage: 'Hello' })
  expect(agent).toMatchObject({ agent_name: 'Robin', language: 'de-DE' })
  expect(llm).toEqual({ display_name: 'Robin', general_prompt: 'Be kind.', begin_message: 'Hello' })
  expect(buildAgentInput(form).llm).not.toHaveProperty('begin_message')
})

test('a flow or a custom server needs no LLM configuration', () => {
  expect(buildAgentInput({ ...form, method: 'flow', flowId: 'conversation_flow_1' })).toEqual({
    llm: null,
    flow: null,
    agent: {
      agent_name: 'Robin',
      language: 'de-DE',
      response_engine: { type: 'conversation-flow', conversation_flow_id: 'conversation_flow_1', version: null },
    },
  })
  expect(buildAgentInput({ ...form, method: 'custom', url: 'wss://a.example ' }).agent.response_engine).toEqual({
    type: 'custom-llm',
    llm_websocket_url: 'wss://a.example',
    version: null,
  })
})

test('an imported agent keeps its settings and the LLM configuration of its file', () => {
  const text = JSON.stringify({
    kind: 'parley.agent',
    agent: { agent_name: 'Ada', volume: 2, response_engine: { type: 'llm', llm_id: 'llm_1', version: 3 } },
    llm: { llm_id: 'llm_1', version: 3, general_prompt: 'Be kind.' },
  })
  const { file } = readAgentFile<Agent>('agent', text)
  const { agent, llm } = buildAgentInput({ ...form, method: 'import', file })
  expect(agent).toMatchObject({ agent_name: 'Ada', volume: 2, response_engine: { version: null } })
  expect(llm).toEqual({ general_prompt: 'Be kind.' })
})

test('requires a name, a flow for a flow agent, and a file for an import', () => {
  expect(isFormComplete({ ...form, name: ' ' })).toBe(false)
  expect(isFormComplete(form)).toBe(true)
  expect(isFormComplete({ ...form, method: 'flow' })).toBe(false)
  expect(isFormComplete({ ...form, method: 'flow', flowId: 'conversation_flow_1' })).toBe(true)
  expect(isFormComplete({ ...form, method: 'import' })).toBe(false)
})

/** The operation that the test server rejects. */
type RejectedOperation = 'createAgent' | 'deleteLlm'

function startServer(rejectedOperations: readonly RejectedOperation[] = []) {
  const llms: string[] = []
  const agents: NewAgent<Agent>[] = []
  const flows: string[] = []
  const leftoverRecords: OrphanedRecord[] = []
  const fail = (name: RejectedOperation): void => {
    if (rejectedOperations.includes(name)) throw new Error(`${name} failed`)
  }
  const operations: CreateOperations<Agent, Agent> = {
    async createLlm() {
      llms.push('llm_1')
      return { llm_id: 'llm_1' }
    },
    async deleteLlm(id) {
      fail('deleteLlm')
      llms.splice(llms.indexOf(id), 1)
    },
    async createFlow() {
      flows.push('conversation_flow_1')
      return { conversation_flow_id: 'conversation_flow_1' }
    },
    async deleteFlow(id) {
      flows.splice(flows.indexOf(id), 1)
    },
    async createAgent(settings) {
      fail('createAgent')
      agents.push(settings)
      return settings as Agent
    },
    onOrphanedRecord: (record) => leftoverRecords.push(record),
  }
  return { operations, llms, flows, agents, leftoverRecords }
}

const agent: NewAgent<Agent> = {
  agent_name: 'Robin',
  response_engine: { type: 'custom-llm', llm_websocket_url: 'wss://a.example', version: null },
}

test('creates the LLM configuration, then the agent', async () => {
  const { operations, agents } = startServer()
  await createAgentWithEngine(operations, { agent, llm: { general_prompt: 'Be kind.' }, flow: null })
  expect(agents).toEqual([{ agent_name: 'Robin', response_engine: { type: 'llm', llm_id: 'llm_1', version: null } }])
})

test('keeps the engine when there is no LLM configuration', async () => {
  const { operations, agents, llms } = startServer()
  await createAgentWithEngine(operations, { agent, llm: null, flow: null })
  expect(agents).toEqual([agent])
  expect(llms).toEqual([])
})

test('removes the LLM configuration when the agent cannot be created', async () => {
  const { operations, llms, leftoverRecords } = startServer(['createAgent'])
  await expect(createAgentWithEngine(operations, { agent, llm: {}, flow: null })).rejects.toThrow('createAgent failed')
  expect(llms).toEqual([])
  expect(leftoverRecords).toEqual([])
})

test('reports an LLM configuration that could not be removed', async () => {
  const { operations, leftoverRecords } = startServer(['createAgent', 'deleteLlm'])
  await expect(createAgentWithEngine(operations, { agent, llm: {}, flow: null })).rejects.toThrow('createAgent failed')
  expect(leftoverRecords).toEqual([{ kind: 'llm', id: 'llm_1' }])
})

test('removes a new flow when the agent cannot be created', async () => {
  const flow = { nodes: [] }
  const { operations, agents } = startServer()
  await createAgentWithEngine(operations, { agent, llm: null, flow })
  expect(agents[0]?.response_engine).toEqual({
    type: 'conversation-flow',
    conversation_flow_id: 'conversation_flow_1',
    version: null,
  })
  const failingServer = startServer(['createAgent'])
  await expect(createAgentWithEngine(failingServer.operations, { agent, llm: null, flow })).rejects.toThrow(
    'createAgent failed',
  )
  expect(failingServer.flows).toEqual([])
})
