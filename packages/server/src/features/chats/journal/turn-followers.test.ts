import { replyWith } from '@parley/engine/testing/scripted-model'
import { describe, expect, test } from 'vitest'
import { AppError } from '../../../kernel/errors.ts'
import { listen, openCluster } from '../failover/cluster-test-kit.ts'
import { sweepTurnEvents } from './journal-store.ts'

const toDelta = (words: string) => ({ type: 'text-delta', text: words }) as const
const DELAY = { type: 'delay', delayMs: 1000 } as const
const PACED = { events: [toDelta('One '), DELAY, toDelta('two '), DELAY, toDelta('three.'), ...replyWith().events] }
const BUSES = [
  { losesMessages: false, name: 'with hints' },
  { losesMessages: true, name: 'without hints' },
]
const createOutage = () => new AppError('unavailable', 'The database cannot be reached.')

describe('following a turn of another node', () => {
  test.for(BUSES)('sends the same events from every position, $name', async (bus) => {
    await using cluster = await openCluster(bus)
    const [a, b] = [cluster.addNode('a'), cluster.addNode('b')]
    const chatId = await cluster.startChat()
    a.script(PACED)
    const original = listen((await a.complete(chatId, 'hello')).log)
    await cluster.waitFor(() => original.frames.length > 1)
    const log = await b.follow(chatId, original.getTurnId())
    const readers = Array.from({ length: 8 }, (_, lastEventId) => listen(log, lastEventId))
    await cluster.waitFor(() => [original, ...readers].every((reader) => reader.isEnded()))
    expect(original.listIds()).toEqual([1, 2, 3, 4, 5, 6])
    for (const [offset, reader] of readers.entries()) expect(reader.frames).toEqual(original.frames.slice(offset))
    for (let offset = 0; offset < 8; offset += 1) {
      const pastReader = listen(await b.follow(chatId, original.getTurnId()), offset)
      expect(pastReader.frames).toEqual(original.frames.slice(offset))
      expect(pastReader.isEnded()).toBe(true)
    }
  })

  test('receives events before the next poll when the other node knows the follower', async () => {
    await using cluster = await openCluster()
    const [a, b] = [cluster.addNode('a'), cluster.addNode('b')]
    const chatId = await cluster.startChat()
    a.script(PACED)
    const original = listen((await a.complete(chatId, 'hello')).log)
    await cluster.waitFor(() => original.frames.length > 1)
    const reader = listen(await b.follow(chatId, original.getTurnId()))
    await cluster.waitFor(() => original.frames.length > 2)
    const startMs = cluster.time.clock.now()
    await cluster.waitFor(() => reader.frames.length > 2, 1)
    expect(cluster.time.clock.now() - startMs).toBeLessThan(200)
  })

  test('stops polling without followers', async () => {
    await using cluster = await openCluster()
    const [a, b] = [cluster.addNode('a'), cluster.addNode('b')]
    const chatId = await cluster.startChat()
    a.script({ events: [{ type: 'hang' }] })
    const original = listen((await a.complete(chatId, 'hello')).log)
    await cluster.waitFor(() => original.frames.length > 0)
    const timerCount = cluster.time.countPendingTimers()
    const readers = await Promise.all([1, 2].map(async () => listen(await b.follow(chatId, original.getTurnId()))))
    await cluster.waitFor(() => readers.every(({ frames }) => frames.length === 1))
    for (const { stop } of readers) stop()
    await cluster.advance(500)
    expect(cluster.time.countPendingTimers()).toBe(timerCount)
  })

  test('sends whole messages of a turn that ended long ago', async () => {
    await using cluster = await openCluster()
    const [a, b] = [cluster.addNode('a'), cluster.addNode('b')]
    const chatId = await cluster.startChat()
    const turn = await a.complete(chatId, 'hello')
    const original = listen(turn.log)
    await cluster.waitFor(original.isEnded)
    const { signal } = new AbortController()
    const now = cluster.time.clock.now()
    await sweepTurnEvents(cluster.database, now + 9 * 60_000, signal)
    expect(listen(await b.follow(chatId, original.getTurnId())).frames).toEqual(original.frames)
    await sweepTurnEvents(cluster.database, now + 11 * 60_000, signal)
    const replayed = listen(await b.follow(chatId, original.getTurnId()))
    expect(replayed.listNames()).toEqual(['turn.started', 'message.completed', 'done'])
    expect(replayed.listIds().at(-1)).toBe(original.listIds().at(-1))
  })
})

describe('during a database outage', () => {
  test('of 30 seconds, readers wait, the turn continues and nothing is lost', async () => {
    await using cluster = await openCluster()
    const a = cluster.addNode('a')
    const chatId = await cluster.startChat()
    a.script(PACED)
    const turn = await a.complete(chatId, 'hello')
    const reader = listen(turn.log)
    // On a slow database, several events may be written together.
    await cluster.waitFor(() => reader.frames.length >= 2)
    a.failWrites(createOutage())
    await cluster.advance(0)
    const receivedFrames = [...reader.frames]
    await cluster.advance(30_000)
    expect(reader.frames).toEqual(receivedFrames)
    a.failWrites(null)
    await cluster.waitFor(reader.isEnded)
    expect(reader.renderTexts()).toEqual(['One two three.'])
    expect((await turn.outcome).status).toBe('completed')
    expect(await cluster.readTranscript(chatId)).toEqual(['user: hello', 'assistant: One two three.'])
    expect(a.failures).toEqual([])
  })

  test('of more than a minute, the turn fails and its chat continues afterwards', async () => {
    await using cluster = await openCluster()
    const [a, b] = [cluster.addNode('a'), cluster.addNode('b')]
    const chatId = await cluster.startChat()
    a.script(PACED)
    const turn = await a.complete(chatId, 'hello')
    const reader = listen(turn.log)
    await cluster.waitFor(() => reader.frames.length >= 2)
    a.failWrites(createOutage())
    await expect(cluster.awaitResult(turn.outcome, 1000)).rejects.toMatchObject({ code: 'unavailable' })
    await cluster.waitFor(reader.isEnded)
    expect(reader.listNames().slice(-2)).toEqual(['error', 'done'])
    a.failWrites(null)
    await cluster.advance(1000)
    const retry = await b.complete(chatId, 'hello')
    await cluster.awaitResult(retry.outcome)
    expect(await cluster.readTranscript(chatId)).toEqual(['user: hello', 'assistant: Answer to hello.'])
  })
})

test('records events of many turns together', async () => {
  await using cluster = await openCluster()
  const a = cluster.addNode('a')
  const chatIds = await Promise.all(Array.from({ length: 20 }, () => cluster.startChat()))
  const burst = [DELAY, ...Array.from({ length: 10 }, () => toDelta('word ')), ...replyWith().events]
  for (const _ of chatIds) a.script({ events: burst })
  const readers = await Promise.all(chatIds.map(async (chatId) => listen((await a.complete(chatId, 'hello')).log)))
  await cluster.waitFor(() => readers.every((reader) => reader.isEnded()))
  for (const reader of readers) expect(reader.renderTexts()).toEqual(['word '.repeat(10)])
  expect(a.getJournalWriteCount()).toBeLessThan(60)
})
