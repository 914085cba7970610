import { expect } from 'vitest'
import { runServer } from '../../../testing/running-server.ts'
import { createAgent, createChat, readChat } from '../../../testing/server-test.ts'
import { modelSettings, runTurn } from '../scripted-model.ts'
import {
  callsTool,
  chooses,
  edge,
  flowAgent,
  readTrail,
  readTurns,
  routingTiersOf,
  says,
  talks,
  test,
  to,
  when,
} from './dialogue-test-kit.ts'

test('conversations continue after a restart, in the middle of flows, states and questions', async ({
  stage,
  tools,
  mcp,
}) => {
  await using server = await runServer({ env: modelSettings(stage) })
  const model = stage.model('openai')
  const sales = await createAgent(
    server,
    { agent_name: 'Sales' },
    { model: model.name, general_prompt: 'Sell {{thing}}.' },
  )
  const components = [
    {
      name: 'details',
      nodes: [
        says('which', 'Which thing?', { edges: [edge('get', 'A thing is named.')] }),
        { id: 'get', type: 'function', tool_id: 'stock', tool_type: 'local', else_edge: to(null) },
      ],
      tools: [{ type: 'custom', name: 'stock', url: tools.url, response_variables: { thing: '$.thing' } }],
    },
  ]
  const nodes = [
    says('hi', 'Hello.', { edges: [edge('run', 'The user wants something.')] }),
    {
      id: 'run',
      type: 'component',
      component_id: 'details',
      component_type: 'local',
      edges: [when('thing', 'exists', null, 'add')],
      else_edge: to('hi'),
    },
    { id: 'add', type: 'mcp', mcp_id: 'calc', mcp_tool_name: 'add', else_edge: to('over') },
    { id: 'over', type: 'agent_swap', agent_id: sales.agent_id, edge: to('hi') },
    talks('help', 'Help.', {
      global_node_setting: {
        condition: 'The user needs help.',
        go_back_conditions: [{ transition_condition: { type: 'prompt', prompt: 'It helped.' } }],
      },
    }),
  ]
  const mcps = [{ mcp_id: 'calc', name: 'Calc', url: mcp.url, require_approval: 'always' }]
  const choice = { type: 'cascading', model: model.name }
  const { agent } = await flowAgent(server, { nodes, components, mcps, model_choice: choice })
  const states = [
    { name: 'one', edges: [{ destination_state_name: 'two', description: 'On.' }] },
    { name: 'two', state_prompt: 'You are in two.' },
  ]
  const llmAgent = await createAgent(server, {}, { model: model.name, states })
  const other = await createChat(server, llmAgent)
  const { chatId } = await createChat(server, agent)
  const say = async (content: string) => {
    const turn = await runTurn(server, chatId, { mode: 'plain', content })
    return turn.messages.at(-1)?.content
  }

  model.script(chooses('e1'))
  expect(await say('I want something')).toBe('Which thing?')
  model.script(chooses('g1'), { text: 'How can I help?' })
  expect(await say('Help')).toBe('How can I help?')
  model.script(callsTool('transition_to_two'), { text: 'Two now.' })
  await runTurn(server, other.chatId, { mode: 'plain' })
  const before = await readChat(server, chatId)
  expect(await server.stop()).toEqual({ code: 0, signal: null })
  await server.start()
  expect(await readChat(server, chatId)).toEqual(before)

  model.script(chooses('b1'))
  expect(await say('That helped')).toBe('Which thing?')
  tools.script({ kind: 'json', body: { thing: 'a lamp' } })
  model.script(chooses('e1'), callsTool('add', { a: 1, b: 2 }), { text: 'Shall I add it up?' })
  expect(await say('The lamp')).toBe('Shall I add it up?')
  expect(mcp.listLabels()).not.toContain('POST tools/call')
  await server.restart()

  // The earlier question and the collected variables are kept.
  model.script(chooses('e1'), { text: 'Sales here.' })
  expect(await say('Yes')).toBe('Sales here.')
  expect(mcp.listLabels()).toContain('POST tools/call')
  expect(JSON.stringify(model.requests.at(-1)?.body)).toContain('Sell a lamp.')
  await server.restart()

  const requestCount = model.requests.length
  model.script({ text: 'Sold.' })
  expect(await say('I take it')).toBe('Sold.')
  expect(JSON.stringify(model.requests[requestCount]?.body)).toContain('Sell a lamp.')
  const last = await runTurn(server, other.chatId, { mode: 'plain' })
  expect(last.turnStatus).toBe('completed')
  expect(JSON.stringify(model.requests.at(-1)?.body)).toContain('You are in two.')
  expect((await readTrail(server, chatId)).filter((line) => / => |^swap/.test(line))).toEqual([
    'hi => run',
    'run => which',
    'which => help (global)',
    'help => which (global_go_back)',
    'which => get',
    'get => run',
    'run => add',
    'add => over',
    'swap to Sales',
  ])
  const turns = await readTurns(server, chatId)
  expect(turns.map(({ status }) => status)).toEqual(Array.from(turns, () => 'completed'))
  expect(turns.map((turn) => routingTiersOf(turn)[0] ?? null)).toEqual([
    'prompt',
    'global',
    'go-back',
    'prompt',
    expect.anything(),
    null,
  ])
})
