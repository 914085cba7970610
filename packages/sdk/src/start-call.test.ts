import { flushPromises } from '@parley/engine/testing/manual-clock'
import { describe, expect, test } from 'vitest'
import { buildLiveUrl } from './call-environment.ts'
import { JOINED } from './channel/fake-socket-test-kit.ts'
import type { JoinedMessage } from './channel/live-protocol.ts'
import { collectEvents, createFakePage } from './fake-page-test-kit.ts'
import { type StartCallOptions, startCallIn } from './start-call.ts'

const EVENTS =
  'call-started agent-speaking agent-silent user-speaking user-silent transcript agent node-transition tool latency ' +
  'reconnecting reconnected warning error ended'

const POSITION = { type: 'position', segmentStart: 0, isIdle: true, underruns: 0 } as const

function createScene() {
  const page = createFakePage()
  const { socket, manual } = page
  const start = (options: StartCallOptions) => startCallIn(page.environment(), options)
  return {
    ...page,
    start,
    async join(options: StartCallOptions = { accessToken: 'token' }, joined: Partial<JoinedMessage> = {}) {
      const starting = start(options)
      await flushPromises()
      socket().open()
      socket().receive({ ...JOINED, ...joined })
      const call = await starting
      const seen = collectEvents(call, EVENTS)
      await manual.advance(0)
      return { call, seen }
    },
  }
}

describe('startCall', () => {
  test('joins with the capabilities of the page and notifies later listeners', async () => {
    const { join, socket, actions } = createScene()
    const { call, seen } = await join()
    expect(socket().address).toBe('wss://voice.example.com/api/v1/calls/live')
    expect(socket().sent[0]).toEqual({
      type: 'join',
      protocol: 1,
      accessToken: 'token',
      rateHz: 16_000,
      recognition: false,
      echoCancellation: true,
    })
    expect(seen).toEqual(['call-started', { callId: 'call_1', agentName: 'Ada' }])
    expect(actions).toEqual(['resume', 'start 0 16000'])
    expect(call).toMatchObject({
      callId: 'call_1',
      agentName: 'Ada',
      recognition: 'server',
      muted: false,
      ended: false,
    })
  })

  test('resumes a call from another page with its elapsed samples', async () => {
    const { join, socket, actions } = createScene()
    await join({ resumeToken: 'resume_0' }, { elapsedMs: 12_345 })
    expect(socket().sent[0]).toEqual({ type: 'resume', protocol: 1, resumeToken: 'resume_0', lastSeq: 0 })
    expect(actions).toContain('start 197520 16000')
  })

  test('resumes at the rate of the call', async () => {
    const { join, socket, actions, audio, manual } = createScene()
    const { call } = await join({ resumeToken: 'resume_0' }, { rateHz: 8_000, elapsedMs: 1_000 })
    expect(actions).toEqual(['resume', 'start 8000 8000'])
    audio().onMessage({ ...POSITION, playedSamples: 800, capturedSamples: 8_800 })
    expect(socket().sent.at(-1)).toEqual({ type: 'position', playedSamples: 800, capturedSamples: 8_800 })
    await manual.advance(1_000)
    expect([call.ended, socket().sent.some(({ type }) => type === 'leave')]).toEqual([false, false])
  })

  test('rejects with the problem of a refusal and closes the audio', async () => {
    const { start, socket, actions, manual, state } = createScene()
    const starting = start({ accessToken: 'token' }).catch((error: unknown) => error)
    await flushPromises()
    socket().open()
    socket().receive({ type: 'refused', code: 'token_expired', message: '', retry: false })
    expect(await starting).toMatchObject({ name: 'CallProblem', code: 'token_expired', fix: expect.any(String) })
    expect(actions.at(-1)).toBe('close')
    expect([manual.pendingTimers(), state.isWatched]).toEqual([0, false])
  })

  test('requires a token', async () => {
    const { start, audio } = createScene()
    await expect(start({})).rejects.toMatchObject({ code: 'token_invalid' })
    expect(audio()).toBeNull()
  })

  test.each([
    ['http://127.0.0.1:4100/call/x', 'ws://127.0.0.1:4100/api/v1/calls/live'],
    ['https://voice.example.com', 'wss://voice.example.com/api/v1/calls/live'],
  ])('connects from %s to %s', (page, address) => {
    expect(buildLiveUrl(page)).toBe(address)
  })
})

describe('a call', () => {
  test('starts browser recognition when the server has no transcriber left', async () => {
    const { join, socket, state, started } = createScene()
    state.hasRecognizer = true
    await join({ accessToken: 'token' }, { recognition: 'server', language: 'de-DE' })
    expect(started).toEqual([])
    socket().receive({ type: 'warning', seq: 1, code: 'speech_not_recognised', message: 'Nobody listens.' })
    socket().receive({ type: 'warning', seq: 2, code: 'speech_not_recognised', message: 'Nobody listens.' })
    expect(started).toEqual(['de-DE'])
  })

  test("follows the agent's language unless the page chose one", async () => {
    const { join, socket, state, started } = createScene()
    state.hasRecognizer = true
    const { call } = await join({ accessToken: 'token' }, { recognition: 'browser', language: 'en-US' })
    socket().receive({ type: 'agent', seq: 1, agentName: 'Bill', language: 'de-DE' })
    expect(call.agentName).toBe('Bill')
    socket().receive({ type: 'agent', seq: 2, agentName: 'Ada', language: 'de-DE' })
    expect(started).toEqual(['en-US', 'de-DE'])
    const other = createScene()
    other.state.hasRecognizer = true
    await other.join({ accessToken: 'token', language: 'fr-FR' }, { recognition: 'browser' })
    other.socket().receive({ type: 'agent', seq: 1, agentName: 'Bill', language: 'de-DE' })
    expect(other.started).toEqual(['fr-FR'])
  })

  test('reports failed browser recognition until something is recognized', async () => {
    const { join, socket, state, recognizers } = createScene()
    state.hasRecognizer = true
    const { call, seen } = await join({ accessToken: 'token' }, { recognition: 'browser' })
    recognizers[0]?.onerror?.({ error: 'not-allowed' })
    expect(call.recognition).toBe('none')
    expect(socket().sent.at(-1)).toEqual({ type: 'recognition-failed' })
    expect(seen.slice(-2)).toEqual(['warning', expect.objectContaining({ code: 'recognition_unavailable' })])
    call.mute()
    call.unmute()
    const piece = { isFinal: true, length: 1, 0: { transcript: 'Hello', confidence: 0.9 } }
    recognizers[1]?.onresult?.({ resultIndex: 0, results: [piece] })
    expect(call.recognition).toBe('browser')
    expect(socket().sent.at(-1)).toMatchObject({ type: 'recognised', text: 'Hello', stage: 'final' })
  })

  test.each([
    [true, 'browser', undefined],
    [false, 'none', 'recognition-failed'],
  ] as const)(
    'uses browser recognition if available when the server has none: %s',
    async (can, recognition, message) => {
      const { join, socket, state, started } = createScene()
      state.hasRecognizer = can
      const { call } = await join({ accessToken: 'token' }, { recognition: 'server' })
      const before = socket().sent.length
      socket().receive({ type: 'warning', seq: 1, code: 'speech_not_recognised', message: 'Nobody listens.' })
      expect(call.recognition).toBe(recognition)
      expect(started).toHaveLength(can ? 1 : 0)
      expect(socket().sent[before]?.type).toBe(message)
    },
  )

  test('recognizes speech only with a microphone', async () => {
    const { join, socket, state, started } = createScene()
    state.hasRecognizer = true
    const { call } = await join({ accessToken: 'token', microphone: false }, { recognition: 'server' })
    expect(call.recognition).toBe('none')
    await call.setMicrophone('m1')
    expect(call.recognition).toBe('server')

    const typing = createScene()
    typing.state.hasRecognizer = true
    const other = await typing.join({ accessToken: 'token', microphone: false }, { recognition: 'server' })
    typing.socket().receive({ type: 'warning', seq: 1, code: 'speech_not_recognised', message: 'Nobody listens.' })
    expect(other.call.recognition).toBe('none')
    expect(typing.socket().sent.at(-1)).toEqual({ type: 'recognition-failed' })
    await other.call.setMicrophone('m1')
    expect([started, typing.started, socket().sent.at(-1)?.type]).toEqual([[], ['en-US'], 'ping'])
  })

  test('emits events', async () => {
    const { join, socket } = createScene()
    const { seen } = await join()
    seen.length = 0
    socket().receive({ type: 'state', agent: 'speaking', user: 'silent' })
    socket().receive({ type: 'state', agent: 'speaking', user: 'speaking' })
    socket().receive({ type: 'state', agent: 'paused', user: 'silent' })
    const sent = { id: 'c1', role: 'agent', text: 'Hello', final: false, interrupted: false } as const
    socket().receive({ type: 'caption', seq: 1, ...sent })
    socket().receive({ type: 'tool', seq: 2, name: 'look-up', phase: 'started' })
    socket().receive({ type: 'node-transition', seq: 3, nodeId: 'n', nodeName: 'Booking', path: ['c'] })
    socket().receive({ type: 'agent', seq: 4, agentName: 'Bill', language: '' })
    socket().receive({ type: 'warning', seq: 5, code: 'speech', message: 'Another voice speaks.' })
    socket().receive({ type: 'ended', reason: 'agent_hangup' })
    expect(seen).toEqual([
      ...['agent-speaking', {}, 'user-speaking', {}, 'agent-silent', {}, 'user-silent', {}],
      ...['transcript', sent],
      ...['tool', { name: 'look-up', phase: 'started' }],
      ...['node-transition', { nodeId: 'n', nodeName: 'Booking', path: ['c'] }],
      ...['agent', { agentName: 'Bill' }],
      ...['warning', { code: 'speech', message: 'Another voice speaks.' }],
      ...['ended', { reason: 'agent_hangup' }],
    ])
  })

  test('transmits audio in both directions and clears at once', async () => {
    const { join, socket, audio, actions } = createScene()
    await join()
    audio().onMessage({ type: 'captured', startSample: 320, samples: new Int16Array(320) })
    expect(socket().audioFrames.map(({ byteLength }) => byteLength)).toEqual([644])
    audio().onMessage({ ...POSITION, playedSamples: 640, capturedSamples: 700 })
    expect(socket().sent.at(-1)).toEqual({ type: 'position', playedSamples: 640, capturedSamples: 700 })
    socket().receive({ type: 'clear' })
    expect(actions.at(-1)).toBe('clear')
  })

  test('sends text, keys and mute', async () => {
    const { join, socket, actions } = createScene()
    const { call } = await join()
    call.type('  Hello  ')
    call.type('   ')
    call.sendDigits('1a#x')
    call.mute()
    call.mute()
    expect(
      socket()
        .sent.slice(1)
        .filter(({ type }) => type !== 'ping'),
    ).toEqual([
      { type: 'typed', text: 'Hello' },
      { type: 'dtmf', digit: '1' },
      { type: 'dtmf', digit: 'A' },
      { type: 'dtmf', digit: '#' },
      { type: 'muted', muted: true },
    ])
    expect(actions.filter((each) => each.startsWith('muted'))).toEqual(['muted true'])
  })

  test('releases everything on hang-up', async () => {
    const { join, socket, actions, manual, state } = createScene()
    const { call, seen } = await join()
    expect(state.isWatched).toBe(true)
    call.end()
    call.end()
    expect(socket().sent.at(-1)).toEqual({ type: 'leave' })
    expect(seen.slice(-2)).toEqual(['ended', { reason: 'user_hangup' }])
    expect([actions.filter((each) => each === 'close').length, state.isWatched, call.ended]).toEqual([1, false, true])
    await manual.advance(60_000)
    expect(manual.pendingTimers()).toBe(0)
  })

  test('emits error and ended when the connection is lost', async () => {
    const { join, socket, manual } = createScene()
    const { seen } = await join()
    for (let second = 0; second < 20; second += 1) {
      if (!socket().isClosed) socket().break()
      await manual.advance(1_000)
    }
    expect(seen.slice(2)).toEqual([
      'reconnecting',
      {},
      'error',
      expect.objectContaining({ code: 'connection_lost' }),
      'ended',
      { reason: 'connection_lost' },
    ])
  })

  test('warns about blocked playback', async () => {
    const { join, manual, state } = createScene()
    state.isRunning = false
    const { seen } = await join()
    await manual.advance(500)
    expect(seen.slice(-2)).toEqual(['warning', expect.objectContaining({ code: 'autoplay_blocked' })])
  })

  test('replaces a lost microphone, or continues without one', async () => {
    const { join, audio, actions, state } = createScene()
    const { seen } = await join()
    audio().onMicrophoneLost()
    await flushPromises()
    expect(actions.at(-1)).toBe('microphone null')
    state.hasMicrophone = false
    audio().onMicrophoneLost()
    await flushPromises()
    expect(seen.slice(-2)).toEqual(['warning', expect.objectContaining({ code: 'no_microphone' })])
  })

  test('emits nothing after its end', async () => {
    const { join, audio, state } = createScene()
    const { call, seen } = await join()
    state.hasMicrophone = false
    audio().onMicrophoneLost()
    call.end()
    await flushPromises()
    expect(seen.slice(-2)).toEqual(['ended', { reason: 'user_hangup' }])
  })
})
