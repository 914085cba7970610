import { flushPromises } from '@parley/engine/testing/manual-clock'
import { describe, expect, test } from 'vitest'
import { encodeAudioFrame } from './channel/audio-frame.ts'
import { JOINED } from './channel/fake-socket-test-kit.ts'
import type { ServerMessage } from './channel/live-protocol.ts'
import { collectEvents, createFakePage } from './fake-page-test-kit.ts'
import { listenToCallIn, type MonitoredCall } from './listen-to-call.ts'

const EVENTS = 'activity transcript level reconnecting reconnected warning error ended'
const MONITORED: ServerMessage = { ...JOINED, resumeToken: '', listening: true }

function createScene() {
  const page = createFakePage()
  const { socket, manual } = page
  const start = (accessToken = 'token'): Promise<MonitoredCall> => listenToCallIn(page.environment(), { accessToken })
  async function join() {
    const starting = start()
    await flushPromises()
    socket().open()
    socket().receive(MONITORED)
    return await starting
  }
  return {
    ...page,
    ...{ start, join },
    async listen() {
      const call = await join()
      const seen = collectEvents(call, EVENTS)
      await manual.advance(0)
      return { call, seen }
    },
  }
}

describe('listenToCall', () => {
  test('opens no microphone and only sends the listen message and pings', async () => {
    const { listen, socket, audio, actions, manual } = createScene()
    const { call } = await listen()
    expect(audio().microphone).toBe(false)
    audio().onMessage({ type: 'captured', startSample: 0, samples: new Int16Array(320) })
    const position = { playedSamples: 9, segmentStart: 0, capturedSamples: 9, isIdle: false, underruns: 9 }
    audio().onMessage({ type: 'position', ...position })
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
    expect(actions).toEqual(['resume', 'start 0 16000'])
    expect(call).toMatchObject({ callId: 'call_1', agentName: 'Ada', ended: false })
  })

  test('plays both sides, reports transcripts and ends with the call', async () => {
    const { listen, socket, audio, actions, state } = createScene()
    const { call, seen } = await listen()
    socket().receiveRaw(encodeAudioFrame(0, new Int16Array(320)))
    // A `clear` applies to the caller only: audio sent to listeners has already been played.
    socket().receive({ type: 'clear' })
    expect(actions.slice(2)).toEqual(['play 0 320'])
    audio().onMessage({ type: 'level', user: 0, agent: 0.5 })
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

  test('reconnects with its own token and counts samples from 0', async () => {
    const { listen, socket, sockets, actions, manual } = createScene()
    const { seen } = await listen()
    socket().receiveRaw(encodeAudioFrame(64_000, new Int16Array(320)))
    socket().break()
    await manual.advance(250)
    socket().open()
    socket().receive(MONITORED)
    socket().receiveRaw(encodeAudioFrame(0, new Int16Array(320)))
    expect(sockets.map(({ sent }) => sent[0]?.type)).toEqual(['listen', 'listen'])
    expect(actions.slice(2)).toEqual(['play 64000 320', 'start 0 16000', 'play 0 320'])
    expect(seen).toEqual(['reconnecting', {}, 'reconnected', {}])
  })

  test('reports blocked playback and skips audio meant for that time', async () => {
    const { listen, socket, actions, manual, state } = createScene()
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

  test('releases everything at the end', async () => {
    const { listen, socket, actions, manual, state } = createScene()
    const { call, seen } = await listen()
    call.end()
    call.end()
    expect(socket().sent.at(-1)).toEqual({ type: 'leave' })
    expect(seen).toEqual(['ended', { reason: 'left' }])
    expect([actions.filter((each) => each === 'close').length, state.isWatched]).toEqual([1, false])
    await manual.advance(60_000)
    expect(manual.pendingTimers()).toBe(0)
  })

  test('rejects with the problem of a refusal and closes the audio', async () => {
    const { start, socket, actions, manual } = createScene()
    const starting = start().catch((error: unknown) => error)
    await flushPromises()
    socket().open()
    socket().receive({ type: 'refused', code: 'call_ended', message: '', retry: false })
    expect(await starting).toMatchObject({ name: 'CallProblem', code: 'call_ended' })
    expect([actions.at(-1), manual.pendingTimers()]).toEqual(['close', 0])
    await expect(start('')).rejects.toMatchObject({ code: 'token_invalid' })
  })

  test('ends when access is revoked', async () => {
    const { join, socket, actions, manual } = createScene()
    const call = await join()
    const problems: string[] = []
    call.on('error', ({ code }) => problems.push(code))
    await manual.advance(0)
    socket().receive({ type: 'refused', code: 'token_revoked', message: '', retry: false })
    expect([problems, actions.at(-1)]).toEqual([['token_revoked'], 'close'])
  })
})
