import type { PlaygroundAnswer } from '@parley/contract/playground'
import type { ToolTestResult } from '@parley/contract/tool-test'
import { describe, expect } from 'vitest'
import type { RunningServer } from '../../../testing/running-server.ts'
import { createAgent, createChat, expectBody, read, readChat, send } from '../../../testing/server-test.ts'
import { runTurn } from '../scripted-model.ts'
import {
  callsTool,
  chooses,
  edge,
  flowAgent,
  formatTrail,
  readTrail,
  says,
  talks,
  test,
  to,
  when,
} from './dialogue-test-kit.ts'

function play(server: RunningServer, agentId: string, body: object): Promise<PlaygroundAnswer> {
  const path = `/api/playground/agents/${agentId}/completions`
  return expectBody(200, send<PlaygroundAnswer>(server, 'POST', path, body))
}

const formatPlaygroundTrail = ({ messages }: PlaygroundAnswer) => formatTrail(messages)
const user = (content: string) => ({ role: 'user', content })

const orderFlow = (url: string, model: string) => ({
  model_choice: { type: 'cascading', model },
  start_speaker: 'user',
  tools: [
    {
      type: 'custom',
      name: 'find_order',
      url,
      parameters: { type: 'object', properties: { number: { type: 'string' } }, required: ['number'] },
      response_variables: { state: '$.state' },
    },
  ],
  nodes: [
    says('ask', 'Your number?', { edges: [edge('find', 'A number is told.')] }),
    {
      id: 'find',
      type: 'function',
      tool_id: 'find_order',
      tool_type: 'local',
      edges: [when('state', '==', 'sent', 'sent')],
      else_edge: to('open'),
    },
    says('sent', 'It is sent, {{name}}.', { always_edge: to('end') }),
    says('open', 'It is {{state}}.', { always_edge: to('end') }),
    { id: 'end', type: 'end', instruction: { type: 'static_text', text: 'Bye.' } },
  ],
})

describe('the playground', () => {
  test('runs one turn from a node with variables and mocks, and leaves no trace', async ({ server, stage, tools }) => {
    const model = stage.model('openai')
    const { agent, flow } = await flowAgent(server, orderFlow(tools.url, model.name))
    const chats = async () => (await read<unknown[]>(server, '/api/chats', { agentId: agent.agent_id })).body.length
    const used = async () => (await read(server, '/api/usage')).body
    const before = await used()
    model.script(callsTool('find_order', { number: '7' }))
    const answer = await play(server, agent.agent_id, {
      messages: [{ role: 'assistant', content: 'Your number?' }, user('7')],
      current_node_id: 'find',
      dynamic_variables: { name: 'Ada' },
      tool_mocks: [
        { tool_name: 'find_order', input_match_rule: { type: 'partial_match', args: { number: '8' } }, output: '{}' },
        { tool_name: 'find_order', input_match_rule: { type: 'any' }, output: '{"state":"sent"}', result: true },
      ],
    })
    expect(formatPlaygroundTrail(answer)).toEqual([
      'find_order({"number":"7"})',
      'find_order -> {"state":"sent"}',
      'find => sent',
      'agent: It is sent, Ada.',
    ])
    expect(answer).toMatchObject({
      current_node_id: 'sent',
      component_path: [],
      current_state: null,
      dynamic_variables: { state: 'sent' },
      call_ended: false,
      error: null,
    })
    expect(answer.decisions.map(({ tier }) => tier)).toEqual(['equation'])
    expect(tools.requests).toEqual([])
    expect(await chats()).toBe(0)
    expect(await used()).toEqual(before)
    const path = `/api/conversation-flows/${flow.conversation_flow_id}`
    expect((await expectBody(200, read(server, path))).is_frozen).toBe(false)
    const edited = await expectBody(200, send(server, 'PATCH', path, { global_prompt: 'New.' }))
    expect(edited.version).toBe(1)
    expect((await expectBody(200, read(server, `/api/agents/${agent.agent_id}`))).version).toBe(1)
  })

  test('a mock that fails is a tool that fails', async ({ server, stage, tools }) => {
    const model = stage.model('openai')
    const { agent } = await flowAgent(server, orderFlow(tools.url, model.name))
    model.script(callsTool('find_order', { number: '7' }))
    const mock = { tool_name: 'find_order', input_match_rule: { type: 'any' }, output: 'Out of order', result: false }
    const answer = await play(server, agent.agent_id, {
      messages: [user('7')],
      current_node_id: 'find',
      tool_mocks: [mock],
    })
    expect(formatPlaygroundTrail(answer).at(-1)).toBe('agent: It is {{state}}.')
    expect(answer.dynamic_variables).toEqual({})
  })

  test('consecutive turns give the same result as a chat', async ({ server, stage, tools }) => {
    const model = stage.model('openai')
    const { agent } = await flowAgent(server, orderFlow(tools.url, model.name))
    const replies = [
      chooses('stay'),
      { text: 'Your number, please?' },
      chooses('e1'),
      callsTool('find_order', { number: '7' }),
    ]
    const contents = ['Hello', 'Well', 'It is 7', 'Thank you']
    model.script(...replies)
    tools.script({ kind: 'json', body: { state: 'open' } }, { kind: 'json', body: { state: 'open' } })
    let state: PlaygroundAnswer['state'] | null = null
    let history: object[] = []
    const played: string[] = []
    let answer: PlaygroundAnswer | null = null
    for (const content of contents) {
      history = [...history, user(content)]
      answer = await play(server, agent.agent_id, { messages: history, state, dynamic_variables: { name: 'Ada' } })
      history = [
        ...history,
        ...answer.messages.map(({ tool_call_id, ...message }) => {
          return tool_call_id === null ? message : { ...message, tool_call_id }
        }),
      ]
      state = answer.state
      played.push(`user: ${content}`, ...formatPlaygroundTrail(answer))
    }
    const requests = model.requests.length
    model.script(...replies)
    const { chatId } = await createChat(server, agent, { dynamicVariables: { name: 'Ada' } })
    for (const content of contents) await runTurn(server, chatId, { mode: 'plain', content })
    expect(played).toEqual(await readTrail(server, chatId))
    expect(model.requests).toHaveLength(2 * requests)
    for (let index = 0; index < requests; index += 1) {
      const shown = (at: number) => JSON.stringify(model.requests[at]?.body).replaceAll(/tool_call_\w+|call_\w+/g, 'id')
      expect(shown(requests + index)).toBe(shown(index))
    }
    expect(answer?.call_ended).toBe(true)
    const chat = await readChat(server, chatId)
    expect(chat.status).toBe('completed')
    expect(answer?.dynamic_variables).toEqual(chat.collectedDynamicVariables)
    expect(tools.requests).toHaveLength(2)
  })

  test('starts in a state, in a component, and with an empty history', async ({ server, stage }) => {
    const model = stage.model('openai')
    const states = [
      { name: 'one', state_prompt: 'In one.' },
      { name: 'two', state_prompt: 'In two.' },
    ]
    const llmAgent = await createAgent(server, {}, { model: model.name, general_prompt: '', states })
    model.script({ text: 'Two here.' })
    const first = await play(server, llmAgent.agent_id, { messages: [user('Hi')], current_state: 'two' })
    expect([formatPlaygroundTrail(first), first.current_state]).toEqual([['agent: Two here.'], 'two'])
    expect(JSON.stringify(model.requests[0]?.body)).toContain('In two.')
    const components = [{ name: 'part', nodes: [talks('q', 'Ask.'), says('r', 'Inside.')] }]
    const { agent } = await flowAgent(server, {
      model_choice: { type: 'cascading', model: model.name },
      components,
      nodes: [{ id: 'run', type: 'component', component_id: 'part', component_type: 'local', else_edge: to('run') }],
    })
    const inside = await play(server, agent.agent_id, {
      messages: [user('Hi')],
      current_node_id: 'r',
      component_path: ['run'],
    })
    expect([formatPlaygroundTrail(inside), inside.component_path]).toEqual([['agent: Inside.'], ['run']])
    const lost = await play(server, agent.agent_id, { messages: [user('Hi')], current_node_id: 'no_such' })
    expect(lost.decisions).toMatchObject([{ type: 'skipped' }])
    model.script({ text: 'Hello there.' })
    const opened = await play(server, llmAgent.agent_id, {})
    expect(formatPlaygroundTrail(opened)).toEqual(['agent: Hello there.'])
  })

  test('reports why a turn failed, and refuses unknown agents', async ({ server, stage }) => {
    const model = stage.model('openai')
    const agent = await createAgent(server, {}, { model: model.name })
    model.script({ fault: 'cut', afterWords: 2 })
    const broken = await play(server, agent.agent_id, { messages: [user('Hi')] })
    expect(broken).toMatchObject({
      error: { code: 'provider_error' },
      messages: [{ content: 'One two', incomplete: true }],
    })
    const unknown = await send(server, 'POST', '/api/playground/agents/agent_0/completions', { messages: [user('Hi')] })
    expect([unknown.status, unknown.body.code]).toEqual([404, 'not_found'])
    const path = `/api/playground/agents/${agent.agent_id}/completions`
    const version = await send(server, 'POST', path, { messages: [user('Hi')], agent_version: 7 })
    expect([version.status, version.body.code]).toEqual([404, 'not_found'])
    const unusualBodies = [
      { messages: [{ role: 'tool', content: 'x', tool_call_id: 'never_called' }, user('Hi')] },
      {
        messages: [
          {
            role: 'assistant',
            content: '',
            tool_calls: [{ id: 'a', type: 'function', function: { name: 'b', arguments: '' } }],
          },
          user('Hi'),
        ],
      },
      { messages: [{ role: 'assistant', content: '' }] },
    ]
    const flow = {
      nodeId: 'x',
      path: [],
      phase: 'listening',
      origins: [],
      visits: { x: 2 ** 31 - 1 },
      globalEntries: {},
    }
    const counted = { ...flow, transitions: 2 ** 31 - 1 }
    unusualBodies.push({
      messages: [user('Hi')],
      state: { collectedVariables: {}, stateName: null, approvals: [], flow: counted },
    } as never)
    for (const body of unusualBodies) expect((await send(server, 'POST', path, body)).status).toBe(200)
  })
})

describe('trying a tool', () => {
  const tryTool = (server: RunningServer, tool: object, rest: object = {}) =>
    expectBody(200, send<ToolTestResult>(server, 'POST', '/api/tools/test', { tool, ...rest }))

  test('custom', async ({ server, tools }) => {
    tools.script({ kind: 'json', body: { a: { b: 5 } } }, { kind: 'json', status: 500, body: {} })
    const tool = { type: 'custom', name: 'look_up', url: `${tools.url}/{{who}}`, response_variables: { b: '$.a.b' } }
    const rest = { args: { city: 'Bern' }, dynamicVariables: { who: 'ada' } }
    expect(await tryTool(server, tool, rest)).toMatchObject({
      status: 'success',
      body: '{"a":{"b":5}}',
      variables: { b: '5' },
      error: null,
    })
    expect(tools.requests[0]).toMatchObject({ path: '/ada' })
    expect(tools.requests[0]?.headers['x-webhook-signature']).toMatch(/^v=/)
    const failed = await tryTool(server, tool, rest)
    expect(failed).toMatchObject({ status: 'error', variables: {} })
    expect(failed.error).toMatch(/500/)
  })

  test('code', async ({ server }) => {
    const tool = { type: 'code', name: 'sum', code: 'return { n: Number(dv.a) + 1 }', response_variables: { n: '$.n' } }
    const rest = { dynamicVariables: { a: 1 } }
    expect(await tryTool(server, tool, rest)).toMatchObject({
      status: 'success',
      body: '{"n":2}',
      variables: { n: '2' },
    })
    const wrong = await tryTool(server, { ...tool, code: 'const x = 1\nthrow new Error("no luck")' })
    expect(wrong).toMatchObject({ status: 'error' })
    expect(wrong.error).toMatch(/no luck/)
  })

  test('mcp', async ({ server, mcp }) => {
    const tool = { type: 'mcp', name: 'add', mcp_id: 'calc', response_variables: { sum: '$.sum' } }
    const mcps = [{ mcp_id: 'calc', name: 'Calculator', url: mcp.url, require_approval: 'always' }]
    expect(await tryTool(server, tool, { args: { a: 1, b: 2 }, mcps })).toMatchObject({
      status: 'success',
      body: '{"sum":3}',
      variables: { sum: '3' },
    })
    expect(await tryTool(server, { ...tool, name: 'fails' }, { mcps })).toMatchObject({ status: 'error' })
    const unknown = await tryTool(server, tool)
    expect(unknown.error).toContain('calc')
  })

  test('tools without an effect', async ({ server }) => {
    const variables = [{ type: 'string', name: 'city', description: 'Where.' }]
    const extract = { type: 'extract_dynamic_variable', name: 'extract', variables }
    expect(await tryTool(server, extract, { args: { city: 'Bern' } })).toMatchObject({
      status: 'success',
      variables: { city: 'Bern' },
    })
    const sms = { type: 'send_sms', name: 'text', sms_content: { type: 'predefined', text: 'Hi' } }
    expect(await tryTool(server, sms)).toMatchObject({ status: 'error', error: expect.stringContaining('not sent') })
    const swap = { type: 'agent_swap', name: 'over', agent_id: 'agent_1' }
    expect(await tryTool(server, swap)).toMatchObject({
      status: 'error',
      error: expect.stringContaining('cannot be swapped'),
    })
    expect(await tryTool(server, { type: 'end_call', name: 'end' })).toMatchObject({ status: 'success' })
    for (const tool of [
      { type: 'press_digit', name: 'press' },
      { type: 'bridge_transfer', name: 'bridge' },
      { type: 'cancel_transfer', name: 'cancel' },
      {
        type: 'transfer_call',
        name: 'transfer',
        transfer_destination: { type: 'predefined', number: '+14155550123' },
        transfer_option: { type: 'cold_transfer' },
      },
    ]) {
      const { status, error } = await tryTool(server, tool)
      expect([status, error], tool.type).toEqual(['error', expect.stringContaining('Not available in this channel')])
    }
    const calendar = { type: 'check_availability_cal', name: 'free', cal_api_key: 'k', event_type_id: 1 }
    expect((await tryTool(server, calendar)).status).toBe('error')
    const bad = await send(server, 'POST', '/api/tools/test', { tool: { type: 'custom', name: 'x' } })
    expect([bad.status, bad.body.code]).toEqual([400, 'invalid_request'])
  })
})
