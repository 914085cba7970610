import { describe, expect } from 'vitest'
import { createAgent, createChat, expectBody, readChat, send } from '../../../testing/server-test.ts'
import { chatOn, readMessageLines, runTurn } from '../scripted-model.ts'
import {
  callsTool,
  chooses,
  edge,
  flowChat,
  formatTrail,
  readTrail,
  readTurns,
  routingTiersOf,
  says,
  talks,
  test,
  to,
  when,
} from './dialogue-test-kit.ts'

const BLANK_LINE = 'Sorry, I did not catch that. Could you say it again?'
const FINE = { text: 'Fine.' }

/** A tool of an LLM configuration or flow. */
function tool(url: string, fields: object = {}): object {
  return { type: 'custom', name: 'look_up', description: 'Looks something up.', url: `${url}/look-up`, ...fields }
}

describe.each(['an LLM configuration', 'a flow'] as const)('on %s', (kind) => {
  const open = async (
    { server, model }: { server: Parameters<typeof chatOn>[0]; model: Parameters<typeof chatOn>[1] },
    fields: { tools?: object[]; agent?: object; prompt?: string; chat?: object } = {},
  ): Promise<string> => {
    const { tools = [], agent = {}, prompt = 'Help.', chat = {} } = fields
    if (kind === 'an LLM configuration') {
      return await chatOn(server, model, { agent, chat, llm: { general_prompt: prompt, general_tools: tools } })
    }
    const node = { id: 'talk', type: 'subagent', instruction: { type: 'prompt', text: prompt }, tools }
    return (await flowChat(server, model, { flow: { nodes: [node] }, agent, chat })).chatId
  }

  const replies = [' \n\t ', '', '\u00a0'].map((text) => ({ text, chunks: 2 }))
  test.for(replies)('an empty answer ($text) is requested again', async (reply, { server, stage }) => {
    const model = stage.model('openai')
    model.script(reply, FINE)
    const chatId = await open({ server, model })
    const turn = await runTurn(server, chatId, { mode: 'plain' })
    expect(turn.messages.at(-1)?.content).toBe('Fine.')
    expect(model.requests).toHaveLength(2)
  })

  test('after two empty answers the agent speaks a fallback sentence', async ({ server, stage }) => {
    const model = stage.model('openai')
    for (const line of [BLANK_LINE, 'Please call us.']) {
      model.script({ text: '' }, { text: ' \n' }, FINE)
      const before = model.requests.length
      const chatId = await open({ server, model }, { agent: line === BLANK_LINE ? {} : { fallback_message: line } })
      const turn = await runTurn(server, chatId, { mode: 'streamed' })
      expect([turn.streamedText, turn.turnStatus]).toEqual([line, 'completed'])
      expect(model.requests.length - before).toBe(2)
      const types = (await readTurns(server, chatId))[0]?.decisions.map(({ type }) => type)
      expect(types).toContain('fallback-message')
      expect((await runTurn(server, chatId, { mode: 'plain', content: 'Again' })).messages.at(-1)?.content).toBe(
        'Fine.',
      )
    }
  })

  test('the model learns that a tool does not exist', async ({ server, stage, tools }) => {
    const model = stage.model('openai')
    model.script(callsTool('no_such', { a: 1 }), FINE)
    const chatId = await open({ server, model }, { tools: [tool(tools.url)] })
    const turn = await runTurn(server, chatId, { mode: 'plain' })
    expect(formatTrail(turn.messages).slice(-3)).toEqual([
      'no_such({"a":1})',
      'no_such -> There is no tool named "no_such". Available tools: look_up.',
      'agent: Fine.',
    ])
    expect(tools.requests).toEqual([])
  })

  test('the stream dies after ten words', async ({ server, stage }) => {
    const model = stage.model('openai')
    model.script({ fault: 'cut', afterWords: 10 }, FINE)
    const chatId = await open({ server, model })
    const turn = await runTurn(server, chatId, { mode: 'streamed' })
    const words = 'One two three four five six seven eight nine ten'
    expect(turn).toMatchObject({ streamedText: words, errorCode: 'provider_error', turnStatus: 'failed' })
    const lines = async () => (await readMessageLines(server, chatId)).filter((line) => !line.startsWith('system'))
    expect(await lines()).toEqual(['user: Hello', `assistant: ${words}*`])
    expect((await readTurns(server, chatId))[0]).toMatchObject({ status: 'failed', error: { code: 'provider_error' } })
    expect((await runTurn(server, chatId, { mode: 'plain' })).turnStatus).toBe('completed')
    expect(await lines()).toEqual(['user: Hello', `assistant: ${words}*`, 'assistant: Fine.'])
  })

  test('a tool returns 2 MB, another a web page', async ({ server, stage, tools }) => {
    const model = stage.model('openai')
    const huge = 'é'.repeat(1_000_000)
    tools.script({ kind: 'raw', contentType: 'text/plain; charset=utf-8', body: huge }, { kind: 'html' })
    model.script(callsTool('look_up'), callsTool('look_up'), FINE)
    const chatId = await open({ server, model }, { tools: [tool(tools.url)] })
    const turn = await runTurn(server, chatId, { mode: 'plain' })
    const results = turn.messages.filter(({ role }) => role === 'tool').map(({ content }) => content)
    expect(results[0]).toBe(huge)
    expect(results[1]).toContain('<!doctype html>')
    expect(turn.messages.at(-1)?.content).toBe('Fine.')
    expect(JSON.stringify(model.requests[2]?.body).length).toBeLessThan(25_000)
  })

  test('a variable inside the value of a variable is not replaced', async ({ server, stage }) => {
    const model = stage.model('openai')
    model.script(FINE)
    const chat = { dynamicVariables: { name: '{{secret}} {{x}}', secret: 'never told' } }
    const chatId = await open({ server, model }, { prompt: 'The name is {{name}}.', chat })
    await runTurn(server, chatId, { mode: 'plain' })
    const request = JSON.stringify(model.requests[0]?.body)
    expect(request).toContain('The name is {{secret}} {{x}}.')
    expect(request).not.toContain('never told')
  })

  test.for(['plain', 'streamed'] as const)(
    'a completion that is retried is answered once, %s',
    async (mode, { server, stage, tools }) => {
      const model = stage.model('openai')
      model.script({ ...callsTool('look_up'), delayPerWordMs: 20, text: 'One moment please, I will look.' }, FINE)
      const chatId = await open({ server, model }, { tools: [tool(tools.url)] })
      const headers = { 'idempotency-key': `retried ${kind} ${mode}` }
      const first = runTurn(server, chatId, { mode, headers })
      await model.request(0)
      const concurrentTurn = await runTurn(server, chatId, { mode, headers })
      const turn = await first
      expect(turn.turnStatus).toBe('completed')
      expect(concurrentTurn).toEqual(turn)
      expect((await runTurn(server, chatId, { mode, headers })).messages).toEqual(turn.messages)
      expect([model.requests.length, tools.requests.length]).toEqual([2, 1])
      const users = (await readChat(server, chatId)).messages.filter(({ role }) => role === 'user')
      expect(users).toHaveLength(1)
    },
  )

  test('an ended chat accepts no messages', async ({ server, stage }) => {
    const model = stage.model('openai')
    const chatId = await open({ server, model })
    await expectBody(200, send(server, 'POST', `/api/chats/${chatId}/end`))
    const turn = await runTurn(server, chatId, { mode: 'plain' })
    expect([turn.status, turn.errorCode]).toEqual([422, 'chat_ended'])
    expect(model.requests).toEqual([])
    expect((await readChat(server, chatId)).messages.filter(({ role }) => role === 'user')).toEqual([])
  })
})

describe('a transition beside tools', () => {
  const states = [
    { name: 'first', edges: [{ destination_state_name: 'second', description: 'On.' }] },
    { name: 'second', state_prompt: 'You are in the second state.' },
  ]
  const both = (...names: string[]) => ({ toolCalls: names.map((name) => ({ name, arguments: '{}' })) })

  test('waits until a slow tool is done', async ({ server, stage, tools }) => {
    const model = stage.model('openai')
    model.script(both('transition_to_second', 'look_up'), FINE)
    // Its first attempt fails, so that it takes a while.
    tools.script({ kind: 'json', status: 503, body: {} }, { kind: 'json', body: { slow: true } })
    const chatId = await chatOn(server, model, { llm: { general_tools: [tool(tools.url, { max_retry: 1 })], states } })
    const turn = await runTurn(server, chatId, { mode: 'streamed' })
    expect(formatTrail(turn.messages)).toEqual([
      'transition_to_second({})',
      'look_up({})',
      'transition_to_second -> success',
      'look_up -> {"slow":true}',
      'first => second',
      'agent: Fine.',
    ])
    expect(JSON.stringify(model.requests[1]?.body)).toContain('You are in the second state.')
    expect((await readTurns(server, chatId))[0]?.status).toBe('completed')
  })

  test('follows two tools in one step, each sent once', async ({ server, stage, tools }) => {
    const model = stage.model('openai')
    model.script(both('look_up', 'transition_to_second', 'other'), FINE, FINE)
    const chatId = await chatOn(server, model, {
      llm: { general_tools: [tool(tools.url), tool(tools.url, { name: 'other' })], states },
    })
    const turn = await runTurn(server, chatId, { mode: 'plain' })
    expect(formatTrail(turn.messages).slice(-2)).toEqual(['first => second', 'agent: Fine.'])
    expect(turn.messages.filter(({ role }) => role === 'tool')).toHaveLength(3)
    expect(tools.requests).toHaveLength(2)
    await runTurn(server, chatId, { mode: 'plain', content: 'More' })
    expect(JSON.stringify(model.requests[2]?.body)).toContain('You are in the second state.')
  })

  test('is not made when a tool of the step failed, and the model learns it', async ({ server, stage, tools }) => {
    const model = stage.model('openai')
    model.script(both('look_up', 'transition_to_second'), FINE)
    tools.script({ kind: 'json', status: 500, body: {} })
    const chatId = await chatOn(server, model, { llm: { general_tools: [tool(tools.url)], states } })
    const turn = await runTurn(server, chatId, { mode: 'plain' })
    expect(formatTrail(turn.messages)).not.toContain('first => second')
    expect(turn.messages.at(-1)?.content).toBe('Fine.')
    expect(JSON.stringify(model.requests[1]?.body)).not.toContain('You are in the second state.')
  })
})

describe('a flow', () => {
  test('whose branch has no true equation takes the else edge', async ({ server, stage }) => {
    const model = stage.model('openai')
    const nodes = [
      says('ask', 'How old are you?', { always_edge: to('fork') }),
      {
        id: 'fork',
        type: 'branch',
        edges: [when('age', '>', 17, 'adult'), when('age', 'exists', null, 'child')],
        else_edge: to('unknown'),
      },
      says('adult', 'Welcome.'),
      says('child', 'Too young.'),
      says('unknown', 'I do not know your age.'),
    ]
    for (const [variables, reply] of [
      [{}, 'I do not know your age.'],
      [{ age: '18' }, 'Welcome.'],
      [{ age: '9' }, 'Too young.'],
    ] as const) {
      const chat = { dynamicVariables: variables }
      const { chatId } = await flowChat(server, model, { flow: { nodes }, chat })
      expect((await runTurn(server, chatId, { mode: 'plain' })).messages.at(-1)?.content).toBe(reply)
    }
    expect(model.requests).toEqual([])
  })

  test('without a true equation asks the model for the branch, and takes the else edge after an unusable answer', async ({
    server,
    stage,
  }) => {
    const nodes = [
      says('ask', 'What is it about?', { always_edge: to('fork') }),
      {
        id: 'fork',
        type: 'branch',
        edges: [when('vip', '==', 'yes', 'a'), edge('b', 'About money.')],
        else_edge: to('c'),
      },
      ...['a', 'b', 'c'].map((id) => says(id, `At ${id}.`)),
    ]
    const model = stage.model('openai')
    for (const [reply, end] of [
      [chooses('e1'), 'At b.'],
      [chooses('else'), 'At c.'],
      [chooses('e7'), 'At c.'],
      [{ text: 'I think money.' }, 'At c.'],
      [callsTool('something_else'), 'At c.'],
      [{ toolCalls: [{ name: 'choose_transition', arguments: '{"choice": ' }] }, 'At c.'],
      [{ fault: 'status', status: 401 }, 'At c.'],
    ] as const) {
      model.script(reply)
      const before = model.requests.length
      const { chatId } = await flowChat(server, model, { flow: { nodes } })
      const turn = await runTurn(server, chatId, { mode: 'plain' })
      expect(turn.messages.at(-1)?.content).toBe(end)
      expect(model.requests.length - before).toBe(1)
      expect(routingTiersOf((await readTurns(server, chatId))[0] ?? { decisions: [] }).at(-1)).toBe(
        end === 'At b.' ? 'prompt' : 'else',
      )
    }
  })

  test('runs nested components and leaves both', async ({ server, stage }) => {
    const model = stage.model('openai')
    const inner = {
      name: 'inner',
      nodes: [says('q', 'Inner question?', { always_edge: to(null) })],
    }
    const outer = {
      name: 'outer',
      nodes: [
        { id: 'in', type: 'component', component_id: 'inner', component_type: 'local', else_edge: to('after') },
        says('after', 'Between.', { always_edge: to(null) }),
      ],
    }
    const nodes = [
      { id: 'run', type: 'component', component_id: 'outer', component_type: 'local', else_edge: to('end') },
      { id: 'end', type: 'end', instruction: { type: 'static_text', text: 'Done here.' } },
    ]
    const { chatId } = await flowChat(server, model, { flow: { nodes, components: [outer, inner] } })
    for (const content of ['A', 'B', 'C']) await runTurn(server, chatId, { mode: 'plain', content })
    expect(await readTrail(server, chatId)).toEqual([
      'user: A',
      'start => run',
      'run => in',
      'in => q',
      'agent: Inner question?',
      'user: B',
      'q => in',
      'in => after',
      'agent: Between.',
      'user: C',
      'after => run',
      'run => end',
      'agent: Done here.',
    ])
    expect(model.requests).toEqual([])
    expect((await readChat(server, chatId)).status).toBe('completed')
    const late = await runTurn(server, chatId, { mode: 'plain', content: 'D' })
    expect([late.status, late.errorCode]).toEqual([422, 'chat_ended'])
  })

  test('a component that runs itself is refused', async ({ server, stage }) => {
    const model = stage.model('openai')
    const node = (id: string) => ({
      id: 'in',
      type: 'component',
      component_id: id,
      component_type: 'local',
      else_edge: {},
    })
    const components = [
      { name: 'a', nodes: [node('b')] },
      { name: 'b', nodes: [node('a')] },
    ]
    const flow = { nodes: [node('a')], components, model_choice: { type: 'cascading', model: model.name } }
    const refused = await send(server, 'POST', '/api/conversation-flows', flow)
    expect([refused.status, refused.body.code]).toEqual([400, 'invalid_request'])
    expect(JSON.stringify(refused.body.details)).toContain('components')
  })

  test('that loops without speaking is stopped and still answers', async ({ server, stage }) => {
    const model = stage.model('openai')
    model.script({ text: 'I went round.' })
    const code = (id: string, next: string) => ({ id, type: 'code', code: 'return 1', else_edge: to(next) })
    const nodes = [talks('talk', 'Talk.', { always_edge: to('one') }), code('one', 'two'), code('two', 'one')]
    const { chatId } = await flowChat(server, model, { flow: { nodes, start_node_id: 'one' } })
    const turn = await runTurn(server, chatId, { mode: 'plain' })
    expect(turn.messages.at(-1)?.content).toBe('I went round.')
    const types = (await readTurns(server, chatId))[0]?.decisions.map(({ type }) => type)
    expect(types).toContain('hop-limit')
  })
})

test('a node with an unknown model fails the turn and names the model', async ({ server, stage }) => {
  const model = stage.model('openai')
  const node = talks('talk', 'Talk.', { model_choice: { type: 'cascading', model: 'nobody/none' } })
  const { chatId } = await flowChat(server, model, { flow: { nodes: [node] } })
  const turn = await runTurn(server, chatId, { mode: 'plain' })
  expect([turn.status, turn.errorCode]).toEqual([502, 'provider_error'])
  const [failedTurn] = await readTurns(server, chatId)
  expect(failedTurn?.error?.message).toContain('No configured provider serves the model')
  const spare = await flowChat(server, model, { flow: { nodes: [node] }, agent: { fallback_models: [model.name] } })
  model.script(FINE)
  expect((await runTurn(server, spare.chatId, { mode: 'plain' })).messages.at(-1)?.content).toBe('Fine.')
})

test('a missing agent makes a swap fail like a tool', async ({ server, stage }) => {
  const model = stage.model('openai')
  model.script(callsTool('to_sales'), FINE)
  const other = await createAgent(server, {}, { model: model.name })
  const general_tools = [{ type: 'agent_swap', name: 'to_sales', agent_id: other.agent_id }]
  const agent = await createAgent(server, {}, { model: model.name, general_tools })
  const { chatId } = await createChat(server, agent)
  await server.call('DELETE', `/api/agents/${other.agent_id}`, { query: { workspaceId: server.workspaceId } })
  const turn = await runTurn(server, chatId, { mode: 'plain' })
  expect(formatTrail(turn.messages)[1]).toMatch(/^to_sales -> The conversation could not be handed over/)
  expect(turn.messages.at(-1)?.content).toBe('Fine.')
  expect(await readChat(server, chatId)).toMatchObject({ agentId: agent.agent_id, status: 'ongoing' })
})
