import { DISCONNECTION_REASONS, getFinalStatus } from '@parley/contract/disconnection-reason'
import { expect, test } from 'vitest'
import { openLiveCalls } from '../live-call-test-kit.ts'
import type { CallUsage } from '../records/call-stats.ts'

/** Creates a stored phone call. */
async function openPhoneCall(...options: Parameters<typeof openLiveCalls>) {
  const calls = await openLiveCalls(...options)
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
  const readSlots = () => calls.database.read.selectFrom('leases').select(['lease_id', 'holder']).execute()
  return { calls, call, readSlots }
}

test('one of several nodes starts a call without a token and keeps its slot', async () => {
  const { calls, call, readSlots } = await openPhoneCall()
  await using _ = calls
  const otherNode = calls.addNode('node_b')
  const starts = await Promise.all([calls.node, otherNode, otherNode].map(({ starter }) => starter.start(call)))
  expect(starts.filter(({ ok }) => ok)).toHaveLength(1)
  expect(starts.filter(({ ok }) => !ok)).toMatchObject([{ code: 'held_elsewhere' }, { code: 'held_elsewhere' }])
  const { node_id } = await calls.database.read.selectFrom('calls').select('node_id').executeTakeFirstOrThrow()
  expect(await readSlots()).toEqual([{ lease_id: 'call_phone', holder: node_id }])
  expect(await calls.get('call_phone')).toMatchObject({ status: 'ongoing', direction: 'outbound' })
})

test('a call without a token that failed to start can start on another node', async () => {
  let isBroken = true
  const started = async () => {
    if (isBroken) throw new Error('broken')
    return []
  }
  const { calls, call, readSlots } = await openPhoneCall({ events: { onStarted: started } })
  await using _ = calls
  expect(await calls.node.starter.start(call)).toMatchObject({ code: 'unavailable', retry: true })
  expect(await readSlots()).toEqual([])
  isBroken = false
  expect(await calls.addNode('node_b').starter.start(call)).toMatchObject({ ok: true })
})

test('a call without a token that nobody starts ends after its deadline', async () => {
  const { calls, readSlots } = await openPhoneCall()
  await using _ = calls
  await calls.time.advance(60_000)
  await calls.node.lostCallRecovery.expireOverdue()
  expect(await calls.get('call_phone')).toMatchObject({
    status: 'not_connected',
    disconnectionReason: 'registered_call_timeout',
  })
  expect(await readSlots()).toEqual([])
})

const BOTH_AGENTS = { analysis: 'both_agents', webhooks: 'both_agents' } as const

test('ending a call stores its results and publishes the call once', async () => {
  const notifications: (readonly CallUsage[])[] = []
  await using calls = await openLiveCalls({
    events: {
      onEnded: async (_call, usage) => {
        notifications.push(usage)
        return []
      },
    },
  })
  const { callId, accessToken } = await calls.create()
  await calls.node.join(accessToken)
  const startedAtMs = calls.time.clock.now()
  const journal = calls.node.journals.open(callId, startedAtMs)
  const messageFields = { turnId: 'turn_1', words: [], startMs: 0, endMs: 900 }
  journal.append({
    type: 'agent-message',
    ...messageFields,
    content: 'Hel',
    generatedContent: 'Hello',
    interrupted: true,
    kind: 'opening',
  })
  journal.append(
    { type: 'user-message', ...messageFields, content: 'Hi\0 there', source: 'speech' },
    startedAtMs + 1_000,
  )
  journal.append(
    { type: 'agent-swap', agentId: 'agent_2', agentVersion: 3, agentName: 'Two', ...BOTH_AGENTS },
    startedAtMs + 1_500,
  )
  journal.append({ type: 'usage', product: 'llm', model: 'm', quantity: 3, unit: 'input-token' })
  journal.append({ type: 'usage', product: 'llm', model: 'm', quantity: 4, unit: 'input-token' })
  await calls.flush()
  expect(await calls.get(callId)).toMatchObject({ status: 'ongoing', transcript: 'Agent: Hel\nUser: Hi there' })
  await journal.close()
  const callEnd = { reason: 'user_hangup', endedAtMs: startedAtMs + 61_500, collectedVariables: { a: 'b' } } as const
  const ends = await Promise.all([1, 2].map(() => calls.node.callEnder.endById(callId, callEnd)))
  expect(ends.toSorted()).toEqual([false, true])
  expect(await calls.get(callId)).toMatchObject({
    status: 'ended',
    disconnectionReason: 'user_hangup',
    durationMs: 61_500,
    endedAt: '2026-01-05T12:01:01.500Z',
    transcript: 'Agent: Hel\nUser: Hi there',
    collectedDynamicVariables: { a: 'b' },
    agentPath: [{ agentId: calls.agentId }, { agentId: 'agent_2', agentVersion: 3, at: '2026-01-05T12:00:01.500Z' }],
  })
  expect(notifications[0]).toEqual([{ product: 'llm', model: 'm', quantity: 7, unit: 'input-token' }])
  expect((await calls.send(`DELETE /api/calls/${callId}`)).status).toBe(204)
  expect(await calls.database.read.selectFrom('call_events').selectAll().execute()).toEqual([])
})

test('every reason maps to a final status', () => {
  const statuses = DISCONNECTION_REASONS.map((reason) => [reason, getFinalStatus(reason, true)])
  expect(Object.fromEntries(statuses)).toMatchObject({
    user_hangup: 'ended',
    max_duration_reached: 'ended',
    registered_call_timeout: 'not_connected',
    dial_busy: 'not_connected',
    error_node_lost: 'error',
  })
  expect(getFinalStatus('manual_stopped', false)).toBe('not_connected')
  expect(getFinalStatus('error_unknown', false)).toBe('error')
})
