import { flushPromises } from '@parley/engine/testing/manual-clock'
import { describe, expect, test } from 'vitest'
import { encodeAudioFrame } from './channel/audio-frame.ts'
import { JOINED } from './channel/fake-socket-test-kit.ts'
import type { ServerMessage } from './channel/live-protocol.ts'
import { collectEvents, createFakePage } from './fake-page-test-kit.ts'
import { listenToCallIn, type MonitoredCall } from './listen-to-call.ts'

const EVENTS = 'activity transcript level reconnecting reconnected warning error ended'
const MONITORED: ServerMessage = { ...JOINED, resumeToken: '', listening: true }

function setUp() {
  const page = createFakePage()
  const { getSocket, manual } = page
  const start = (accessToken = 'token'): Promise<MonitoredCall> =>
    listenToCallIn(page.createEnvironment(), { accessToken })
  async function join() {
    const pendingCall = start()
    await flushPromises()
    getSocket().open()
    getSocket().receive(MONITORED)
    return await pendingCall
  }
  return {
    ...page,
    ...{ start, join },
    async listen() {
      const call = await join()
      const events = collectEvents(call, EVENTS)
      await manual.advance(0)
      return { call, events }
    },
  }
}

describe('listenToCall', () => {
  test('opens no microphone and only sends the listen message and pings', async () => {
    const { listen, getSocket, getAudioOptions, actions, manual } = setUp()
    const { call } = await listen()
    expect(getAudioOptions().microphone).toBe(false)
    getAudioOptions().onMessage({ type: 'captured', startSample: 0, samples: new Int16Array(320) })
    const position = { playedSamples: 9, segmentStart: 0, capturedSamples: 9, isIdle: false, underruns: 9 }
    getAudioOptions().onMessage({ type: 'position', ...position })
    await manual.advance(3_000)
    expect(getSocket().sent[0]).toEqual({ type: 'listen', protocol: 1, accessToken: 'token' })
    expect(
      new Set(
        getSocket()
          .sent.slice(1)
          .map(({ type }) => type),
      ),
    ).toEqual(new Set(['ping']))
    expect(getSocket().audioFrames).toEqual([])
    expect(actions).toEqual(['resume', 'start 0 16000'])
    expect(call).toMatchObject({ callId: 'call_1', agentName: 'Ada', ended: false })
  })

  test('plays both sides, reports transcripts and ends with the call', async () => {
    const { listen, getSocket, getAudioOptions, actions, state } = setUp()
    const { call, events } = await listen()
    getSocket().receiveRaw(encodeAudioFrame(0, new Int16Array(320)))
    // A `clear` applies to the caller only: audio sent to listeners has already been played.
    getSocket().receive({ type: 'clear' })
    expect(actions.slice(2)).toEqual(['play 0 320'])
    getAudioOptions().onMessage({ type: 'level', user: 0, agent: 0.5 })
    getSocket().receive({ type: 'state', agent: 'speaking', user: 'silent' })
    const caption = { id: 'c1', role: 'agent', text: 'Hello', final: false, interrupted: false } as const
    getSocket().receive({ type: 'caption', seq: 1, ...caption })
    getSocket().receive({ type: 'tool', seq: 2, name: 'look-up', phase: 'started' })
    getSocket().receive({ type: 'ended', reason: 'agent_hangup' })
    expect(events).toEqual([
      ...['level', { both: 0.5 }, 'activity', { agent: 'speaking', user: 'silent' }],
      ...['transcript', caption, 'ended', { reason: 'agent_hangup' }],
    ])
    expect([actions.at(-1), call.ended, state.isWatched]).toEqual(['close', true, false])
  })

  test('reconnects with its own token and counts samples from 0', async () => {
    const { listen, getSocket, sockets, actions, manual } = setUp()
    const { events } = await listen()
    getSocket().receiveRaw(encodeAudioFrame(64_000, new Int16Array(320)))
    getSocket().break()
    await manual.advance(250)
    getSocket().open()
    getSocket().receive(MONITORED)
    getSocket().receiveRaw(encodeAudioFrame(0, new Int16Array(320)))
    expect(sockets.map(({ sent }) => sent[0]?.type)).toEqual(['listen', 'listen'])
    expect(actions.slice(2)).toEqual(['play 64000 320', 'start 0 16000', 'play 0 320'])
    expect(events).toEqual(['reconnecting', {}, 'reconnected', {}])
  })

  test('reports blocked playback and skips audio received while blocked', async () => {
    const { listen, getSocket, actions, manual, state } = setUp()
    state.isRunning = false
    const { call, events } = await listen()
    getSocket().receiveRaw(encodeAudioFrame(0, new Int16Array(320)))
    await manual.advance(500)
    expect(events).toEqual(['warning', expect.objectContaining({ code: 'autoplay_blocked' })])
    state.isRunning = true
    call.resumeAudio()
    getSocket().receiveRaw(encodeAudioFrame(320, new Int16Array(320)))
    expect(actions.slice(2)).toEqual(['resume', 'play 320 320'])
  })

  test('releases everything at the end', async () => {
    const { listen, getSocket, actions, manual, state } = setUp()
    const { call, events } = await listen()
    call.end()
    call.end()
    expect(getSocket().sent.at(-1)).toEqual({ type: 'leave' })
    expect(events).toEqual(['ended', { reason: 'left' }])
    expect([actions.filter((action) => action === 'close').length, state.isWatched]).toEqual([1, false])
    await manual.advance(60_000)
    expect(manual.countPendingTimers()).toBe(0)
  })

  test('rejects when the server refuses the listener, and closes the audio', async () => {
    const { start, getSocket, actions, manual } = setUp()
    const pendingCall = start().catch((error: unknown) => error)
    await flushPromises()
    getSocket().open()
    getSocket().receive({ type: 'refused', code: 'call_ended', message: '', retry: false })
    expect(await pendingCall).toMatchObject({ name: 'CallProblem', code: 'call_ended' })
    expect([actions.at(-1), manual.countPendingTimers()]).toEqual(['close', 0])
    await expect(start('')).rejects.toMatchObject({ code: 'token_invalid' })
  })

  test('ends when access is revoked', async () => {
    const { join, getSocket, actions, manual } = setUp()
    const call = await join()
    const problems: string[] = []
    call.on('error', ({ code }) => problems.push(code))
    await manual.advance(0)
    getSocket().receive({ type: 'refused', code: 'token_revoked', message: '', retry: false })
    expect([problems, actions.at(-1)]).toEqual([['token_revoked'], 'close'])
  })
})
