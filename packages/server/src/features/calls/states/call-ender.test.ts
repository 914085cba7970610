import { DISCONNECTION_REASONS, finalStatusFor } from '@parley/contract/disconnection-reason'
import { expect, test } from 'vitest'
import { openLiveCalls } from '../live-call-test-kit.ts'
import type { CallUsage } from '../records/call-stats.ts'

const BOTH = { analysis: 'both_agents', webhooks: 'both_agents' } as const

test('the end of a call writes what follows from its record, and tells it once', async () => {
  const notifications: (readonly CallUsage[])[] = []
  await using calls = await openLiveCalls({
    events: {
      ended: async (_call, usage) => {
        notifications.push(usage)
        return []
      },
    },
  })
  const { callId, accessToken } = await calls.create()
  await calls.node.enter(accessToken)
  const startedAtMs = calls.time.clock.now()
  const journal = calls.node.journals.open(callId, startedAtMs)
  const said = { turnId: 'turn_1', words: [], startMs: 0, endMs: 900 }
  journal.append({
    type: 'agent-message',
    ...said,
    content: 'Hel',
    generatedContent: 'Hello',
    interrupted: true,
    kind: 'opening',
  })
  journal.append({ type: 'user-message', ...said, content: 'Hi\0 there', source: 'speech' }, startedAtMs + 1_000)
  journal.append(
    { type: 'agent-swap', agentId: 'agent_2', agentVersion: 3, agentName: 'Two', ...BOTH },
    startedAtMs + 1_500,
  )
  journal.append({ type: 'usage', product: 'llm', model: 'm', quantity: 3, unit: 'input-token' })
  journal.append({ type: 'usage', product: 'llm', model: 'm', quantity: 4, unit: 'input-token' })
  await calls.flush()
  expect(await calls.get(callId)).toMatchObject({ status: 'ongoing', transcript: 'Agent: Hel\nUser: Hi there' })
  await journal.close()
  const end = { reason: 'user_hangup', endedAtMs: startedAtMs + 61_500, collectedVariables: { a: 'b' } } as const
  const ends = await Promise.all([1, 2].map(() => calls.node.callEnder.endById(callId, end)))
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

test('every reason makes a final status', () => {
  const statuses = DISCONNECTION_REASONS.map((reason) => [reason, finalStatusFor(reason, true)])
  expect(Object.fromEntries(statuses)).toMatchObject({
    user_hangup: 'ended',
    max_duration_reached: 'ended',
    registered_call_timeout: 'not_connected',
    dial_busy: 'not_connected',
    error_node_lost: 'error',
  })
  expect(finalStatusFor('manual_stopped', false)).toBe('not_connected')
  expect(finalStatusFor('error_unknown', false)).toBe('error')
})
