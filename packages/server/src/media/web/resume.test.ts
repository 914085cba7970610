import type { CallUpdate } from '@parley/engine/voice/call-observer'
import { expect, test } from 'vitest'
import { openLive } from './web-test-kit.ts'

const caption = (text: string): CallUpdate => {
  return { type: 'caption', id: text, role: 'agent', text, final: true, interrupted: false }
}
const resumeWith = (resumeToken: string, lastSeq: number) => ({ type: 'resume', protocol: 1, resumeToken, lastSeq })

test('a caller whose network changed goes on with the same call', async () => {
  await using live = await openLive()
  const { browser, joined, leg, received, waitFor, notify } = await live.joined()
  notify(caption('one'))
  notify(caption('two'))
  await browser.take('caption')
  browser.audio(new Int16Array(160), 0)
  await waitFor('frame 0 160 0')
  browser.socket.terminate()
  await waitFor('lost')

  notify(caption('three'))
  notify({ type: 'activity', agent: 'speaking', user: 'silent' })
  leg.send(new Int16Array(160), 0)
  await live.pass(14_000)
  const again = await live.browse()
  again.say(resumeWith(joined.resumeToken, 1))
  const back = await again.take('joined')
  expect(back).toMatchObject({ callId: joined.callId, elapsedMs: 14_000 })
  expect(back.resumeToken).not.toBe(joined.resumeToken)
  await again.take('state')
  expect(again.messages.items).toMatchObject([
    { seq: 2, text: 'two' },
    { seq: 3, text: 'three' },
  ])
  await waitFor('restored')
  expect(again.audioFrames.items).toEqual([])

  // The caller's count of samples went on, and so does that of the agent.
  again.audio(new Int16Array(160).fill(4), 14 * 8_000)
  await waitFor('frame 112000 160 4')
  leg.send(new Int16Array(160).fill(5), 160)
  expect(await again.audioFrames.take(() => true)).toEqual({ startSample: 160, first: 5 })
  expect(live.endpoint.droppedFrames).toBe(1)
  expect(received.items).toEqual([])
})

test('a caller who does not come back has hung up after 15 seconds, and the token is worth nothing', async () => {
  await using live = await openLive()
  const { browser, joined, leg, waitFor, notify } = await live.joined()
  browser.socket.terminate()
  await waitFor('lost')
  await live.pass(15_000)
  await waitFor('hung up')
  notify({ type: 'end', reason: 'user_hangup' })
  leg.close(0)
  await live.pass(15_000)
  const late = await live.browse()
  late.say(resumeWith(joined.resumeToken, 0))
  expect(await late.take('refused')).toMatchObject({ code: 'token_invalid', retry: false })
  await late.closed
  expect(live.endpoint.callCount).toBe(0)
  await live.stop(0)
  expect(live.time.pendingTimers()).toBe(0)
})

test('who comes back to a call that ended meanwhile is told how', async () => {
  await using live = await openLive()
  const { browser, joined, leg, waitFor, notify } = await live.joined()
  browser.socket.terminate()
  await waitFor('lost')
  notify(caption('Goodbye'))
  notify({ type: 'end', reason: 'max_duration_reached' })
  leg.close(1_000)
  const again = await live.browse()
  again.say(resumeWith(joined.resumeToken, 0))
  expect(await again.take('ended')).toEqual({ type: 'ended', reason: 'max_duration_reached' })
  expect(await again.take('caption')).toMatchObject({ text: 'Goodbye' })
  await again.closed
  expect(live.endpoint.callCount).toBe(0)
  await live.stop(0)
  expect(live.time.pendingTimers()).toBe(0)
})

test('of two that come back the newer holds the line; an answer that was lost costs nothing', async () => {
  await using live = await openLive()
  const { browser, joined, waitFor, received } = await live.joined()
  const first = await live.browse()
  const second = await live.browse()
  first.say(resumeWith(joined.resumeToken, 0))
  const { resumeToken } = await first.take('joined')
  expect((await browser.closed).code).toBe(4001)
  // Its token is the one before by now: as if the answer with the newer one had not arrived.
  second.say(resumeWith(joined.resumeToken, 0))
  await second.take('joined')
  expect((await first.closed).code).toBe(4001)
  second.say({ type: 'typed', text: 'me' })
  await waitFor('typed me')
  expect(received.items).toEqual(['lost', 'restored', 'lost', 'restored'])

  second.socket.terminate()
  await waitFor('lost')
  const third = await live.browse()
  third.say(resumeWith(resumeToken, 0))
  await third.take('joined')
  const stale = await live.browse()
  stale.say(resumeWith(joined.resumeToken, 0))
  expect(await stale.take('refused')).toMatchObject({ code: 'token_invalid' })
})

test('a peer that fell silent is noticed within six seconds of its last word', async () => {
  await using live = await openLive()
  const { browser, received, waitFor } = await live.joined()
  await live.pass(20_000)
  expect(received.items).toEqual([])
  browser.socket.pause()
  await live.time.advance(6_000)
  await waitFor('lost')
})

test('closing waits until what was sent is played, at most as long as it may', async () => {
  await using live = await openLive()
  for (const plays of [true, false]) {
    const { browser, leg, notify } = await live.joined({ accessToken: String(plays) })
    leg.send(new Int16Array(160), 0)
    notify({ type: 'end', reason: 'agent_hangup' })
    leg.close(2_000)
    await live.settleConnections()
    expect(browser.messages.items).toEqual([])
    if (plays) browser.say({ type: 'position', playedSamples: 160, capturedSamples: 0 })
    else await live.pass(2_000)
    expect(await browser.take('ended')).toEqual({ type: 'ended', reason: 'agent_hangup' })
    expect((await browser.closed).code).toBe(1000)
  }
  expect(live.time.pendingTimers()).toBe(0)
})

test('a connection that takes nothing more drops frames and counts them', async () => {
  await using live = await openLive()
  const { browser, leg } = await live.joined()
  browser.socket.pause()
  // Far more than the buffers of the system hold.
  const frame = new Int16Array(8_000)
  for (let index = 0; index < 1_000; index += 1) leg.send(frame, index * 8_000)
  const { droppedFrames } = live.endpoint
  expect(droppedFrames).toBeGreaterThan(100)
  leg.close(0)
  expect(live.endpoint.droppedFrames).toBe(droppedFrames)
  expect(live.endpoint.callCount).toBe(0)
})

test('positions that cannot be are brought to what can', async () => {
  await using live = await openLive()
  const { browser, leg, waitFor } = await live.joined()
  leg.send(new Int16Array(160), 0)
  browser.say({ type: 'position', playedSamples: 9_000_000, capturedSamples: Number.MAX_SAFE_INTEGER })
  await waitFor('played 160 80000')
  browser.say({ type: 'position', playedSamples: 5, capturedSamples: 10 })
  await waitFor('played 160 10')
})

test('listeners hear both sides and what is said, five at most', async () => {
  await using live = await openLive()
  const { browser, leg, waitFor, notify } = await live.joined()
  notify(caption('before'))
  const listeners = []
  for (let index = 0; index < 6; index += 1) {
    const listener = await live.browse()
    listener.say({ type: 'listen', protocol: 1, accessToken: 'call_token-1' })
    listeners.push(listener)
    if (index < 5)
      expect(await listener.take('joined')).toMatchObject({ listening: true, resumeToken: '', rateHz: 8_000 })
    else expect(await listener.take('refused')).toMatchObject({ code: 'unavailable' })
  }
  const [one, other] = listeners
  if (one === undefined || other === undefined) throw new Error('unreachable')
  expect(await one.take('caption')).toMatchObject({ text: 'before' })
  notify(caption('now'))
  expect(await one.take('caption')).toMatchObject({ text: 'now' })

  leg.send(new Int16Array(160).fill(30_000), 0)
  leg.send(new Int16Array(160).fill(2), 160)
  browser.audio(new Int16Array(160).fill(1), 0)
  browser.say({ type: 'position', playedSamples: 160, capturedSamples: 160 })
  await waitFor('played 160 160')
  browser.audio(new Int16Array(160).fill(20_000), 160)
  await waitFor('frame 160 160 20000')
  leg.clear()
  browser.audio(new Int16Array(160).fill(3), 320)
  for (const [startSample, first] of [
    [0, 1],
    [160, 32_767],
    [320, 3],
  ]) {
    expect(await one.audioFrames.take(() => true)).toEqual({ startSample, first })
  }
  other.say({ type: 'typed', text: 'nobody hears me' })
  other.say({ type: 'leave' })
  expect((await other.closed).code).toBe(1000)
  leg.close(0)
  expect(await one.take('ended')).toMatchObject({ type: 'ended' })
  await one.closed
  expect(live.endpoint.callCount).toBe(0)
})

test('who may not listen, or asks for a call that is not here, is refused', async () => {
  await using live = await openLive({
    admit: async (token) =>
      token === 'none'
        ? { ok: false, code: 'token_expired', message: 'Expired.', retry: false }
        : { ok: true, callId: token, watch: () => () => undefined },
  })
  for (const [accessToken, code] of [
    ['none', 'token_expired'],
    ['call_far_away', 'held_elsewhere'],
  ]) {
    const listener = await live.browse()
    listener.say({ type: 'listen', protocol: 1, accessToken })
    expect(await listener.take('refused')).toMatchObject({ code })
  }
})

test('a page that was loaded again counts its samples anew', async () => {
  await using live = await openLive()
  const { browser, joined, waitFor, leg } = await live.joined()
  leg.send(new Int16Array(160), 0)
  for (let index = 0; index < 100; index += 1) browser.audio(new Int16Array(160), index * 160)
  await waitFor('frame 15840 160 0')
  browser.socket.terminate()
  await waitFor('lost')
  await live.pass(2_000)
  const again = await live.browse()
  again.say(resumeWith(joined.resumeToken, 0))
  await again.take('joined')
  again.say({ type: 'position', playedSamples: 0, capturedSamples: 0 })
  await waitFor('played 0 16000')
  // Two seconds were lost between the two pages.
  again.audio(new Int16Array(160).fill(1), 0)
  await waitFor('frame 32000 160 1')
  again.audio(new Int16Array(160).fill(2), 160)
  await waitFor('frame 32160 160 2')
  again.say({ type: 'position', playedSamples: 160, capturedSamples: 320 })
  await waitFor('played 160 32320')
})

test('a caller is told how much has come of what must not be lost, whatever the connection', async () => {
  await using live = await openLive()
  const { browser, joined, waitFor } = await live.joined()
  expect(joined.received).toBe(0)
  const utterance = { type: 'recognised', utteranceId: 'u' }
  browser.say({ ...utterance, text: 'he', stage: 'interim' })
  browser.say({ ...utterance, text: 'hello', stage: 'final' })
  browser.say({ type: 'typed', text: 'one' })
  browser.say({ type: 'dtmf', digit: '1' })
  browser.say({ type: 'recognition-failed' })
  browser.say({ type: 'muted', muted: true })
  browser.say({ type: 'ping', id: 1 })
  expect(await browser.take('pong')).toEqual({ type: 'pong', id: 1, received: 4 })
  // It was left out, and it need not come again.
  browser.say({ type: 'dtmf', digit: 'no key' })
  browser.say({ type: 'of-a-newer-browser' })
  browser.say({ type: 'ping', id: 2 })
  expect(await browser.take('pong')).toEqual({ type: 'pong', id: 2, received: 5 })
  browser.say({ type: 'typed', text: 'two' })
  await waitFor('typed two')

  const again = await live.browse()
  again.say(resumeWith(joined.resumeToken, 0))
  expect((await again.take('joined')).received).toBe(6)
  again.say({ type: 'typed', text: 'three' })
  again.say({ type: 'ping', id: 3 })
  expect(await again.take('pong')).toEqual({ type: 'pong', id: 3, received: 7 })
})

test('a stop waits for nobody whose call is over', async () => {
  await using live = await openLive()
  const { browser, leg, waitFor } = await live.joined()
  browser.socket.terminate()
  await waitFor('lost')
  leg.close(0)
  expect(live.endpoint.callCount).toBe(1)
  await live.stop(60_000)
  expect(live.time.pendingTimers()).toBe(0)
})
