import { expect, test } from 'vitest'
import { interruptedDatabase } from '../../../../../../testing/interrupted-database.ts'
import type { Database } from '../../../kernel/storage/database.ts'
import { openCallEndings } from '../../post-processing/calls/call-lifecycle-test-kit.ts'
import { platformAdmin as actor } from '../../route-test-kit.ts'
import { NO_JOIN_LINKS } from '../call-test-kit.ts'
import type { CallCommand } from '../live-calls.ts'
import { createControlService } from './control-service.ts'

/** Control of `call_1`, before whose next write somebody else writes. */
async function openControl(status: string) {
  const opened = await openCallEndings()
  await opened.addCall('call_1', 'agent_1', [], { status })
  const told: CallCommand[] = []
  const serviceOn = (database: Database) =>
    createControlService({
      database,
      clock: opened.clock,
      events: opened.lifecycle,
      joinLinks: NO_JOIN_LINKS,
      callEnder: { end: async () => false },
      control: { command: async (_callId, command) => void told.push(command) },
      tokens: () => Promise.reject(new Error('no token is needed here')),
    })
  const { database, beforeNextWrite } = interruptedDatabase(opened.database)
  return { ...opened, told, service: serviceOn(database), rival: serviceOn(opened.database), beforeNextWrite }
}

test('a call that is joined while it is changed is told the change', async () => {
  await using calls = await openControl('registered')
  calls.beforeNextWrite(() => calls.change('call_1', { status: 'ongoing' }))
  await calls.service.update(actor, 'call_1', { metadata: { from: 'here' } })
  expect(calls.told).toEqual([{ type: 'changed', metadata: { from: 'here' } }])
})

test('a live call is told what was changed, and nothing that somebody else has changed meanwhile', async () => {
  await using calls = await openControl('ongoing')
  const set = (service: typeof calls.rival, variables: Record<string, string>) =>
    service.control(actor, 'call_1', { variables })
  calls.beforeNextWrite(() => calls.rival.update(actor, 'call_1', { metadata: { from: 'rival' } }))
  await set(calls.service, { paid: 'yes' })
  calls.beforeNextWrite(() => set(calls.rival, { name: 'Ada' }))
  expect(await set(calls.service, { due: '5' })).toMatchObject({
    metadata: { from: 'rival' },
    overrideDynamicVariables: { paid: 'yes', name: 'Ada', due: '5' },
  })
  expect(calls.told).toEqual([
    { type: 'changed', metadata: { from: 'rival' } },
    { type: 'changed', overrideVariables: { paid: 'yes' } },
    { type: 'changed', overrideVariables: { paid: 'yes', name: 'Ada' } },
    { type: 'changed', overrideVariables: { paid: 'yes', name: 'Ada', due: '5' } },
  ])
  await calls.service.update(actor, 'call_1', { customAttributes: { seen: true } })
  expect(calls.told).toHaveLength(4)
})

test('what is stored of a call is not relaxed by who decides on what it was before', async () => {
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
