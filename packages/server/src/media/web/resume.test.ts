import type { CallUpdate } from '@parley/engine/voice/ports'
import { expect, test } from 'vitest'
import { openLive } from './web-test-kit.ts'

const createCaption = (text: string): CallUpdate => {
  return { type: 'caption', id: text, role: 'agent', text, final: true, interrupted: false }
}
const toResume = (resumeToken: string, lastSeq: number) => ({ type: 'resume', protocol: 1, resumeToken, lastSeq })

test('resumes a call over another connection', async () => {
  await using live = await openLive()
  const { browser, joined, leg, received, waitFor, notify } = await live.joined()
  notify(createCaption('one'))
  notify(createCaption('two'))
  await browser.take('caption')
  browser.sendAudio(new Int16Array(160), 0)
  await waitFor('frame 0 160 0')
  browser.socket.terminate()
  await waitFor('lost')

  notify(createCaption('three'))
  notify({ type: 'activity', agent: 'speaking', user: 'silent' })
  leg.send(new Int16Array(160), 0)
  await live.advanceTime(14_000)
  const resumedBrowser = await live.browse()
  resumedBrowser.send(toResume(joined.resumeToken, 1))
  const rejoined = await resumedBrowser.take('joined')
  expect(rejoined).toMatchObject({ callId: joined.callId, elapsedMs: 14_000 })
  expect(rejoined.resumeToken).not.toBe(joined.resumeToken)
  await resumedBrowser.take('state')
  expect(resumedBrowser.messages.items).toMatchObject([
    { seq: 2, text: 'two' },
    { seq: 3, text: 'three' },
  ])
  await waitFor('restored')
  expect(resumedBrowser.audioFrames.items).toEqual([])

  // Sample counts of both sides continue.
  resumedBrowser.sendAudio(new Int16Array(160).fill(4), 14 * 8_000)
  await waitFor('frame 112000 160 4')
  leg.send(new Int16Array(160).fill(5), 160)
  expect(await resumedBrowser.audioFrames.take(() => true)).toEqual({ startSample: 160, firstSample: 5 })
  expect(live.endpoint.droppedFrames).toBe(1)
  expect(received.items).toEqual([])
})

test('hangs up after 15 seconds without a caller and revokes the token', async () => {
  await using live = await openLive()
  const { browser, joined, leg, waitFor, notify } = await live.joined()
  browser.socket.terminate()
  await waitFor('lost')
  await live.advanceTime(15_000)
  await waitFor('hung up')
  notify({ type: 'end', reason: 'user_hangup' })
  leg.close(0)
  await live.advanceTime(15_000)
  const lateBrowser = await live.browse()
  lateBrowser.send(toResume(joined.resumeToken, 0))
  expect(await lateBrowser.take('refused')).toMatchObject({ code: 'token_invalid', retry: false })
  await lateBrowser.closed
  expect(live.endpoint.callCount).toBe(0)
  await live.stop(0)
  expect(live.time.countPendingTimers()).toBe(0)
})

test('informs a returning caller how the call ended', async () => {
  await using live = await openLive()
  const { browser, joined, leg, waitFor, notify } = await live.joined()
  browser.socket.terminate()
  await waitFor('lost')
  notify(createCaption('Goodbye'))
  notify({ type: 'end', reason: 'max_duration_reached' })
  leg.close(1_000)
  const resumedBrowser = await live.browse()
  resumedBrowser.send(toResume(joined.resumeToken, 0))
  expect(await resumedBrowser.take('ended')).toEqual({ type: 'ended', reason: 'max_duration_reached' })
  expect(await resumedBrowser.take('caption')).toMatchObject({ text: 'Goodbye' })
  await resumedBrowser.closed
  expect(live.endpoint.callCount).toBe(0)
  await live.stop(0)
  expect(live.time.countPendingTimers()).toBe(0)
})

test('moves a call to the newest connection, even with the previous token', async () => {
  await using live = await openLive()
  const { browser, joined, waitFor, received } = await live.joined()
  const firstBrowser = await live.browse()
  const secondBrowser = await live.browse()
  firstBrowser.send(toResume(joined.resumeToken, 0))
  const { resumeToken } = await firstBrowser.take('joined')
  expect((await browser.closed).code).toBe(4001)
  // The previous token is still valid, in case the response with the new one was lost.
  secondBrowser.send(toResume(joined.resumeToken, 0))
  await secondBrowser.take('joined')
  expect((await firstBrowser.closed).code).toBe(4001)
  secondBrowser.send({ type: 'typed', text: 'me' })
  await waitFor('typed me')
  expect(received.items).toEqual(['lost', 'restored', 'lost', 'restored'])

  secondBrowser.socket.terminate()
  await waitFor('lost')
  const thirdBrowser = await live.browse()
  thirdBrowser.send(toResume(resumeToken, 0))
  await thirdBrowser.take('joined')
  const staleBrowser = await live.browse()
  staleBrowser.send(toResume(joined.resumeToken, 0))
  expect(await staleBrowser.take('refused')).toMatchObject({ code: 'token_invalid' })
})

test('detects a silent client within six seconds', async () => {
  await using live = await openLive()
  const { browser, received, waitFor } = await live.joined()
  await live.advanceTime(20_000)
  expect(received.items).toEqual([])
  browser.socket.pause()
  await live.time.advance(6_000)
  await waitFor('lost')
})

test('closes after sent audio was played, at most after the drain time', async () => {
  await using live = await openLive()
  for (const reportsPlayback of [true, false]) {
    const { browser, leg, notify } = await live.joined({ accessToken: String(reportsPlayback) })
    leg.send(new Int16Array(160), 0)
    notify({ type: 'end', reason: 'agent_hangup' })
    leg.close(2_000)
    await live.settleConnections()
    expect(browser.messages.items).toEqual([])
    if (reportsPlayback) browser.send({ type: 'position', playedSamples: 160, capturedSamples: 0 })
    else await live.advanceTime(2_000)
    expect(await browser.take('ended')).toEqual({ type: 'ended', reason: 'agent_hangup' })
    expect((await browser.closed).code).toBe(1000)
  }
  expect(live.time.countPendingTimers()).toBe(0)
})

test('drops and counts frames while the connection is congested', async () => {
  await using live = await openLive()
  const { browser, leg } = await live.joined()
  browser.socket.pause()
  // Far more than the socket buffers hold.
  const frame = new Int16Array(8_000)
  for (let index = 0; index < 1_000; index += 1) leg.send(frame, index * 8_000)
  const { droppedFrames } = live.endpoint
  expect(droppedFrames).toBeGreaterThan(100)
  leg.close(0)
  expect(live.endpoint.droppedFrames).toBe(droppedFrames)
  expect(live.endpoint.callCount).toBe(0)
})

test('clamps impossible positions', async () => {
  await using live = await openLive()
  const { browser, leg, waitFor } = await live.joined()
  leg.send(new Int16Array(160), 0)
  browser.send({ type: 'position', playedSamples: 9_000_000, capturedSamples: Number.MAX_SAFE_INTEGER })
  await waitFor('played 160 80000')
  browser.send({ type: 'position', playedSamples: 5, capturedSamples: 10 })
  await waitFor('played 160 10')
})

test('sends both sides and all messages to at most five listeners', async () => {
  await using live = await openLive()
  const { browser, leg, waitFor, notify } = await live.joined()
  notify(createCaption('before'))
  const listeners = []
  for (let index = 0; index < 6; index += 1) {
    const listener = await live.browse()
    listener.send({ type: 'listen', protocol: 1, accessToken: 'call_token-1' })
    listeners.push(listener)
    if (index < 5)
      expect(await listener.take('joined')).toMatchObject({ listening: true, resumeToken: '', rateHz: 8_000 })
    else expect(await listener.take('refused')).toMatchObject({ code: 'unavailable' })
  }
  const [firstListener, secondListener] = listeners
  if (firstListener === undefined || secondListener === undefined) throw new Error('unreachable')
  expect(await firstListener.take('caption')).toMatchObject({ text: 'before' })
  notify(createCaption('now'))
  expect(await firstListener.take('caption')).toMatchObject({ text: 'now' })

  leg.send(new Int16Array(160).fill(30_000), 0)
  leg.send(new Int16Array(160).fill(2), 160)
  browser.sendAudio(new Int16Array(160).fill(1), 0)
  browser.send({ type: 'position', playedSamples: 160, capturedSamples: 160 })
  await waitFor('played 160 160')
  browser.sendAudio(new Int16Array(160).fill(20_000), 160)
  await waitFor('frame 160 160 20000')
  leg.clear()
  browser.sendAudio(new Int16Array(160).fill(3), 320)
  for (const [startSample, firstSample] of [
    [0, 1],
    [160, 32_767],
    [320, 3],
  ]) {
    expect(await firstListener.audioFrames.take(() => true)).toEqual({ startSample, firstSample })
  }
  secondListener.send({ type: 'typed', text: 'nobody hears me' })
  secondListener.send({ type: 'leave' })
  expect((await secondListener.closed).code).toBe(1000)
  leg.close(0)
  expect(await firstListener.take('ended')).toMatchObject({ type: 'ended' })
  await firstListener.closed
  expect(live.endpoint.callCount).toBe(0)
})

test('rejects listeners without access and listeners of unknown calls', async () => {
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
    listener.send({ type: 'listen', protocol: 1, accessToken })
    expect(await listener.take('refused')).toMatchObject({ code })
  }
})

test('continues the sample count after a page reload', async () => {
  await using live = await openLive()
  const { browser, joined, waitFor, leg } = await live.joined()
  leg.send(new Int16Array(160), 0)
  for (let index = 0; index < 100; index += 1) browser.sendAudio(new Int16Array(160), index * 160)
  await waitFor('frame 15840 160 0')
  browser.socket.terminate()
  await waitFor('lost')
  await live.advanceTime(2_000)
  const reloadedBrowser = await live.browse()
  reloadedBrowser.send(toResume(joined.resumeToken, 0))
  await reloadedBrowser.take('joined')
  reloadedBrowser.send({ type: 'position', playedSamples: 0, capturedSamples: 0 })
  await waitFor('played 0 16000')
  // Two seconds were lost between the two pages.
  reloadedBrowser.sendAudio(new Int16Array(160).fill(1), 0)
  await waitFor('frame 32000 160 1')
  reloadedBrowser.sendAudio(new Int16Array(160).fill(2), 160)
  await waitFor('frame 32160 160 2')
  reloadedBrowser.send({ type: 'position', playedSamples: 160, capturedSamples: 320 })
  await waitFor('played 160 32320')
})

test('reports the count of received messages across connections', async () => {
  await using live = await openLive()
  const { browser, joined, waitFor } = await live.joined()
  expect(joined.received).toBe(0)
  const utterance = { type: 'recognised', utteranceId: 'u' }
  browser.send({ ...utterance, text: 'he', stage: 'interim' })
  browser.send({ ...utterance, text: 'hello', stage: 'final' })
  browser.send({ type: 'typed', text: 'one' })
  browser.send({ type: 'dtmf', digit: '1' })
  browser.send({ type: 'recognition-failed' })
  browser.send({ type: 'muted', muted: true })
  browser.send({ type: 'ping', id: 1 })
  expect(await browser.take('pong')).toEqual({ type: 'pong', id: 1, received: 4 })
  // A malformed message also counts as received.
  browser.send({ type: 'dtmf', digit: 'no key' })
  browser.send({ type: 'of-a-newer-browser' })
  browser.send({ type: 'ping', id: 2 })
  expect(await browser.take('pong')).toEqual({ type: 'pong', id: 2, received: 5 })
  browser.send({ type: 'typed', text: 'two' })
  await waitFor('typed two')

  const resumedBrowser = await live.browse()
  resumedBrowser.send(toResume(joined.resumeToken, 0))
  expect((await resumedBrowser.take('joined')).received).toBe(6)
  resumedBrowser.send({ type: 'typed', text: 'three' })
  resumedBrowser.send({ type: 'ping', id: 3 })
  expect(await resumedBrowser.take('pong')).toEqual({ type: 'pong', id: 3, received: 7 })
})

test('a stop does not wait for ended calls', async () => {
  await using live = await openLive()
  const { browser, leg, waitFor } = await live.joined()
  browser.socket.terminate()
  await waitFor('lost')
  leg.close(0)
  expect(live.endpoint.callCount).toBe(1)
  await live.stop(60_000)
  expect(live.time.countPendingTimers()).toBe(0)
})
