import { createManualClock } from '@parley/engine/testing/manual-clock'
import { expect, test } from 'vitest'
import { createInterruptedDatabase } from '../../../../../../testing/interrupted-database.ts'
import type { Database } from '../../../kernel/storage/database.ts'
import { createSharedClock } from '../../../kernel/work/shared-clock.ts'
import { createInProcessBus } from '../../../platform/bus/in-process-bus.ts'
import { openCallEndings } from '../../post-processing/calls/call-lifecycle-test-kit.ts'
import { platformAdmin as actor } from '../../route-test-kit.ts'
import { NO_JOIN_LINKS } from '../call-test-kit.ts'
import { openLiveCalls } from '../live-call-test-kit.ts'
import type { CallCommand } from '../live-calls.ts'
import { createLiveCallControl } from './call-control.ts'
import { createControlService } from './control-service.ts'

function openNodes(...nodeIds: string[]) {
  const time = createManualClock()
  const bus = createInProcessBus(() => undefined)
  let ids = 0
  const makeId = (prefix: string): string => {
    ids += 1
    return `${prefix}_${ids}`
  }
  const nodes = nodeIds.map((nodeId) => {
    const activeCallIds = new Set<string>()
    const receivedCommands: CallCommand[] = []
    const activeCalls = {
      sendCommand(callId: string, command: CallCommand) {
        if (activeCallIds.has(callId)) receivedCommands.push(command)
        return activeCallIds.has(callId)
      },
    }
    const control = createLiveCallControl({
      bus,
      clock: createSharedClock(time.clock),
      makeId,
      nodes: { nodeId },
      activeCalls,
    })
    return { control, activeCallIds, receivedCommands }
  })
  return { ...time, bus, nodes }
}

const SAY: CallCommand = { type: 'say', text: 'Hi', interruptible: false }

test('a command reaches the call on its node exactly once', async () => {
  const { nodes, advance, countPendingTimers: pendingTimers } = openNodes('a', 'b', 'c')
  nodes[2]?.activeCallIds.add('call_1')
  for (const { control } of nodes) {
    const pendingCommand = control.sendCommand('call_1', SAY)
    await advance(0)
    await pendingCommand
  }
  expect(nodes.map(({ receivedCommands: taken }) => taken)).toEqual([[], [], [SAY, SAY, SAY]])
  expect(pendingTimers()).toBe(0)
})

test('throws unavailable when no node holds the call within two seconds', async () => {
  const { nodes, advance, countPendingTimers: pendingTimers, bus } = openNodes('a', 'b')
  const pendingError = nodes[0]?.control.sendCommand('call_1', SAY).catch((error: unknown) => error)
  for (const message of [null, 7, {}, { id: 'x' }, { command: {}, id: 1 }, { to: 'a', id: 'unknown' }]) {
    bus.publish('call.command', message)
    bus.publish('call.command.taken', message)
  }
  await advance(1_999)
  expect(pendingTimers()).toBe(1)
  await advance(1)
  expect(await pendingError).toMatchObject({ code: 'unavailable', retryAfterMs: 1_000 })
  expect(pendingTimers()).toBe(0)
})

test('a request at one node controls the call of another', async () => {
  await using calls = await openLiveCalls()
  const otherNode = calls.addNode('node_b')
  const { callId, accessToken } = await calls.create()
  await otherNode.join(accessToken)
  const response = await calls.send(`POST /api/calls/${callId}/control`, { say: { text: 'Hello' } })
  expect(response.status).toBe(200)
  expect(otherNode.commands).toEqual([[callId, { type: 'say', text: 'Hello', interruptible: true }]])
})

/** Opens control of `call_1` with a hook before its next write. */
async function openControl(status: string) {
  const endings = await openCallEndings()
  await endings.addCall('call_1', 'agent_1', [], { status })
  const sent: CallCommand[] = []
  const createService = (database: Database) =>
    createControlService({
      database,
      clock: endings.clock,
      events: endings.lifecycle,
      joinLinks: NO_JOIN_LINKS,
      callEnder: { end: async () => false },
      control: { sendCommand: async (_callId, command) => void sent.push(command) },
      loadTokens: () => Promise.reject(new Error('No token is required.')),
    })
  const { database, beforeNextWrite } = createInterruptedDatabase(endings.database)
  return { ...endings, sent, service: createService(database), rival: createService(endings.database), beforeNextWrite }
}

test('sends a change to a call that is joined during the change', async () => {
  await using calls = await openControl('registered')
  calls.beforeNextWrite(() => calls.change('call_1', { status: 'ongoing' }))
  await calls.service.update(actor, 'call_1', { metadata: { from: 'here' } })
  expect(calls.sent).toEqual([{ type: 'changed', metadata: { from: 'here' } }])
})

test('sends only its own change to a live call, without concurrent changes', async () => {
  await using calls = await openControl('ongoing')
  const setVariables = (service: typeof calls.rival, variables: Record<string, string>) =>
    service.control(actor, 'call_1', { variables })
  calls.beforeNextWrite(() => calls.rival.update(actor, 'call_1', { metadata: { from: 'rival' } }))
  await setVariables(calls.service, { paid: 'yes' })
  calls.beforeNextWrite(() => setVariables(calls.rival, { name: 'Ada' }))
  expect(await setVariables(calls.service, { due: '5' })).toMatchObject({
    metadata: { from: 'rival' },
    overrideDynamicVariables: { paid: 'yes', name: 'Ada', due: '5' },
  })
  expect(calls.sent).toEqual([
    { type: 'changed', metadata: { from: 'rival' } },
    { type: 'changed', overrideVariables: { paid: 'yes' } },
    { type: 'changed', overrideVariables: { paid: 'yes', name: 'Ada' } },
    { type: 'changed', overrideVariables: { paid: 'yes', name: 'Ada', due: '5' } },
  ])
  await calls.service.update(actor, 'call_1', { customAttributes: { seen: true } })
  expect(calls.sent).toHaveLength(4)
})

test('a concurrent decision never relaxes the storage policy of a call', async () => {
  await using calls = await openControl('ongoing')
  const tightenStorage = (service: typeof calls.rival, setting: 'everything_except_pii' | 'basic_attributes_only') =>
    service.update(actor, 'call_1', { data_storage_setting: setting })
  calls.beforeNextWrite(() => tightenStorage(calls.rival, 'basic_attributes_only'))
  await expect(tightenStorage(calls.service, 'everything_except_pii')).rejects.toMatchObject({
    code: 'invalid_request',
  })
  const { storage } = (await calls.read('call_1')) ?? {}
  expect(JSON.parse(storage ?? '')).toMatchObject({ setting: 'basic_attributes_only' })
})
