import type { Chat } from '@parley/contract/chat'
import { describe, expect } from 'vitest'
import { createAgent, createChat, expectBody, readChat, send } from '../../../testing/server-test.ts'
import { runTurn } from '../scripted-model.ts'
import { callsTool, flowAgent, flowChat, formatTrail, readTrail, says, test, to } from './dialogue-test-kit.ts'

describe('handing over', () => {
  test('from a flow to an agent on an LLM configuration, by a node', async ({ server, stage }) => {
    const model = stage.model('openai')
    const sales = await createAgent(
      server,
      { agent_name: 'Sales' },
      { model: model.name, general_prompt: 'Sell to {{name}}.' },
    )
    const nodes = [
      says('ask', 'What is it?', { always_edge: to('over') }),
      {
        id: 'over',
        type: 'agent_swap',
        agent_id: sales.agent_id,
        speak_during_execution: true,
        instruction: { type: 'static_text', text: 'I connect you.' },
        edge: to('failed'),
      },
      says('failed', 'Nobody is there.'),
    ]
    const chat = { dynamicVariables: { name: 'Ada' } }
    const first = await flowChat(server, model, { flow: { nodes }, chat })
    model.script({ text: 'Sales here.' }, { text: 'Still sales.' })
    const turn = await runTurn(server, first.chatId, { mode: 'streamed' })
    expect(formatTrail(turn.messages).slice(-3)).toEqual([
      'agent: I connect you.',
      'swap to Sales',
      'agent: Sales here.',
    ])
    const after = await runTurn(server, first.chatId, { mode: 'plain', content: 'Hello?' })
    expect(formatTrail(after.messages)).toEqual(['agent: Still sales.'])
    const storedChat = await readChat(server, first.chatId)
    expect(storedChat).toMatchObject({
      agentId: first.agentId,
      version: 1,
      responseEngine: { type: 'conversation-flow' },
    })
    expect(storedChat.agentPath.map(({ agentId, agentVersion }) => [agentId, agentVersion])).toEqual([
      [first.agentId, 1],
      [sales.agent_id, 1],
    ])
    expect(JSON.stringify(model.requests.at(-1)?.body)).toContain('Sell to Ada.')
    const frozen = await expectBody(
      200,
      send(server, 'PATCH', `/api/agents/${sales.agent_id}`, { agent_name: 'Sales 2' }),
    )
    expect(frozen.version).toBe(2)
  })

  test('from an LLM configuration to a flow, by a tool, and back', async ({ server, stage }) => {
    const model = stage.model('openai')
    const home = await createAgent(server, { agent_name: 'Home' }, { model: model.name })
    const nodes = [
      says('hi', 'Flow here.', { always_edge: to('back') }),
      { id: 'back', type: 'agent_swap', agent_id: home.agent_id, edge: to('hi') },
    ]
    const choice = { type: 'cascading', model: model.name }
    const { agent } = await flowAgent(server, { nodes, model_choice: choice }, { agent_name: 'Flow' })
    const swap = { type: 'agent_swap', name: 'to_flow', agent_id: agent.agent_id }
    const reception = await createAgent(server, {}, { model: model.name, general_tools: [swap] })
    const { chatId } = await createChat(server, reception)
    model.script(callsTool('to_flow'), { text: 'Home here.' })
    const turn = await runTurn(server, chatId, { mode: 'plain', content: 'One' })
    expect(formatTrail(turn.messages)).toEqual([
      'to_flow({})',
      'to_flow -> The conversation was handed over.',
      'swap to Flow',
      'start => hi',
      'agent: Flow here.',
    ])
    await runTurn(server, chatId, { mode: 'plain', content: 'Two' })
    expect((await readTrail(server, chatId)).slice(-4)).toEqual([
      'user: Two',
      'hi => back',
      'swap to Home',
      'agent: Home here.',
    ])
    const storedChat: Chat = await readChat(server, chatId)
    expect(storedChat.agentPath.map(({ agentId }) => agentId)).toEqual([
      reception.agent_id,
      agent.agent_id,
      home.agent_id,
    ])
  })

  test('to a deleted agent takes the failure edge', async ({ server, stage }) => {
    const model = stage.model('openai')
    const deletedAgent = await createAgent(server, {}, { model: model.name })
    const nodes = [
      { id: 'over', type: 'agent_swap', agent_id: deletedAgent.agent_id, agent_version: 9, edge: to('failed') },
      says('failed', 'Nobody is there.'),
    ]
    const { chatId } = await flowChat(server, model, { flow: { nodes } })
    const turn = await runTurn(server, chatId, { mode: 'plain' })
    expect(turn.messages.at(-1)?.content).toBe('Nobody is there.')
    expect((await readChat(server, chatId)).agentPath).toHaveLength(1)
  })

  test('applies to a message that was queued behind it', async ({ server, stage }) => {
    const [first, second] = [stage.model('openai'), stage.model('openai')]
    const sales = await createAgent(server, {}, { model: second.name, general_prompt: 'Sell.' })
    const general_tools = [{ type: 'agent_swap', name: 'over', agent_id: sales.agent_id }]
    const { chatId } = await createChat(server, await createAgent(server, {}, { model: first.name, general_tools }))
    first.script({ ...callsTool('over'), text: 'One moment please, I connect you.', delayPerWordMs: 30 })
    second.script({ text: 'Sales one.' }, { text: 'Sales two.' })
    const one = runTurn(server, chatId, { mode: 'plain', content: 'One' })
    await first.request(0)
    const two = await runTurn(server, chatId, { mode: 'plain', content: 'Two' })
    expect((await one).messages.at(-1)?.content).toBe('Sales one.')
    expect(two.messages.at(-1)?.content).toBe('Sales two.')
    expect(first.requests).toHaveLength(1)
    expect((await readChat(server, chatId)).agentPath).toHaveLength(2)
  })
})
