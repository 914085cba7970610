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

function setUp() {
  const page = createFakePage()
  const { getSocket, manual } = page
  const start = (options: StartCallOptions) => startCallIn(page.createEnvironment(), options)
  return {
    ...page,
    start,
    async join(options: StartCallOptions = { accessToken: 'token' }, joined: Partial<JoinedMessage> = {}) {
      const pendingCall = start(options)
      await flushPromises()
      getSocket().open()
      getSocket().receive({ ...JOINED, ...joined })
      const call = await pendingCall
      const events = collectEvents(call, EVENTS)
      await manual.advance(0)
      return { call, events }
    },
  }
}

describe('startCall', () => {
  test('joins with the capabilities of the page and notifies later listeners', async () => {
    const { join, getSocket, actions } = setUp()
    const { call, events } = await join()
    expect(getSocket().address).toBe('wss://voice.example.com/api/v1/calls/live')
    expect(getSocket().sent[0]).toEqual({
      type: 'join',
      protocol: 1,
      accessToken: 'token',
      rateHz: 16_000,
      recognition: false,
      echoCancellation: true,
    })
    expect(events).toEqual(['call-started', { callId: 'call_1', agentName: 'Ada' }])
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
    const { join, getSocket, actions } = setUp()
    await join({ resumeToken: 'resume_0' }, { elapsedMs: 12_345 })
    expect(getSocket().sent[0]).toEqual({ type: 'resume', protocol: 1, resumeToken: 'resume_0', lastSeq: 0 })
    expect(actions).toContain('start 197520 16000')
  })

  test('resumes at the rate of the call', async () => {
    const { join, getSocket, actions, getAudioOptions, manual } = setUp()
    const { call } = await join({ resumeToken: 'resume_0' }, { rateHz: 8_000, elapsedMs: 1_000 })
    expect(actions).toEqual(['resume', 'start 8000 8000'])
    getAudioOptions().onMessage({ ...POSITION, playedSamples: 800, capturedSamples: 8_800 })
    expect(getSocket().sent.at(-1)).toEqual({ type: 'position', playedSamples: 800, capturedSamples: 8_800 })
    await manual.advance(1_000)
    expect([call.ended, getSocket().sent.some(({ type }) => type === 'leave')]).toEqual([false, false])
  })

  test('rejects when the server refuses the call, and closes the audio', async () => {
    const { start, getSocket, actions, manual, state } = setUp()
    const pendingCall = start({ accessToken: 'token' }).catch((error: unknown) => error)
    await flushPromises()
    getSocket().open()
    getSocket().receive({ type: 'refused', code: 'token_expired', message: '', retry: false })
    expect(await pendingCall).toMatchObject({ name: 'CallProblem', code: 'token_expired', fix: expect.any(String) })
    expect(actions.at(-1)).toBe('close')
    expect([manual.countPendingTimers(), state.isWatched]).toEqual([0, false])
  })

  test('requires a token', async () => {
    const { start, getAudioOptions } = setUp()
    await expect(start({})).rejects.toMatchObject({ code: 'token_invalid' })
    expect(getAudioOptions()).toBeNull()
  })

  test.each([
    ['http://127.0.0.1:4100/call/x', 'ws://127.0.0.1:4100/api/v1/calls/live'],
    ['https://voice.example.com', 'wss://voice.example.com/api/v1/calls/live'],
  ])('connects from %s to %s', (page, address) => {
    expect(buildLiveUrl(page)).toBe(address)
  })
})

describe('a call', () => {
  test('starts browser recognition when the server can no longer transcribe', async () => {
    const { join, getSocket, state, startedLanguages } = setUp()
    state.hasRecognizer = true
    await join({ accessToken: 'token' }, { recognition: 'server', language: 'de-DE' })
    expect(startedLanguages).toEqual([])
    getSocket().receive({ type: 'warning', seq: 1, code: 'speech_not_recognised', message: 'No transcriber.' })
    getSocket().receive({ type: 'warning', seq: 2, code: 'speech_not_recognised', message: 'No transcriber.' })
    expect(startedLanguages).toEqual(['de-DE'])
  })

  test("follows the agent's language unless the page chose one", async () => {
    const { join, getSocket, state, startedLanguages } = setUp()
    state.hasRecognizer = true
    const { call } = await join({ accessToken: 'token' }, { recognition: 'browser', language: 'en-US' })
    getSocket().receive({ type: 'agent', seq: 1, agentName: 'Bill', language: 'de-DE' })
    expect(call.agentName).toBe('Bill')
    getSocket().receive({ type: 'agent', seq: 2, agentName: 'Ada', language: 'de-DE' })
    expect(startedLanguages).toEqual(['en-US', 'de-DE'])
    const otherPage = setUp()
    otherPage.state.hasRecognizer = true
    await otherPage.join({ accessToken: 'token', language: 'fr-FR' }, { recognition: 'browser' })
    otherPage.getSocket().receive({ type: 'agent', seq: 1, agentName: 'Bill', language: 'de-DE' })
    expect(otherPage.startedLanguages).toEqual(['fr-FR'])
  })

  test('reports failed browser recognition until something is recognized', async () => {
    const { join, getSocket, state, recognizers } = setUp()
    state.hasRecognizer = true
    const { call, events } = await join({ accessToken: 'token' }, { recognition: 'browser' })
    recognizers[0]?.onerror?.({ error: 'not-allowed' })
    expect(call.recognition).toBe('none')
    expect(getSocket().sent.at(-1)).toEqual({ type: 'recognition-failed' })
    expect(events.slice(-2)).toEqual(['warning', expect.objectContaining({ code: 'recognition_unavailable' })])
    call.mute()
    call.unmute()
    const result = { isFinal: true, length: 1, 0: { transcript: 'Hello', confidence: 0.9 } }
    recognizers[1]?.onresult?.({ resultIndex: 0, results: [result] })
    expect(call.recognition).toBe('browser')
    expect(getSocket().sent.at(-1)).toMatchObject({ type: 'recognised', text: 'Hello', stage: 'final' })
  })

  test.each([
    [true, 'browser', undefined],
    [false, 'none', 'recognition-failed'],
  ] as const)(
    'falls back to browser recognition if it is available (%s)',
    async (isAvailable, recognition, message) => {
      const { join, getSocket, state, startedLanguages } = setUp()
      state.hasRecognizer = isAvailable
      const { call } = await join({ accessToken: 'token' }, { recognition: 'server' })
      const sentCount = getSocket().sent.length
      getSocket().receive({ type: 'warning', seq: 1, code: 'speech_not_recognised', message: 'No transcriber.' })
      expect(call.recognition).toBe(recognition)
      expect(startedLanguages).toHaveLength(isAvailable ? 1 : 0)
      expect(getSocket().sent[sentCount]?.type).toBe(message)
    },
  )

  test('recognizes speech only with a microphone', async () => {
    const { join, getSocket, state, startedLanguages } = setUp()
    state.hasRecognizer = true
    const { call } = await join({ accessToken: 'token', microphone: false }, { recognition: 'server' })
    expect(call.recognition).toBe('none')
    await call.setMicrophone('m1')
    expect(call.recognition).toBe('server')

    const typingPage = setUp()
    typingPage.state.hasRecognizer = true
    const typingCall = await typingPage.join({ accessToken: 'token', microphone: false }, { recognition: 'server' })
    typingPage
      .getSocket()
      .receive({ type: 'warning', seq: 1, code: 'speech_not_recognised', message: 'No transcriber.' })
    expect(typingCall.call.recognition).toBe('none')
    expect(typingPage.getSocket().sent.at(-1)).toEqual({ type: 'recognition-failed' })
    await typingCall.call.setMicrophone('m1')
    expect([startedLanguages, typingPage.startedLanguages, getSocket().sent.at(-1)?.type]).toEqual([
      [],
      ['en-US'],
      'ping',
    ])
  })

  test('emits events', async () => {
    const { join, getSocket } = setUp()
    const { events } = await join()
    events.length = 0
    getSocket().receive({ type: 'state', agent: 'speaking', user: 'silent' })
    getSocket().receive({ type: 'state', agent: 'speaking', user: 'speaking' })
    getSocket().receive({ type: 'state', agent: 'paused', user: 'silent' })
    const caption = { id: 'c1', role: 'agent', text: 'Hello', final: false, interrupted: false } as const
    getSocket().receive({ type: 'caption', seq: 1, ...caption })
    getSocket().receive({ type: 'tool', seq: 2, name: 'look-up', phase: 'started' })
    getSocket().receive({ type: 'node-transition', seq: 3, nodeId: 'n', nodeName: 'Booking', path: ['c'] })
    getSocket().receive({ type: 'agent', seq: 4, agentName: 'Bill', language: '' })
    getSocket().receive({ type: 'warning', seq: 5, code: 'speech', message: 'Another voice speaks.' })
    getSocket().receive({ type: 'ended', reason: 'agent_hangup' })
    expect(events).toEqual([
      ...['agent-speaking', {}, 'user-speaking', {}, 'agent-silent', {}, 'user-silent', {}],
      ...['transcript', caption],
      ...['tool', { name: 'look-up', phase: 'started' }],
      ...['node-transition', { nodeId: 'n', nodeName: 'Booking', path: ['c'] }],
      ...['agent', { agentName: 'Bill' }],
      ...['warning', { code: 'speech', message: 'Another voice speaks.' }],
      ...['ended', { reason: 'agent_hangup' }],
    ])
  })

  test('sends and plays audio, and clears playback immediately', async () => {
    const { join, getSocket, getAudioOptions, actions } = setUp()
    await join()
    getAudioOptions().onMessage({ type: 'captured', startSample: 320, samples: new Int16Array(320) })
    expect(getSocket().audioFrames.map(({ byteLength }) => byteLength)).toEqual([644])
    getAudioOptions().onMessage({ ...POSITION, playedSamples: 640, capturedSamples: 700 })
    expect(getSocket().sent.at(-1)).toEqual({ type: 'position', playedSamples: 640, capturedSamples: 700 })
    getSocket().receive({ type: 'clear' })
    expect(actions.at(-1)).toBe('clear')
    getSocket().receive({ type: 'gain', db: -6, rampMs: 60 })
    expect(actions.at(-1)).toBe('gain -6 in 60')
  })

  test('sends text, keys and mute', async () => {
    const { join, getSocket, actions } = setUp()
    const { call } = await join()
    call.type('  Hello  ')
    call.type('   ')
    call.sendDigits('1a#x')
    call.mute()
    call.mute()
    expect(
      getSocket()
        .sent.slice(1)
        .filter(({ type }) => type !== 'ping'),
    ).toEqual([
      { type: 'typed', text: 'Hello' },
      { type: 'dtmf', digit: '1' },
      { type: 'dtmf', digit: 'A' },
      { type: 'dtmf', digit: '#' },
      { type: 'muted', muted: true },
    ])
    expect(actions.filter((action) => action.startsWith('muted'))).toEqual(['muted true'])
  })

  test('releases everything on hang-up', async () => {
    const { join, getSocket, actions, manual, state } = setUp()
    const { call, events } = await join()
    expect(state.isWatched).toBe(true)
    call.end()
    call.end()
    expect(getSocket().sent.at(-1)).toEqual({ type: 'leave' })
    expect(events.slice(-2)).toEqual(['ended', { reason: 'user_hangup' }])
    expect([actions.filter((action) => action === 'close').length, state.isWatched, call.ended]).toEqual([
      1,
      false,
      true,
    ])
    await manual.advance(60_000)
    expect(manual.countPendingTimers()).toBe(0)
  })

  test('emits error and ended when the connection is lost', async () => {
    const { join, getSocket, manual } = setUp()
    const { events } = await join()
    for (let second = 0; second < 20; second += 1) {
      if (!getSocket().isClosed) getSocket().break()
      await manual.advance(1_000)
    }
    expect(events.slice(2)).toEqual([
      'reconnecting',
      {},
      'error',
      expect.objectContaining({ code: 'connection_lost' }),
      'ended',
      { reason: 'connection_lost' },
    ])
  })

  test('warns about blocked playback', async () => {
    const { join, manual, state } = setUp()
    state.isRunning = false
    const { events } = await join()
    await manual.advance(500)
    expect(events.slice(-2)).toEqual(['warning', expect.objectContaining({ code: 'autoplay_blocked' })])
  })

  test('warns about a missing loudspeaker after the user has interacted', async () => {
    const { join, manual, state } = setUp()
    state.isRunning = false
    state.isPlaybackAllowed = true
    const { events } = await join()
    await manual.advance(4_499)
    expect(events).not.toContain('warning')
    await manual.advance(1)
    expect(events.slice(-2)).toEqual(['warning', expect.objectContaining({ code: 'speaker_not_available' })])
  })

  test('replaces a lost microphone, or continues without one', async () => {
    const { join, getAudioOptions, actions, state } = setUp()
    const { events } = await join()
    getAudioOptions().onMicrophoneLost()
    await flushPromises()
    expect(actions.at(-1)).toBe('microphone null')
    state.hasMicrophone = false
    getAudioOptions().onMicrophoneLost()
    await flushPromises()
    expect(events.slice(-2)).toEqual(['warning', expect.objectContaining({ code: 'no_microphone' })])
  })

  test('emits nothing after it has ended', async () => {
    const { join, getAudioOptions, state } = setUp()
    const { call, events } = await join()
    state.hasMicrophone = false
    getAudioOptions().onMicrophoneLost()
    call.end()
    await flushPromises()
    expect(events.slice(-2)).toEqual(['ended', { reason: 'user_hangup' }])
  })
})
