import { manualClock, settle } from '@parley/engine/testing/manual-clock'
import { describe, expect, test } from 'vitest'
import type { CallAudioOptions } from './audio/call-audio.ts'
import type { AudioPort, Call } from './call.ts'
import { liveAddress } from './call-environment.ts'
import type { CallEvents } from './call-events.ts'
import { CallProblem } from './call-problem.ts'
import { FakeSocket, JOINED } from './channel/fake-socket-test-kit.ts'
import type { JoinedMessage } from './channel/live-protocol.ts'
import type { SpeechRecognizer } from './recognition.ts'
import { type StartCallOptions, startCallIn } from './start-call.ts'

const EVENTS: readonly (keyof CallEvents)[] = [
  'call-started',
  'agent-speaking',
  'agent-silent',
  'user-speaking',
  'user-silent',
  'transcript',
  'agent',
  'node-transition',
  'tool',
  'latency',
  'reconnecting',
  'reconnected',
  'warning',
  'error',
  'ended',
]

const POSITION = { type: 'position', segmentStart: 0, isIdle: true, underruns: 0 } as const

/** A page whose microphone, loudspeaker and network are the test's. */
function scene() {
  const manual = manualClock()
  const sockets: FakeSocket[] = []
  const did: string[] = []
  let audioOptions: CallAudioOptions | null = null
  let isWatched = false
  const started: string[] = []
  const recognizers: SpeechRecognizer[] = []
  const state = { isRunning: true, hasMicrophone: true, hasRecognizer: false }
  let track: MediaStreamTrack | null = null
  const audio: AudioPort & { readonly cancelsEcho: boolean } = {
    cancelsEcho: true,
    get track() {
      return track
    },
    get isRunning() {
      return state.isRunning
    },
    outputDelayMs: 0,
    output: {} as AudioNode,
    resume: () => did.push('resume'),
    start: (captureFrom, rateHz) => did.push(`begin ${captureFrom} ${rateHz}`),
    play: (startSample, samples) => did.push(`play ${startSample} ${samples.length}`),
    clear: () => did.push('clear'),
    setMuted: (muted) => did.push(`muted ${muted}`),
    setMicrophone: async (deviceId) => {
      if (!state.hasMicrophone) throw new CallProblem('no_microphone')
      did.push(`microphone ${deviceId}`)
      track = {} as MediaStreamTrack
    },
    setSpeaker: async (deviceId) => void did.push(`speaker ${deviceId}`),
    close: () => did.push('close'),
  }
  const start = (options: StartCallOptions) =>
    startCallIn(
      {
        clock: manual.clock,
        pageUrl: 'https://voice.example.com/call/call_1',
        language: 'en-GB',
        openAudio: async (given) => {
          audioOptions = given
          track = given.microphone === false ? null : ({} as MediaStreamTrack)
          return audio
        },
        openSocket: (address) => {
          const socket = new FakeSocket(address)
          sockets.push(socket)
          return socket
        },
        createRecognizer: !state.hasRecognizer
          ? null
          : () => {
              const recognizer: SpeechRecognizer = {
                lang: '',
                continuous: false,
                interimResults: false,
                maxAlternatives: 0,
                onresult: null,
                onerror: null,
                onend: null,
                start(this: { lang: string }) {
                  started.push(this.lang)
                },
                abort: () => undefined,
              }
              recognizers.push(recognizer)
              return recognizer
            },
        watch: () => {
          isWatched = true
          return () => {
            isWatched = false
          }
        },
      },
      options,
    )
  const socket = () => sockets.at(-1) as FakeSocket
  return {
    manual,
    sockets,
    socket,
    did,
    state,
    start,
    /** What the sound was opened with; `null` as long as it was not. */
    audio: () => audioOptions as CallAudioOptions,
    isWatched: () => isWatched,
    /** Languages in which the browser listens. */
    started,
    recognizers,
    async join(options: StartCallOptions = { accessToken: 'token' }, joined: Partial<JoinedMessage> = {}) {
      const starting = start(options)
      await settle()
      socket().open()
      socket().receive({ ...JOINED, ...joined })
      const call = await starting
      const seen = listen(call)
      await manual.advance(0)
      return { call, seen }
    },
  }
}

function listen(call: Call): unknown[] {
  const seen: unknown[] = []
  for (const name of EVENTS) call.on(name, (event) => seen.push(name, event))
  return seen
}

describe('starting', () => {
  test('joins with what the page has, and tells so to whoever listens afterwards', async () => {
    const { join, socket, did } = scene()
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
    expect(did).toEqual(['resume', 'begin 0 16000'])
    expect(call).toMatchObject({
      callId: 'call_1',
      agentName: 'Ada',
      recognition: 'server',
      muted: false,
      ended: false,
    })
  })

  test('goes on with a call from another page, its own sound counted from then', async () => {
    const { join, socket, did } = scene()
    await join({ resumeToken: 'resume_0' }, { elapsedMs: 12_345 })
    expect(socket().sent[0]).toEqual({ type: 'resume', protocol: 1, resumeToken: 'resume_0', lastSeq: 0 })
    expect(did).toContain('begin 197520 16000')
  })

  test('goes on at the rate that its call was joined at', async () => {
    const { join, socket, did, audio, manual } = scene()
    const { call } = await join({ resumeToken: 'resume_0' }, { rateHz: 8_000, elapsedMs: 1_000 })
    expect(did).toEqual(['resume', 'begin 8000 8000'])
    audio().onMessage({ ...POSITION, playedSamples: 800, capturedSamples: 8_800 })
    expect(socket().sent.at(-1)).toEqual({ type: 'position', playedSamples: 800, capturedSamples: 8_800 })
    await manual.advance(1_000)
    expect([call.ended, socket().sent.some(({ type }) => type === 'leave')]).toEqual([false, false])
  })

  test('a refusal is its problem, and the microphone is let go', async () => {
    const { start, socket, did, manual, isWatched } = scene()
    const starting = start({ accessToken: 'token' }).catch((error: unknown) => error)
    await settle()
    socket().open()
    socket().receive({ type: 'refused', code: 'token_expired', message: '', retry: false })
    expect(await starting).toMatchObject({ name: 'CallProblem', code: 'token_expired', fix: expect.any(String) })
    expect(did.at(-1)).toBe('close')
    expect([manual.pendingTimers(), isWatched()]).toEqual([0, false])
  })

  test('needs a token', async () => {
    const { start, audio } = scene()
    await expect(start({})).rejects.toMatchObject({ code: 'token_invalid' })
    expect(audio()).toBeNull()
  })

  test.each([
    ['http://127.0.0.1:4100/call/x', 'ws://127.0.0.1:4100/api/v1/calls/live'],
    ['https://voice.example.com', 'wss://voice.example.com/api/v1/calls/live'],
  ])('from %s calls %s', (page, address) => {
    expect(liveAddress(page)).toBe(address)
  })
})

describe('a call', () => {
  test('is listened to by the browser from when the server has no recogniser left', async () => {
    const { join, socket, state, started } = scene()
    state.hasRecognizer = true
    await join({ accessToken: 'token' }, { recognition: 'server', language: 'de-DE' })
    expect(started).toEqual([])
    socket().receive({ type: 'warning', seq: 1, code: 'speech_not_recognised', message: 'Nobody listens.' })
    socket().receive({ type: 'warning', seq: 2, code: 'speech_not_recognised', message: 'Nobody listens.' })
    expect(started).toEqual(['de-DE'])
  })

  test('listens for the language of the agent that takes over, unless the page chose one', async () => {
    const { join, socket, state, started } = scene()
    state.hasRecognizer = true
    const { call } = await join({ accessToken: 'token' }, { recognition: 'browser', language: 'en-US' })
    socket().receive({ type: 'agent', seq: 1, agentName: 'Bill', language: 'de-DE' })
    expect(call.agentName).toBe('Bill')
    socket().receive({ type: 'agent', seq: 2, agentName: 'Ada', language: 'de-DE' })
    expect(started).toEqual(['en-US', 'de-DE'])
    const other = scene()
    other.state.hasRecognizer = true
    await other.join({ accessToken: 'token', language: 'fr-FR' }, { recognition: 'browser' })
    other.socket().receive({ type: 'agent', seq: 1, agentName: 'Bill', language: 'de-DE' })
    expect(other.started).toEqual(['fr-FR'])
  })

  test('tells the server that the browser cannot recognise speech, until it recognises something', async () => {
    const { join, socket, state, recognizers } = scene()
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
    'where the server has no ears left the browser listens, if it can: %s',
    async (can, recognition, told) => {
      const { join, socket, state, started } = scene()
      state.hasRecognizer = can
      const { call } = await join({ accessToken: 'token' }, { recognition: 'server' })
      const before = socket().sent.length
      socket().receive({ type: 'warning', seq: 1, code: 'speech_not_recognised', message: 'Nobody listens.' })
      expect(call.recognition).toBe(recognition)
      expect(started).toHaveLength(can ? 1 : 0)
      expect(socket().sent[before]?.type).toBe(told)
    },
  )

  test('has no ears without a microphone, and those of the call once it has one', async () => {
    const { join, socket, state, started } = scene()
    state.hasRecognizer = true
    const { call } = await join({ accessToken: 'token', microphone: false }, { recognition: 'server' })
    expect(call.recognition).toBe('none')
    await call.setMicrophone('m1')
    expect(call.recognition).toBe('server')

    const typing = scene()
    typing.state.hasRecognizer = true
    const other = await typing.join({ accessToken: 'token', microphone: false }, { recognition: 'server' })
    typing.socket().receive({ type: 'warning', seq: 1, code: 'speech_not_recognised', message: 'Nobody listens.' })
    expect(other.call.recognition).toBe('none')
    expect(typing.socket().sent.at(-1)).toEqual({ type: 'recognition-failed' })
    await other.call.setMicrophone('m1')
    expect([started, typing.started, socket().sent.at(-1)?.type]).toEqual([[], ['en-US'], 'ping'])
  })

  test('tells what happens', async () => {
    const { join, socket } = scene()
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

  test('carries sound both ways, and clears at once', async () => {
    const { join, socket, audio, did } = scene()
    await join()
    audio().onMessage({ type: 'captured', startSample: 320, samples: new Int16Array(320) })
    expect(socket().audioFrames.map(({ byteLength }) => byteLength)).toEqual([644])
    audio().onMessage({ ...POSITION, playedSamples: 640, capturedSamples: 700 })
    expect(socket().sent.at(-1)).toEqual({ type: 'position', playedSamples: 640, capturedSamples: 700 })
    socket().receive({ type: 'clear' })
    expect(did.at(-1)).toBe('clear')
  })

  test('types, presses keys and mutes', async () => {
    const { join, socket, did } = scene()
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
    expect(did.filter((each) => each.startsWith('muted'))).toEqual(['muted true'])
  })

  test('hangs up, and leaves nothing behind', async () => {
    const { join, socket, did, manual, isWatched } = scene()
    const { call, seen } = await join()
    expect(isWatched()).toBe(true)
    call.end()
    call.end()
    expect(socket().sent.at(-1)).toEqual({ type: 'leave' })
    expect(seen.slice(-2)).toEqual(['ended', { reason: 'user_hangup' }])
    expect([did.filter((each) => each === 'close').length, isWatched(), call.ended]).toEqual([1, false, true])
    await manual.advance(60_000)
    expect(manual.pendingTimers()).toBe(0)
  })

  test('that was lost says why, and then that it is over', async () => {
    const { join, socket, manual } = scene()
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

  test('tells when the browser lets no sound play', async () => {
    const { join, manual, state } = scene()
    state.isRunning = false
    const { seen } = await join()
    await manual.advance(500)
    expect(seen.slice(-2)).toEqual(['warning', expect.objectContaining({ code: 'autoplay_blocked' })])
  })

  test('takes another microphone when its own is gone, and goes on without one', async () => {
    const { join, audio, did, state } = scene()
    const { seen } = await join()
    audio().onMicrophoneLost()
    await settle()
    expect(did.at(-1)).toBe('microphone null')
    state.hasMicrophone = false
    audio().onMicrophoneLost()
    await settle()
    expect(seen.slice(-2)).toEqual(['warning', expect.objectContaining({ code: 'no_microphone' })])
  })

  test('tells nothing after its end, whatever is still found out', async () => {
    const { join, audio, state } = scene()
    const { call, seen } = await join()
    state.hasMicrophone = false
    audio().onMicrophoneLost()
    call.end()
    await settle()
    expect(seen.slice(-2)).toEqual(['ended', { reason: 'user_hangup' }])
  })
})
