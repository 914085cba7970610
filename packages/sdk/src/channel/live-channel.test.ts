import { describe, expect, test } from 'vitest'
import { encodeAudioFrame } from './audio-frame.ts'
import { JOIN, JOINED, openTestChannel } from './fake-socket-test-kit.ts'
import { calculateBackoffMs, RECONNECT_TIMEOUT_MS, SendBackpressure } from './live-channel.ts'

const createCaption = (seq: number) =>
  ({ type: 'caption', seq, id: `c${seq}`, role: 'agent', text: 'Hi', final: true, interrupted: false }) as const

describe('joining', () => {
  test('sends the entry message and reports the join', () => {
    const { join, events, channel } = openTestChannel()
    const socket = join()
    expect(socket.binaryType).toBe('arraybuffer')
    expect(socket.sent[0]).toEqual(JOIN)
    expect(events).toEqual([{ type: 'joined', message: JOINED }])
    expect(channel.resumeToken).toBe('resume_1')
  })

  test('retries if the server allows it', async () => {
    const { manual, sockets, join, getEventTypes } = openTestChannel()
    sockets[0]?.open()
    sockets[0]?.receive({ type: 'refused', code: 'held_elsewhere', message: '', retry: true })
    await manual.advance(250)
    expect(sockets).toHaveLength(2)
    join()
    expect(getEventTypes()).toEqual(['joined'])
  })

  test.each([
    ['token_used', 'token_used'],
    ['concurrency_limit_reached', 'call_full'],
    ['invalid_message', 'protocol_mismatch'],
    ['something_new', 'refused'],
  ])('reports a refusal with %s once as %s', async (code, problem) => {
    const { manual, getSocket, events, sockets } = openTestChannel()
    getSocket().open()
    getSocket().receive({ type: 'refused', code, message: 'The sentence.', retry: false })
    getSocket().break()
    await manual.advance(60_000)
    expect(events).toMatchObject([{ type: 'failed', problem: { code: problem } }])
    expect(sockets).toHaveLength(1)
    expect(manual.countPendingTimers()).toBe(0)
  })

  test('reports a protocol mismatch', () => {
    const { getSocket, events } = openTestChannel()
    getSocket().open()
    getSocket().receive({ ...JOINED, protocol: 2 })
    expect(events).toMatchObject([{ type: 'failed', problem: { code: 'protocol_mismatch' } }])
  })

  test('fails if connections fail', async () => {
    const { manual, getSocket, events } = openTestChannel()
    for (let second = 0; second < 20; second += 1) {
      if (!getSocket().isClosed) getSocket().break()
      await manual.advance(1_000)
    }
    expect(events).toMatchObject([{ type: 'failed', problem: { code: 'unreachable' } }])
    expect(manual.countPendingTimers()).toBe(0)
  })

  test('fails if the server does not respond', async () => {
    const { manual, events } = openTestChannel()
    await manual.advance(60_000)
    expect(events).toMatchObject([{ type: 'failed', problem: { code: 'unreachable' } }])
  })
})

describe('a broken connection', () => {
  test('resumes without repeating messages', async () => {
    const { manual, join, events, getEventTypes, getSocket, channel } = openTestChannel()
    const firstSocket = join()
    firstSocket.receive(createCaption(1))
    firstSocket.receive(createCaption(2))
    firstSocket.break()
    expect(getEventTypes().at(-1)).toBe('reconnecting')
    await manual.advance(250)
    getSocket().open()
    expect(getSocket().sent).toEqual([{ type: 'resume', protocol: 1, resumeToken: 'resume_1', lastSeq: 2 }])
    getSocket().receive({ ...JOINED, resumeToken: 'resume_2' })
    for (const seq of [1, 2, 3]) getSocket().receive(createCaption(seq))
    expect(getEventTypes()).toEqual([
      'joined',
      'message',
      'message',
      'reconnecting',
      'joined',
      'reconnected',
      'message',
    ])
    expect(events.at(-1)).toEqual({ type: 'message', message: createCaption(3) })
    expect(channel.resumeToken).toBe('resume_2')
  })

  test('keeps messages and drops audio', async () => {
    const { manual, join, getSocket, channel } = openTestChannel()
    join().break()
    channel.send({ type: 'typed', text: 'Hello?' })
    channel.send({ type: 'muted', muted: true })
    channel.send({ type: 'position', playedSamples: 1, capturedSamples: 1 })
    channel.send({ type: 'recognised', utteranceId: 'u', text: 'He', stage: 'interim' })
    channel.send({ type: 'recognised', utteranceId: 'u', text: 'Hello', stage: 'final' })
    channel.sendAudio(0, new Int16Array(320))
    await manual.advance(250)
    getSocket().open()
    getSocket().receive(JOINED)
    expect(
      getSocket()
        .sent.slice(1)
        .filter(({ type }) => type !== 'ping'),
    ).toEqual([
      { type: 'muted', muted: true },
      { type: 'typed', text: 'Hello?' },
      { type: 'recognised', utteranceId: 'u', text: 'Hello', stage: 'final' },
    ])
    expect(getSocket().audioFrames).toEqual([])
  })

  test('sends unconfirmed messages again and confirmed ones only once', async () => {
    const { manual, join, getSentTexts, channel, getEventTypes } = openTestChannel()
    const firstSocket = join()
    channel.send({ type: 'typed', text: 'one' })
    firstSocket.receive({ type: 'pong', id: 1, received: 1 })
    channel.send({ type: 'recognised', utteranceId: 'u', text: 'tw', stage: 'interim' })
    channel.send({ type: 'recognised', utteranceId: 'u', text: 'two', stage: 'final' })
    channel.send({ type: 'typed', text: 'three' })
    await manual.advance(6_250)
    expect(getEventTypes().at(-1)).toBe('reconnecting')
    channel.send({ type: 'typed', text: 'four' })
    // The server received the second message, but its confirmation was lost.
    join({ received: 2 })
    expect(getSentTexts()).toEqual(['three', 'four'])
    // The connection breaks again before any message arrived.
    await manual.advance(6_250)
    join({ received: 2 })
    expect(getSentTexts()).toEqual(['three', 'four'])
    await manual.advance(6_250)
    join({ received: 4 })
    expect(getSentTexts()).toEqual([])
  })

  test('continues the message count after a page reload', async () => {
    const { manual, join, getSentTexts, channel } = openTestChannel({ type: 'resume', resumeToken: 'resume_0' })
    join({ received: 7 })
    channel.send({ type: 'typed', text: 'eight' })
    channel.send({ type: 'typed', text: 'nine' })
    await manual.advance(6_250)
    join({ received: 8 })
    expect(getSentTexts()).toEqual(['nine'])
  })

  test('allows sending and leaving from the reconnected event', async () => {
    const typingSetup = openTestChannel(JOIN, ({ type }) => {
      if (type === 'reconnected') typingSetup.channel.send({ type: 'typed', text: 'back' })
    })
    typingSetup.join().break()
    typingSetup.channel.send({ type: 'typed', text: 'first' })
    await typingSetup.manual.advance(250)
    typingSetup.join()
    expect(typingSetup.getSentTexts()).toEqual(['first', 'back'])

    const leavingSetup = openTestChannel(JOIN, ({ type }) => {
      if (type === 'reconnected') leavingSetup.channel.leave()
    })
    leavingSetup.join().break()
    await leavingSetup.manual.advance(250)
    leavingSetup.join()
    expect(leavingSetup.manual.countPendingTimers()).toBe(0)
  })

  test('keeps only as many messages as a server accepts', async () => {
    const { manual, join, getSentTexts, channel } = openTestChannel()
    const firstSocket = join()
    for (let count = 1; count <= 250; count += 1) channel.send({ type: 'typed', text: `${count}` })
    expect(getSentTexts()).toHaveLength(200)
    firstSocket.receive({ type: 'pong', id: 1, received: 200 })
    channel.send({ type: 'typed', text: 'next' })
    await manual.advance(6_250)
    join({ received: 200 })
    expect(getSentTexts()).toEqual(['next'])
  })

  test('is detected by silence', async () => {
    const { manual, join, getEventTypes } = openTestChannel()
    join()
    await manual.advance(3_999)
    expect(getEventTypes()).toEqual(['joined'])
    await manual.advance(1)
    expect(getEventTypes()).toEqual(['joined', 'reconnecting'])
  })

  test('is detected sooner after a network change', async () => {
    const { manual, join, getEventTypes, getSocket, channel } = openTestChannel()
    join().receive({ type: 'pong', id: 1, received: 0 })
    channel.check()
    await manual.advance(1_500)
    expect(getEventTypes().at(-1)).toBe('reconnecting')
    // A restored network triggers a connection attempt immediately.
    getSocket().break()
    await manual.advance(250)
    getSocket().break()
    const previousSocket = getSocket()
    channel.check()
    expect(getSocket()).not.toBe(previousSocket)
  })

  test('ends the call after 15 seconds', async () => {
    const { manual, join, getSocket, events } = openTestChannel()
    join().break()
    for (let second = 0; second < 20; second += 1) {
      await manual.advance(1_000)
      if (!getSocket().isClosed) getSocket().break()
    }
    expect(events.at(-1)).toMatchObject({ type: 'failed', problem: { code: 'connection_lost' } })
    expect(manual.countPendingTimers()).toBe(0)
  })

  test('ends the call if the server no longer knows it', async () => {
    const { manual, join, getSocket, events } = openTestChannel()
    join().break()
    await manual.advance(250)
    getSocket().open()
    getSocket().receive({ type: 'refused', code: 'token_invalid', message: '', retry: false })
    expect(events.at(-1)).toMatchObject({ type: 'failed', problem: { code: 'connection_lost' } })
  })
})

describe('an open connection', () => {
  test('stays open while pings are answered and reports round trips', async () => {
    const { manual, join, events, getSocket } = openTestChannel()
    const socket = join()
    for (let round = 0; round < 30; round += 1) {
      await manual.advance(100)
      const ping = getSocket().sent.findLast((message) => message.type === 'ping')
      if (ping?.type === 'ping') socket.receive({ type: 'pong', id: ping.id, received: 0 })
      await manual.advance(1_900)
    }
    expect(events.filter(({ type }) => type === 'reconnecting')).toEqual([])
    expect(events[1]).toEqual({ type: 'round-trip', durationMs: 100 })
  })

  test('delivers audio with full sample numbers', () => {
    const { join, events } = openTestChannel()
    const socket = join()
    const startSamples = [2 ** 30, 2 ** 31, 3 * 2 ** 30, 2 ** 32 + 5]
    for (const startSample of startSamples) socket.receiveRaw(encodeAudioFrame(startSample, Int16Array.of(7)))
    expect(events.slice(1)).toEqual(
      startSamples.map((startSample) => ({ type: 'audio', startSample, samples: Int16Array.of(7) })),
    )
  })

  test('ignores invalid data', () => {
    const { join, getEventTypes } = openTestChannel()
    const socket = join()
    for (const data of ['{', '{"type":"new"}', new ArrayBuffer(3), 7, null]) socket.receiveRaw(data)
    expect(getEventTypes()).toEqual(['joined'])
  })

  test('drops audio while the socket is congested', async () => {
    const { manual, join, channel } = openTestChannel()
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
    const { manual, join, channel } = openTestChannel()
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
    const { manual, join, events, channel } = openTestChannel()
    const socket = join()
    socket.receive({ type: 'ended', reason: 'agent_hangup' })
    socket.receive(createCaption(9))
    socket.break()
    channel.leave()
    await manual.advance(60_000)
    expect(events.at(-1)).toEqual({ type: 'ended', reason: 'agent_hangup' })
    expect(manual.countPendingTimers()).toBe(0)
  })

  test('sends a leave message and releases everything on leave', async () => {
    const { manual, join, getEventTypes, channel } = openTestChannel()
    const socket = join()
    channel.leave()
    expect(socket.sent.at(-1)).toEqual({ type: 'leave' })
    expect(socket.isClosed).toBe(true)
    expect(manual.countPendingTimers()).toBe(0)
    expect(getEventTypes()).toEqual(['joined'])
  })
})

test('increases the delays up to the reconnect timeout', () => {
  const delays: number[] = []
  let lostForMs = 0
  for (let attempt = 0; ; attempt += 1) {
    const backoffMs = calculateBackoffMs(attempt, lostForMs)
    if (backoffMs === null) break
    delays.push(backoffMs)
    lostForMs += backoffMs
  }
  expect(delays).toEqual([250, 500, 1_000, 2_000, 2_000, 2_000, 2_000, 2_000, 2_000, 1_250])
  expect(lostForMs).toBe(RECONNECT_TIMEOUT_MS)
})

test('reports congestion after 250 ms and until the buffer has drained', () => {
  const backpressure = new SendBackpressure()
  const cases: readonly (readonly [nowMs: number, bufferedBytes: number, shouldDrop: boolean])[] = [
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
  expect(cases.map(([nowMs, bufferedBytes]) => backpressure.shouldDrop(bufferedBytes, nowMs))).toEqual(
    cases.map(([, , shouldDrop]) => shouldDrop),
  )
})

test('buffers less audio than a server accepts', () => {
  const backpressure = new SendBackpressure()
  const countMaxFrames = (frameBytes: number): number => {
    let frames = 0
    while (!backpressure.shouldDrop(frames * frameBytes, 0)) frames += 1
    return frames
  }
  for (const rateHz of [8_000, 16_000]) {
    const seconds = countMaxFrames(4 + (rateHz * 2) / 50) / 50
    expect(seconds).toBeGreaterThan(5)
    expect(seconds).toBeLessThan(19)
  }
})
