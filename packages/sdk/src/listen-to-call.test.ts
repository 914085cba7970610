import { manualClock, settle } from '@parley/engine/testing/manual-clock'
import { describe, expect, test } from 'vitest'
import type { CallEnvironment } from './call-environment.ts'
import { FakeSocket, JOINED } from './channel/fake-socket-test-kit.ts'
import type { ServerMessage } from './channel/live-protocol.ts'
import { encodeSoundFrame } from './channel/sound-frame.ts'
import type { HeardCall, HeardCallEvents } from './heard-call.ts'
import { listenToCallIn } from './listen-to-call.ts'
import type { CallSoundOptions } from './sound/call-sound.ts'

const EVENTS: readonly (keyof HeardCallEvents)[] = [
  'activity',
  'transcript',
  'level',
  'reconnecting',
  'reconnected',
  'warning',
  'error',
  'ended',
]

const HEARD: ServerMessage = { ...JOINED, resumeToken: '', listening: true }

/** A page whose loudspeaker and network are the test's. */
function scene() {
  const manual = manualClock()
  const sockets: FakeSocket[] = []
  const did: string[] = []
  const state = { isRunning: true, isWatched: false }
  const options: { sound: CallSoundOptions | null } = { sound: null }
  const nothing = (): void => undefined
  const environment: CallEnvironment = {
    clock: manual.clock,
    pageUrl: 'https://voice.example.com/1/calls/call_1',
    language: 'en-GB',
    makeRecogniser: null,
    async openSound(given) {
      options.sound = given
      return {
        cancelsEcho: false,
        track: null,
        get isRunning() {
          return state.isRunning
        },
        outputDelayMs: 0,
        output: {} as AudioNode,
        resume: () => did.push('resume'),
        begin: (from, rateHz) => did.push(`begin ${from} ${rateHz}`),
        play: (startSample, samples) => did.push(`play ${startSample} ${samples.length}`),
        clear: () => did.push('clear'),
        setMuted: nothing,
        setMicrophone: async () => nothing(),
        setSpeaker: async () => nothing(),
        close: () => did.push('close'),
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
  const start = (accessToken = 'token'): Promise<HeardCall> => listenToCallIn(environment, { accessToken })
  return {
    ...{ manual, sockets, socket, did, state, options, start },
    async listen() {
      const starting = start()
      await settle()
      socket().open()
      socket().tell(HEARD)
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
    const { listen, socket, options, did, manual } = scene()
    const { call } = await listen()
    expect(options.sound?.microphone).toBe(false)
    options.sound?.onMessage({ type: 'captured', startSample: 0, samples: new Int16Array(320) })
    const position = { playedSamples: 9, segmentStart: 0, capturedSamples: 9, atRest: false, underruns: 9 }
    options.sound?.onMessage({ type: 'position', ...position })
    await manual.advance(3_000)
    expect(socket().said[0]).toEqual({ type: 'listen', protocol: 1, accessToken: 'token' })
    expect(
      new Set(
        socket()
          .said.slice(1)
          .map(({ type }) => type),
      ),
    ).toEqual(new Set(['ping']))
    expect(socket().sounds).toEqual([])
    expect(did).toEqual(['resume', 'begin 0 16000'])
    expect(call).toMatchObject({ callId: 'call_1', agentName: 'Ada', over: false })
  })

  test('plays both sides, tells what is said, and ends with the call', async () => {
    const { listen, socket, options, did, state } = scene()
    const { call, seen } = await listen()
    socket().tellRaw(encodeSoundFrame(0, new Int16Array(320)))
    // It concerns what the caller was sent: what is heard here has been played there.
    socket().tell({ type: 'clear' })
    expect(did.slice(2)).toEqual(['play 0 320'])
    options.sound?.onMessage({ type: 'level', user: 0, agent: 0.5 })
    socket().tell({ type: 'state', agent: 'speaking', user: 'silent' })
    const said = { id: 'c1', role: 'agent', text: 'Hello', final: false, interrupted: false } as const
    socket().tell({ type: 'caption', seq: 1, ...said })
    socket().tell({ type: 'tool', seq: 2, name: 'look-up', phase: 'started' })
    socket().tell({ type: 'ended', reason: 'agent_hangup' })
    expect(seen).toEqual([
      ...['level', { both: 0.5 }, 'activity', { agent: 'speaking', user: 'silent' }],
      ...['transcript', said, 'ended', { reason: 'agent_hangup' }],
    ])
    expect([did.at(-1), call.over, state.isWatched]).toEqual(['close', true, false])
  })

  test('goes on with its own token where the network breaks; the sound is counted anew', async () => {
    const { listen, socket, sockets, did, manual } = scene()
    const { seen } = await listen()
    socket().tellRaw(encodeSoundFrame(64_000, new Int16Array(320)))
    socket().break()
    await manual.advance(250)
    socket().open()
    socket().tell(HEARD)
    socket().tellRaw(encodeSoundFrame(0, new Int16Array(320)))
    expect(sockets.map(({ said }) => said[0]?.type)).toEqual(['listen', 'listen'])
    expect(did.slice(2)).toEqual(['play 64000 320', 'begin 0 16000', 'play 0 320'])
    expect(seen).toEqual(['reconnecting', {}, 'reconnected', {}])
  })

  test('tells when the browser lets no sound play, and plays nothing late', async () => {
    const { listen, socket, did, manual, state } = scene()
    state.isRunning = false
    const { call, seen } = await listen()
    socket().tellRaw(encodeSoundFrame(0, new Int16Array(320)))
    await manual.advance(500)
    expect(seen).toEqual(['warning', expect.objectContaining({ code: 'autoplay_blocked' })])
    state.isRunning = true
    call.resumeSound()
    socket().tellRaw(encodeSoundFrame(320, new Int16Array(320)))
    expect(did.slice(2)).toEqual(['resume', 'play 320 320'])
  })

  test('stops, and leaves nothing behind', async () => {
    const { listen, socket, did, manual, state } = scene()
    const { call, seen } = await listen()
    call.end()
    call.end()
    expect(socket().said.at(-1)).toEqual({ type: 'leave' })
    expect(seen).toEqual(['ended', { reason: 'left' }])
    expect([did.filter((each) => each === 'close').length, state.isWatched]).toEqual([1, false])
    await manual.advance(60_000)
    expect(manual.pendingTimers()).toBe(0)
  })

  test('a refusal is its problem, and the sound is let go', async () => {
    const { start, socket, did, manual } = scene()
    const starting = start().catch((error: unknown) => error)
    await settle()
    socket().open()
    socket().tell({ type: 'refused', code: 'call_ended', message: '', retry: false })
    expect(await starting).toMatchObject({ name: 'CallProblem', code: 'call_ended' })
    expect([did.at(-1), manual.pendingTimers()]).toEqual(['close', 0])
    await expect(start('')).rejects.toMatchObject({ code: 'token_invalid' })
  })

  test('lost access ends what is heard', async () => {
    const { start, socket, did, manual } = scene()
    const starting = start()
    await settle()
    socket().open()
    socket().tell(HEARD)
    const call = await starting
    const problems: string[] = []
    call.on('error', ({ code }) => problems.push(code))
    await manual.advance(0)
    socket().tell({ type: 'refused', code: 'token_revoked', message: '', retry: false })
    expect([problems, did.at(-1)]).toEqual([['token_revoked'], 'close'])
  })
})
