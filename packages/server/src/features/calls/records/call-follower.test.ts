import { expect, test } from 'vitest'
import type { EventStream, StreamFrame } from '../../../kernel/api/implement.ts'
import { createSharedClock } from '../../../kernel/work/shared-clock.ts'
import { createInProcessBus } from '../../../platform/bus/in-process-bus.ts'
import { openLiveCalls } from '../live-call-test-kit.ts'
import { createCallFollowers } from './call-follower.ts'
import { CallSignals } from './call-signals.ts'

/** Reads a stream as a client does. */
function read(stream: EventStream) {
  const seen: string[] = []
  const state = { isEnded: false }
  const take = (frames: readonly StreamFrame[] = []): void => {
    for (const { id, event } of frames) seen.push(`${id} ${event}`)
  }
  const stop = stream.open({
    send: take,
    end(frames) {
      if (!state.isEnded) take(frames)
      state.isEnded = true
    },
  })
  return { seen, state, stop }
}

async function openFollowed() {
  const calls = await openLiveCalls()
  const { callId, accessToken } = await calls.create()
  await calls.node.enter(accessToken)
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
  const { calls, callId, followers, journal } = await openFollowed()
  await using _ = calls
  journal.append({ type: 'call-started' })
  await calls.flush()
  const early = read(followers.follow(callId, 0))
  const later = read(followers.follow(callId, 1))
  const left = read(followers.follow(callId, 0))
  await calls.until(() => early.seen.length + left.seen.length === 2)
  left.stop()
  // Both streams must wait. A poll in progress would otherwise wait from the current virtual time.
  await calls.until(() => calls.time.pendingTimers() === 2)
  journal.append({ type: 'dtmf', digit: '1' })
  await calls.flush()
  await calls.time.advance(1_000)
  await calls.until(() => early.seen.length + later.seen.length === 3)
  expect(early.seen).toEqual(['1 call-started', '2 dtmf'])
  expect(left.seen).toEqual(['1 call-started'])
  await journal.close()
  await calls.node.callEnder.endById(callId, { reason: 'user_hangup' })
  await calls.time.advance(1_000)
  await calls.until(() => early.state.isEnded && later.state.isEnded)
  expect(early).toMatchObject({ seen: ['1 call-started', '2 dtmf', '3 call-ended'], state: { isEnded: true } })
  expect(later).toMatchObject({ seen: ['2 dtmf', '3 call-ended'], state: { isEnded: true } })
  const postProcessing = read(followers.follow(callId, 2))
  await calls.until(() => postProcessing.state.isEnded)
  expect(postProcessing).toMatchObject({ seen: ['3 call-ended'], state: { isEnded: true } })
  expect(calls.time.pendingTimers()).toBe(0)
})

test('closes streams when the node stops', async () => {
  const { calls, callId, followers } = await openFollowed()
  await using _ = calls
  const reader = read(followers.follow(callId, 0))
  await calls.until(() => calls.time.pendingTimers() === 1)
  expect(reader.state.isEnded).toBe(false)
  followers.closeAll()
  expect(reader.state.isEnded).toBe(true)
  expect(calls.time.pendingTimers()).toBe(0)
})

test('limits followers per call and frees a place when one leaves', async () => {
  const { calls, callId, followers } = await openFollowed()
  await using _ = calls
  const readers = Array.from({ length: 50 }, () => read(followers.follow(callId, 0)))
  expect(() => read(followers.follow(callId, 0))).toThrow(expect.objectContaining({ code: 'rate_limited' }))
  readers[7]?.stop()
  let isReading = false
  await calls.until(() => {
    try {
      if (!isReading) read(followers.follow(callId, 0))
      isReading = true
    } catch {}
    return isReading
  })
  followers.closeAll()
  await calls.until(() => calls.time.pendingTimers() === 0)
})

test('notifies other nodes while they follow a call, and no others', async () => {
  const { calls, callId } = await openFollowed()
  await using _ = calls
  const { clock, advance } = calls.time
  const bus = createInProcessBus(() => undefined)
  const fields: unknown[] = []
  bus.subscribe('call.events', (message) => fields.push(message))
  const [writer, reader] = ['a', 'b'].map((nodeId) => new CallSignals({ bus, clock: createSharedClock(clock), nodeId }))
  if (writer === undefined || reader === undefined) throw new Error('two nodes')
  writer.announceWritten(new Set([callId]))
  await advance(0)
  expect(fields).toEqual([])
  reader.follow(callId)
  await advance(0)
  let isAwake = false
  void reader.wait(callId, { maxWaitMs: 60_000, signal: new AbortController().signal }).then(() => {
    isAwake = true
  })
  writer.announceWritten(new Set(['call_other', callId]))
  await advance(0)
  expect({ fields: fields.length, isAwake }).toEqual({ fields: 1, isAwake: true })
  await advance(13_000)
  writer.announceWritten(new Set([callId]))
  await advance(0)
  expect(fields).toHaveLength(1)
})
