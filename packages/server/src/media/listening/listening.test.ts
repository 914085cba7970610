import { createLoopbackPair } from '@parley/engine/voice/loopback/loopback-leg'
import { expect, test } from 'vitest'
import type { CallRefusal } from '../../features/calls/live-calls.ts'
import { JOIN, openLive, waitUntil } from '../web/web-test-kit.ts'

const LISTEN = { type: 'listen', protocol: 1, accessToken: 'call_token-1' }

/** A call with listeners that are admitted on request. */
async function openGated() {
  const gate = Promise.withResolvers<void>()
  const joins: string[] = []
  const live = await openLive({
    async admit(callId) {
      await gate.promise
      return { ok: true, callId, watch: () => () => undefined }
    },
    async answer(accessToken) {
      joins.push(accessToken)
      const about = { callId: `call_${accessToken}`, agentName: '', language: 'en-US', standIns: [], startedAtMs: 0 }
      return { ok: true, recognition: 'none', ...about }
    },
  })
  return { live, joins, open: () => gate.resolve() }
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
  listener.say(LISTEN)
  expect(await listener.take('joined')).toMatchObject({ callId: 'call_token-1', listening: true, resumeToken: '' })
  expect(await listener.take('caption')).toMatchObject({ text: 'Hello', seq: 1 })
  leg.send(new Int16Array(160).fill(1_000), 0)
  far.send(new Int16Array(160).fill(1), 0)
  far.send(new Int16Array(160).fill(2), 160)
  const firsts: (number | undefined)[] = []
  for (const elapsedMs of [20, 40]) {
    pair.pump(live.time.clock.now() + elapsedMs)
    firsts.push((await listener.audioFrames.take(() => true)).first)
  }
  expect(firsts).toEqual(reportsPlayed ? [1, 1_002] : [1_001, 2])
  notify({ type: 'end', reason: 'agent_hangup' })
  leg.close(0)
  expect(await listener.take('ended')).toEqual({ type: 'ended', reason: 'agent_hangup' })
  await listener.closed
  const late = await live.browse()
  late.say(LISTEN)
  expect(await late.take('refused')).toMatchObject({ code: 'call_ended', retry: false })
})

test('listeners who leave during admission take no place', async () => {
  const { live, open } = await openGated()
  await using _ = live
  await live.joined()
  const timers = live.time.pendingTimers()
  for (const how of ['leave', 'close', 'break', 'leave', 'close'] as const) {
    const early = await live.browse()
    early.say(LISTEN)
    await early.roundTrip()
    if (how === 'leave') early.say({ type: 'leave' })
    else if (how === 'close') early.socket.close(1000)
    else early.socket.terminate()
    await early.closed
  }
  await waitUntil(() => live.time.pendingTimers() === timers)
  open()
  for (let index = 0; index < 5; index += 1) {
    const listener = await live.browse()
    listener.say(LISTEN)
    expect(await listener.take('joined')).toMatchObject({ listening: true })
  }
})

test('listeners cannot do anything else, even during admission', async () => {
  const { live, joins, open } = await openGated()
  await using _ = live
  const { leg } = await live.joined()
  const listener = await live.browse()
  listener.say(LISTEN)
  listener.say({ ...JOIN, accessToken: 'token-2' })
  listener.say({ type: 'typed', text: 'hello' })
  listener.audio(new Int16Array(160), 0)
  listener.say({ type: 'ping', id: 1 })
  expect(await listener.take('pong')).toMatchObject({ id: 1 })
  open()
  expect(await listener.take('joined')).toMatchObject({ callId: 'call_token-1', listening: true })
  expect(joins).toEqual(['token-1'])
  leg.close(0)
  expect(await listener.take('ended')).toMatchObject({ type: 'ended' })
})

test('listening to an ended call is refused', async () => {
  await using live = await openLive()
  const { browser, leg, waitFor } = await live.joined()
  browser.socket.terminate()
  await waitFor('lost')
  // The call is kept for a while to tell its caller how it ended.
  leg.close(0)
  const listener = await live.browse()
  listener.say(LISTEN)
  expect(await listener.take('refused')).toMatchObject({ code: 'call_ended', retry: false })
})

test('revoked listeners are disconnected and make room while the call continues', async () => {
  const REVOKED: CallRefusal = { ok: false, code: 'token_revoked', message: 'Revoked.', retry: false }
  const watches = new Set<(refusal: CallRefusal) => void>()
  await using live = await openLive({
    admit: async () => ({
      ok: true,
      callId: 'call_token-1',
      watch(onLost) {
        watches.add(onLost)
        return () => void watches.delete(onLost)
      },
    }),
  })
  const { browser, leg } = await live.joined()
  const listeners = []
  for (let count = 0; count < 5; count += 1) {
    const listener = await live.browse()
    listener.say(LISTEN)
    await listener.take('joined')
    listeners.push(listener)
  }
  const [first, second] = listeners
  first?.say({ type: 'leave' })
  await first?.closed
  await waitUntil(() => watches.size === 4)
  const [revoke] = watches
  revoke?.(REVOKED)
  expect(await second?.take('refused')).toMatchObject({ code: 'token_revoked', message: 'Revoked.', retry: false })
  expect(await second?.closed).toEqual({ code: 1008, reason: 'token_revoked' })
  expect(watches.size).toBe(3)
  for (let count = 0; count < 2; count += 1) {
    const next = await live.browse()
    next.say(LISTEN)
    expect(await next.take('joined')).toMatchObject({ listening: true })
  }
  await browser.roundTrip()
  expect(browser.socket.readyState).toBe(browser.socket.OPEN)
  leg.close(0)
  await browser.take('ended')
  await waitUntil(() => watches.size === 0)
})
