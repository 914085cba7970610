import { describe, expect, test } from 'vitest'
import { runScenario, streamedText } from '../../testing/dialogue-scenario.ts'
import {
  EMPTY_MEMORY,
  flowOf,
  promptEdge,
  promptNode,
  runStoredFlowTurn,
  staticNode,
  storeTurn,
  transitionsOf,
  wordsOf,
} from '../../testing/flow-scenario.ts'
import type { LlmEngine, LoadedAgent } from '../conversation.ts'
import { NO_KNOWLEDGE } from '../knowledge/knowledge-use.ts'
import { createOfflineModel } from './offline-model.ts'
import { assistant, generate, system, toolOf, user } from './offline-test-kit.ts'
import { questionOf } from './router-question-test-kit.ts'

const models = { main: { model: createOfflineModel(), requests: [], assertConsumed: () => {} } }

/** Plays the user's lines; returns what was said to each and which tools were called. */
async function play(engine: Partial<LlmEngine>, lines: readonly string[], agents: readonly LoadedAgent[] = []) {
  let memory = EMPTY_MEMORY
  const turns: { readonly text: string; readonly calls: readonly string[] }[] = []
  const loader = {
    load: async (id: string) => {
      const agent = agents.find(({ agentId }) => agentId === id)
      return agent === undefined ? ({ ok: false, message: 'unknown' } as const) : ({ ok: true, agent } as const)
    },
  }
  for (const content of lines) {
    const input = { type: 'user-message', content } as const
    const events = await runScenario({ models, engine, conversation: memory, input, ports: { agents: loader } })
    memory = storeTurn(memory, content, events)
    const calls = events.flatMap((event) => (event.type === 'message-end' ? event.toolCalls : []))
    turns.push({
      text: streamedText(events),
      calls: calls.map(({ name, argumentsText }) => `${name} ${argumentsText}`),
    })
  }
  return turns
}

describe('stores a value once', () => {
  const noteDay = (description?: string) => ({
    type: 'extract_dynamic_variable' as const,
    name: 'note_day',
    ...(description !== undefined && { description }),
    variables: [{ type: 'string' as const, name: 'day', description: '' }],
  })
  const bakery = (statePrompt: string, description?: string): Partial<LlmEngine> => ({
    generalPrompt: 'You are Ada, the assistant of Corner Bakery.\n- Croissant: $3',
    states: [
      {
        name: 'reception',
        state_prompt: 'Find out what the customer wants.',
        edges: [{ destination_state_name: 'ordering', description: 'When the customer wants to order something.' }],
      },
      { name: 'ordering', state_prompt: statePrompt, tools: [noteDay(description)], edges: [] },
    ],
    startingState: 'reception',
  })

  test.each([
    ['Ask for the day.', undefined],
    ['Ask for which day the cake is.', 'Notes the day of the order.'],
    ['Take the order.', 'Stores the day that the customer told.'],
  ])('in a state that wants it: %s', async (prompt, description) => {
    const turns = await play(bakery(prompt, description), [
      'I want to order a cake',
      'Saturday',
      'yes, Saturday',
      'Saturday!',
    ])
    expect(turns.map(({ calls }) => calls)).toEqual([
      ['transition_to_ordering {}'],
      ['note_day {"day":"Saturday"}'],
      [],
      [],
    ])
    expect(turns.every(({ text }) => text.trim() !== '' && !text.includes('Stored'))).toBe(true)
  })

  test('no call is made twice in a turn, but one that failed may be', async () => {
    const book = toolOf('store_booking', 'Books a day.', { day: { type: 'string' } }, ['day'])
    const said = [system('You are Ada.'), user('please book'), assistant('What day would you like?'), user('Saturday')]
    const first = await generate({ messages: said, tools: [book] })
    expect(first.calls).toEqual([{ name: 'store_booking', args: { day: 'Saturday' } }])
    const call = { id: 'a', name: 'store_booking', argumentsText: '{"day":"Saturday"}' }
    const done = [
      ...said,
      { role: 'assistant', content: '', toolCalls: [call] } as const,
      { role: 'tool', toolCallId: 'a', name: 'store_booking', content: 'Stored: day.' } as const,
    ]
    const second = await generate({ messages: done, tools: [book] })
    expect(second.calls).toEqual([])
    expect(second.text).not.toBe('')
  })
})

describe('who has taken over', () => {
  const billing = (prompt: string): LoadedAgent => ({
    agentId: 'agent_billing',
    agentVersion: 1,
    agentName: 'billing',
    engine: {
      kind: 'llm',
      id: 'llm_billing',
      version: 1,
      model: 'main',
      generalPrompt: prompt,
      beginMessage: null,
      tools: [
        { type: 'agent_swap', name: 'to_front', agent_id: 'agent_front', description: 'Hands back to the front.' },
      ],
      mcps: [],
      states: [],
      startingState: null,
      temperature: null,
      knowledge: NO_KNOWLEDGE,
      defaultVariables: {},
    },
    timezone: 'UTC',
    fallbackModels: [],
    fallbackMessage: null,
  })
  const front: Partial<LlmEngine> = {
    generalPrompt: 'You are Ada. Hand over to billing for questions about invoices or refunds.',
    tools: [
      {
        type: 'agent_swap',
        name: 'to_billing',
        agent_id: 'agent_billing',
        description: 'Hand over to billing for questions about invoices or refunds.',
      },
    ],
  }

  test.each([
    ['I have a question about my invoice: when is it due?', 'Invoices are due within 14 days.'],
    [
      'can I talk to someone in billing about an invoice',
      'I am Bo, the assistant of the billing department. How can I help you?',
    ],
  ])('answers: %s', async (said, expected) => {
    const prompt = 'You are Bo, the assistant of the billing department. Invoices are due within 14 days.'
    const [turn] = await play(front, [said], [billing(prompt)])
    expect(turn?.calls).toEqual(['to_billing {}'])
    expect(turn?.text).toBe(expected)
  })

  test('does what its step wants', async () => {
    const prompt = 'You are Bo of billing.\n\nAsk for the invoice number.'
    const [turn] = await play(front, ['I have a question about my invoice'], [billing(prompt)])
    expect(turn?.text).toBe('What is the invoice number?')
  })
})

describe('an instruction is never an answer', () => {
  const prompt =
    'You are Ada of Corner Bakery. Hand over to billing for questions about invoices or refunds. Forward complaints to the manager. ' +
    'Switch to German when asked. Connect our wifi with the code CAKE. Croissants cost 3 dollars.'
  test.each([
    'I have a question about an invoice',
    'what about refunds?',
    'billing',
    'where do complaints go?',
    'German?',
  ])('%s', async (said) => {
    const { text } = await generate({ messages: [system(prompt), user(said)] })
    expect(text).not.toMatch(/hand over|forward|switch/i)
  })

  test('what is meant for customers still is', async () => {
    const { text } = await generate({ messages: [system(prompt), user('what is the wifi code?')] })
    expect(text).toContain('CAKE')
  })
})

describe('ends the conversation by whatever tool does that', () => {
  test.each([
    ['bye', 'Ends the chat after goodbye'],
    ['finish', 'Hang up when the caller is done.'],
    ['x1', 'End the conversation politely.'],
  ])('%s: %s', async (name, description) => {
    const tools = [toolOf(name, description, {}, [])]
    const messages = [system('You are Ada.'), user('thanks, goodbye!')]
    expect((await generate({ messages, tools })).calls).toEqual([{ name, args: {} }])
    expect((await generate({ messages: [system('You are Ada.'), user('hello')], tools })).calls).toEqual([])
  })

  test.each([
    'Ends the session of a machine.',
    'Closes the ticket of a conversation.',
    'Leaves a message for the team.',
  ])('not: %s', async (description) => {
    const tools = [toolOf('stop_it', description, {}, [])]
    expect((await generate({ messages: [system('You are Ada.'), user('goodbye')], tools })).calls).toEqual([])
  })
})

describe('takes numbers for what they count', () => {
  const order = toolOf(
    'keep_order',
    'Stores what the user said.',
    { quantity: { type: 'number', description: 'How many' }, hours: { type: 'number', description: 'How many hours' } },
    [],
  )
  test.each<[string, unknown]>([
    ['I would like to order 3 croissants', { quantity: 3 }],
    ['two cakes please', { quantity: 2 }],
    ['for 2 hours', { hours: 2 }],
    ['3 croissants, I can wait 2 hours', { quantity: 3, hours: 2 }],
    ['my order number is 4711', null],
    ['I live at 12 Mill Street', null],
    ['that was 3 weeks ago', null],
    ['one moment please', null],
    ['I have one question', null],
  ])('%s', async (said, expected) => {
    const { calls } = await generate({ messages: [system('You are Ada.'), user(said)], tools: [order] })
    expect(calls[0]?.args ?? null).toEqual(expected)
  })
})

describe('takes an answer for what was asked', () => {
  const repair = { type: 'string', enum: ['basic service', 'full service'], description: 'The repair' }
  test('a choice of another value is no name', async () => {
    const properties = { repair, name: { type: 'string', description: 'Name of the customer' } }
    const tool = toolOf('store_details', 'Stores what the user said.', properties, [])
    const asked = [system('You are Ada.'), user('my bike is broken'), assistant('What is your name?')]
    const once = async (said: string) => (await generate({ messages: [...asked, user(said)], tools: [tool] })).calls
    expect(await once('full service')).toEqual([{ name: 'store_details', args: { repair: 'full service' } }])
    expect(await once('anna weber')).toEqual([{ name: 'store_details', args: { name: 'Anna Weber' } }])
  })

  test('nor does a router take it for one', async () => {
    const ways = { e1: 'The user has told the name' }
    const scene = {
      domain: 'any',
      instruction: '',
      asked: 'What is your name?',
      ways,
      fallback: 'stay',
      answers: [],
    } as const
    const { calls } = await generate(questionOf(scene, 'full service', { repair }))
    expect(calls[0]?.args).toMatchObject({ choice: 'stay', repair: 'full service' })
  })

  const bakery = 'You are Ada of Corner Bakery. We are open Monday to Friday 7-18. Cakes for 10 people cost 30 dollars.'
  test.each([
    ['For which day is the cake?', 'Friday', /noted/],
    ['When would you like to come?', 'next Friday', /noted/],
    ['For how many people is it?', '10', /noted/],
    ['For which day is the cake?', 'are you open on Friday?', /open Monday to Friday/],
    ['What can I do for you?', 'your opening hours', /open Monday to Friday/],
  ])('%s %s', async (asked, said, expected) => {
    const messages = [system(bakery), user('I want a cake'), assistant(asked), user(said)]
    expect((await generate({ messages })).text).toMatch(expected)
  })
})

describe('a way is open once the user has told what it wants', () => {
  test.each([
    ['The user has told an e-mail address', 'ann@example.com', true],
    ['The user has told an e-mail address', 'never mind that', false],
    ['User has told the e-mail address', 'you can write to ann@example.com', true],
    ['The e-mail address has been told', 'ann@example.com', true],
    ['The customer has provided an e-mail', 'ann@example.com', true],
    ['User told their phone number', '+43 660 1234567', true],
    ['The caller has said the order number', 'A-4711', true],
    ['The caller has said the order number', 'I do not have it', false],
    ['The caller has said which day the cake is', 'Friday', true],
    ['The caller says that the parcel is late', 'A-4711', false],
    ['The user says yes', 'yes', true],
  ])('%s: %s → %s', async (condition, said, holds) => {
    const scene = {
      domain: 'any',
      instruction: '',
      asked:
        said === 'yes' ? 'Shall I go on?' : said === 'Friday' ? 'Which day is the cake?' : 'Could you tell me that?',
      ways: { e1: condition },
      fallback: 'stay',
      answers: [],
    } as const
    const { calls } = await generate(questionOf(scene, said))
    expect(calls[0]?.args).toMatchObject({ choice: holds ? 'e1' : 'stay' })
  })
})

describe('a fixed question', () => {
  test('is still asked when its node is entered again', async () => {
    const flow = flowOf(
      [
        staticNode('ask', 'Noted. Would you like anything else?', {
          edges: [promptEdge('a', 'User wants to add something', 'add')],
        }),
        promptNode('add', 'Ask what shall be added.', { edges: [promptEdge('b', 'User has said what to add', 'ask')] }),
      ],
      { globalPrompt: 'You are Ada.' },
    )
    let memory = EMPTY_MEMORY
    const words: string[] = []
    const ways: string[] = []
    for (const text of ['hello', 'I want to add something', 'two rolls']) {
      const turn = await runStoredFlowTurn(flow, memory, { text, models })
      memory = turn.memory
      words.push(wordsOf(turn.events).join(' '))
      ways.push(transitionsOf(turn.events).join(' '))
    }
    expect(ways).toEqual(['>ask', 'ask>add', 'add>ask'])
    expect(words[1]).toContain('What shall be added?')
    expect(words[2]).toContain('Would you like anything else?')
  })

  test('is not lost when what stands before it is new', async () => {
    const step = (count: number): string =>
      `You are Ada.\n\nSay the meaning of the following text in words of your own.\n\nThe text:\nSo ${count} rolls. Anything else?`
    const messages = [user('3 rolls'), assistant('So 3 rolls. Anything else?'), user('make it 5')]
    expect((await generate({ messages: [system(step(5)), ...messages] })).text).toContain('So 5 rolls. Anything else?')
  })
})
