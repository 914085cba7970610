import { replyWith } from '@parley/engine/testing/scripted-model'
import { describe, expect, test } from 'vitest'
import { AppError } from '../../../kernel/errors.ts'
import { listen, openCluster } from '../failover/cluster-test-kit.ts'
import { sweepTurnEvents } from './journal-store.ts'

const text = (words: string) => ({ type: 'text-delta', text: words }) as const
const delay = { type: 'delay', delayMs: 1000 } as const
const PACED = { events: [text('One '), delay, text('two '), delay, text('three.'), ...replyWith().events] }
const BUSES = [
  { losesMessages: false, name: 'with hints' },
  { losesMessages: true, name: 'without hints' },
]
const outage = () => new AppError('unavailable', 'The database cannot be reached.')

describe('following a turn of another node', () => {
  test.for(BUSES)('sends the same events from every position, $name', async (bus) => {
    await using cluster = await openCluster(bus)
    const [a, b] = [cluster.node('a'), cluster.node('b')]
    const chatId = await cluster.startChat()
    a.script(PACED)
    const original = listen((await a.complete(chatId, 'hello')).log)
    await cluster.until(() => original.frames.length > 1)
    const log = await b.follow(chatId, original.turnId())
    const running = Array.from({ length: 8 }, (_, lastEventId) => listen(log, lastEventId))
    await cluster.until(() => [original, ...running].every((reader) => reader.isEnded()))
    expect(original.ids()).toEqual([1, 2, 3, 4, 5, 6])
    for (const [offset, reader] of running.entries()) expect(reader.frames).toEqual(original.frames.slice(offset))
    for (let offset = 0; offset < 8; offset += 1) {
      const past = listen(await b.follow(chatId, original.turnId()), offset)
      expect(past.frames).toEqual(original.frames.slice(offset))
      expect(past.isEnded()).toBe(true)
    }
  })

  test('gets events before its next poll when the other node knows that it follows', async () => {
    await using cluster = await openCluster()
    const [a, b] = [cluster.node('a'), cluster.node('b')]
    const chatId = await cluster.startChat()
    a.script(PACED)
    const original = listen((await a.complete(chatId, 'hello')).log)
    await cluster.until(() => original.frames.length > 1)
    const reader = listen(await b.follow(chatId, original.turnId()))
    await cluster.until(() => original.frames.length > 2)
    const before = cluster.time.clock.now()
    await cluster.until(() => reader.frames.length > 2, 1)
    expect(cluster.time.clock.now() - before).toBeLessThan(200)
  })

  test('stops polling without followers', async () => {
    await using cluster = await openCluster()
    const [a, b] = [cluster.node('a'), cluster.node('b')]
    const chatId = await cluster.startChat()
    a.script({ events: [{ type: 'hang' }] })
    const original = listen((await a.complete(chatId, 'hello')).log)
    await cluster.until(() => original.frames.length > 0)
    const timers = cluster.time.pendingTimers()
    const readers = await Promise.all([1, 2].map(async () => listen(await b.follow(chatId, original.turnId()))))
    await cluster.until(() => readers.every(({ frames }) => frames.length === 1))
    for (const { stop } of readers) stop()
    await cluster.pass(500)
    expect(cluster.time.pendingTimers()).toBe(timers)
  })

  test('sends whole messages of a turn that ended long ago', async () => {
    await using cluster = await openCluster()
    const [a, b] = [cluster.node('a'), cluster.node('b')]
    const chatId = await cluster.startChat()
    const turn = await a.complete(chatId, 'hello')
    const original = listen(turn.log)
    await cluster.until(original.isEnded)
    const { signal } = new AbortController()
    const now = cluster.time.clock.now()
    await sweepTurnEvents(cluster.database, now + 9 * 60_000, signal)
    expect(listen(await b.follow(chatId, original.turnId())).frames).toEqual(original.frames)
    await sweepTurnEvents(cluster.database, now + 11 * 60_000, signal)
    const replayed = listen(await b.follow(chatId, original.turnId()))
    expect(replayed.names()).toEqual(['turn.started', 'message.completed', 'done'])
    expect(replayed.ids().at(-1)).toBe(original.ids().at(-1))
  })
})

describe('during a database outage', () => {
  test('of 30 seconds, readers wait, the turn continues and nothing is lost', async () => {
    await using cluster = await openCluster()
    const a = cluster.node('a')
    const chatId = await cluster.startChat()
    a.script(PACED)
    const turn = await a.complete(chatId, 'hello')
    const reader = listen(turn.log)
    // On a slow database, several events may be written together.
    await cluster.until(() => reader.frames.length >= 2)
    a.refuse(outage())
    await cluster.pass(0)
    const receivedFrames = [...reader.frames]
    await cluster.pass(30_000)
    expect(reader.frames).toEqual(receivedFrames)
    a.refuse(null)
    await cluster.until(reader.isEnded)
    expect(reader.text()).toEqual(['One two three.'])
    expect((await turn.outcome).status).toBe('completed')
    expect(await cluster.transcript(chatId)).toEqual(['user: hello', 'assistant: One two three.'])
    expect(a.failures).toEqual([])
  })

  test('of more than a minute, the turn fails and its chat continues afterwards', async () => {
    await using cluster = await openCluster()
    const [a, b] = [cluster.node('a'), cluster.node('b')]
    const chatId = await cluster.startChat()
    a.script(PACED)
    const turn = await a.complete(chatId, 'hello')
    const reader = listen(turn.log)
    await cluster.until(() => reader.frames.length >= 2)
    a.refuse(outage())
    await expect(cluster.settle(turn.outcome, 1000)).rejects.toMatchObject({ code: 'unavailable' })
    await cluster.until(reader.isEnded)
    expect(reader.names().slice(-2)).toEqual(['error', 'done'])
    a.refuse(null)
    await cluster.pass(1000)
    const retry = await b.complete(chatId, 'hello')
    await cluster.settle(retry.outcome)
    expect(await cluster.transcript(chatId)).toEqual(['user: hello', 'assistant: Answer to hello.'])
  })
})

test('records events of many turns together', async () => {
  await using cluster = await openCluster()
  const a = cluster.node('a')
  const chatIds = await Promise.all(Array.from({ length: 20 }, () => cluster.startChat()))
  const burst = [delay, ...Array.from({ length: 10 }, () => text('word ')), ...replyWith().events]
  for (const _ of chatIds) a.script({ events: burst })
  const readers = await Promise.all(chatIds.map(async (chatId) => listen((await a.complete(chatId, 'hello')).log)))
  await cluster.until(() => readers.every((reader) => reader.isEnded()))
  for (const reader of readers) expect(reader.text()).toEqual(['word '.repeat(10)])
  expect(a.journalWrites()).toBeLessThan(60)
})
