import type { FlowNode } from '@parley/contract/flow-node'
import { describe, expect, test } from 'vitest'
import {
  EMPTY_MEMORY,
  fixedEdge,
  flowOf,
  promptEdge,
  promptNode,
  runStoredFlowTurn,
  staticNode,
  transitionsOf,
  wordsOf,
} from '../../testing/flow-scenario.ts'
import { answersWith, type ScriptedOutcome, scriptedHttpTools } from '../../testing/scripted-http-tools.ts'
import type { FlowEngine } from '../conversation.ts'
import { createOfflineModel } from './offline-model.ts'

/** Plays the user's lines through a flow with the offline model; returns the words and the way of each turn. */
async function play(
  graph: FlowEngine,
  lines: readonly string[],
  outcomes: Readonly<Record<string, readonly ScriptedOutcome[]>> = {},
): Promise<{ words: string[]; way: string[]; variables: Readonly<Record<string, string>>; sent: readonly unknown[] }> {
  const http = scriptedHttpTools(outcomes)
  const model = { model: createOfflineModel(), requests: [], assertConsumed: () => {} }
  let memory = EMPTY_MEMORY
  const words: string[] = []
  const way: string[] = []
  for (const text of lines) {
    const turn = await runStoredFlowTurn(graph, memory, { text, models: { main: model }, http })
    memory = turn.memory
    words.push(wordsOf(turn.events).join(' | '))
    way.push(transitionsOf(turn.events).join(' '))
  }
  return { words, way, variables: memory.state?.collectedVariables ?? {}, sent: http.calls.map(({ args }) => args) }
}

const globalPrompt =
  'You are Ada, the assistant of the workshop Berger. Today is Friday, November 20, 2026.\nWe are open Mon–Fri 8–17. A service costs 180 euros.'
const bookService = {
  type: 'custom',
  name: 'book_service',
  description: 'Books a service for a car.',
  url: 'https://workshop.example/book',
  parameters: {
    type: 'object',
    properties: {
      date: { type: 'string', format: 'date' },
      plate: { type: 'string', description: 'Number plate' },
      name: { type: 'string', description: 'Name of the customer' },
    },
    required: ['date', 'name'],
  },
} as const
const nodes: FlowNode[] = [
  staticNode('welcome', 'MutationEnvironment Berger, hello! What can I do for you?', {
    edges: [
      promptEdge('a', 'Customer wants to book a service', 'collect'),
      promptEdge('b', 'Customer asks whether the car is ready', 'status'),
    ],
  }),
  promptNode('collect', "Ask for the customer's name and the desired date.", {
    edges: [promptEdge('c', 'The customer has given their name and a date', 'keep')],
  }),
  {
    id: 'keep',
    type: 'extract_dynamic_variables',
    variables: [{ type: 'string', name: 'customer_name', description: 'Name of the customer' }],
    edges: [],
    else_edge: fixedEdge('d', 'book'),
  },
  {
    id: 'book',
    type: 'function',
    tool_id: 'book_service',
    tool_type: 'local',
    wait_for_result: true,
    edges: [promptEdge('e', 'The booking was made', 'done'), promptEdge('f', 'The day is fully booked', 'full')],
  },
  promptNode('done', 'Tell the customer that the service is booked and ask if there is anything else.', {
    edges: [promptEdge('g', 'Customer needs nothing else', 'bye')],
  }),
  promptNode('full', 'Apologise that this day is fully booked. Ask for another date.', {
    edges: [promptEdge('h', 'Customer proposes another date', 'book')],
  }),
  promptNode('status', 'Ask for the number plate.'),
  { id: 'bye', type: 'end', instruction: { type: 'prompt', text: 'Thank the customer and say goodbye.' } },
  promptNode('person', 'Tell the customer that a colleague will call back today.', {
    global_node_setting: { condition: 'Customer wants to speak with a human' },
  }),
]
const workshop = flowOf(nodes, {
  globalPrompt,
  tools: [{ ...bookService, tool_id: 'book_service' }] as unknown as FlowEngine['tools'],
})

describe('a flow that nobody has told the rules of', () => {
  test('is walked to its end', async () => {
    const booked = answersWith({ success: true, booking: { reference: 'S-12', status: 'booked' } })
    const lines = [
      'hello',
      'I need a service for my car',
      'Anna Weber',
      'what does it cost?',
      'tomorrow',
      "no, that's all",
    ]
    const { words, way, variables, sent } = await play(workshop, lines, { book_service: [booked] })
    expect(way).toEqual(['>welcome', 'welcome>collect', '', '', 'collect>keep keep>book book>done', 'done>bye'])
    expect(words[1]).toContain('What is your name?')
    expect(words[2]).toContain('date')
    expect(words[3]).toContain('180 euros')
    expect(words[4]).toBe('The service is booked. Is there anything else I can help you with?')
    expect(words[5]).toContain('Goodbye')
    expect(variables).toMatchObject({ customer_name: 'Anna Weber' })
    expect(sent).toEqual([{ date: '2026-11-21', name: 'Anna Weber' }])
  })

  test('turns to where a failed step leads, and tries again', async () => {
    const full = answersWith({ success: true, available: false, message: 'Fully booked on that day' })
    const booked = answersWith({ status: 'booked' })
    const lines = ['hello', 'I need a service', 'Bo Lind, on December 3', 'is December 4 possible instead?']
    const { way, words, sent } = await play(workshop, lines, { book_service: [full, booked] })
    expect(way.slice(2)).toEqual(['collect>keep keep>book book>full', 'full>book book>done'])
    expect(words[2]).toContain('I am sorry')
    expect(sent).toEqual([
      { date: '2026-12-03', name: 'Bo Lind' },
      { date: '2026-12-04', name: 'Bo Lind' },
    ])
  })

  test('reaches a global node from anywhere', async () => {
    const { way, words } = await play(workshop, ['hello', 'can I talk to a real person?'])
    expect(way[1]).toBe('welcome>person global')
    expect(words[1]).toBe('A colleague will call back today.')
  })
})
