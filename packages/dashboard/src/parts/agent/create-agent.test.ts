import type { Agent } from '@parley/contract/agent'
import { expect, test } from 'vitest'
import type { NewAgent } from './agent-kind.ts'
import { type CreateOperations, createAgentWith, type LeftOver } from './create-agent.ts'

/** A server that has what was made; `refuses` names what fails. */
type Refused = 'createAgent' | 'deleteLlm'

function startServer(refuses: readonly Refused[] = []) {
  const llms: string[] = []
  const agents: NewAgent<Agent>[] = []
  const flows: string[] = []
  const leftOver: LeftOver[] = []
  const fail = (name: Refused): void => {
    if (refuses.includes(name)) throw new Error(`no ${name}`)
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
    onLeftOver: (id) => leftOver.push(id),
  }
  return { operations, llms, flows, agents, leftOver }
}

const agent: NewAgent<Agent> = {
  agent_name: 'Robin',
  response_engine: { type: 'custom-llm', llm_websocket_url: 'wss://a.example', version: null },
}

test('an agent is made on the configuration that is made for it', async () => {
  const { operations, agents } = startServer()
  await createAgentWith(operations, { agent, llm: { general_prompt: 'Be kind.' }, flow: null })
  expect(agents).toEqual([{ agent_name: 'Robin', response_engine: { type: 'llm', llm_id: 'llm_1', version: null } }])
})

test('without a configuration it keeps its engine', async () => {
  const { operations, agents, llms } = startServer()
  await createAgentWith(operations, { agent, llm: null, flow: null })
  expect(agents).toEqual([agent])
  expect(llms).toEqual([])
})

test('an agent that cannot be made leaves no configuration behind', async () => {
  const { operations, llms, leftOver } = startServer(['createAgent'])
  await expect(createAgentWith(operations, { agent, llm: {}, flow: null })).rejects.toThrow('no createAgent')
  expect(llms).toEqual([])
  expect(leftOver).toEqual([])
})

test('a configuration that cannot be deleted again is told', async () => {
  const { operations, leftOver } = startServer(['createAgent', 'deleteLlm'])
  await expect(createAgentWith(operations, { agent, llm: {}, flow: null })).rejects.toThrow('no createAgent')
  expect(leftOver).toEqual([{ kind: 'llm', id: 'llm_1' }])
})

test('a flow is made first as well, and goes again with an agent that cannot be made', async () => {
  const flow = { nodes: [] }
  const { operations, agents } = startServer()
  await createAgentWith(operations, { agent, llm: null, flow })
  expect(agents[0]?.response_engine).toEqual({
    type: 'conversation-flow',
    conversation_flow_id: 'conversation_flow_1',
    version: null,
  })
  const refusing = startServer(['createAgent'])
  await expect(createAgentWith(refusing.operations, { agent, llm: null, flow })).rejects.toThrow('no createAgent')
  expect(refusing.flows).toEqual([])
})
