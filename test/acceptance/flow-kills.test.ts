import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { type ModelServer, startModelServer } from '../../testing/model-server/model-server.ts'
import { type RunningServer, runServer } from '../../testing/running-server.ts'
import { withDatabase } from '../../testing/server-database.ts'
import { createAgent, createChat, expectBody, readChat, send } from '../../testing/server-test.ts'
import { startToolServer, type ToolServer } from '../../testing/tool-server/tool-server.ts'
import { hasPostgres, startCluster } from '../full/cluster.ts'
import {
  checkFlowChat,
  circularFlowReply,
  createCircularFlow,
  type ExpectedFlowChat,
  retry,
  sendMessage,
  startChat,
} from './flow-scene.ts'

const ROUNDS = Number(process.env.ROUNDS ?? 5)
const CHATS = 8
const MAX_TURNS = 30

const settingsOf = (model: ModelServer) => ({
  OPENAI_BASE_URL: `${model.url}/v1`,
  ALLOW_PRIVATE_TARGETS: '127.0.0.1',
})

/** Runs all chats until the server is killed after a delay that differs by round. */
async function workUntilKilled(
  server: RunningServer,
  expectedChats: readonly ExpectedFlowChat[],
  round: number,
): Promise<void> {
  let isDone = false
  const work = expectedChats.map(async (expected, index) => {
    for (let turn = 0; turn < MAX_TURNS && !isDone; turn += 1) {
      try {
        await sendMessage(server, expected, `${round}-${index}-${turn}`)
      } catch (error) {
        if (!isDone) throw error
        return
      }
    }
  })
  await sleep(700 + ((round * 137) % 600))
  isDone = true
  await server.kill('SIGKILL')
  await Promise.all(work)
}

/** Calls of the tool, which is not idempotent, were never sent twice. */
function checkToolCalls(tools: ToolServer): void {
  const keys = tools.requests.map(({ headers }) => headers['idempotency-key'])
  expect(keys.length).toBeGreaterThan(0)
  expect(new Set(keys).size).toBe(keys.length)
}

function countInterrupted(server: RunningServer): Promise<number> {
  return withDatabase(server, async ({ read }) => {
    return (await read.selectFrom('turns').select('turn_id').where('status', '=', 'interrupted').execute()).length
  })
}

test('flows survive SIGKILL in the middle of an utterance: no transition is lost, repeated or partial', async () => {
  await using model = await startModelServer({ keepRequests: false })
  await using tools = await startToolServer()
  model.defaultReply = circularFlowReply
  await using server = await runServer({ embedded: true, env: settingsOf(model) })
  const agentId = await createCircularFlow(server, tools.url)
  const expectedChats = await Promise.all(Array.from({ length: CHATS }, () => startChat(server, agentId)))
  let interruptedAfterTransition = 0
  for (let round = 0; round < ROUNDS; round += 1) {
    await workUntilKilled(server, expectedChats, round)
    expect(expectedChats.some(({ unanswered }) => unanswered !== null)).toBe(true)
    await server.start()
    for (const expected of expectedChats) if (await checkFlowChat(server, expected)) interruptedAfterTransition += 1
    await Promise.all(expectedChats.map((expected) => retry(server, expected)))
    for (const expected of expectedChats) expect(await checkFlowChat(server, expected)).toBe(false)
  }
  // Otherwise, this test proves nothing.
  expect(interruptedAfterTransition).toBeGreaterThanOrEqual(ROUNDS)
  expect(await countInterrupted(server)).toBeGreaterThanOrEqual(ROUNDS)
  checkToolCalls(tools)
  expect(await server.stop()).toEqual({ code: 0, signal: null })
})

test.skipIf(!hasPostgres)('another node continues the flows of a killed node', async () => {
  await using model = await startModelServer({ keepRequests: false })
  await using tools = await startToolServer()
  model.defaultReply = circularFlowReply
  await using cluster = await startCluster({ env: settingsOf(model) })
  const agentId = await createCircularFlow(cluster.nodes[0], tools.url)
  const expectedChats = await Promise.all(Array.from({ length: CHATS }, () => startChat(cluster.nodes[0], agentId)))
  for (let round = 0; round < Math.min(ROUNDS, 3); round += 1) {
    const [target, takeoverNode] = round % 2 === 0 ? cluster.nodes : ([cluster.nodes[1], cluster.nodes[0]] as const)
    await workUntilKilled(target, expectedChats, round)
    await Promise.all(expectedChats.map((expected) => retry(takeoverNode, expected)))
    for (const expected of expectedChats) await checkFlowChat(takeoverNode, expected)
    await target.start()
    for (const expected of expectedChats) await checkFlowChat(target, expected)
  }
  checkToolCalls(tools)
})

describe('a process that is killed', () => {
  const KINDS = ['an LLM configuration', 'a flow'] as const

  async function agentOn(server: RunningServer, kind: (typeof KINDS)[number], tool: object): Promise<string> {
    if (kind === 'an LLM configuration') {
      return (await createAgent(server, {}, { model: 'openai/any', general_tools: [tool] })).agent_id
    }
    const flow = await expectBody(
      201,
      send<{ conversation_flow_id: string }>(server, 'POST', '/api/conversation-flows', {
        model_choice: { type: 'cascading', model: 'openai/any' },
        start_speaker: 'user',
        tools: [tool],
        nodes: [
          {
            id: 'call',
            type: 'function',
            tool_id: 'book',
            tool_type: 'local',
            else_edge: { destination_node_id: 'tell' },
          },
          { id: 'tell', type: 'conversation', instruction: { type: 'prompt', text: 'Tell the result.' } },
        ],
      }),
    )
    const engine = { type: 'conversation-flow', conversation_flow_id: flow.conversation_flow_id }
    return (await createAgent(server, { response_engine: engine })).agent_id
  }

  interface Case {
    readonly kind: (typeof KINDS)[number]
    /** Time of the kill. */
    readonly when: 'behind the result' | 'while the tool works'
    readonly method: 'POST' | 'PUT'
    readonly keyed: boolean
  }
  const cases = KINDS.flatMap((kind): Case[] => [
    { kind, when: 'behind the result', method: 'POST', keyed: true },
    { kind, when: 'behind the result', method: 'POST', keyed: false },
    { kind, when: 'while the tool works', method: 'POST', keyed: true },
    { kind, when: 'while the tool works', method: 'PUT', keyed: true },
  ])

  test.for(cases)(
    '$when of $kind ($method, with a key: $keyed) answers a retry',
    async ({ kind, when, method, keyed }) => {
      await using model = await startModelServer()
      await using tools = await startToolServer()
      await using server = await runServer({ embedded: true, env: settingsOf(model) })
      const agent_id = await agentOn(server, kind, { type: 'custom', name: 'book', url: tools.url, method })
      const { chatId } = await createChat(server, { agent_id })
      const headers: Record<string, string> = keyed ? { 'idempotency-key': 'once' } : {}
      const complete = () =>
        send<{ messages: { content: string }[] }>(
          server,
          'POST',
          `/api/chats/${chatId}/completions`,
          { content: 'Book' },
          { headers },
        )
      const asks = kind === 'a flow' ? 0 : 1
      if (asks === 1) model.script({ toolCalls: [{ name: 'book', arguments: '{}' }] })
      if (when === 'behind the result') model.script({ fault: 'hang', after: 'words', words: 3 })
      else tools.script({ kind: 'hang' })
      const lost = complete().catch(() => null)
      if (when === 'behind the result') await model.request(asks)
      else await tools.received(1)
      await server.kill('SIGKILL')
      await lost
      await server.start()
      model.script({ text: 'It is booked.' })
      const answer = await expectBody(201, complete())
      expect(answer.messages.at(-1)?.content).toBe('It is booked.')
      const { messages } = await readChat(server, chatId)
      const results = messages.filter(({ role }) => role === 'tool')
      expect(results).toHaveLength(1)
      const isRetried = when === 'while the tool works' && method === 'PUT'
      expect(tools.requests).toHaveLength(isRetried ? 2 : 1)
      expect(new Set(tools.requests.map((request) => request.headers['idempotency-key'])).size).toBe(1)
      const isUnknown = when === 'while the tool works' && method === 'POST'
      expect(results[0]?.content).toMatch(isUnknown ? /unknown/i : /"ok":true/)
      expect(messages.filter(({ role }) => role === 'user')).toHaveLength(1)
      const entered = messages.filter(
        ({ name, content }) => name === 'node_transition' && content.includes('"new_node_id":"tell"'),
      )
      expect(entered).toHaveLength(kind === 'a flow' ? 1 : 0)
    },
  )
})
