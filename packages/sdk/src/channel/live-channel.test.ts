import { manualClock } from '@parley/engine/testing/manual-clock'
import { describe, expect, test } from 'vitest'
import { encodeAudioFrame } from './audio-frame.ts'
import { FakeSocket, JOINED } from './fake-socket-test-kit.ts'
import { type ChannelEvent, type Entry, LiveChannel } from './live-channel.ts'
import type { JoinedMessage } from './live-protocol.ts'

const JOIN = {
  type: 'join',
  protocol: 1,
  accessToken: 'token',
  rateHz: 16_000,
  recognition: false,
  echoCancellation: true,
} as const

function scene(entry: Entry = JOIN, hear: (event: ChannelEvent) => void = () => undefined) {
  const manual = manualClock()
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
    /** What was said over the newest connection and must not be lost. */
    texts: () => (sockets.at(-1) as FakeSocket).sent.flatMap((message) => ('text' in message ? [message.text] : [])),
  }
}

const caption = (seq: number) =>
  ({ type: 'caption', seq, id: `c${seq}`, role: 'agent', text: 'Hi', final: true, interrupted: false }) as const

describe('entering', () => {
  test('says what it wants first, and tells when it is in', () => {
    const { join, events, channel } = scene()
    const socket = join()
    expect(socket.binaryType).toBe('arraybuffer')
    expect(socket.sent[0]).toEqual(JOIN)
    expect(events).toEqual([{ type: 'joined', message: JOINED }])
    expect(channel.resumeToken).toBe('resume_1')
  })

  test('tries again when the server says that it may work', async () => {
    const { manual, sockets, join, names } = scene()
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
  ])('a refusal for %s is told as %s, once', async (code, problem) => {
    const { manual, last, events, sockets } = scene()
    last().open()
    last().receive({ type: 'refused', code, message: 'The sentence.', retry: false })
    last().break()
    await manual.advance(60_000)
    expect(events).toMatchObject([{ type: 'failed', problem: { code: problem } }])
    expect(sockets).toHaveLength(1)
    expect(manual.pendingTimers()).toBe(0)
  })

  test('an older page is told so', () => {
    const { last, events } = scene()
    last().open()
    last().receive({ ...JOINED, protocol: 2 })
    expect(events).toMatchObject([{ type: 'failed', problem: { code: 'protocol_mismatch' } }])
  })

  test('gives up when nobody is there', async () => {
    const { manual, last, events } = scene()
    for (let second = 0; second < 20; second += 1) {
      if (!last().isClosed) last().break()
      await manual.advance(1_000)
    }
    expect(events).toMatchObject([{ type: 'failed', problem: { code: 'unreachable' } }])
    expect(manual.pendingTimers()).toBe(0)
  })

  test('gives up when somebody is there and says nothing', async () => {
    const { manual, events } = scene()
    await manual.advance(60_000)
    expect(events).toMatchObject([{ type: 'failed', problem: { code: 'unreachable' } }])
  })
})

describe('a network that breaks', () => {
  test('is bridged: the call goes on where it was, and nothing is told twice', async () => {
    const { manual, join, events, names, last, channel } = scene()
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

  test('keeps what was typed meanwhile and lets sound go', async () => {
    const { manual, join, last, channel } = scene()
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

  test('loses nothing that went to it before it was noticed, and doubles nothing that had arrived', async () => {
    const { manual, join, texts, channel, names } = scene()
    const first = join()
    channel.send({ type: 'typed', text: 'one' })
    first.receive({ type: 'pong', id: 1, received: 1 })
    channel.send({ type: 'recognised', utteranceId: 'u', text: 'tw', stage: 'interim' })
    channel.send({ type: 'recognised', utteranceId: 'u', text: 'two', stage: 'final' })
    channel.send({ type: 'typed', text: 'three' })
    await manual.advance(6_250)
    expect(names().at(-1)).toBe('reconnecting')
    channel.send({ type: 'typed', text: 'four' })
    // The second had arrived; its answer had not.
    join({ received: 2 })
    expect(texts()).toEqual(['three', 'four'])
    // Broken again before any of it had arrived.
    await manual.advance(6_250)
    join({ received: 2 })
    expect(texts()).toEqual(['three', 'four'])
    await manual.advance(6_250)
    join({ received: 4 })
    expect(texts()).toEqual([])
  })

  test('is counted on by a page that was loaded again from where the page before had come', async () => {
    const { manual, join, texts, channel } = scene({ type: 'resume', resumeToken: 'resume_0' })
    join({ received: 7 })
    channel.send({ type: 'typed', text: 'eight' })
    channel.send({ type: 'typed', text: 'nine' })
    await manual.advance(6_250)
    join({ received: 8 })
    expect(texts()).toEqual(['nine'])
  })

  test('may be answered when it is told of: what is said then is said once, and who leaves is gone', async () => {
    const typing = scene(JOIN, ({ type }) => {
      if (type === 'reconnected') typing.channel.send({ type: 'typed', text: 'back' })
    })
    typing.join().break()
    typing.channel.send({ type: 'typed', text: 'first' })
    await typing.manual.advance(250)
    typing.join()
    expect(typing.texts()).toEqual(['first', 'back'])

    const leaving = scene(JOIN, ({ type }) => {
      if (type === 'reconnected') leaving.channel.leave()
    })
    leaving.join().break()
    await leaving.manual.advance(250)
    leaving.join()
    expect(leaving.manual.pendingTimers()).toBe(0)
  })

  test('keeps no more than a server takes, and counts on', async () => {
    const { manual, join, texts, channel } = scene()
    const first = join()
    for (let count = 1; count <= 250; count += 1) channel.send({ type: 'typed', text: `${count}` })
    expect(texts()).toHaveLength(200)
    first.receive({ type: 'pong', id: 1, received: 200 })
    channel.send({ type: 'typed', text: 'next' })
    await manual.advance(6_250)
    join({ received: 200 })
    expect(texts()).toEqual(['next'])
  })

  test('is noticed when nothing comes any more', async () => {
    const { manual, join, names } = scene()
    join()
    await manual.advance(3_999)
    expect(names()).toEqual(['joined'])
    await manual.advance(1)
    expect(names()).toEqual(['joined', 'reconnecting'])
  })

  test('is noticed sooner when the browser tells of a change', async () => {
    const { manual, join, names, last, channel } = scene()
    join().receive({ type: 'pong', id: 1, received: 0 })
    channel.check()
    await manual.advance(1_500)
    expect(names().at(-1)).toBe('reconnecting')
    // And when it tells that there is one again, nothing is waited for.
    last().break()
    await manual.advance(250)
    last().break()
    const before = last()
    channel.check()
    expect(last()).not.toBe(before)
  })

  test('ends the call after fifteen seconds', async () => {
    const { manual, join, last, events } = scene()
    join().break()
    for (let second = 0; second < 20; second += 1) {
      await manual.advance(1_000)
      if (!last().isClosed) last().break()
    }
    expect(events.at(-1)).toMatchObject({ type: 'failed', problem: { code: 'connection_lost' } })
    expect(manual.pendingTimers()).toBe(0)
  })

  test('ends it too when the server does not know the call any more', async () => {
    const { manual, join, last, events } = scene()
    join().break()
    await manual.advance(250)
    last().open()
    last().receive({ type: 'refused', code: 'token_invalid', message: '', retry: false })
    expect(events.at(-1)).toMatchObject({ type: 'failed', problem: { code: 'connection_lost' } })
  })
})

describe('while it stands', () => {
  test('a line that answers stays, and its round trip is told', async () => {
    const { manual, join, events, last } = scene()
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

  test('sound is handed on with its whole number', () => {
    const { join, events } = scene()
    const socket = join()
    const starts = [2 ** 30, 2 ** 31, 3 * 2 ** 30, 2 ** 32 + 5]
    for (const start of starts) socket.receiveRaw(encodeAudioFrame(start, Int16Array.of(7)))
    expect(events.slice(1)).toEqual(
      starts.map((startSample) => ({ type: 'audio', startSample, samples: Int16Array.of(7) })),
    )
  })

  test('garbage is left out', () => {
    const { join, names } = scene()
    const socket = join()
    for (const data of ['{', '{"type":"new"}', new ArrayBuffer(3), 7, null]) socket.receiveRaw(data)
    expect(names()).toEqual(['joined'])
  })

  test('sound that cannot keep up is dropped', async () => {
    const { manual, join, channel } = scene()
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

  test('a page that stood still sends all that was captured meanwhile', async () => {
    const { manual, join, channel } = scene()
    const socket = join()
    await manual.advance(2_500)
    for (let index = 0; index < 125; index += 1) {
      channel.sendAudio(index * 320, new Int16Array(320))
      // It is told in a later task that any of it is on its way.
      socket.bufferedAmount += 644
    }
    expect(socket.audioFrames).toHaveLength(125)
  })

  test('the end of the call is the last thing told', async () => {
    const { manual, join, events, channel } = scene()
    const socket = join()
    socket.receive({ type: 'ended', reason: 'agent_hangup' })
    socket.receive(caption(9))
    socket.break()
    channel.leave()
    await manual.advance(60_000)
    expect(events.at(-1)).toEqual({ type: 'ended', reason: 'agent_hangup' })
    expect(manual.pendingTimers()).toBe(0)
  })

  test('leaving says so and leaves nothing behind', async () => {
    const { manual, join, names, channel } = scene()
    const socket = join()
    channel.leave()
    expect(socket.sent.at(-1)).toEqual({ type: 'leave' })
    expect(socket.isClosed).toBe(true)
    expect(manual.pendingTimers()).toBe(0)
    expect(names()).toEqual(['joined'])
  })
})
