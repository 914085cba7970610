import { expect, test } from 'vitest'
import type { EventStream, StreamFrame } from '../../../kernel/api/implement.ts'
import { createSharedClock } from '../../../kernel/work/shared-clock.ts'
import { createInProcessBus } from '../../../platform/bus/in-process-bus.ts'
import { openLiveCalls } from '../live-call-test-kit.ts'
import { createCallFollowers } from './call-follower.ts'
import { CallSignals } from './call-signals.ts'

/** Reads a stream as a client does. */
function openStream(stream: EventStream) {
  const receivedEvents: string[] = []
  const state = { isEnded: false }
  const record = (frames: readonly StreamFrame[] = []): void => {
    for (const { id, event } of frames) receivedEvents.push(`${id} ${event}`)
  }
  const stop = stream.open({
    send: record,
    end(frames) {
      if (!state.isEnded) record(frames)
      state.isEnded = true
    },
  })
  return { receivedEvents, state, stop }
}

async function openFollowedCall() {
  const calls = await openLiveCalls()
  const { callId, accessToken } = await calls.create()
  await calls.node.join(accessToken)
  const bus = createInProcessBus(() => undefined)
  const { clock } = calls.time
  const signals = new CallSignals({ bus, clock: createSharedClock(clock), nodeId: 'node_x' })
  const background = { run: (_name: string, work: () => Promise<unknown>) => void work().catch(() => undefined) }
  const followers = createCallFollowers({
    database: calls.database,
    clock: createSharedClock(clock),
    background,
    signals,
  })
  return { calls, callId, followers, journal: calls.node.journals.open(callId, clock.now()) }
}

test('a follower receives past events, live events and the end', async () => {
  const { calls, callId, followers, journal } = await openFollowedCall()
  await using _ = calls
  journal.append({ type: 'call-started' })
  await calls.flush()
  const earlyReader = openStream(followers.follow(callId, 0))
  const laterReader = openStream(followers.follow(callId, 1))
  const stoppedReader = openStream(followers.follow(callId, 0))
  await calls.until(() => earlyReader.receivedEvents.length + stoppedReader.receivedEvents.length === 2)
  stoppedReader.stop()
  // Both streams must wait. A poll in progress would otherwise wait from the current virtual time.
  await calls.until(() => calls.time.countPendingTimers() === 2)
  journal.append({ type: 'dtmf', digit: '1' })
  await calls.flush()
  await calls.time.advance(1_000)
  await calls.until(() => earlyReader.receivedEvents.length + laterReader.receivedEvents.length === 3)
  expect(earlyReader.receivedEvents).toEqual(['1 call-started', '2 dtmf'])
  expect(stoppedReader.receivedEvents).toEqual(['1 call-started'])
  await journal.close()
  await calls.node.callEnder.endById(callId, { reason: 'user_hangup' })
  await calls.time.advance(1_000)
  await calls.until(() => earlyReader.state.isEnded && laterReader.state.isEnded)
  expect(earlyReader).toMatchObject({
    receivedEvents: ['1 call-started', '2 dtmf', '3 call-ended'],
    state: { isEnded: true },
  })
  expect(laterReader).toMatchObject({ receivedEvents: ['2 dtmf', '3 call-ended'], state: { isEnded: true } })
  const lateReader = openStream(followers.follow(callId, 2))
  await calls.until(() => lateReader.state.isEnded)
  expect(lateReader).toMatchObject({ receivedEvents: ['3 call-ended'], state: { isEnded: true } })
  expect(calls.time.countPendingTimers()).toBe(0)
})

test('closes streams when the node stops', async () => {
  const { calls, callId, followers } = await openFollowedCall()
  await using _ = calls
  const reader = openStream(followers.follow(callId, 0))
  await calls.until(() => calls.time.countPendingTimers() === 1)
  expect(reader.state.isEnded).toBe(false)
  followers.closeAll()
  expect(reader.state.isEnded).toBe(true)
  expect(calls.time.countPendingTimers()).toBe(0)
})

test('limits the followers of a call and admits another after one leaves', async () => {
  const { calls, callId, followers } = await openFollowedCall()
  await using _ = calls
  const readers = Array.from({ length: 50 }, () => openStream(followers.follow(callId, 0)))
  expect(() => openStream(followers.follow(callId, 0))).toThrow(expect.objectContaining({ code: 'rate_limited' }))
  readers[7]?.stop()
  let isReading = false
  await calls.until(() => {
    try {
      if (!isReading) openStream(followers.follow(callId, 0))
      isReading = true
    } catch {}
    return isReading
  })
  followers.closeAll()
  await calls.until(() => calls.time.countPendingTimers() === 0)
})

test('notifies other nodes while they follow a call, and no others', async () => {
  const { calls, callId } = await openFollowedCall()
  await using _ = calls
  const { clock, advance } = calls.time
  const bus = createInProcessBus(() => undefined)
  const messages: unknown[] = []
  bus.subscribe('call.events', (message) => messages.push(message))
  const [writer, reader] = ['a', 'b'].map((nodeId) => new CallSignals({ bus, clock: createSharedClock(clock), nodeId }))
  if (writer === undefined || reader === undefined) throw new Error('Two nodes are required.')
  writer.announceWritten(new Set([callId]))
  await advance(0)
  expect(messages).toEqual([])
  reader.announceFollower(callId)
  await advance(0)
  let isAwake = false
  void reader.wait(callId, { maxWaitMs: 60_000, signal: new AbortController().signal }).then(() => {
    isAwake = true
  })
  writer.announceWritten(new Set(['call_other', callId]))
  await advance(0)
  expect({ fields: messages.length, isAwake }).toEqual({ fields: 1, isAwake: true })
  await advance(13_000)
  writer.announceWritten(new Set([callId]))
  await advance(0)
  expect(messages).toHaveLength(1)
})
