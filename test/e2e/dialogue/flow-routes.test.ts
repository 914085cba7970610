import type { FlowComponentWritten } from '@parley/contract/flow-component'
import { describe, expect } from 'vitest'
import { createChat, expectBody, readChat, send } from '../../../testing/server-test.ts'
import { runTurn } from '../scripted-model.ts'
import {
  chooses,
  edge,
  flowAgent,
  flowChat,
  readTrail,
  readTurns,
  routingTiersOf,
  says,
  talks,
  test,
  to,
  when,
} from './dialogue-test-kit.ts'

describe('global nodes', () => {
  const nodes = [
    says('book', 'Which day?', { edges: [edge('done', 'A day is named.')] }),
    says('done', 'Booked.'),
    says('hours', 'We are open from nine to five.', {
      global_node_setting: {
        condition: 'The user asks for opening hours.',
        cool_down: 1,
        go_back_conditions: [
          { id: 'back', transition_condition: { type: 'prompt', prompt: 'The question is answered.' } },
        ],
      },
    }),
  ]

  test('are reached from anywhere, lead back, and then pause', async ({ server, stage }) => {
    const model = stage.model('openai')
    const { chatId } = await flowChat(server, model, { flow: { nodes } })
    const say = (content: string) => runTurn(server, chatId, { mode: 'plain', content })
    model.script(chooses('g1'))
    await say('When are you open?')
    const first = JSON.stringify(model.requests[0]?.body)
    expect(first).toContain('g1: The user asks for opening hours.')
    model.script(chooses('b1'))
    await say('Fine, thank you.')
    // Only the transition out of it since, which does not count: one more has to follow.
    model.script(chooses('stay'), { text: 'A day, please.' })
    await say('And when are you open?')
    expect(JSON.stringify(model.requests[2]?.body)).not.toContain('opening hours.')
    expect(await readTrail(server, chatId)).toEqual([
      'agent: Which day?',
      'user: When are you open?',
      'book => hours (global)',
      'agent: We are open from nine to five.',
      'user: Fine, thank you.',
      'hours => book (global_go_back)',
      'agent: Which day?',
      'user: And when are you open?',
      'agent: A day, please.',
    ])
    const tiers = (await readTurns(server, chatId)).map(routingTiersOf)
    expect(tiers).toEqual([['global'], ['go-back'], ['stay']])
    model.script(chooses('e1'))
    await say('Monday')
    model.script(chooses('g1'))
    await say('When are you open again?')
    expect((await readTrail(server, chatId)).slice(-2)).toEqual([
      'done => hours (global)',
      'agent: We are open from nine to five.',
    ])
  })

  test('yield to equations and unconditional edges', async ({ server, stage }) => {
    const model = stage.model('openai')
    const [, done, hours] = nodes
    const forced = [says('book', 'Which day?', { always_edge: to('done') }), done, hours]
    const { chatId } = await flowChat(server, model, { flow: { nodes: forced } })
    const turn = await runTurn(server, chatId, { mode: 'plain', content: 'When are you open?' })
    expect(turn.messages.at(-1)?.content).toBe('Booked.')
    expect(model.requests).toEqual([])
    const equationNodes = [
      says('book', 'Which day?', {
        edges: [edge('hours', 'Hours.'), when('vip', '==', 'yes', 'done')],
        always_edge: to('hours'),
      }),
      done,
      hours,
    ]
    const vip = await flowChat(server, model, {
      flow: { nodes: equationNodes },
      chat: { dynamicVariables: { vip: 'yes' } },
    })
    const routedTurn = await runTurn(server, vip.chatId, { mode: 'plain' })
    expect(routedTurn.messages.at(-1)?.content).toBe('Booked.')
    expect(routingTiersOf((await readTurns(server, vip.chatId))[0] ?? { decisions: [] })).toEqual(['equation'])
  })
})

describe('shared components', () => {
  test('run in several flows, each chat on the version that it started with', async ({ server, stage }) => {
    const model = stage.model('openai')
    const component = await expectBody(
      201,
      send<FlowComponentWritten>(server, 'POST', '/api/flow-components', {
        name: 'Consent',
        nodes: [
          says('ask', 'Do you agree?', { always_edge: to('note') }),
          {
            id: 'note',
            type: 'code',
            code: 'return { ok: "yes" }',
            response_variables: { agreed: '$.ok' },
            else_edge: to(null),
          },
        ],
      }),
    )
    const id = component.flow_component_id
    const nodes = (end: string) => [
      {
        id: 'run',
        type: 'component',
        component_id: id,
        component_type: 'shared',
        edges: [when('agreed', '==', 'yes', 'good')],
        else_edge: to('bad'),
      },
      says('good', end),
      says('bad', 'No.'),
    ]
    const choice = { type: 'cascading', model: model.name }
    const one = await flowAgent(server, { nodes: nodes('Good one.'), model_choice: choice })
    const two = await flowAgent(server, { nodes: nodes('Good two.'), model_choice: choice })
    const chats = [await createChat(server, one.agent), await createChat(server, two.agent)]
    for (const { chatId } of chats) {
      const turn = await runTurn(server, chatId, { mode: 'plain' })
      expect(turn.messages.at(-1)?.content).toBe('Do you agree?')
    }
    const [ask] = component.nodes
    const changed = { nodes: [{ ...ask, instruction: { type: 'static_text', text: 'Really?' } }] }
    await expectBody(200, send(server, 'PATCH', `/api/flow-components/${id}`, changed))
    const ends = await Promise.all(
      chats.map(({ chatId }) => runTurn(server, chatId, { mode: 'plain', content: 'Yes' })),
    )
    expect(ends.map(({ messages }) => messages.at(-1)?.content)).toEqual(['Good one.', 'Good two.'])
    const fresh = await createChat(server, one.agent)
    const turn = await runTurn(server, fresh.chatId, { mode: 'plain' })
    expect(turn.messages.at(-1)?.content).toBe('Really?')
    expect(model.requests).toEqual([])
    const used = await server.call('DELETE', `/api/flow-components/${id}`, {
      query: { workspaceId: server.workspaceId },
    })
    expect([used.status, used.body.code]).toEqual([422, 'in_use'])
  })

  test('can be left for a global node of the outer flow, which leads back', async ({ server, stage }) => {
    const model = stage.model('openai')
    const inner = {
      name: 'inner',
      nodes: [talks('q', 'Ask for the name.', { edges: [edge(null, 'A name is told.')] })],
    }
    const nodes = [
      { id: 'run', type: 'component', component_id: 'inner', component_type: 'local', else_edge: to('bye') },
      says('bye', 'Thank you.'),
      says('help', 'Call 117.', {
        global_node_setting: {
          condition: 'The user is in danger.',
          go_back_conditions: [{ transition_condition: { type: 'prompt', prompt: 'All is well again.' } }],
        },
      }),
    ]
    const { chatId } = await flowChat(server, model, { flow: { nodes, components: [inner] } })
    const say = (content: string) => runTurn(server, chatId, { mode: 'streamed', content })
    // The global node is considered as soon as a decision is needed.
    model.script({ text: 'Your name?' }, chooses('g1'), chooses('b1'), { text: 'Now, your name?' }, chooses('e1'))
    await say('Hello')
    await say('Help!')
    await say('It is over.')
    await say('Ada')
    expect(await readTrail(server, chatId)).toEqual([
      'user: Hello',
      'start => run',
      'run => q',
      'agent: Your name?',
      'user: Help!',
      'q => help (global)',
      'agent: Call 117.',
      'user: It is over.',
      'help => q (global_go_back)',
      'agent: Now, your name?',
      'user: Ada',
      'q => run',
      'run => bye',
      'agent: Thank you.',
    ])
  })
})

describe('with the offline model', () => {
  const flow = {
    model_choice: { type: 'cascading', model: 'offline' },
    start_speaker: 'agent',
    nodes: [
      says('start', 'Do you want to book a table or cancel a booking?', {
        edges: [edge('find', 'The user wants to book a table.'), edge('cancel', 'The user wants to cancel a booking.')],
      }),
      {
        id: 'find',
        type: 'extract_dynamic_variables',
        variables: [
          { type: 'number', name: 'guests', description: 'Number of guests.' },
          { type: 'string', name: 'email', description: 'E-mail address of the user.' },
        ],
        edges: [when('guests', '>', 8, 'large'), when('guests', 'exists', null, 'small')],
        else_edge: to('ask'),
      },
      says('ask', 'For how many guests?', { always_edge: to('find') }),
      says('large', 'For {{guests}} guests please call us.'),
      says('small', 'A table for {{guests}} is yours. Anything else?', {
        edges: [edge('end', 'The user says no.'), edge('start', 'The user says yes.')],
      }),
      says('cancel', 'Your booking is cancelled.'),
      { id: 'end', type: 'end', instruction: { type: 'static_text', text: 'See you soon.' } },
      says('hours', 'We are open from nine to five.', {
        global_node_setting: { condition: 'The user asks about opening hours.' },
      }),
    ],
  }

  test.for([
    [['I would like to book a table for 4 guests', 'no'], 'A table for 4 is yours. Anything else?', 'See you soon.'],
    [['A table please', '12'], 'For how many guests?', 'For 12 guests please call us.'],
    [['I want to cancel my booking'], 'Your booking is cancelled.', null],
    [['What are your opening hours?'], 'We are open from nine to five.', null],
  ] as const)('a flow is walked by what the user says: %j', async ([contents, first, second], { server }) => {
    const { agent } = await flowAgent(server, flow)
    const { chatId } = await createChat(server, agent)
    const heard: (string | undefined)[] = []
    for (const content of contents) {
      heard.push((await runTurn(server, chatId, { mode: 'plain', content })).messages.at(-1)?.content)
    }
    expect(heard).toEqual(second === null ? [first] : [first, second])
  })

  test("a tool is called with the user's values, and the agent speaks its answer", async ({ server, tools }) => {
    tools.script({ kind: 'json', body: { price: 12 } })
    const tool = {
      type: 'custom',
      name: 'price_of',
      description: 'Tells the price of a ticket to a city.',
      url: tools.url,
      parameters: {
        type: 'object',
        properties: { city: { type: 'string', description: 'The city.' } },
        required: ['city'],
      },
      response_variables: { price: '$.price' },
    }
    const { agent } = await flowAgent(server, {
      model_choice: { type: 'cascading', model: 'offline' },
      tools: [tool],
      nodes: [
        says('ask', 'Where do you want to go?', { always_edge: to('find') }),
        {
          id: 'find',
          type: 'function',
          tool_id: 'price_of',
          tool_type: 'local',
          edges: [when('price', 'exists', null, 'tell')],
          else_edge: to('ask'),
        },
        says('tell', 'It costs {{price}}.'),
      ],
    })
    const { chatId } = await createChat(server, agent)
    const turn = await runTurn(server, chatId, { mode: 'plain', content: 'I want to go to Bern' })
    expect(turn.messages.at(-1)?.content).toBe('It costs 12.')
    expect(JSON.parse(tools.requests[0]?.rawBody.toString() ?? '')).toMatchObject({ args: { city: 'Bern' } })
    expect((await readChat(server, chatId)).chatCost.total).toBe(0)
  })
})
