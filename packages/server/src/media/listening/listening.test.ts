import { createLoopbackPair } from '@parley/engine/voice/loopback/loopback-leg'
import { expect, test } from 'vitest'
import type { CallRejection } from '../../features/calls/live-calls.ts'
import { JOIN, openLive, waitUntil } from '../web/web-test-kit.ts'

const LISTEN = { type: 'listen', protocol: 1, accessToken: 'call_token-1' }

/** Opens a live channel that admits no listener before `openGate` is called. */
async function openGatedLive() {
  const gate = Promise.withResolvers<void>()
  const joins: string[] = []
  const live = await openLive({
    async admit(callId) {
      await gate.promise
      return { ok: true, callId, watch: () => () => undefined }
    },
    async answer(accessToken) {
      joins.push(accessToken)
      const fields = { callId: `call_${accessToken}`, agentName: '', language: 'en-US', standIns: [], startedAtMs: 0 }
      return { ok: true, recognition: 'none', ...fields }
    },
  })
  return { live, joins, openGate: () => gate.resolve() }
}

test.each([true, false])('listeners hear a call over any leg; playback reports: %s', async (reportsPlayed) => {
  await using live = await openLive()
  const pair = createLoopbackPair({ clock: live.time.clock, rateHz: 8_000, reportsPlayed })
  const { near, far } = pair
  expect(await live.calls.start({ callId: 'call_token-1', leg: near })).toMatchObject({ ok: true })
  const { leg, notify } = await live.session()
  expect(leg.sendDtmf).toBeDefined()
  notify({ type: 'caption', id: 'a', role: 'agent', text: 'Hello', final: true, interrupted: false })
  const listener = await live.browse()
  listener.send(LISTEN)
  expect(await listener.take('joined')).toMatchObject({ callId: 'call_token-1', listening: true, resumeToken: '' })
  expect(await listener.take('caption')).toMatchObject({ text: 'Hello', seq: 1 })
  leg.send(new Int16Array(160).fill(1_000), 0)
  far.send(new Int16Array(160).fill(1), 0)
  far.send(new Int16Array(160).fill(2), 160)
  const firstSamples: (number | undefined)[] = []
  for (const elapsedMs of [20, 40]) {
    pair.pump(live.time.clock.now() + elapsedMs)
    firstSamples.push((await listener.audioFrames.take(() => true)).firstSample)
  }
  expect(firstSamples).toEqual(reportsPlayed ? [1, 1_002] : [1_001, 2])
  notify({ type: 'end', reason: 'agent_hangup' })
  leg.close(0)
  expect(await listener.take('ended')).toEqual({ type: 'ended', reason: 'agent_hangup' })
  await listener.closed
  const lateListener = await live.browse()
  lateListener.send(LISTEN)
  expect(await lateListener.take('refused')).toMatchObject({ code: 'call_ended', retry: false })
})

test('listeners who leave during admission do not count toward the limit', async () => {
  const { live, openGate } = await openGatedLive()
  await using _ = live
  await live.joined()
  const timerCount = live.time.countPendingTimers()
  for (const exit of ['leave', 'close', 'break', 'leave', 'close'] as const) {
    const listener = await live.browse()
    listener.send(LISTEN)
    await listener.roundTrip()
    if (exit === 'leave') listener.send({ type: 'leave' })
    else if (exit === 'close') listener.socket.close(1000)
    else listener.socket.terminate()
    await listener.closed
  }
  await waitUntil(() => live.time.countPendingTimers() === timerCount)
  openGate()
  for (let index = 0; index < 5; index += 1) {
    const listener = await live.browse()
    listener.send(LISTEN)
    expect(await listener.take('joined')).toMatchObject({ listening: true })
  }
})

test('listeners cannot do anything else, even during admission', async () => {
  const { live, joins, openGate } = await openGatedLive()
  await using _ = live
  const { leg } = await live.joined()
  const listener = await live.browse()
  listener.send(LISTEN)
  listener.send({ ...JOIN, accessToken: 'token-2' })
  listener.send({ type: 'typed', text: 'hello' })
  listener.sendAudio(new Int16Array(160), 0)
  listener.send({ type: 'ping', id: 1 })
  expect(await listener.take('pong')).toMatchObject({ id: 1 })
  openGate()
  expect(await listener.take('joined')).toMatchObject({ callId: 'call_token-1', listening: true })
  expect(joins).toEqual(['token-1'])
  leg.close(0)
  expect(await listener.take('ended')).toMatchObject({ type: 'ended' })
})

test('rejects listeners of an ended call', async () => {
  await using live = await openLive()
  const { browser, leg, waitFor } = await live.joined()
  browser.socket.terminate()
  await waitFor('lost')
  // The call is kept for a while, so that its caller can learn how it ended.
  leg.close(0)
  const listener = await live.browse()
  listener.send(LISTEN)
  expect(await listener.take('refused')).toMatchObject({ code: 'call_ended', retry: false })
})

test('revoked listeners are disconnected and free their places while the call continues', async () => {
  const REVOKED: CallRejection = { ok: false, code: 'token_revoked', message: 'Revoked.', retry: false }
  const watchCallbacks = new Set<(refusal: CallRejection) => void>()
  await using live = await openLive({
    admit: async () => ({
      ok: true,
      callId: 'call_token-1',
      watch(onLost) {
        watchCallbacks.add(onLost)
        return () => void watchCallbacks.delete(onLost)
      },
    }),
  })
  const { browser, leg } = await live.joined()
  const listeners = []
  for (let count = 0; count < 5; count += 1) {
    const listener = await live.browse()
    listener.send(LISTEN)
    await listener.take('joined')
    listeners.push(listener)
  }
  const [first, second] = listeners
  first?.send({ type: 'leave' })
  await first?.closed
  await waitUntil(() => watchCallbacks.size === 4)
  const [revoke] = watchCallbacks
  revoke?.(REVOKED)
  expect(await second?.take('refused')).toMatchObject({ code: 'token_revoked', message: 'Revoked.', retry: false })
  expect(await second?.closed).toEqual({ code: 1008, reason: 'token_revoked' })
  expect(watchCallbacks.size).toBe(3)
  for (let count = 0; count < 2; count += 1) {
    const newListener = await live.browse()
    newListener.send(LISTEN)
    expect(await newListener.take('joined')).toMatchObject({ listening: true })
  }
  await browser.roundTrip()
  expect(browser.socket.readyState).toBe(browser.socket.OPEN)
  leg.close(0)
  await browser.take('ended')
  await waitUntil(() => watchCallbacks.size === 0)
})
