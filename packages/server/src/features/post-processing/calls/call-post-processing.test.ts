import { expect, test } from 'vitest'
import { buildUserMessage, openCallEndings } from './call-lifecycle-test-kit.ts'

const DAY_MS = 86_400_000

test('deletes a call with its record and audio when its retention ends', async () => {
  await using opened = await openCallEndings()
  opened.addAgent('agent_1', { retentionDays: 2 })
  opened.addAgent('agent_2')
  for (const number of [1, 2]) {
    await opened.addCall(`call_${number}`, `agent_${number}`, [buildUserMessage('Hello')])
    await opened.endAndFinalize(`call_${number}`)
  }
  await opened.time.advance(2 * DAY_MS - 1)
  await opened.processDue()
  expect(await opened.read('call_1')).toBeDefined()
  await opened.time.advance(1)
  await opened.processDue()
  expect(await opened.read('call_1')).toBeUndefined()
  expect(await opened.eventsOf('call_1')).toEqual([])
  expect(await opened.deletedRecordings()).toEqual([{ callId: 'call_1' }])
  await opened.time.advance(1_000 * DAY_MS)
  await opened.processDue()
  expect(await opened.eventsOf('call_2')).toHaveLength(2)
})

test('replaces a lost job, once an hour', async () => {
  await using opened = await openCallEndings()
  opened.addAgent('agent_1')
  await opened.addCall('call_1', 'agent_1')
  await opened.end('call_1')
  await opened.processDue()
  expect(await opened.endJobs()).toHaveLength(1)
  await opened.time.advance(3_600_000)
  await opened.processDue()
  await opened.processDue()
  expect(await opened.endJobs()).toHaveLength(2)
  await opened.finalize('call_1')
  await opened.time.advance(3_600_000)
  await opened.processDue()
  expect(await opened.endJobs()).toHaveLength(2)
})

test('ignores waiting and ongoing calls', async () => {
  await using opened = await openCallEndings()
  opened.addAgent('agent_1')
  await opened.addCall('call_1', 'agent_1', [], { status: 'registered', due_at: 0 })
  await opened.addCall('call_2', 'agent_1', [], { due_at: 0, stored_as: 'everything' })
  await opened.processDue()
  expect(await opened.endJobs()).toEqual([])
  expect(await opened.read('call_2')).toBeDefined()
})
