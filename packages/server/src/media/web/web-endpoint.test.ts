import { flushPromises } from '@parley/engine/testing/manual-clock'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { JOIN, openLive, waitUntil } from './web-test-kit.ts'

test('transmits audio and messages in both directions and releases everything at the end', async () => {
  await using live = await openLive()
  const { browser, joined, leg, received, waitFor, notify } = await live.joined()
  expect(joined).toMatchObject({
    callId: 'call_token-1',
    agentName: 'Desk',
    language: 'en-US',
    rateHz: 8_000,
    listening: false,
    elapsedMs: 0,
  })
  expect(leg).toMatchObject({
    kind: 'web',
    rateHz: 8_000,
    capabilities: { cancelsEcho: true, recognizesSpeech: true, reportsPlayed: true, acceptsText: true },
  })

  browser.audio(new Int16Array(160).fill(7), 0)
  await waitFor('frame 0 160 7')
  browser.say({ type: 'typed', text: 'hello' })
  browser.say({ type: 'dtmf', digit: '#' })
  browser.say({ type: 'recognised', utteranceId: 'a', text: 'good', stage: 'stable' })
  browser.say({ type: 'recognised', utteranceId: 'a', text: 'good morning', stage: 'final' })
  browser.say({ type: 'recognition-failed' })
  browser.say({ type: 'from-the-future', wisdom: 1 })
  browser.say({ type: 'ping', id: 3 })
  await browser.take('pong')
  expect(received.items).toEqual([
    ...['typed hello', 'dtmf #', 'recognised interim good', 'recognised final good morning'],
    'recognition failed',
  ])

  leg.send(new Int16Array(160).fill(9), 0)
  expect(await browser.audioFrames.take(() => true)).toEqual({ startSample: 0, first: 9 })
  browser.say({ type: 'position', playedSamples: 120, capturedSamples: 160 })
  await waitFor('played 120 160')
  leg.clear()
  await browser.take('clear')
  notify({ type: 'activity', agent: 'speaking', user: 'silent' })
  notify({ type: 'warning', code: 'x', message: 'y' })
  expect(await browser.take('warning')).toMatchObject({ seq: 1 })

  browser.say({ type: 'leave' })
  await waitFor('hung up')
  notify({ type: 'end', reason: 'user_hangup' })
  leg.close(0)
  expect(await browser.take('ended')).toEqual({ type: 'ended', reason: 'user_hangup' })
  expect((await browser.closed).code).toBe(1000)
  expect(live.endpoint.callCount).toBe(0)
  await live.stop(0)
  expect(live.time.pendingTimers()).toBe(0)
  expect(live.server.listenerCount('upgrade')).toBe(0)
})

test('sends frames of one task as one message, in order with other messages', async () => {
  await using live = await openLive()
  const { browser, leg, notify } = await live.joined()
  const arrived: string[] = []
  browser.socket.on('message', (data: Buffer, isBinary: boolean) => {
    arrived.push(isBinary ? `sound ${data.readUInt32LE(0)} ${(data.length - 4) / 2}` : JSON.parse(String(data)).type)
  })
  for (const startSample of [0, 160, 320, 640]) leg.send(new Int16Array(160), startSample)
  leg.clear()
  leg.send(new Int16Array(160), 800)
  await browser.roundTrip()
  leg.send(new Int16Array(160), 960)
  notify({ type: 'end', reason: 'agent_hangup' })
  leg.close(0)
  await browser.closed
  expect(arrived).toEqual(['sound 0 480', 'sound 640 160', 'clear', 'sound 800 160', 'sound 960 160', 'ended'])
})

test('sends messages from before the start after joined', async () => {
  await using live = await openLive({
    async answer(_token, leg, observer) {
      observer?.notify({ type: 'caption', id: 'c', role: 'agent', text: 'Hi', final: false, interrupted: false })
      leg.send(new Int16Array(160).fill(1), 0)
      await flushPromises()
      return {
        ok: true,
        callId: 'call_a',
        agentName: '',
        language: 'en-US',
        recognition: 'none',
        standIns: [],
        startedAtMs: 0,
      }
    },
  })
  const browser = await live.browse('/api/calls/live')
  await browser.join()
  expect(await browser.take('caption')).toMatchObject({ seq: 1, text: 'Hi' })
  expect(await browser.audioFrames.take(() => true)).toEqual({ startSample: 0, first: 1 })
})

test('returns HTTP errors for unknown paths, too many attempts and during a stop', async () => {
  await using live = await openLive()
  expect((await live.browse('/api/v1/calls')).status).toBe(404)
  const statuses = await Promise.all(Array.from({ length: 31 }, async () => (await live.browse()).status))
  expect(statuses.filter((status) => status === 101)).toHaveLength(30)
  expect(statuses.filter((status) => status === 429)).toHaveLength(1)
  await live.time.advance(1_000)
  const last = await live.browse()
  expect(last.status).toBe(101)
  // The stop waits for this connection to close.
  last.socket.pause()
  const stopped = live.stop(60_000)
  expect((await live.browse()).status).toBe(503)
  last.socket.resume()
  await stopped
})

test.each([
  ['nothing within five seconds', null, 'too_late'],
  ['what is not JSON', 'not json', 'invalid_message'],
  ['an array', '[]', 'invalid_message'],
  ['an unknown type', { type: 'hello' }, 'invalid_message'],
  ['a join without a token', { ...JOIN, accessToken: '' }, 'invalid_message'],
  ['another protocol', { ...JOIN, protocol: 2 }, 'invalid_message'],
  ['something before the join', { type: 'typed', text: 'hi' }, 'not_joined'],
  [
    'a token that resumes nothing here',
    { type: 'resume', protocol: 1, resumeToken: 'x.y', lastSeq: 0 },
    'held_elsewhere',
  ],
])('refuses %s', async (_name, first, code) => {
  await using live = await openLive()
  const browser = await live.browse()
  if (first === null) await live.pass(5_000)
  else browser.say(first)
  expect(await browser.take('refused')).toMatchObject({ code, retry: code === 'held_elsewhere' })
  await browser.closed
  expect(live.endpoint.callCount).toBe(0)
})

test('reports refusals and failures of the host', async () => {
  await using live = await openLive({
    async answer(token) {
      if (token === 'broken') throw new Error('no database')
      return { ok: false, code: 'token_used', message: 'Used.', retry: false }
    },
  })
  const refused = await live.browse()
  refused.say(JOIN)
  expect(await refused.take('refused')).toEqual({ type: 'refused', code: 'token_used', message: 'Used.', retry: false })
  const failed = await live.browse()
  failed.say({ ...JOIN, accessToken: 'broken' })
  expect(await failed.take('refused')).toMatchObject({ code: 'unavailable', retry: true })
  expect(live.errors).toEqual([new Error('no database')])
  expect(live.returnedTokens).toEqual(['token-1', 'broken'])
  expect(live.endpoint.callCount).toBe(0)
})

test('hangs up if the caller is gone before the start', async () => {
  const gate = Promise.withResolvers<void>()
  await using live = await openLive({
    async answer() {
      await gate.promise
      return {
        ok: true,
        callId: 'call_a',
        agentName: '',
        language: 'en-US',
        recognition: 'none',
        standIns: [],
        startedAtMs: 0,
      }
    },
  })
  const browser = await live.browse()
  browser.say(JOIN)
  await waitUntil(() => live.endpoint.callCount === 1)
  browser.socket.terminate()
  await waitUntil(() => live.time.pendingTimers() === 0)
  gate.resolve()
  const { waitFor } = await live.session()
  await waitFor('hung up')
})

test('breaks the connection but not the call for excessive or invalid messages', async () => {
  await using live = await openLive()
  for (const corrupt of ['flood', 'garbage', 'large', 'odd', 'racing'] as const) {
    const { browser, waitFor, joined, leg } = await live.joined({ accessToken: corrupt })
    if (corrupt === 'flood') for (let index = 0; index < 700; index += 1) browser.say({ type: 'muted', muted: true })
    if (corrupt === 'garbage') browser.say('{')
    if (corrupt === 'large') browser.say({ type: 'typed', text: 'x'.repeat(40_000) })
    if (corrupt === 'odd') browser.socket.send(Buffer.alloc(7))
    if (corrupt === 'racing') browser.audio(new Int16Array(160), 1_000_000)
    await waitFor('lost')
    await browser.closed
    const again = await live.browse()
    again.say({ type: 'resume', protocol: 1, resumeToken: joined.resumeToken, lastSeq: 0 })
    await again.take('joined')
    await waitFor('restored')
    again.say({ type: 'typed', text: 'x'.repeat(4_001) })
    expect(await again.take('warning')).toMatchObject({ code: 'invalid_message' })
    leg.close(0)
    await again.take('ended')
  }
})

test('survives arbitrary messages', async () => {
  await using live = await openLive()
  const noise = fc.oneof(
    fc.json(),
    fc.string(),
    fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes)),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(noise, { maxLength: 10 }), fc.boolean(), async (messages, joins) => {
      await live.time.advance(2_000)
      const browser = await live.browse()
      if (joins) await browser.join()
      for (const message of messages) browser.socket.send(message)
      browser.socket.close()
      await browser.closed
    }),
    { numRuns: 60 },
  )
  expect(live.errors).toEqual([])
  await live.joined()
})

test('ends calls before their connections at a stop, with the same reason', async () => {
  let end = (): void => undefined
  await using live = await openLive({ endAll: () => end() })
  const { browser, leg, received, notify } = await live.joined()
  end = () => {
    received.push('ended')
    notify({ type: 'end', reason: 'as the call says' })
    leg.close(300)
  }
  const stopped = live.stop(1_000)
  await live.pass(1_000)
  expect(await browser.take('ended')).toEqual({ type: 'ended', reason: 'as the call says' })
  await stopped
  expect(received.items).toEqual(['ended'])
  expect(live.time.pendingTimers()).toBe(0)
})

test('a stop waits for calls until its deadline, then ends them', async () => {
  await using live = await openLive()
  const first = await live.joined({ accessToken: 'first' })
  const second = await live.joined({ accessToken: 'second' })
  const stopped = live.stop(10_000)
  await live.pass(5_000)
  first.notify({ type: 'end', reason: 'agent_hangup' })
  first.leg.close(0)
  await first.browser.take('ended')
  expect(live.endpoint.callCount).toBe(1)
  await live.pass(5_000)
  expect(await second.browser.take('ended')).toEqual({ type: 'ended', reason: 'error_node_lost' })
  await second.waitFor('hung up')
  await stopped
  expect(live.endpoint.callCount).toBe(0)
  expect(live.time.pendingTimers()).toBe(0)
})
