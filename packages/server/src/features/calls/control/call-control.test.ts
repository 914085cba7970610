import { manualClock } from '@parley/engine/testing/manual-clock'
import { expect, test } from 'vitest'
import { shareClock } from '../../../kernel/work/shared-clock.ts'
import { createInProcessBus } from '../../../platform/bus/in-process-bus.ts'
import { openLiveCalls } from '../live-call-test-kit.ts'
import type { CallCommand } from '../live-calls.ts'
import { createLiveCallControl } from './call-control.ts'

function openNodes(...nodeIds: string[]) {
  const time = manualClock()
  const bus = createInProcessBus(() => undefined)
  let ids = 0
  const makeId = (prefix: string): string => {
    ids += 1
    return `${prefix}_${ids}`
  }
  const nodes = nodeIds.map((nodeId) => {
    const activeCallIds = new Set<string>()
    const taken: CallCommand[] = []
    const activeCalls = {
      command(callId: string, command: CallCommand) {
        if (activeCallIds.has(callId)) taken.push(command)
        return activeCallIds.has(callId)
      },
    }
    const control = createLiveCallControl({
      bus,
      clock: shareClock(time.clock),
      makeId,
      nodes: { nodeId },
      activeCalls,
    })
    return { control, activeCallIds, taken }
  })
  return { ...time, bus, nodes }
}

const SAY: CallCommand = { type: 'say', text: 'Hi', interruptible: false }

test('a command reaches the call on whichever node it lives, once', async () => {
  const { nodes, advance, pendingTimers } = openNodes('a', 'b', 'c')
  nodes[2]?.activeCallIds.add('call_1')
  for (const { control } of nodes) {
    const done = control.command('call_1', SAY)
    await advance(0)
    await done
  }
  expect(nodes.map(({ taken }) => taken)).toEqual([[], [], [SAY, SAY, SAY]])
  expect(pendingTimers()).toBe(0)
})

test('a call that no node holds is given up after two seconds', async () => {
  const { nodes, advance, pendingTimers, bus } = openNodes('a', 'b')
  const failed = nodes[0]?.control.command('call_1', SAY).catch((error: unknown) => error)
  for (const message of [null, 7, {}, { id: 'x' }, { command: {}, id: 1 }, { to: 'a', id: 'unknown' }]) {
    bus.publish('call.command', message)
    bus.publish('call.command.taken', message)
  }
  await advance(1_999)
  expect(pendingTimers()).toBe(1)
  await advance(1)
  expect(await failed).toMatchObject({ code: 'unavailable', retryAfterMs: 1_000 })
  expect(pendingTimers()).toBe(0)
})

test('a request at one node steers the call of another', async () => {
  await using calls = await openLiveCalls()
  const other = calls.addNode('node_b')
  const { callId, accessToken } = await calls.create()
  await other.enter(accessToken)
  const answer = await calls.send(`POST /api/calls/${callId}/control`, { say: { text: 'Hello' } })
  expect(answer.status).toBe(200)
  expect(other.commands).toEqual([[callId, { type: 'say', text: 'Hello', interruptible: true }]])
})
