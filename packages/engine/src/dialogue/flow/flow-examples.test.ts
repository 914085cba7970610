import { expect, test } from 'vitest'
import {
  chooseTransition,
  createFixedEdge,
  createFlow,
  createPromptEdge,
  createPromptNode,
  createStaticNode,
  playFlowTurn,
} from '../../testing/flow-scenario.ts'
import { replyWith, type ScriptedStep } from '../../testing/index.ts'

const createTranscript = (content: string) => [
  { role: 'agent', content: 'Anything else?' } as const,
  { role: 'user', content } as const,
]
const nodes = [
  createStaticNode('a', 'A', {
    edges: [createPromptEdge('pay', 'The user pays.', 'b'), createPromptEdge('ask', 'The user asks.', 'c')],
    else_edge: createFixedEdge('otherwise', 'd'),
    finetune_transition_examples: [
      { transcript: createTranscript('What does it cost?'), destination_node_id: 'c' },
      { transcript: createTranscript('Hm.'), destination_node_id: 'd' },
      { transcript: createTranscript('Gone.'), destination_node_id: 'nowhere' },
    ],
  }),
  createPromptNode('b', 'B'),
  createPromptNode('c', 'Answer.', {
    finetune_conversation_examples: [
      {
        transcript: [
          { role: 'user', content: 'And shipping?' },
          { role: 'tool_call_invocation', tool_call_id: '1', name: 'price', arguments: '{"what":"shipping"}' },
          { role: 'tool_call_result', tool_call_id: '1', content: '5' },
          { role: 'agent', content: 'Five euros, friend!' },
        ],
      },
    ],
  }),
  createPromptNode('d', 'D'),
  createPromptNode('faq', 'FAQ', {
    global_node_setting: {
      condition: 'The user asks about opening times.',
      positive_finetune_examples: [{ transcript: createTranscript('Are you there on Sunday?') }],
      negative_finetune_examples: [{ transcript: createTranscript('I open an account.') }],
    },
  }),
]

async function listSystemPrompts(...steps: readonly ScriptedStep[]) {
  const { memory } = await playFlowTurn(createFlow(nodes))
  const { requests } = await playFlowTurn(createFlow(nodes), { memory, steps })
  return requests.map(({ messages }) => messages[0]?.content ?? '')
}

test('shows a router which edge each example takes', async () => {
  const [router = ''] = await listSystemPrompts(chooseTransition('e2'), replyWith('C'))
  expect(router).toContain('agent: Anything else?\nuser: What does it cost?\nRight choice: e2')
  expect(router).toContain('user: Hm.\nRight choice: else')
  expect(router).toContain('user: Are you there on Sunday?\nRight choice: g1')
  expect(router).toContain('user: I open an account.\nWrong choice: g1')
  expect(router).not.toContain('Gone.')
  expect(router).not.toContain('friend')
})

test('shows a speaking node how to speak', async () => {
  const [, speakingRequest = ''] = await listSystemPrompts(chooseTransition('e2'), replyWith('C'))
  expect(speakingRequest).toContain('Answer.\n\n## Examples')
  expect(speakingRequest).toContain(
    'user: And shipping?\nagent calls price: {"what":"shipping"}\nresult of the tool: 5\nagent: Five euros, friend!',
  )
  expect(speakingRequest).not.toContain('Right choice')
})

test('adds nothing for a node without examples', async () => {
  const { requests } = await playFlowTurn(createFlow([createPromptNode('a', 'A')]), { steps: [replyWith('Hello')] })
  expect(requests[0]?.messages[0]?.content).toBe('You are a test.\n\nA')
})
