import { createManualClock, flushPromises } from '@parley/engine/testing/manual-clock'
import { expect, test } from 'vitest'
import { type ConnectionSocket, WebConnection } from '../channel/web-connection.ts'
import { JOIN, openLive, openRecordedLeg, waitUntil } from './web-test-kit.ts'

test('limits the text of a caller without ending the call', async () => {
  await using live = await openLive()
  const { browser, received, waitFor } = await live.joined()
  const charactersPerMinute: number[] = []
  for (let minute = 0; minute < 3; minute += 1) {
    for (let index = 0; index < 40; index += 1) browser.send({ type: 'typed', text: 'x'.repeat(4_000) })
    for (let index = 0; index < 40; index += 1) browser.send({ type: 'dtmf', digit: '1' })
    await live.settleConnections()
    charactersPerMinute.push(received.items.splice(0).reduce((sum, item) => sum + item.length, 0))
    await live.advanceTime(60_000)
  }
  expect(Math.max(...charactersPerMinute)).toBeLessThan(20_000)
  expect(await browser.take('warning')).toMatchObject({ code: 'too_many_words' })
  browser.send({ type: 'typed', text: 'still here' })
  await waitFor('typed still here')
})

test('limits endless utterances with new ids', async () => {
  await using live = await openLive()
  const { browser, received } = await live.joined()
  for (let index = 0; index < 400; index += 1) {
    const text = 'x'.repeat(index % 2 === 0 ? 1 : 4_000)
    browser.send({ type: 'recognised', utteranceId: `${index >> 1}`, text, stage: 'interim' })
  }
  await live.settleConnections()
  expect(received.items.reduce((sum, item) => sum + item.length, 0)).toBeLessThan(25_000)
})

test('counts a growing utterance once', async () => {
  await using live = await openLive()
  const { browser, received, waitFor } = await live.joined()
  const text = 'word '.repeat(100)
  for (let index = 0; index < 200; index += 1) {
    browser.send({ type: 'recognised', utteranceId: 'a', text, stage: 'interim' })
  }
  browser.send({ type: 'recognised', utteranceId: 'a', text: 'done', stage: 'final' })
  await waitFor('recognised final done')
  expect(received.items).toHaveLength(200)
})

test('keeps missed messages despite many malformed messages', async () => {
  await using live = await openLive()
  const { browser, joined, notify, waitFor } = await live.joined()
  notify({ type: 'caption', id: 'a', role: 'agent', text: 'kept', final: true, interrupted: false })
  for (let round = 0; round < 25; round += 1) {
    for (let index = 0; index < 50; index += 1) browser.send({ type: 'dtmf', digit: 'no key' })
    await live.advanceTime(1_000)
  }
  browser.socket.terminate()
  await waitFor('lost')
  const resumedBrowser = await live.browse()
  resumedBrowser.send({ type: 'resume', protocol: 1, resumeToken: joined.resumeToken, lastSeq: 0 })
  expect(await resumedBrowser.take('caption')).toMatchObject({ text: 'kept' })
})

test('counts control frames against the limits', async () => {
  await using live = await openLive()
  const { browser, waitFor } = await live.joined()
  for (let index = 0; index < 700; index += 1) browser.socket.pong()
  await waitFor('lost')
  await browser.closed
})

test.each(['leave', 'close'] as const)('hangs up if the caller disconnects by "%s" during the join', async (exit) => {
  for (const waitMs of [0, 5_000]) {
    const gate = Promise.withResolvers<void>()
    const session = Promise.withResolvers<ReturnType<typeof openRecordedLeg>>()
    await using live = await openLive({
      async answer(_token, leg, observer) {
        await gate.promise
        // Sessions listen once they start.
        session.resolve(openRecordedLeg(leg, observer))
        const callFields = { callId: 'call_a', agentName: '', language: 'en-US', standIns: [], startedAtMs: 0 }
        return { ok: true, recognition: 'none', ...callFields }
      },
    })
    const browser = await live.browse()
    browser.send(JOIN)
    await waitUntil(() => live.endpoint.callCount === 1)
    if (exit === 'leave') browser.send({ type: 'leave' })
    else browser.socket.close(1000)
    await live.settleConnections()
    await live.advanceTime(waitMs)
    gate.resolve()
    const { leg, waitFor } = await session.promise
    await waitFor('hung up')
    leg.close(0)
    await browser.closed
    await live.advanceTime(16_000)
    expect(live.endpoint.callCount).toBe(0)
    expect(live.time.countPendingTimers()).toBe(0)
  }
})

test('disconnects a client that stops reading, once', async () => {
  const time = createManualClock()
  const events: string[] = []
  const socket = openStalledSocket()
  const connection = new WebConnection(socket, time.clock)
  connection.listen({
    message: () => undefined,
    invalid: () => undefined,
    audio: () => undefined,
    closed: (outcome) => events.push(outcome),
  })
  connection.send({ type: 'pong', id: 1, received: 0 })
  expect(socket.sent).toBe(1)
  socket.bufferedAmount = 5 * 1024 * 1024
  // The socket is full when the invalid binary message is rejected.
  socket.emitMessage(Buffer.alloc(1))
  connection.send({ type: 'pong', id: 2, received: 0 })
  await flushPromises()
  expect(events).toEqual(['broken'])
  expect(socket).toMatchObject({ sent: 1, isTerminated: true })
  expect(time.countPendingTimers()).toBe(0)
})

function openStalledSocket() {
  let onMessage = (_data: Buffer, _isBinary: boolean): void => undefined
  const socket = {
    bufferedAmount: 0,
    sent: 0,
    isTerminated: false,
    on(event: string, listener: never) {
      if (event === 'message') onMessage = listener
    },
    send: () => {
      socket.sent += 1
    },
    ping: () => undefined,
    close: () => undefined,
    terminate: () => {
      socket.isTerminated = true
    },
    emitMessage: (data: Buffer) => onMessage(data, true),
  }
  return socket satisfies ConnectionSocket
}
