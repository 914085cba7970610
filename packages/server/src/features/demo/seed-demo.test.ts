import { CreateAgentBody } from '@parley/contract/agent'
import { CreateChatAgentBody } from '@parley/contract/chat-agent'
import { CreateLlmBody } from '@parley/contract/llm'
import type { CodeRunner } from '@parley/engine/ports'
import { createFlow } from '@parley/engine/testing/flow-scenario'
import { createOfflineModel } from '@parley/offline-model/offline-model'
import { talk } from '@parley/offline-model/offline-test-kit'
import { expect, test } from 'vitest'
import { buildDemoFlow } from './demo-flow.ts'
import { DEMO_LLM, seedDemo } from './seed-demo.ts'

test('creates an agent on an LLM with a chat, and one on a flow, from valid requests', async () => {
  const requests: unknown[] = []
  const seeded = await seedDemo(
    {
      createLlm: async (workspaceId, body) => {
        requests.push([workspaceId, CreateLlmBody.parse(body)])
        return 'llm_1'
      },
      createAgent: async (workspaceId, body) => {
        requests.push([workspaceId, CreateAgentBody.parse(body).response_engine])
        return 'agent_1'
      },
      createChat: async (workspaceId, agentId) => {
        requests.push([workspaceId, agentId])
        return 'chat_1'
      },
      createFlow: async (workspaceId, body) => {
        requests.push([workspaceId, body.nodes.length])
        return 'conversation_flow_1'
      },
      createChatAgent: async (workspaceId, body) => {
        requests.push([workspaceId, CreateChatAgentBody.parse(body).response_engine])
        return 'chat_agent_1'
      },
    },
    3,
  )
  expect(seeded).toEqual({ llmId: 'llm_1', agentId: 'agent_1', chatId: 'chat_1', flowAgentId: 'chat_agent_1' })
  expect(requests).toEqual([
    [3, DEMO_LLM],
    [3, { type: 'llm', llm_id: 'llm_1' }],
    [3, 'agent_1'],
    [3, buildDemoFlow().nodes.length],
    [3, { type: 'conversation-flow', conversation_flow_id: 'conversation_flow_1' }],
  ])
})

test.each([
  ['What do you charge for a flat tire?', '$15'],
  ['When are you open on Saturday?', '10:00'],
  ['Where is your shop?', '14 Larch Street'],
  ['How much is a full service?', '$119'],
  ['Do I need an appointment?', 'No appointment is needed'],
  ['Do you repair e-bikes?', 'e-bikes of all makes'],
  ['How much is delivery?', '$12'],
  ['Can I pay by card?', 'by card'],
  ['How long does a repair take?', 'three working days'],
  ['Are you open on Sunday?', 'closed on Sunday'],
])('the offline model answers "%s" from the prompt', async (question, answer) => {
  const request = {
    messages: [
      { role: 'system' as const, content: DEMO_LLM.general_prompt },
      { role: 'assistant' as const, content: DEMO_LLM.begin_message ?? '', toolCalls: [] },
      { role: 'user' as const, content: question },
    ],
    tools: [],
    toolChoice: 'auto' as const,
    signal: new AbortController().signal,
  }
  let text = ''
  for await (const event of createOfflineModel().stream(request)) if (event.type === 'text-delta') text += event.text
  expect(text).toContain(answer)
})

test('the offline model walks the demo flow, with a question and a wish for a person in between', async () => {
  const flow = buildDemoFlow()
  const graph = createFlow(flow.nodes, {
    globalPrompt: flow.global_prompt ?? '',
    startNodeId: flow.start_node_id ?? '',
  })
  const code: CodeRunner = {
    run: async () => ({ ok: true, resultText: '{"price": 15}', durationMs: 1 }),
  }
  const lines = ['How much is a full service?', 'can I talk to a human?', 'I want to go on with the booking']
  const booking = ['I want to book a flat tire repair', 'Tuesday', 'Ann Lee', 'yes']
  const turns = await talk({ graph, code }, [...lines, ...booking])
  expect(turns.map(({ text }) => text)).toEqual([
    'The full service is $119.',
    'A mechanic will gladly help you: please call +1 555 010 4477.',
    'How can I help you?',
    expect.stringContaining('Which day would you like?'),
    'May I have your name, please?',
    'A flat tire on Tuesday costs 15 dollars. Would you like to book it?',
    'It is noted, Ann Lee: flat tire on Tuesday for 15 dollars. See you then!',
  ])
})
