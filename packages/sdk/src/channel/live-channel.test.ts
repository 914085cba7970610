import { createManualClock } from '@parley/engine/testing/manual-clock'
import { describe, expect, test } from 'vitest'
import { encodeAudioFrame } from './audio-frame.ts'
import { FakeSocket, JOINED } from './fake-socket-test-kit.ts'
import {
  type ChannelEvent,
  calculateBackoffMs,
  type Entry,
  LiveChannel,
  RECONNECT_WITHIN_MS,
  SendBackpressure,
} from './live-channel.ts'
import type { JoinedMessage } from './live-protocol.ts'

const JOIN = {
  type: 'join',
  protocol: 1,
  accessToken: 'token',
  rateHz: 16_000,
  recognition: false,
  echoCancellation: true,
} as const

function createScene(entry: Entry = JOIN, hear: (event: ChannelEvent) => void = () => undefined) {
  const manual = createManualClock()
  const sockets: FakeSocket[] = []
  const events: ChannelEvent[] = []
  const channel = new LiveChannel({
    address: 'ws://127.0.0.1/live',
    entry,
    clock: manual.clock,
    openSocket: (address) => {
      const socket = new FakeSocket(address)
      sockets.push(socket)
      return socket
    },
    onEvent(event) {
      events.push(event)
      hear(event)
    },
  })
  return {
    manual,
    sockets,
    events,
    channel,
    names: () => events.map(({ type }) => type),
    last: () => sockets.at(-1) as FakeSocket,
    join(joined: Partial<JoinedMessage> = {}) {
      const socket = sockets.at(-1) as FakeSocket
      socket.open()
      socket.receive({ ...JOINED, ...joined })
      return socket
    },
    /** Returns the texts sent over the latest connection that must not be lost. */
    texts: () => (sockets.at(-1) as FakeSocket).sent.flatMap((message) => ('text' in message ? [message.text] : [])),
  }
}

const caption = (seq: number) =>
  ({ type: 'caption', seq, id: `c${seq}`, role: 'agent', text: 'Hi', final: true, interrupted: false }) as const

describe('joining', () => {
  test('sends the entry message and reports the join', () => {
    const { join, events, channel } = createScene()
    const socket = join()
    expect(socket.binaryType).toBe('arraybuffer')
    expect(socket.sent[0]).toEqual(JOIN)
    expect(events).toEqual([{ type: 'joined', message: JOINED }])
    expect(channel.resumeToken).toBe('resume_1')
  })

  test('retries if the server allows it', async () => {
    const { manual, sockets, join, names } = createScene()
    sockets[0]?.open()
    sockets[0]?.receive({ type: 'refused', code: 'held_elsewhere', message: '', retry: true })
    await manual.advance(250)
    expect(sockets).toHaveLength(2)
    join()
    expect(names()).toEqual(['joined'])
  })

  test.each([
    ['token_used', 'token_used'],
    ['concurrency_limit_reached', 'call_full'],
    ['invalid_message', 'protocol_mismatch'],
    ['something_new', 'refused'],
  ])('reports a refusal with %s as %s, once', async (code, problem) => {
    const { manual, last, events, sockets } = createScene()
    last().open()
    last().receive({ type: 'refused', code, message: 'The sentence.', retry: false })
    last().break()
    await manual.advance(60_000)
    expect(events).toMatchObject([{ type: 'failed', problem: { code: problem } }])
    expect(sockets).toHaveLength(1)
    expect(manual.pendingTimers()).toBe(0)
  })

  test('reports a protocol mismatch', () => {
    const { last, events } = createScene()
    last().open()
    last().receive({ ...JOINED, protocol: 2 })
    expect(events).toMatchObject([{ type: 'failed', problem: { code: 'protocol_mismatch' } }])
  })

  test('gives up if connections fail', async () => {
    const { manual, last, events } = createScene()
    for (let second = 0; second < 20; second += 1) {
      if (!last().isClosed) last().break()
      await manual.advance(1_000)
    }
    expect(events).toMatchObject([{ type: 'failed', problem: { code: 'unreachable' } }])
    expect(manual.pendingTimers()).toBe(0)
  })

  test('gives up if the server stays silent', async () => {
    const { manual, events } = createScene()
    await manual.advance(60_000)
    expect(events).toMatchObject([{ type: 'failed', problem: { code: 'unreachable' } }])
  })
})

describe('a broken connection', () => {
  test('resumes without repeating messages', async () => {
    const { manual, join, events, names, last, channel } = createScene()
    const first = join()
    first.receive(caption(1))
    first.receive(caption(2))
    first.break()
    expect(names().at(-1)).toBe('reconnecting')
    await manual.advance(250)
    last().open()
    expect(last().sent).toEqual([{ type: 'resume', protocol: 1, resumeToken: 'resume_1', lastSeq: 2 }])
    last().receive({ ...JOINED, resumeToken: 'resume_2' })
    for (const seq of [1, 2, 3]) last().receive(caption(seq))
    expect(names()).toEqual(['joined', 'message', 'message', 'reconnecting', 'joined', 'reconnected', 'message'])
    expect(events.at(-1)).toEqual({ type: 'message', message: caption(3) })
    expect(channel.resumeToken).toBe('resume_2')
  })

  test('keeps messages and drops audio', async () => {
    const { manual, join, last, channel } = createScene()
    join().break()
    channel.send({ type: 'typed', text: 'Hello?' })
    channel.send({ type: 'muted', muted: true })
    channel.send({ type: 'position', playedSamples: 1, capturedSamples: 1 })
    channel.send({ type: 'recognised', utteranceId: 'u', text: 'He', stage: 'interim' })
    channel.send({ type: 'recognised', utteranceId: 'u', text: 'Hello', stage: 'final' })
    channel.sendAudio(0, new Int16Array(320))
    await manual.advance(250)
    last().open()
    last().receive(JOINED)
    expect(
      last()
        .sent.slice(1)
        .filter(({ type }) => type !== 'ping'),
    ).toEqual([
      { type: 'muted', muted: true },
      { type: 'typed', text: 'Hello?' },
      { type: 'recognised', utteranceId: 'u', text: 'Hello', stage: 'final' },
    ])
    expect(last().audioFrames).toEqual([])
  })

  test('sends unconfirmed messages again and confirmed ones only once', async () => {
    const { manual, join, texts, channel, names } = createScene()
    const first = join()
    channel.send({ type: 'typed', text: 'one' })
    first.receive({ type: 'pong', id: 1, received: 1 })
    channel.send({ type: 'recognised', utteranceId: 'u', text: 'tw', stage: 'interim' })
    channel.send({ type: 'recognised', utteranceId: 'u', text: 'two', stage: 'final' })
    channel.send({ type: 'typed', text: 'three' })
    await manual.advance(6_250)
    expect(names().at(-1)).toBe('reconnecting')
    channel.send({ type: 'typed', text: 'four' })
    // The server received the second message, but its confirmation was lost.
    join({ received: 2 })
    expect(texts()).toEqual(['three', 'four'])
    // The connection breaks again before any message arrived.
    await manual.advance(6_250)
    join({ received: 2 })
    expect(texts()).toEqual(['three', 'four'])
    await manual.advance(6_250)
    join({ received: 4 })
    expect(texts()).toEqual([])
  })

  test('continues the message count after a page reload', async () => {
    const { manual, join, texts, channel } = createScene({ type: 'resume', resumeToken: 'resume_0' })
    join({ received: 7 })
    channel.send({ type: 'typed', text: 'eight' })
    channel.send({ type: 'typed', text: 'nine' })
    await manual.advance(6_250)
    join({ received: 8 })
    expect(texts()).toEqual(['nine'])
  })

  test('allows sending and leaving from the reconnected event', async () => {
    const typing = createScene(JOIN, ({ type }) => {
      if (type === 'reconnected') typing.channel.send({ type: 'typed', text: 'back' })
    })
    typing.join().break()
    typing.channel.send({ type: 'typed', text: 'first' })
    await typing.manual.advance(250)
    typing.join()
    expect(typing.texts()).toEqual(['first', 'back'])

    const leaving = createScene(JOIN, ({ type }) => {
      if (type === 'reconnected') leaving.channel.leave()
    })
    leaving.join().break()
    await leaving.manual.advance(250)
    leaving.join()
    expect(leaving.manual.pendingTimers()).toBe(0)
  })

  test('keeps at most as many messages as a server accepts', async () => {
    const { manual, join, texts, channel } = createScene()
    const first = join()
    for (let count = 1; count <= 250; count += 1) channel.send({ type: 'typed', text: `${count}` })
    expect(texts()).toHaveLength(200)
    first.receive({ type: 'pong', id: 1, received: 200 })
    channel.send({ type: 'typed', text: 'next' })
    await manual.advance(6_250)
    join({ received: 200 })
    expect(texts()).toEqual(['next'])
  })

  test('is detected by silence', async () => {
    const { manual, join, names } = createScene()
    join()
    await manual.advance(3_999)
    expect(names()).toEqual(['joined'])
    await manual.advance(1)
    expect(names()).toEqual(['joined', 'reconnecting'])
  })

  test('is detected sooner after a network change', async () => {
    const { manual, join, names, last, channel } = createScene()
    join().receive({ type: 'pong', id: 1, received: 0 })
    channel.check()
    await manual.advance(1_500)
    expect(names().at(-1)).toBe('reconnecting')
    // A restored network triggers a connection attempt immediately.
    last().break()
    await manual.advance(250)
    last().break()
    const before = last()
    channel.check()
    expect(last()).not.toBe(before)
  })

  test('ends the call after 15 seconds', async () => {
    const { manual, join, last, events } = createScene()
    join().break()
    for (let second = 0; second < 20; second += 1) {
      await manual.advance(1_000)
      if (!last().isClosed) last().break()
    }
    expect(events.at(-1)).toMatchObject({ type: 'failed', problem: { code: 'connection_lost' } })
    expect(manual.pendingTimers()).toBe(0)
  })

  test('ends the call if the server no longer knows it', async () => {
    const { manual, join, last, events } = createScene()
    join().break()
    await manual.advance(250)
    last().open()
    last().receive({ type: 'refused', code: 'token_invalid', message: '', retry: false })
    expect(events.at(-1)).toMatchObject({ type: 'failed', problem: { code: 'connection_lost' } })
  })
})

describe('an open connection', () => {
  test('stays open while pings are answered and reports round trips', async () => {
    const { manual, join, events, last } = createScene()
    const socket = join()
    for (let round = 0; round < 30; round += 1) {
      await manual.advance(100)
      const ping = last().sent.findLast((message) => message.type === 'ping')
      if (ping?.type === 'ping') socket.receive({ type: 'pong', id: ping.id, received: 0 })
      await manual.advance(1_900)
    }
    expect(events.filter(({ type }) => type === 'reconnecting')).toEqual([])
    expect(events[1]).toEqual({ type: 'round-trip', durationMs: 100 })
  })

  test('delivers audio with full sample numbers', () => {
    const { join, events } = createScene()
    const socket = join()
    const starts = [2 ** 30, 2 ** 31, 3 * 2 ** 30, 2 ** 32 + 5]
    for (const start of starts) socket.receiveRaw(encodeAudioFrame(start, Int16Array.of(7)))
    expect(events.slice(1)).toEqual(
      starts.map((startSample) => ({ type: 'audio', startSample, samples: Int16Array.of(7) })),
    )
  })

  test('ignores invalid data', () => {
    const { join, names } = createScene()
    const socket = join()
    for (const data of ['{', '{"type":"new"}', new ArrayBuffer(3), 7, null]) socket.receiveRaw(data)
    expect(names()).toEqual(['joined'])
  })

  test('drops audio while the socket is congested', async () => {
    const { manual, join, channel } = createScene()
    const socket = join()
    const firstSamples = () => socket.audioFrames.map((bytes) => new DataView(bytes).getUint32(0, true))
    socket.bufferedAmount = 40_000
    channel.sendAudio(0, new Int16Array(320))
    await manual.advance(300)
    channel.sendAudio(320, new Int16Array(320))
    expect(firstSamples()).toEqual([0])
    socket.bufferedAmount = 0
    channel.sendAudio(640, new Int16Array(320))
    expect(firstSamples()).toEqual([0, 640])
  })

  test('sends everything captured while the page was blocked', async () => {
    const { manual, join, channel } = createScene()
    const socket = join()
    await manual.advance(2_500)
    for (let index = 0; index < 125; index += 1) {
      channel.sendAudio(index * 320, new Int16Array(320))
      // The buffer drains in a later task.
      socket.bufferedAmount += 644
    }
    expect(socket.audioFrames).toHaveLength(125)
  })

  test('emits the end of the call as its last event', async () => {
    const { manual, join, events, channel } = createScene()
    const socket = join()
    socket.receive({ type: 'ended', reason: 'agent_hangup' })
    socket.receive(caption(9))
    socket.break()
    channel.leave()
    await manual.advance(60_000)
    expect(events.at(-1)).toEqual({ type: 'ended', reason: 'agent_hangup' })
    expect(manual.pendingTimers()).toBe(0)
  })

  test('sends a leave message and releases everything on leave', async () => {
    const { manual, join, names, channel } = createScene()
    const socket = join()
    channel.leave()
    expect(socket.sent.at(-1)).toEqual({ type: 'leave' })
    expect(socket.isClosed).toBe(true)
    expect(manual.pendingTimers()).toBe(0)
    expect(names()).toEqual(['joined'])
  })
})

test('increases the delays and stops in time', () => {
  const pauses: number[] = []
  let sinceMs = 0
  for (let attempt = 0; ; attempt += 1) {
    const backoffMs = calculateBackoffMs(attempt, sinceMs)
    if (backoffMs === null) break
    pauses.push(backoffMs)
    sinceMs += backoffMs
  }
  expect(pauses).toEqual([250, 500, 1_000, 2_000, 2_000, 2_000, 2_000, 2_000, 2_000, 1_250])
  expect(sinceMs).toBe(RECONNECT_WITHIN_MS)
})

test('reports congestion after 250 ms and until the buffer has drained', () => {
  const line = new SendBackpressure()
  const asked: readonly (readonly [nowMs: number, bufferedBytes: number, isFull: boolean])[] = [
    [0, 32_000, false],
    [20, 33_000, false],
    [250, 33_000, false],
    [270, 33_000, true],
    [290, 32_001, true],
    [310, 32_000, false],
    [330, 33_000, false],
    [500, 1_000, false],
    [520, 33_000, false],
    [760, 33_000, false],
    [770, 33_000, true],
  ]
  expect(asked.map(([nowMs, bufferedBytes]) => line.isFull(bufferedBytes, nowMs))).toEqual(
    asked.map(([, , isFull]) => isFull),
  )
})

test('sends less at once than a server accepts', () => {
  const line = new SendBackpressure()
  const maxFrames = (frameBytes: number): number => {
    let frames = 0
    while (!line.isFull(frames * frameBytes, 0)) frames += 1
    return frames
  }
  for (const rateHz of [8_000, 16_000]) {
    const seconds = maxFrames(4 + (rateHz * 2) / 50) / 50
    expect(seconds).toBeGreaterThan(5)
    expect(seconds).toBeLessThan(19)
  }
})
