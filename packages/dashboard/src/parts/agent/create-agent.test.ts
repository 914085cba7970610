import type { Agent } from '@parley/contract/agent'
import { expect, test } from 'vitest'
import type { NewAgent } from './agent-kind.ts'
import { type CreateOperations, createAgentWith } from './create-agent.ts'

/** A server that has what was made; `refuses` names what fails. */
function startServer(refuses: readonly ('createAgent' | 'deleteLlm')[] = []) {
  const llms: string[] = []
  const agents: NewAgent<Agent>[] = []
  const leftOver: string[] = []
  const fail = (name: 'createAgent' | 'deleteLlm'): void => {
    if (refuses.includes(name)) throw new Error(`no ${name}`)
  }
  const operations: CreateOperations<Agent> = {
    async createLlm() {
      llms.push('llm_1')
      return { llm_id: 'llm_1' }
    },
    async deleteLlm(id) {
      fail('deleteLlm')
      llms.splice(llms.indexOf(id), 1)
    },
    async createAgent(settings) {
      fail('createAgent')
      agents.push(settings)
      return settings as Agent
    },
    onLeftOver: (id) => leftOver.push(id),
  }
  return { operations, llms, agents, leftOver }
}

const agent: NewAgent<Agent> = {
  agent_name: 'Robin',
  response_engine: { type: 'custom-llm', llm_websocket_url: 'wss://a.example', version: null },
}

test('an agent is made on the configuration that is made for it', async () => {
  const { operations, agents } = startServer()
  await createAgentWith(operations, { agent, llm: { general_prompt: 'Be kind.' } })
  expect(agents).toEqual([{ agent_name: 'Robin', response_engine: { type: 'llm', llm_id: 'llm_1', version: null } }])
})

test('without a configuration it keeps its engine', async () => {
  const { operations, agents, llms } = startServer()
  await createAgentWith(operations, { agent, llm: null })
  expect(agents).toEqual([agent])
  expect(llms).toEqual([])
})

test('an agent that cannot be made leaves no configuration behind', async () => {
  const { operations, llms, leftOver } = startServer(['createAgent'])
  await expect(createAgentWith(operations, { agent, llm: {} })).rejects.toThrow('no createAgent')
  expect(llms).toEqual([])
  expect(leftOver).toEqual([])
})

test('a configuration that cannot be deleted again is told', async () => {
  const { operations, leftOver } = startServer(['createAgent', 'deleteLlm'])
  await expect(createAgentWith(operations, { agent, llm: {} })).rejects.toThrow('no createAgent')
  expect(leftOver).toEqual(['llm_1'])
})
