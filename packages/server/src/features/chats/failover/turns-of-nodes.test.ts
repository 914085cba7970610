import { describe, expect, test } from 'vitest'
import { NOOP_CHAT_EVENTS } from '../chat-events.ts'
import { createChatService } from '../chat-service.ts'
import { recoverTurns } from './abandoned-turns.ts'
import { createAgentResolver, formatMessages, listen, openCluster } from './cluster-test-kit.ts'

const SLOW = {
  events: [
    { type: 'text-delta', text: 'Slow ' },
    { type: 'delay', delayMs: 2000 },
    { type: 'text-delta', text: 'answer.' },
    { type: 'finish', reason: 'stop', usage: null },
  ],
} as const

const BUSES = [
  { losesMessages: false, name: 'with hints' },
  { losesMessages: true, name: 'without hints' },
]

describe('order', () => {
  test.for(BUSES)('answers 50 messages to one chat over two nodes in order, $name', async (bus) => {
    await using cluster = await openCluster(bus)
    const nodes = [cluster.addNode('a'), cluster.addNode('b')] as const
    const chatId = await cluster.startChat()
    const pendingAnswers = Array.from({ length: 50 }, async (_, index) => {
      const turn = await nodes[index % 2 === 0 ? 0 : 1].complete(chatId, `question ${index}`)
      return formatMessages(await turn.outcome)
    })
    const answers = await cluster.awaitResult(Promise.all(pendingAnswers))
    expect(answers).toEqual(pendingAnswers.map((_, index) => [`assistant: Answer to question ${index}.`]))
    const transcript = await cluster.readTranscript(chatId)
    expect(transcript).toHaveLength(100)
    for (let index = 0; index < 100; index += 2) {
      const question = transcript[index]?.replace('user: ', '')
      expect(transcript[index + 1]).toBe(`assistant: Answer to ${question}.`)
    }
    expect(await cluster.database.read.selectFrom('waiting_turns').selectAll().execute()).toEqual([])
    expect([...nodes[0].failures, ...nodes[1].failures]).toEqual([])
  })

  test('runs the turn that waited longest next', async () => {
    await using cluster = await openCluster({ losesMessages: true })
    const [a, b, c] = [cluster.addNode('a'), cluster.addNode('b'), cluster.addNode('c')]
    const chatId = await cluster.startChat()
    a.script(SLOW)
    const firstReader = listen((await a.complete(chatId, 'first')).log)
    await cluster.waitFor(() => firstReader.frames.length > 1)
    const secondTurn = await b.complete(chatId, 'second')
    await cluster.advance(400)
    const thirdTurn = await c.complete(chatId, 'third')
    const fourthTurn = await a.complete(chatId, 'fourth')
    await cluster.awaitResult(Promise.all([secondTurn.outcome, thirdTurn.outcome, fourthTurn.outcome]))
    const userMessages = (await cluster.readTranscript(chatId)).filter((entry) => entry.startsWith('user'))
    expect(userMessages).toEqual(['user: first', 'user: second', 'user: third', 'user: fourth'])
  })

  test('a turn that waits too long fails with unavailable and is not stored', async () => {
    await using cluster = await openCluster()
    const [a, b] = [cluster.addNode('a'), cluster.addNode('b')]
    const chatId = await cluster.startChat()
    a.script({ events: [{ type: 'hang' }] })
    await a.complete(chatId, 'first')
    await cluster.waitFor(async () => (await cluster.listTurns(chatId)).length === 1)
    const waitingTurn = await b.complete(chatId, 'second')
    await expect(cluster.awaitResult(waitingTurn.outcome, 5000)).rejects.toMatchObject({
      code: 'unavailable',
      retryAfterMs: 5000,
    })
    await cluster.advance(50)
    expect(await cluster.database.read.selectFrom('waiting_turns').selectAll().execute()).toEqual([])
    expect(await cluster.readTranscript(chatId)).toEqual(['user: first'])
  })

  test('rejects a turn that waits for a chat that ends', async () => {
    await using cluster = await openCluster()
    const [a, b] = [cluster.addNode('a'), cluster.addNode('b')]
    const chatId = await cluster.startChat()
    a.script(SLOW)
    await a.complete(chatId, 'first')
    await cluster.waitFor(async () => (await cluster.listTurns(chatId)).length === 1)
    const waitingTurn = await b.complete(chatId, 'second')
    await cluster.advance(500)
    const { database } = cluster
    await database.batch([{ query: database.queryBuilder.updateTable('chats').set({ status: 'completed' }).compile() }])
    await expect(cluster.awaitResult(waitingTurn.outcome)).rejects.toMatchObject({ code: 'chat_ended' })
  })

  test("a dead node's waiting turns do not block later turns", async () => {
    await using cluster = await openCluster({ losesMessages: true })
    const [a, b, c] = [cluster.addNode('a'), cluster.addNode('b'), cluster.addNode('c')]
    const chatId = await cluster.startChat()
    a.script(SLOW)
    const firstTurn = await a.complete(chatId, 'first')
    await cluster.waitFor(async () => (await cluster.listTurns(chatId)).length === 1)
    await b.complete(chatId, 'lost')
    await cluster.advance(500)
    b.freeze()
    const lastTurn = await c.complete(chatId, 'last')
    await cluster.awaitResult(firstTurn.outcome)
    await cluster.reportDeath('b')
    expect(formatMessages(await cluster.awaitResult(lastTurn.outcome))).toEqual(['assistant: Answer to last.'])
  })

  test('answers a message that differs from the one whose turn failed', async () => {
    await using cluster = await openCluster()
    const node = cluster.addNode('a')
    const chatId = await cluster.startChat()
    node.script({ events: [{ type: 'error', failure: { kind: 'rejected', message: 'No.', retryable: false } }] })
    expect((await cluster.awaitResult((await node.complete(chatId, 'first')).outcome)).status).toBe('failed')
    await cluster.awaitResult((await node.complete(chatId, 'second')).outcome)
    expect(await cluster.readTranscript(chatId)).toEqual([
      'user: first',
      'user: second',
      'assistant: Answer to second.',
    ])
  })

  test('a turn whose end could not be stored does not block later turns', async () => {
    await using cluster = await openCluster()
    const [a, b] = [cluster.addNode('a'), cluster.addNode('b')]
    const chatId = await cluster.startChat()
    a.script(SLOW)
    const failedTurn = await a.complete(chatId, 'first')
    const received = listen(failedTurn.log)
    await cluster.waitFor(() => received.frames.length > 1)
    a.failWrites(new Error('The disk failed.'))
    await expect(cluster.awaitResult(failedTurn.outcome)).rejects.toMatchObject({ code: 'internal_error' })
    await cluster.waitFor(received.isEnded)
    expect(received.listNames().slice(-2)).toEqual(['error', 'done'])
    a.failWrites(null)
    // The node knows that it no longer runs the turn.
    const retry = await a.complete(chatId, 'first')
    expect(formatMessages(await cluster.awaitResult(retry.outcome))).toEqual(['assistant: Answer to first.'])
    expect(formatMessages(await cluster.awaitResult((await b.complete(chatId, 'second')).outcome))).toEqual([
      'assistant: Answer to second.',
    ])
    expect((await cluster.readTranscript(chatId)).filter((entry) => entry.startsWith('user'))).toEqual([
      'user: first',
      'user: second',
    ])
  })
})

describe('an idempotency key', () => {
  test.for(BUSES)('is known on the other node while its turn runs, $name', async (bus) => {
    await using cluster = await openCluster(bus)
    const [a, b] = [cluster.addNode('a'), cluster.addNode('b')]
    const chatId = await cluster.startChat()
    a.script(SLOW)
    const firstTurn = await a.complete(chatId, 'hello', 'key')
    const firstReader = listen(firstTurn.log)
    await cluster.waitFor(() => firstReader.frames.length > 1)
    const retry = await b.complete(chatId, 'hello', 'key')
    const retryReader = listen(retry.log)
    expect(retry.replayed).toBe(true)
    const outcome = await cluster.awaitResult(retry.outcome)
    await cluster.waitFor(() => retryReader.isEnded() && firstReader.isEnded())
    expect(outcome).toEqual(await firstTurn.outcome)
    expect(retryReader.frames).toEqual(firstReader.frames)
    expect(b.requests).toHaveLength(0)
    await expect(b.complete(chatId, 'other', 'key')).rejects.toMatchObject({ code: 'idempotency_key_reused' })
    expect(await cluster.readTranscript(chatId)).toEqual(['user: hello', 'assistant: Slow answer.'])
  })

  test.for(BUSES)('is known on the other node while its turn waits, $name', async (bus) => {
    await using cluster = await openCluster(bus)
    const [a, b] = [cluster.addNode('a'), cluster.addNode('b')]
    const chatId = await cluster.startChat()
    a.script(SLOW)
    await a.complete(chatId, 'before')
    await cluster.waitFor(async () => (await cluster.listTurns(chatId)).length === 1)
    const original = await a.complete(chatId, 'hello', 'key')
    const retry = await b.complete(chatId, 'hello', 'key')
    const [received, retryReader] = [listen(original.log), listen(retry.log)]
    const outcomes = await cluster.awaitResult(Promise.all([original.outcome, retry.outcome]))
    expect(outcomes[0]).toEqual(outcomes[1])
    await cluster.waitFor(() => received.isEnded() && retryReader.isEnded())
    expect(retryReader.frames).toEqual(received.frames)
    expect((await cluster.readTranscript(chatId)).slice(2)).toEqual(['user: hello', 'assistant: Answer to hello.'])
  })

  test('sent to two nodes concurrently is answered once', async () => {
    await using cluster = await openCluster()
    const [a, b] = [cluster.addNode('a'), cluster.addNode('b')]
    const chatId = await cluster.startChat()
    const turns = await Promise.all([a.complete(chatId, 'hello', 'key'), b.complete(chatId, 'hello', 'key')])
    const outcomes = await cluster.awaitResult(Promise.all(turns.map(({ outcome }) => outcome)))
    expect(outcomes[0]).toEqual(outcomes[1])
    expect(await cluster.readTranscript(chatId)).toEqual(['user: hello', 'assistant: Answer to hello.'])
  })

  test('of an ended turn returns its answer, or continues it after a failure', async () => {
    await using cluster = await openCluster()
    const [a, b] = [cluster.addNode('a'), cluster.addNode('b')]
    const chatId = await cluster.startChat()
    const firstOutcome = await cluster.awaitResult((await a.complete(chatId, 'hello', 'key')).outcome)
    expect(await (await b.complete(chatId, 'hello', 'key')).outcome).toEqual(firstOutcome)
    a.script({ events: [{ type: 'error', failure: { kind: 'rejected', message: 'No.', retryable: false } }] })
    const failedOutcome = await cluster.awaitResult((await a.complete(chatId, 'again', 'other')).outcome)
    expect(failedOutcome.status).toBe('failed')
    const retriedOutcome = await cluster.awaitResult((await b.complete(chatId, 'again', 'other')).outcome)
    expect(formatMessages(retriedOutcome)).toEqual(['assistant: Answer to again.'])
    expect((await cluster.readTranscript(chatId)).slice(2)).toEqual(['user: again', 'assistant: Answer to again.'])
  })
})

describe('canceling', () => {
  test('stops a turn of the other node', async () => {
    await using cluster = await openCluster()
    const [a, b] = [cluster.addNode('a'), cluster.addNode('b')]
    const chatId = await cluster.startChat()
    a.script({ events: [{ type: 'text-delta', text: 'One' }, { type: 'hang' }] })
    const received = listen((await a.complete(chatId, 'hello')).log)
    await cluster.waitFor(() => received.frames.length > 1)
    expect(await cluster.awaitResult(b.completions.cancel(1, chatId, received.getTurnId()))).toBe('cancelled')
    expect(await cluster.readTranscript(chatId)).toEqual(['user: hello', 'assistant: One*'])
    expect(await cluster.awaitResult(b.completions.cancel(1, chatId, received.getTurnId()))).toBe('cancelled')
    await expect(b.completions.cancel(1, chatId, 'turn_no')).rejects.toMatchObject({ code: 'not_found' })
  })

  test('gives up when the other node does not respond', async () => {
    await using cluster = await openCluster({ losesMessages: true })
    const [a, b] = [cluster.addNode('a'), cluster.addNode('b')]
    const chatId = await cluster.startChat()
    a.script({ events: [{ type: 'hang' }] })
    const received = listen((await a.complete(chatId, 'hello')).log)
    await cluster.waitFor(() => received.frames.length > 0)
    const startMs = cluster.time.clock.now()
    const cancellation = b.completions.cancel(1, chatId, received.getTurnId())
    await expect(cluster.awaitResult(cancellation)).rejects.toMatchObject({ code: 'unavailable', retryAfterMs: 1000 })
    expect(cluster.time.clock.now() - startMs).toBeLessThan(11_000)
  })

  test('stops the turns of a deleted agent on all nodes', async () => {
    await using cluster = await openCluster()
    const [a, b] = [cluster.addNode('a'), cluster.addNode('b')]
    const chatId = await cluster.startChat()
    const chatId2 = await cluster.startChat({ agent_id: 'agent_2' })
    a.script(SLOW, SLOW)
    const turns = await Promise.all([a.complete(chatId, 'hello'), a.complete(chatId2, 'hello')])
    await cluster.waitFor(
      async () => (await cluster.listTurns(chatId)).length + (await cluster.listTurns(chatId2)).length === 2,
    )
    const { database, time } = cluster
    const makeId = () => 'unused'
    const ports = { agents: createAgentResolver([]), completions: b.completions, events: NOOP_CHAT_EVENTS }
    const chats = createChatService({ database, clock: time.clock, makeId, ...ports })
    const removal = { workspaceId: 1, agentId: 'agent_1', now: time.clock.now() }
    await database.transaction((transaction) => chats.removeAgentReferences(transaction, removal))
    const outcomes = await cluster.awaitResult(Promise.all(turns.map(({ outcome }) => outcome)))
    expect(outcomes.map(({ status }) => status)).toEqual(['cancelled', 'completed'])
  })

  test('ends chats that were handed over to a deleted agent', async () => {
    await using cluster = await openCluster()
    const node = cluster.addNode('a')
    const createHandoffs = (agentId: string) => JSON.stringify([{ agentId: 'agent_3' }, { agentId }])
    const handedOverChat = await cluster.startChat({ agent_id: 'agent_2', hand_overs: createHandoffs('agent_1') })
    const forwardedChat = await cluster.startChat({ agent_id: 'agent_2', hand_overs: createHandoffs('agent_4') })
    const { database, time } = cluster
    const ports = { agents: createAgentResolver([]), completions: node.completions, events: NOOP_CHAT_EVENTS }
    const chats = createChatService({ database, clock: time.clock, makeId: () => 'unused', ...ports })
    const removal = { workspaceId: 1, agentId: 'agent_1', now: time.clock.now() }
    await database.transaction((transaction) => chats.removeAgentReferences(transaction, removal))
    const rows = await database.read.selectFrom('chats').select(['chat_id', 'status']).execute()
    const statuses = new Map(rows.map(({ chat_id, status }) => [chat_id, status]))
    expect([statuses.get(handedOverChat), statuses.get(forwardedChat)]).toEqual(['completed', 'ongoing'])
  })

  test('stops all turns of a chat on other nodes, including waiting turns', async () => {
    await using cluster = await openCluster()
    const [a, b] = [cluster.addNode('a'), cluster.addNode('b')]
    const chatId = await cluster.startChat()
    a.script({ events: [{ type: 'hang' }] })
    const turn = await a.complete(chatId, 'hello')
    await cluster.waitFor(async () => (await cluster.listTurns(chatId)).length === 1)
    const waitingTurn = await a.complete(chatId, 'more')
    b.completions.cancelAll(chatId)
    const outcomes = await cluster.awaitResult(Promise.all([turn.outcome, waitingTurn.outcome]))
    expect(outcomes.map(({ status }) => status)).toEqual(['cancelled', 'cancelled'])
    expect(await cluster.readTranscript(chatId)).toEqual(['user: hello'])
    expect(await cluster.listTurns(chatId)).toHaveLength(1)
  })
})

test('the only process of a database frees the chats of a crashed process', async () => {
  await using cluster = await openCluster()
  const [a, b] = [cluster.addNode('a'), cluster.addNode('b')]
  const chatId = await cluster.startChat()
  a.script({ events: [{ type: 'hang' }] })
  await a.complete(chatId, 'hello')
  await cluster.waitFor(async () => (await cluster.listTurns(chatId)).length === 1)
  await b.complete(chatId, 'lost')
  await cluster.advance(500)
  a.freeze()
  b.freeze()
  expect(await recoverTurns(cluster.database, 1)).toBe(1)
  expect(await recoverTurns(cluster.database, 2)).toBe(0)
  const c = cluster.addNode('c')
  expect(formatMessages(await cluster.awaitResult((await c.complete(chatId, 'hello')).outcome))).toEqual([
    'assistant: Answer to hello.',
  ])
  expect((await cluster.listTurns(chatId)).map(({ status }) => status)).toEqual(['interrupted', 'completed'])
})
