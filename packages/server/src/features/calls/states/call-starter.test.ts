import { expect, test } from 'vitest'
import { openLiveCalls } from '../live-call-test-kit.ts'

/** A phone call on record. */
async function openPhoneCall(...events: Parameters<typeof openLiveCalls>) {
  const calls = await openLiveCalls(...events)
  const now = calls.time.clock.now()
  const call = await calls.node.callRecords.create({
    callId: 'call_phone',
    workspaceId: 1,
    agentId: calls.agentId,
    agentVersion: 'active',
    callType: 'phone_call',
    direction: 'outbound',
    fromNumber: '+15550199999',
    toNumber: '+15550100001',
    callSid: null,
    metadata: {},
    customAttributes: {},
    variables: {},
    optOutSensitiveDataStorage: false,
    createdAtMs: now,
    expiresAtMs: now + 60_000,
    tokenHash: null,
  })
  const slots = () => calls.database.read.selectFrom('leases').select(['lease_id', 'holder']).execute()
  return { calls, call, slots }
}

test('of several nodes one starts a call without a token, and keeps its slot', async () => {
  const { calls, call, slots } = await openPhoneCall()
  await using _ = calls
  const other = calls.addNode('node_b')
  const starts = await Promise.all([calls.node, other, other].map(({ starter }) => starter.start(call)))
  expect(starts.filter(({ ok }) => ok)).toHaveLength(1)
  expect(starts.filter(({ ok }) => !ok)).toMatchObject([{ code: 'held_elsewhere' }, { code: 'held_elsewhere' }])
  const { node_id } = await calls.database.read.selectFrom('calls').select('node_id').executeTakeFirstOrThrow()
  expect(await slots()).toEqual([{ lease_id: 'call_phone', holder: node_id }])
  expect(await calls.get('call_phone')).toMatchObject({ status: 'ongoing', direction: 'outbound' })
})

test('a call without a token that could not start here can start elsewhere', async () => {
  let isBroken = true
  const started = async () => {
    if (isBroken) throw new Error('broken')
    return []
  }
  const { calls, call, slots } = await openPhoneCall({ events: { started } })
  await using _ = calls
  expect(await calls.node.starter.start(call)).toMatchObject({ code: 'unavailable', retry: true })
  expect(await slots()).toEqual([])
  isBroken = false
  expect(await calls.addNode('node_b').starter.start(call)).toMatchObject({ ok: true })
})

test('a call without a token that nobody starts ends when its time is over', async () => {
  const { calls, slots } = await openPhoneCall()
  await using _ = calls
  await calls.time.advance(60_000)
  await calls.node.lost.expireOverdue()
  expect(await calls.get('call_phone')).toMatchObject({
    status: 'not_connected',
    disconnectionReason: 'registered_call_timeout',
  })
  expect(await slots()).toEqual([])
})
