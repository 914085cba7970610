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

  browser.sendAudio(new Int16Array(160).fill(7), 0)
  await waitFor('frame 0 160 7')
  browser.send({ type: 'typed', text: 'hello' })
  browser.send({ type: 'dtmf', digit: '#' })
  browser.send({ type: 'recognised', utteranceId: 'a', text: 'good', stage: 'stable' })
  browser.send({ type: 'recognised', utteranceId: 'a', text: 'good morning', stage: 'final' })
  browser.send({ type: 'recognition-failed' })
  browser.send({ type: 'from-the-future', wisdom: 1 })
  browser.send({ type: 'ping', id: 3 })
  await browser.take('pong')
  expect(received.items).toEqual([
    ...['typed hello', 'dtmf #', 'recognised interim good', 'recognised final good morning'],
    'recognition failed',
  ])

  leg.send(new Int16Array(160).fill(9), 0)
  expect(await browser.audioFrames.take(() => true)).toEqual({ startSample: 0, firstSample: 9 })
  browser.send({ type: 'position', playedSamples: 120, capturedSamples: 160 })
  await waitFor('played 120 160')
  leg.clear()
  await browser.take('clear')
  leg.attenuate?.(6, 60)
  expect(await browser.take('gain')).toEqual({ type: 'gain', db: -6, rampMs: 60 })
  notify({ type: 'activity', agent: 'speaking', user: 'silent' })
  notify({ type: 'warning', code: 'x', message: 'y' })
  expect(await browser.take('warning')).toMatchObject({ seq: 1 })

  browser.send({ type: 'leave' })
  await waitFor('hung up')
  notify({ type: 'end', reason: 'user_hangup' })
  leg.close(0)
  expect(await browser.take('ended')).toEqual({ type: 'ended', reason: 'user_hangup' })
  expect((await browser.closed).code).toBe(1000)
  expect(live.endpoint.callCount).toBe(0)
  await live.stop(0)
  expect(live.time.countPendingTimers()).toBe(0)
  expect(live.server.listenerCount('upgrade')).toBe(0)
})

test('sends frames of one task as one message, in order with other messages', async () => {
  await using live = await openLive()
  const { browser, leg, notify } = await live.joined()
  const received: string[] = []
  browser.socket.on('message', (data: Buffer, isBinary: boolean) => {
    received.push(isBinary ? `audio ${data.readUInt32LE(0)} ${(data.length - 4) / 2}` : JSON.parse(String(data)).type)
  })
  for (const startSample of [0, 160, 320, 640]) leg.send(new Int16Array(160), startSample)
  leg.clear()
  leg.send(new Int16Array(160), 800)
  await browser.roundTrip()
  leg.send(new Int16Array(160), 960)
  notify({ type: 'end', reason: 'agent_hangup' })
  leg.close(0)
  await browser.closed
  expect(received).toEqual(['audio 0 480', 'audio 640 160', 'clear', 'audio 800 160', 'audio 960 160', 'ended'])
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
  expect(await browser.audioFrames.take(() => true)).toEqual({ startSample: 0, firstSample: 1 })
})

test('returns HTTP errors for unknown paths, too many attempts and during a stop', async () => {
  await using live = await openLive()
  expect((await live.browse('/api/v1/calls')).status).toBe(404)
  const statuses = await Promise.all(Array.from({ length: 31 }, async () => (await live.browse()).status))
  expect(statuses.filter((status) => status === 101)).toHaveLength(30)
  expect(statuses.filter((status) => status === 429)).toHaveLength(1)
  await live.time.advance(1_000)
  const lastBrowser = await live.browse()
  expect(lastBrowser.status).toBe(101)
  // The stop waits for this connection to close.
  lastBrowser.socket.pause()
  const stopping = live.stop(60_000)
  expect((await live.browse()).status).toBe(503)
  lastBrowser.socket.resume()
  await stopping
})

test.each([
  ['a connection without a message within five seconds', null, 'too_late'],
  ['text that is not JSON', 'not json', 'invalid_message'],
  ['an array', '[]', 'invalid_message'],
  ['an unknown type', { type: 'hello' }, 'invalid_message'],
  ['a join without a token', { ...JOIN, accessToken: '' }, 'invalid_message'],
  ['another protocol', { ...JOIN, protocol: 2 }, 'invalid_message'],
  ['another message before the join', { type: 'typed', text: 'hi' }, 'not_joined'],
  [
    'a resume token of another process',
    { type: 'resume', protocol: 1, resumeToken: 'x.y', lastSeq: 0 },
    'held_elsewhere',
  ],
])('rejects %s', async (_name, firstMessage, code) => {
  await using live = await openLive()
  const browser = await live.browse()
  if (firstMessage === null) await live.advanceTime(5_000)
  else browser.send(firstMessage)
  expect(await browser.take('refused')).toMatchObject({ code, retry: code === 'held_elsewhere' })
  await browser.closed
  expect(live.endpoint.callCount).toBe(0)
})

test('reports rejections and failures of the host', async () => {
  await using live = await openLive({
    async answer(token) {
      if (token === 'broken') throw new Error('no database')
      return { ok: false, code: 'token_used', message: 'Used.', retry: false }
    },
  })
  const rejected = await live.browse()
  rejected.send(JOIN)
  expect(await rejected.take('refused')).toEqual({
    type: 'refused',
    code: 'token_used',
    message: 'Used.',
    retry: false,
  })
  const failedBrowser = await live.browse()
  failedBrowser.send({ ...JOIN, accessToken: 'broken' })
  expect(await failedBrowser.take('refused')).toMatchObject({ code: 'unavailable', retry: true })
  expect(live.errors).toEqual([new Error('no database')])
  expect(live.returnedTokens).toEqual(['token-1', 'broken'])
  expect(live.endpoint.callCount).toBe(0)
})

test('hangs up if the caller disconnects before the start', async () => {
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
  browser.send(JOIN)
  await waitUntil(() => live.endpoint.callCount === 1)
  browser.socket.terminate()
  await waitUntil(() => live.time.countPendingTimers() === 0)
  gate.resolve()
  const { waitFor } = await live.session()
  await waitFor('hung up')
})

test('breaks the connection but not the call for excessive or invalid messages', async () => {
  await using live = await openLive()
  for (const problem of ['flood', 'garbage', 'large', 'odd', 'racing'] as const) {
    const { browser, waitFor, joined, leg } = await live.joined({ accessToken: problem })
    if (problem === 'flood') for (let index = 0; index < 700; index += 1) browser.send({ type: 'muted', muted: true })
    if (problem === 'garbage') browser.send('{')
    if (problem === 'large') browser.send({ type: 'typed', text: 'x'.repeat(40_000) })
    if (problem === 'odd') browser.socket.send(Buffer.alloc(7))
    if (problem === 'racing') browser.sendAudio(new Int16Array(160), 1_000_000)
    await waitFor('lost')
    await browser.closed
    const resumedBrowser = await live.browse()
    resumedBrowser.send({ type: 'resume', protocol: 1, resumeToken: joined.resumeToken, lastSeq: 0 })
    await resumedBrowser.take('joined')
    await waitFor('restored')
    resumedBrowser.send({ type: 'typed', text: 'x'.repeat(4_001) })
    expect(await resumedBrowser.take('warning')).toMatchObject({ code: 'invalid_message' })
    leg.close(0)
    await resumedBrowser.take('ended')
  }
})

test('survives arbitrary messages', async () => {
  await using live = await openLive()
  const noiseArbitrary = fc.oneof(
    fc.json(),
    fc.string(),
    fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes)),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(noiseArbitrary, { maxLength: 10 }), fc.boolean(), async (messages, shouldJoin) => {
      await live.time.advance(2_000)
      const browser = await live.browse()
      if (shouldJoin) await browser.join()
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
  let endCall = (): void => undefined
  await using live = await openLive({ endAll: () => endCall() })
  const { browser, leg, received, notify } = await live.joined()
  endCall = () => {
    received.push('ended')
    notify({ type: 'end', reason: 'custom_reason' })
    leg.close(300)
  }
  const stopping = live.stop(1_000)
  await live.advanceTime(1_000)
  expect(await browser.take('ended')).toEqual({ type: 'ended', reason: 'custom_reason' })
  await stopping
  expect(received.items).toEqual(['ended'])
  expect(live.time.countPendingTimers()).toBe(0)
})

test('a stop waits for calls until its deadline, then ends them', async () => {
  await using live = await openLive()
  const firstCall = await live.joined({ accessToken: 'first' })
  const secondCall = await live.joined({ accessToken: 'second' })
  const stopping = live.stop(10_000)
  await live.advanceTime(5_000)
  firstCall.notify({ type: 'end', reason: 'agent_hangup' })
  firstCall.leg.close(0)
  await firstCall.browser.take('ended')
  expect(live.endpoint.callCount).toBe(1)
  await live.advanceTime(5_000)
  expect(await secondCall.browser.take('ended')).toEqual({ type: 'ended', reason: 'error_node_lost' })
  await secondCall.waitFor('hung up')
  await stopping
  expect(live.endpoint.callCount).toBe(0)
  expect(live.time.countPendingTimers()).toBe(0)
})
