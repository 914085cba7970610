import { manualClock, settle } from '@parley/engine/testing/manual-clock'
import { describe, expect, test } from 'vitest'
import type { CallAudioOptions } from './audio/call-audio.ts'
import type { CallEnvironment } from './call-environment.ts'
import { encodeAudioFrame } from './channel/audio-frame.ts'
import { FakeSocket, JOINED } from './channel/fake-socket-test-kit.ts'
import type { ServerMessage } from './channel/live-protocol.ts'
import { listenToCallIn } from './listen-to-call.ts'
import type { MonitoredCall, MonitoredCallEvents } from './monitored-call.ts'

const EVENTS: readonly (keyof MonitoredCallEvents)[] = [
  'activity',
  'transcript',
  'level',
  'reconnecting',
  'reconnected',
  'warning',
  'error',
  'ended',
]

const MONITORED: ServerMessage = { ...JOINED, resumeToken: '', listening: true }

/** A page whose loudspeaker and network are the test's. */
function scene() {
  const manual = manualClock()
  const sockets: FakeSocket[] = []
  const actions: string[] = []
  const state = { isRunning: true, isWatched: false }
  const options: { audio: CallAudioOptions | null } = { audio: null }
  const nothing = (): void => undefined
  const environment: CallEnvironment = {
    clock: manual.clock,
    pageUrl: 'https://voice.example.com/1/calls/call_1',
    language: 'en-GB',
    createRecognizer: null,
    async openAudio(given) {
      options.audio = given
      return {
        cancelsEcho: false,
        track: null,
        get isRunning() {
          return state.isRunning
        },
        outputDelayMs: 0,
        output: {} as AudioNode,
        resume: () => actions.push('resume'),
        start: (from, rateHz) => actions.push(`begin ${from} ${rateHz}`),
        play: (startSample, samples) => actions.push(`play ${startSample} ${samples.length}`),
        clear: () => actions.push('clear'),
        setMuted: nothing,
        setMicrophone: async () => nothing(),
        setSpeaker: async () => nothing(),
        close: () => actions.push('close'),
      }
    },
    openSocket(address) {
      const socket = new FakeSocket(address)
      sockets.push(socket)
      return socket
    },
    watch() {
      state.isWatched = true
      return () => {
        state.isWatched = false
      }
    },
  }
  const socket = (): FakeSocket => sockets.at(-1) as FakeSocket
  const start = (accessToken = 'token'): Promise<MonitoredCall> => listenToCallIn(environment, { accessToken })
  return {
    ...{ manual, sockets, socket, actions, state, options, start },
    async listen() {
      const starting = start()
      await settle()
      socket().open()
      socket().receive(MONITORED)
      const call = await starting
      const seen: unknown[] = []
      for (const name of EVENTS) call.on(name, (event) => seen.push(name, event))
      await manual.advance(0)
      return { call, seen }
    },
  }
}

describe('listening to a call', () => {
  test('asks for no microphone, and says nothing but that it listens', async () => {
    const { listen, socket, options, actions, manual } = scene()
    const { call } = await listen()
    expect(options.audio?.microphone).toBe(false)
    options.audio?.onMessage({ type: 'captured', startSample: 0, samples: new Int16Array(320) })
    const position = { playedSamples: 9, segmentStart: 0, capturedSamples: 9, isIdle: false, underruns: 9 }
    options.audio?.onMessage({ type: 'position', ...position })
    await manual.advance(3_000)
    expect(socket().sent[0]).toEqual({ type: 'listen', protocol: 1, accessToken: 'token' })
    expect(
      new Set(
        socket()
          .sent.slice(1)
          .map(({ type }) => type),
      ),
    ).toEqual(new Set(['ping']))
    expect(socket().audioFrames).toEqual([])
    expect(actions).toEqual(['resume', 'begin 0 16000'])
    expect(call).toMatchObject({ callId: 'call_1', agentName: 'Ada', ended: false })
  })

  test('plays both sides, tells what is said, and ends with the call', async () => {
    const { listen, socket, options, actions, state } = scene()
    const { call, seen } = await listen()
    socket().receiveRaw(encodeAudioFrame(0, new Int16Array(320)))
    // It concerns what the caller was sent: what is heard here has been played there.
    socket().receive({ type: 'clear' })
    expect(actions.slice(2)).toEqual(['play 0 320'])
    options.audio?.onMessage({ type: 'level', user: 0, agent: 0.5 })
    socket().receive({ type: 'state', agent: 'speaking', user: 'silent' })
    const sent = { id: 'c1', role: 'agent', text: 'Hello', final: false, interrupted: false } as const
    socket().receive({ type: 'caption', seq: 1, ...sent })
    socket().receive({ type: 'tool', seq: 2, name: 'look-up', phase: 'started' })
    socket().receive({ type: 'ended', reason: 'agent_hangup' })
    expect(seen).toEqual([
      ...['level', { both: 0.5 }, 'activity', { agent: 'speaking', user: 'silent' }],
      ...['transcript', sent, 'ended', { reason: 'agent_hangup' }],
    ])
    expect([actions.at(-1), call.ended, state.isWatched]).toEqual(['close', true, false])
  })

  test('goes on with its own token where the network breaks; the sound is counted anew', async () => {
    const { listen, socket, sockets, actions, manual } = scene()
    const { seen } = await listen()
    socket().receiveRaw(encodeAudioFrame(64_000, new Int16Array(320)))
    socket().break()
    await manual.advance(250)
    socket().open()
    socket().receive(MONITORED)
    socket().receiveRaw(encodeAudioFrame(0, new Int16Array(320)))
    expect(sockets.map(({ sent }) => sent[0]?.type)).toEqual(['listen', 'listen'])
    expect(actions.slice(2)).toEqual(['play 64000 320', 'begin 0 16000', 'play 0 320'])
    expect(seen).toEqual(['reconnecting', {}, 'reconnected', {}])
  })

  test('tells when the browser lets no sound play, and plays nothing late', async () => {
    const { listen, socket, actions, manual, state } = scene()
    state.isRunning = false
    const { call, seen } = await listen()
    socket().receiveRaw(encodeAudioFrame(0, new Int16Array(320)))
    await manual.advance(500)
    expect(seen).toEqual(['warning', expect.objectContaining({ code: 'autoplay_blocked' })])
    state.isRunning = true
    call.resumeAudio()
    socket().receiveRaw(encodeAudioFrame(320, new Int16Array(320)))
    expect(actions.slice(2)).toEqual(['resume', 'play 320 320'])
  })

  test('stops, and leaves nothing behind', async () => {
    const { listen, socket, actions, manual, state } = scene()
    const { call, seen } = await listen()
    call.end()
    call.end()
    expect(socket().sent.at(-1)).toEqual({ type: 'leave' })
    expect(seen).toEqual(['ended', { reason: 'left' }])
    expect([actions.filter((each) => each === 'close').length, state.isWatched]).toEqual([1, false])
    await manual.advance(60_000)
    expect(manual.pendingTimers()).toBe(0)
  })

  test('a refusal is its problem, and the sound is let go', async () => {
    const { start, socket, actions, manual } = scene()
    const starting = start().catch((error: unknown) => error)
    await settle()
    socket().open()
    socket().receive({ type: 'refused', code: 'call_ended', message: '', retry: false })
    expect(await starting).toMatchObject({ name: 'CallProblem', code: 'call_ended' })
    expect([actions.at(-1), manual.pendingTimers()]).toEqual(['close', 0])
    await expect(start('')).rejects.toMatchObject({ code: 'token_invalid' })
  })

  test('lost access ends what is heard', async () => {
    const { start, socket, actions, manual } = scene()
    const starting = start()
    await settle()
    socket().open()
    socket().receive(MONITORED)
    const call = await starting
    const problems: string[] = []
    call.on('error', ({ code }) => problems.push(code))
    await manual.advance(0)
    socket().receive({ type: 'refused', code: 'token_revoked', message: '', retry: false })
    expect([problems, actions.at(-1)]).toEqual([['token_revoked'], 'close'])
  })
})
