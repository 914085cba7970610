import { describe, expect, test } from 'vitest'
import { NOOP_CHAT_EVENTS } from '../chat-events.ts'
import { createChatService } from '../chat-service.ts'
import { recoverTurns } from './abandoned-turns.ts'
import { contents, createAgentWith, listen, openCluster } from './cluster-test-kit.ts'

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
    const nodes = [cluster.node('a'), cluster.node('b')] as const
    const chatId = await cluster.startChat()
    const asking = Array.from({ length: 50 }, async (_, index) => {
      const turn = await nodes[index % 2 === 0 ? 0 : 1].complete(chatId, `question ${index}`)
      return contents(await turn.outcome)
    })
    const answers = await cluster.settle(Promise.all(asking))
    expect(answers).toEqual(asking.map((_, index) => [`assistant: Answer to question ${index}.`]))
    const transcript = await cluster.transcript(chatId)
    expect(transcript).toHaveLength(100)
    for (let index = 0; index < 100; index += 2) {
      const question = transcript[index]?.replace('user: ', '')
      expect(transcript[index + 1]).toBe(`assistant: Answer to ${question}.`)
    }
    expect(await cluster.database.read.selectFrom('waiting_turns').selectAll().execute()).toEqual([])
    expect([...nodes[0].failures, ...nodes[1].failures]).toEqual([])
  })

  test('the turn that waited longest is next', async () => {
    await using cluster = await openCluster({ losesMessages: true })
    const [a, b, c] = [cluster.node('a'), cluster.node('b'), cluster.node('c')]
    const chatId = await cluster.startChat()
    a.script(SLOW)
    const first = listen((await a.complete(chatId, 'first')).log)
    await cluster.until(() => first.frames.length > 1)
    const second = await b.complete(chatId, 'second')
    await cluster.pass(400)
    const third = await c.complete(chatId, 'third')
    const fourth = await a.complete(chatId, 'fourth')
    await cluster.settle(Promise.all([second.outcome, third.outcome, fourth.outcome]))
    const asked = (await cluster.transcript(chatId)).filter((entry) => entry.startsWith('user'))
    expect(asked).toEqual(['user: first', 'user: second', 'user: third', 'user: fourth'])
  })

  test('a turn that waits too long fails with unavailable and leaves no trace', async () => {
    await using cluster = await openCluster()
    const [a, b] = [cluster.node('a'), cluster.node('b')]
    const chatId = await cluster.startChat()
    a.script({ events: [{ type: 'hang' }] })
    await a.complete(chatId, 'first')
    await cluster.until(async () => (await cluster.turns(chatId)).length === 1)
    const waiting = await b.complete(chatId, 'second')
    await expect(cluster.settle(waiting.outcome, 5000)).rejects.toMatchObject({
      code: 'unavailable',
      retryAfterMs: 5000,
    })
    await cluster.pass(50)
    expect(await cluster.database.read.selectFrom('waiting_turns').selectAll().execute()).toEqual([])
    expect(await cluster.transcript(chatId)).toEqual(['user: first'])
  })

  test('rejects a turn that waits for a chat that ends', async () => {
    await using cluster = await openCluster()
    const [a, b] = [cluster.node('a'), cluster.node('b')]
    const chatId = await cluster.startChat()
    a.script(SLOW)
    await a.complete(chatId, 'first')
    await cluster.until(async () => (await cluster.turns(chatId)).length === 1)
    const waiting = await b.complete(chatId, 'second')
    await cluster.pass(500)
    const { database } = cluster
    await database.batch([{ query: database.compile.updateTable('chats').set({ status: 'completed' }).compile() }])
    await expect(cluster.settle(waiting.outcome)).rejects.toMatchObject({ code: 'chat_ended' })
  })

  test('waiting turns of a dead node block nothing', async () => {
    await using cluster = await openCluster({ losesMessages: true })
    const [a, b, c] = [cluster.node('a'), cluster.node('b'), cluster.node('c')]
    const chatId = await cluster.startChat()
    a.script(SLOW)
    const first = await a.complete(chatId, 'first')
    await cluster.until(async () => (await cluster.turns(chatId)).length === 1)
    await b.complete(chatId, 'lost')
    await cluster.pass(500)
    b.freeze()
    const last = await c.complete(chatId, 'last')
    await cluster.settle(first.outcome)
    await cluster.reportDeath('b')
    expect(contents(await cluster.settle(last.outcome))).toEqual(['assistant: Answer to last.'])
  })

  test('answers a message that differs from the one whose turn failed', async () => {
    await using cluster = await openCluster()
    const node = cluster.node('a')
    const chatId = await cluster.startChat()
    node.script({ events: [{ type: 'error', failure: { kind: 'rejected', message: 'No.', retryable: false } }] })
    expect((await cluster.settle((await node.complete(chatId, 'first')).outcome)).status).toBe('failed')
    await cluster.settle((await node.complete(chatId, 'second')).outcome)
    expect(await cluster.transcript(chatId)).toEqual(['user: first', 'user: second', 'assistant: Answer to second.'])
  })

  test('a turn whose end could not be stored blocks nothing', async () => {
    await using cluster = await openCluster()
    const [a, b] = [cluster.node('a'), cluster.node('b')]
    const chatId = await cluster.startChat()
    a.script(SLOW)
    const failing = await a.complete(chatId, 'first')
    const received = listen(failing.log)
    await cluster.until(() => received.frames.length > 1)
    a.refuse(new Error('the disk is gone'))
    await expect(cluster.settle(failing.outcome)).rejects.toMatchObject({ code: 'internal_error' })
    await cluster.until(received.isEnded)
    expect(received.names().slice(-2)).toEqual(['error', 'done'])
    a.refuse(null)
    // The node knows that it no longer runs the turn.
    const retry = await a.complete(chatId, 'first')
    expect(contents(await cluster.settle(retry.outcome))).toEqual(['assistant: Answer to first.'])
    expect(contents(await cluster.settle((await b.complete(chatId, 'second')).outcome))).toEqual([
      'assistant: Answer to second.',
    ])
    expect((await cluster.transcript(chatId)).filter((entry) => entry.startsWith('user'))).toEqual([
      'user: first',
      'user: second',
    ])
  })
})

describe('an idempotency key', () => {
  test.for(BUSES)('is known on the other node while its turn runs, $name', async (bus) => {
    await using cluster = await openCluster(bus)
    const [a, b] = [cluster.node('a'), cluster.node('b')]
    const chatId = await cluster.startChat()
    a.script(SLOW)
    const first = await a.complete(chatId, 'hello', 'key')
    const receivedFirst = listen(first.log)
    await cluster.until(() => receivedFirst.frames.length > 1)
    const retry = await b.complete(chatId, 'hello', 'key')
    const received = listen(retry.log)
    expect(retry.replayed).toBe(true)
    const outcome = await cluster.settle(retry.outcome)
    await cluster.until(() => received.isEnded() && receivedFirst.isEnded())
    expect(outcome).toEqual(await first.outcome)
    expect(received.frames).toEqual(receivedFirst.frames)
    expect(b.requests).toHaveLength(0)
    await expect(b.complete(chatId, 'other', 'key')).rejects.toMatchObject({ code: 'idempotency_key_reused' })
    expect(await cluster.transcript(chatId)).toEqual(['user: hello', 'assistant: Slow answer.'])
  })

  test.for(BUSES)('is known on the other node while its turn waits, $name', async (bus) => {
    await using cluster = await openCluster(bus)
    const [a, b] = [cluster.node('a'), cluster.node('b')]
    const chatId = await cluster.startChat()
    a.script(SLOW)
    await a.complete(chatId, 'before')
    await cluster.until(async () => (await cluster.turns(chatId)).length === 1)
    const original = await a.complete(chatId, 'hello', 'key')
    const retry = await b.complete(chatId, 'hello', 'key')
    const [received, receivedRetry] = [listen(original.log), listen(retry.log)]
    const outcomes = await cluster.settle(Promise.all([original.outcome, retry.outcome]))
    expect(outcomes[0]).toEqual(outcomes[1])
    await cluster.until(() => received.isEnded() && receivedRetry.isEnded())
    expect(receivedRetry.frames).toEqual(received.frames)
    expect((await cluster.transcript(chatId)).slice(2)).toEqual(['user: hello', 'assistant: Answer to hello.'])
  })

  test('sent to two nodes at once is answered once', async () => {
    await using cluster = await openCluster()
    const [a, b] = [cluster.node('a'), cluster.node('b')]
    const chatId = await cluster.startChat()
    const turns = await Promise.all([a.complete(chatId, 'hello', 'key'), b.complete(chatId, 'hello', 'key')])
    const outcomes = await cluster.settle(Promise.all(turns.map(({ outcome }) => outcome)))
    expect(outcomes[0]).toEqual(outcomes[1])
    expect(await cluster.transcript(chatId)).toEqual(['user: hello', 'assistant: Answer to hello.'])
  })

  test('of an ended turn returns its answer, or continues it after a failure', async () => {
    await using cluster = await openCluster()
    const [a, b] = [cluster.node('a'), cluster.node('b')]
    const chatId = await cluster.startChat()
    const first = await cluster.settle((await a.complete(chatId, 'hello', 'key')).outcome)
    expect(await (await b.complete(chatId, 'hello', 'key')).outcome).toEqual(first)
    a.script({ events: [{ type: 'error', failure: { kind: 'rejected', message: 'No.', retryable: false } }] })
    const failed = await cluster.settle((await a.complete(chatId, 'again', 'other')).outcome)
    expect(failed.status).toBe('failed')
    const retried = await cluster.settle((await b.complete(chatId, 'again', 'other')).outcome)
    expect(contents(retried)).toEqual(['assistant: Answer to again.'])
    expect((await cluster.transcript(chatId)).slice(2)).toEqual(['user: again', 'assistant: Answer to again.'])
  })
})

describe('cancelling', () => {
  test('stops a turn of the other node', async () => {
    await using cluster = await openCluster()
    const [a, b] = [cluster.node('a'), cluster.node('b')]
    const chatId = await cluster.startChat()
    a.script({ events: [{ type: 'text-delta', text: 'One' }, { type: 'hang' }] })
    const received = listen((await a.complete(chatId, 'hello')).log)
    await cluster.until(() => received.frames.length > 1)
    expect(await cluster.settle(b.completions.cancel(1, chatId, received.turnId()))).toBe('cancelled')
    expect(await cluster.transcript(chatId)).toEqual(['user: hello', 'assistant: One*'])
    expect(await cluster.settle(b.completions.cancel(1, chatId, received.turnId()))).toBe('cancelled')
    await expect(b.completions.cancel(1, chatId, 'turn_no')).rejects.toMatchObject({ code: 'not_found' })
  })

  test('gives up when the other node does not respond', async () => {
    await using cluster = await openCluster({ losesMessages: true })
    const [a, b] = [cluster.node('a'), cluster.node('b')]
    const chatId = await cluster.startChat()
    a.script({ events: [{ type: 'hang' }] })
    const received = listen((await a.complete(chatId, 'hello')).log)
    await cluster.until(() => received.frames.length > 0)
    const before = cluster.time.clock.now()
    const cancelling = b.completions.cancel(1, chatId, received.turnId())
    await expect(cluster.settle(cancelling)).rejects.toMatchObject({ code: 'unavailable', retryAfterMs: 1000 })
    expect(cluster.time.clock.now() - before).toBeLessThan(11_000)
  })

  test('stops the turns of a deleted agent on all nodes', async () => {
    await using cluster = await openCluster()
    const [a, b] = [cluster.node('a'), cluster.node('b')]
    const chatId = await cluster.startChat()
    const other = await cluster.startChat({ agent_id: 'agent_2' })
    a.script(SLOW, SLOW)
    const turns = await Promise.all([a.complete(chatId, 'hello'), a.complete(other, 'hello')])
    await cluster.until(async () => (await cluster.turns(chatId)).length + (await cluster.turns(other)).length === 2)
    const { database, time } = cluster
    const makeId = () => 'unused'
    const ports = { agents: createAgentWith([]), completions: b.completions, events: NOOP_CHAT_EVENTS }
    const chats = createChatService({ database, clock: time.clock, makeId, ...ports })
    const removed = { workspaceId: 1, agentId: 'agent_1', now: time.clock.now() }
    await database.transaction((transaction) => chats.agentRemoved(transaction, removed))
    const outcomes = await cluster.settle(Promise.all(turns.map(({ outcome }) => outcome)))
    expect(outcomes.map(({ status }) => status)).toEqual(['cancelled', 'completed'])
  })

  test('ends chats that were handed over to a deleted agent', async () => {
    await using cluster = await openCluster()
    const node = cluster.node('a')
    const to = (agentId: string) => JSON.stringify([{ agentId: 'agent_3' }, { agentId }])
    const handedOverChat = await cluster.startChat({ agent_id: 'agent_2', hand_overs: to('agent_1') })
    const forwarded = await cluster.startChat({ agent_id: 'agent_2', hand_overs: to('agent_4') })
    const { database, time } = cluster
    const ports = { agents: createAgentWith([]), completions: node.completions, events: NOOP_CHAT_EVENTS }
    const chats = createChatService({ database, clock: time.clock, makeId: () => 'unused', ...ports })
    const removed = { workspaceId: 1, agentId: 'agent_1', now: time.clock.now() }
    await database.transaction((transaction) => chats.agentRemoved(transaction, removed))
    const rows = await database.read.selectFrom('chats').select(['chat_id', 'status']).execute()
    const statusOf = new Map(rows.map(({ chat_id, status }) => [chat_id, status]))
    expect([statusOf.get(handedOverChat), statusOf.get(forwarded)]).toEqual(['completed', 'ongoing'])
  })

  test('reaches all turns of a chat on other nodes and removes waiting ones', async () => {
    await using cluster = await openCluster()
    const [a, b] = [cluster.node('a'), cluster.node('b')]
    const chatId = await cluster.startChat()
    a.script({ events: [{ type: 'hang' }] })
    const turn = await a.complete(chatId, 'hello')
    await cluster.until(async () => (await cluster.turns(chatId)).length === 1)
    const waiting = await a.complete(chatId, 'more')
    b.completions.cancelAll(chatId)
    const outcomes = await cluster.settle(Promise.all([turn.outcome, waiting.outcome]))
    expect(outcomes.map(({ status }) => status)).toEqual(['cancelled', 'cancelled'])
    expect(await cluster.transcript(chatId)).toEqual(['user: hello'])
    expect(await cluster.turns(chatId)).toHaveLength(1)
  })
})

test('the only process of a database frees the chats of a crashed one', async () => {
  await using cluster = await openCluster()
  const [a, b] = [cluster.node('a'), cluster.node('b')]
  const chatId = await cluster.startChat()
  a.script({ events: [{ type: 'hang' }] })
  await a.complete(chatId, 'hello')
  await cluster.until(async () => (await cluster.turns(chatId)).length === 1)
  await b.complete(chatId, 'lost')
  await cluster.pass(500)
  a.freeze()
  b.freeze()
  expect(await recoverTurns(cluster.database, 1)).toBe(1)
  expect(await recoverTurns(cluster.database, 2)).toBe(0)
  const c = cluster.node('c')
  expect(contents(await cluster.settle((await c.complete(chatId, 'hello')).outcome))).toEqual([
    'assistant: Answer to hello.',
  ])
  expect((await cluster.turns(chatId)).map(({ status }) => status)).toEqual(['interrupted', 'completed'])
})
