import { CustomTool } from '@parley/contract/tools'
import { callTools, replyWith } from '@parley/engine/testing/scripted-model'
import { describe, expect, test } from 'vitest'
import { readFrames } from '../journal/journal-store.ts'
import { type Cluster, formatMessages, listen, openCluster, renderMessages, type TestNode } from './cluster-test-kit.ts'

const toDelta = (words: string) => ({ type: 'text-delta', text: words }) as const
const HANG = { type: 'hang' } as const
const BUSES = [
  { losesMessages: false, name: 'with hints' },
  { losesMessages: true, name: 'without hints' },
]

/** Starts a turn on `node` with one reader. The turn hangs after `events` events. */
async function startHangingTurn(
  cluster: Cluster,
  node: TestNode,
  options: { chatId: string; events: number; key?: string },
) {
  const turn = await node.complete(options.chatId, 'hello', options.key ?? null)
  const received = listen(turn.log)
  await cluster.waitFor(() => received.frames.length === options.events)
  return { turnId: received.getTurnId(), received }
}

describe('a turn of a dead node', () => {
  test.for(BUSES)('continues in place when the model repeats its text, $name', async (bus) => {
    await using cluster = await openCluster(bus)
    const [a, b, c] = [cluster.addNode('a'), cluster.addNode('b'), cluster.addNode('c')]
    const chatId = await cluster.startChat()
    a.script({ events: [toDelta('One '), toDelta('two '), HANG] })
    const { turnId, received: before } = await startHangingTurn(cluster, a, { chatId, events: 3 })
    const reader = listen(await c.follow(chatId, turnId))
    await cluster.waitFor(() => reader.frames.length === 3)
    a.freeze()
    for (const node of [b, c]) node.script(replyWith('One two three ', 'four.'))
    await cluster.reportDeath('a')
    await cluster.waitFor(reader.isEnded)
    expect(reader.listNames()).toEqual([
      'turn.started',
      'message.delta',
      'message.delta',
      'message.restarted',
      'message.delta',
      'message.delta',
      'message.delta',
      'message.completed',
      'done',
    ])
    expect(reader.listIds()).toEqual([1, 2, 3, 1004, 1005, 1006, 1007, 1008, 1009])
    expect(reader.frames[4]?.data).toBe('{"text":"One two "}')
    expect(reader.frames.slice(0, 3)).toEqual(before.frames)
    expect(reader.renderTexts()).toEqual(['One two three four.'])
    expect(await cluster.readTranscript(chatId)).toEqual(['user: hello', 'assistant: One two three four.'])
    const [turn] = await cluster.listTurns(chatId)
    expect(turn).toMatchObject({ turn_id: turnId, status: 'completed', event_count: 1009 })
    expect(b.requests.length + c.requests.length).toBe(1)
    expect([...b.failures, ...c.failures]).toEqual([])
  })

  test('restarts for its readers when the model generates a different text', async () => {
    await using cluster = await openCluster()
    const [a, b] = [cluster.addNode('a'), cluster.addNode('b')]
    const chatId = await cluster.startChat()
    a.script({ events: [toDelta('One '), toDelta('two '), HANG] })
    const { turnId } = await startHangingTurn(cluster, a, { chatId, events: 3 })
    const reader = listen(await b.follow(chatId, turnId))
    await cluster.waitFor(() => reader.frames.length === 3)
    a.freeze()
    b.script(replyWith('One ', 'more time.'))
    await cluster.reportDeath('a')
    await cluster.waitFor(reader.isEnded)
    const restart = ['message.restarted', 'message.delta']
    expect(reader.listNames().slice(3)).toEqual([...restart, ...restart, 'message.completed', 'done'])
    expect(reader.renderTexts()).toEqual(['One more time.'])
    expect(await cluster.readTranscript(chatId)).toEqual(['user: hello', 'assistant: One more time.'])
  })

  test.for([replyWith('One two three ', 'four.'), replyWith('Something else.')])(
    'leaves no duplicate or stray text for a reader with unrecorded text',
    async (answer) => {
      await using cluster = await openCluster()
      const [a, b] = [cluster.addNode('a'), cluster.addNode('b')]
      const chatId = await cluster.startChat()
      a.script({ events: [toDelta('One '), toDelta('two '), HANG] })
      const { turnId, received } = await startHangingTurn(cluster, a, { chatId, events: 3 })
      const recorded = await readFrames(cluster.database.read, turnId)
      expect(recorded.length).toBeLessThan(received.frames.length)
      a.freeze()
      b.script(answer)
      await cluster.reportDeath('a')
      const resumed = listen(await b.follow(chatId, turnId), 3)
      await cluster.waitFor(resumed.isEnded)
      const fullText = answer.events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('')
      expect(renderMessages([...received.frames, ...resumed.frames])).toEqual([fullText])
      expect(await cluster.readTranscript(chatId)).toEqual(['user: hello', `assistant: ${fullText}`])
    },
  )

  test('is answered after a death before the first word, including for a retried request', async () => {
    await using cluster = await openCluster()
    const [a, b] = [cluster.addNode('a'), cluster.addNode('b')]
    const chatId = await cluster.startChat()
    a.script({ events: [HANG] })
    await startHangingTurn(cluster, a, { chatId, events: 1, key: 'key' })
    a.freeze()
    const retry = await b.complete(chatId, 'hello', 'key')
    expect(retry.replayed).toBe(true)
    await cluster.reportDeath('a')
    expect(formatMessages(await cluster.awaitResult(retry.outcome))).toEqual(['assistant: Answer to hello.'])
    expect(await cluster.readTranscript(chatId)).toEqual(['user: hello', 'assistant: Answer to hello.'])
  })

  test('is found by a turn that waits for its chat when the death message was lost', async () => {
    await using cluster = await openCluster({ losesMessages: true })
    const [a, b] = [cluster.addNode('a'), cluster.addNode('b')]
    const chatId = await cluster.startChat()
    a.script({ events: [toDelta('One '), HANG] })
    await startHangingTurn(cluster, a, { chatId, events: 2 })
    a.freeze()
    await cluster.awaitResult(b.completions.sweep(new AbortController().signal))
    expect(await cluster.listTurns(chatId)).toMatchObject([{ status: 'running', node_id: 'a' }])
    const nextTurn = await b.complete(chatId, 'next')
    await cluster.advance(600)
    expect(await cluster.listTurns(chatId)).toHaveLength(1)
    cluster.markDead('a')
    expect(formatMessages(await cluster.awaitResult(nextTurn.outcome))).toEqual(['assistant: Answer to next.'])
    expect(await cluster.readTranscript(chatId)).toEqual([
      'user: hello',
      'assistant: Answer to hello.',
      'user: next',
      'assistant: Answer to next.',
    ])
  })

  test('is found by the sweep when the death went unnoticed', async () => {
    await using cluster = await openCluster()
    const [a, b] = [cluster.addNode('a'), cluster.addNode('b')]
    const chatId = await cluster.startChat()
    a.script({ events: [HANG] })
    await startHangingTurn(cluster, a, { chatId, events: 1 })
    a.freeze()
    cluster.markDead('a')
    await cluster.awaitResult(b.completions.sweep(new AbortController().signal))
    await cluster.waitFor(async () => (await cluster.listTurns(chatId))[0]?.status === 'completed')
  })

  test('is continued by only one of several surviving nodes', async () => {
    await using cluster = await openCluster()
    const a = cluster.addNode('a')
    const liveNodes = ['b', 'c', 'd'].map((name) => cluster.addNode(name))
    const chatIds = await Promise.all(Array.from({ length: 9 }, () => cluster.startChat()))
    for (const _ of chatIds) a.script({ events: [HANG] })
    await Promise.all(chatIds.map((chatId) => startHangingTurn(cluster, a, { chatId, events: 1 })))
    a.freeze()
    await cluster.reportDeath('a')
    await cluster.waitFor(async () => {
      const turns = await Promise.all(chatIds.map((chatId) => cluster.listTurns(chatId)))
      return turns.flat().every(({ status }) => status === 'completed')
    })
    for (const chatId of chatIds)
      expect(await cluster.readTranscript(chatId)).toEqual(['user: hello', 'assistant: Answer to hello.'])
    expect(liveNodes.flatMap(({ requests }) => requests)).toHaveLength(9)
  })

  test('belongs to the node that claimed it first, even if another node paused before its claim', async () => {
    await using cluster = await openCluster({ losesMessages: true })
    const [a, b, c] = [cluster.addNode('a'), cluster.addNode('b'), cluster.addNode('c')]
    const chatIds = [await cluster.startChat(), await cluster.startChat()]
    a.script({ events: [HANG] }, { events: [HANG] })
    for (const chatId of chatIds) await startHangingTurn(cluster, a, { chatId, events: 1 })
    a.freeze()
    cluster.markDead('a')
    const sweep = (node: TestNode) => node.completions.sweep(new AbortController().signal)
    c.freeze()
    const lateSweep = sweep(c)
    await cluster.advance(50)
    // The node reads the turns and pauses again before its first claim.
    c.wake()
    c.freeze()
    await cluster.advance(50)
    const slowReply = { events: [{ type: 'delay', delayMs: 3000 }, ...replyWith('From b.').events] } as const
    b.script(slowReply, slowReply)
    await cluster.awaitResult(sweep(b))
    c.wake()
    await cluster.awaitResult(lateSweep)
    for (const chatId of chatIds) {
      await cluster.waitFor(async () => (await cluster.listTurns(chatId))[0]?.status === 'completed')
    }
    expect([b.requests.length, c.requests.length]).toEqual([2, 0])
  })

  test('is continued twice and ends after the third death', async () => {
    await using cluster = await openCluster()
    const nodes = ['a', 'b', 'c', 'd'].map((name) => cluster.addNode(name))
    const chatId = await cluster.startChat()
    const [a, b, c, d] = nodes
    if (a === undefined || b === undefined || c === undefined || d === undefined) throw new Error('No nodes.')
    const words = ['One ', 'two ', 'three ']
    for (const [index, node] of [a, b, c].entries())
      node.script({ events: [toDelta(words.slice(0, index + 1).join('')), HANG] })
    const { turnId } = await startHangingTurn(cluster, a, { chatId, events: 2 })
    const reader = listen(await d.follow(chatId, turnId))
    await cluster.waitFor(() => reader.frames.length === 2)
    for (const [index, [deadNode, takeoverNode]] of (
      [
        ['a', b],
        ['b', c],
      ] as const
    ).entries()) {
      const otherNodes = nodes.filter((node) => node !== takeoverNode && node.name > deadNode)
      for (const node of otherNodes) node.freeze()
      nodes.find(({ name }) => name === deadNode)?.freeze()
      const deathReport = cluster.reportDeath(deadNode)
      await cluster.waitFor(() => takeoverNode.requests.length === 1)
      for (const node of otherNodes) node.wake()
      await deathReport
      await cluster.waitFor(() => reader.frames.length === 5 + 3 * index)
    }
    c.freeze()
    await cluster.reportDeath('c')
    await cluster.waitFor(reader.isEnded)
    expect(reader.listNames()).toEqual([
      'turn.started',
      'message.delta',
      ...['message.restarted', 'message.delta', 'message.delta'],
      ...['message.restarted', 'message.delta', 'message.delta'],
      ...['message.restarted', 'message.delta', 'message.restarted'],
      'done',
    ])
    expect(reader.getStatus()).toBe('interrupted')
    expect(reader.renderTexts()).toEqual([])
    const retry = await d.complete(chatId, 'hello')
    expect(formatMessages(await cluster.awaitResult(retry.outcome))).toEqual(['assistant: Answer to hello.'])
    expect(await cluster.readTranscript(chatId)).toEqual(['user: hello', 'assistant: Answer to hello.'])
  })

  test('is interrupted when its chat has ended', async () => {
    await using cluster = await openCluster()
    const [a, b] = [cluster.addNode('a'), cluster.addNode('b')]
    const chatId = await cluster.startChat()
    a.script({ events: [toDelta('One '), HANG] })
    const { turnId } = await startHangingTurn(cluster, a, { chatId, events: 2 })
    const reader = listen(await b.follow(chatId, turnId))
    a.freeze()
    const { database } = cluster
    await database.batch([{ query: database.queryBuilder.updateTable('chats').set({ status: 'completed' }).compile() }])
    await cluster.reportDeath('a')
    await cluster.waitFor(reader.isEnded)
    expect(reader.getStatus()).toBe('interrupted')
    expect(b.requests).toHaveLength(0)
  })

  test('ends for its readers when its chat was deleted', async () => {
    await using cluster = await openCluster()
    const [a, b] = [cluster.addNode('a'), cluster.addNode('b')]
    const chatId = await cluster.startChat()
    a.script({ events: [toDelta('One '), HANG] })
    const { turnId, received } = await startHangingTurn(cluster, a, { chatId, events: 2 })
    const reader = listen(await b.follow(chatId, turnId))
    await cluster.waitFor(() => reader.frames.length === 2)
    const { database } = cluster
    await database.batch([{ query: database.queryBuilder.deleteFrom('chats').compile() }])
    b.completions.cancelAll(chatId)
    await cluster.waitFor(() => reader.isEnded() && received.isEnded())
    expect(reader.listNames().slice(2)).toEqual(['error', 'done'])
    expect(received.listNames().slice(-2)).toEqual(['error', 'done'])
  })
})

const toTool = (fields: object) =>
  CustomTool.parse({ type: 'custom', name: 'find', url: 'http://127.0.0.1/', ...fields })

describe('a turn with tools of a dead node', () => {
  test('keeps a recorded result', async () => {
    await using cluster = await openCluster({ tools: [toTool({})] })
    const [a, b] = [cluster.addNode('a'), cluster.addNode('b')]
    const chatId = await cluster.startChat()
    a.script(callTools(['find', {}]), { events: [toDelta('I fou'), HANG] })
    // Frames: start, tool call, assistant message, tool result, tool message and a text delta.
    const { turnId } = await startHangingTurn(cluster, a, { chatId, events: 6 })
    const reader = listen(await b.follow(chatId, turnId))
    await cluster.waitFor(() => reader.frames.length === 6)
    a.freeze()
    b.script(replyWith('I found it.'))
    await cluster.reportDeath('a')
    await cluster.waitFor(reader.isEnded)
    expect(reader.listNames()).toEqual([
      'turn.started',
      'tool.call',
      'message.completed',
      'tool.result',
      'message.completed',
      'message.delta',
      'message.restarted',
      'message.delta',
      'message.delta',
      'message.completed',
      'done',
    ])
    expect(reader.renderTexts()).toEqual(['I found it.'])
    expect([a.toolCalls, b.toolCalls]).toEqual([['find'], []])
    expect(await cluster.readTranscript(chatId)).toEqual([
      'user: hello',
      'assistant: ',
      'tool: result of find',
      'assistant: I found it.',
    ])
  })

  test.for([
    { method: 'GET', resent: ['find'] },
    { method: 'POST', resent: [] },
  ])('repeats a call without a result only when that is safe, $method', async ({ method, resent }) => {
    await using cluster = await openCluster({ tools: [toTool({ method })] })
    const [a, b] = [cluster.addNode('a'), cluster.addNode('b')]
    const chatId = await cluster.startChat()
    a.script(callTools(['find', {}]))
    a.hangTools()
    const { turnId } = await startHangingTurn(cluster, a, { chatId, events: 3 })
    const reader = listen(await b.follow(chatId, turnId))
    a.freeze()
    await cluster.reportDeath('a')
    await cluster.waitFor(reader.isEnded)
    expect(reader.listNames().slice(3)).toEqual([
      'message.restarted',
      'tool.result',
      'message.completed',
      'message.delta',
      'message.delta',
      'message.completed',
      'done',
    ])
    expect(b.toolCalls).toEqual(resent)
    expect(reader.getStatus()).toBe('completed')
    const outcome = await cluster.awaitResult((await b.complete(chatId, 'bye')).outcome)
    expect(outcome.status).toBe('completed')
  })
})

describe('a node that was only paused', () => {
  test('closes its readers and does not write to a turn that was taken over', async () => {
    await using cluster = await openCluster()
    const [a, b] = [cluster.addNode('a'), cluster.addNode('b')]
    const chatId = await cluster.startChat()
    a.script({ events: [toDelta('One '), { type: 'delay', delayMs: 5000 }, toDelta('from a.'), HANG] })
    const { turnId, received } = await startHangingTurn(cluster, a, { chatId, events: 2 })
    a.freeze()
    b.script({ events: [toDelta('One '), { type: 'delay', delayMs: 8000 }, toDelta('from b.'), ...replyWith().events] })
    await cluster.reportDeath('a')
    await cluster.advance(6000)
    a.wake()
    await cluster.waitFor(received.isEnded)
    expect(received.listNames()).toEqual(['turn.started', 'message.delta'])
    const resumed = listen(await a.follow(chatId, turnId), 2)
    await cluster.waitFor(resumed.isEnded)
    expect(resumed.listIds()).toEqual([1002, 1003, 1004, 1005, 1006])
    expect(resumed.getStatus()).toBe('completed')
    expect(await cluster.readTranscript(chatId)).toEqual(['user: hello', 'assistant: One from b.'])
    expect([...a.failures, ...b.failures]).toEqual([])
    expect(a.completions.activeCount).toBe(0)
  })

  test('calls no tool of a turn that was taken over', async () => {
    await using cluster = await openCluster({ tools: [toTool({})] })
    const [a, b] = [cluster.addNode('a'), cluster.addNode('b')]
    const chatId = await cluster.startChat()
    a.script({ events: [toDelta('One '), { type: 'delay', delayMs: 5000 }, ...callTools(['find', {}]).events] })
    const { received } = await startHangingTurn(cluster, a, { chatId, events: 2 })
    a.freeze()
    b.script({ events: [toDelta('One '), { type: 'delay', delayMs: 8000 }, toDelta('from b.'), ...replyWith().events] })
    await cluster.reportDeath('a')
    await cluster.advance(6000)
    a.wake()
    await cluster.waitFor(received.isEnded)
    await cluster.waitFor(async () => (await cluster.listTurns(chatId))[0]?.status === 'completed')
    expect(a.toolCalls).toEqual([])
    expect(await cluster.readTranscript(chatId)).toEqual(['user: hello', 'assistant: One from b.'])
  })

  test('loses an answer that was not stored before the takeover', async () => {
    await using cluster = await openCluster()
    const [a, b] = [cluster.addNode('a'), cluster.addNode('b')]
    const chatId = await cluster.startChat()
    a.script({ events: [toDelta('One '), { type: 'delay', delayMs: 5000 }, toDelta('from a.'), ...replyWith().events] })
    const turn = await a.complete(chatId, 'hello')
    await cluster.waitFor(async () => (await cluster.listTurns(chatId)).length === 1)
    a.freeze()
    await cluster.advance(6000)
    b.script(replyWith('From b.'))
    await cluster.reportDeath('a')
    await cluster.waitFor(async () => (await cluster.listTurns(chatId))[0]?.status === 'completed')
    a.wake()
    await expect(cluster.awaitResult(turn.outcome)).rejects.toMatchObject({ code: 'unavailable' })
    expect(await cluster.readTranscript(chatId)).toEqual(['user: hello', 'assistant: From b.'])
    expect(a.failures).toEqual([])
  })
})
