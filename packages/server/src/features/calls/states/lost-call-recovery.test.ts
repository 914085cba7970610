import { expect, test } from 'vitest'
import { openLiveCalls } from '../live-call-test-kit.ts'

test("a dead node's calls end at their last event, and its consumed tokens work again", async () => {
  await using calls = await openLiveCalls()
  const dyingNode = calls.addNode('node_b')
  const [lostCall, silentCall, ownCall, waitingCall] = await Promise.all(
    Array.from({ length: 4 }, () => calls.create()),
  )
  for (const call of [lostCall, silentCall]) await dyingNode.join(call.accessToken)
  await calls.node.join(ownCall.accessToken)
  const journal = dyingNode.journals.open(lostCall.callId, calls.time.clock.now())
  await calls.time.advance(4_000)
  journal.append({ type: 'variables', variables: { name: 'Ada' } })
  journal.append({ type: 'injected', content: 'x' })
  await calls.flush()
  await calls.database.transaction(async (transaction) => {
    const claim = { token_used_at: 1, node_id: 'node_b' }
    await transaction.updateTable('calls').set(claim).where('call_id', '=', waitingCall.callId).execute()
  })
  await calls.time.advance(20_000)
  await calls.node.reportDeath('node_b')
  expect(await calls.get(lostCall.callId)).toMatchObject({
    status: 'error',
    disconnectionReason: 'error_node_lost',
    endedAt: '2026-01-05T12:00:04.000Z',
    durationMs: 4_000,
    collectedDynamicVariables: { name: 'Ada' },
  })
  expect(await calls.get(silentCall.callId)).toMatchObject({ status: 'error', durationMs: 0 })
  expect(await calls.get(ownCall.callId)).toMatchObject({ status: 'ongoing' })
  const { body } = await calls.send(`GET /api/calls/${lostCall.callId}/transcript`)
  expect(body.entries.map(({ type }: { type: string }) => type)).toEqual(['variables', 'injected', 'call-ended'])
  expect(await calls.node.join(waitingCall.accessToken)).toMatchObject({ ok: true })
})

test('audio recorded after the last event belongs to the call', async () => {
  await using calls = await openLiveCalls()
  const dyingNode = calls.addNode('node_b')
  const { callId, accessToken } = await calls.create()
  await dyingNode.join(accessToken)
  const journal = dyingNode.journals.open(callId, calls.time.clock.now())
  journal.append({ type: 'call-started' })
  await calls.flush()
  calls.recordedMs.set(callId, 12_000)
  await calls.time.advance(30_000)
  await calls.node.reportDeath('node_b')
  expect(await calls.get(callId)).toMatchObject({ status: 'error', durationMs: 12_000 })
})

test('a call that cannot be ended does not block other calls', async () => {
  await using calls = await openLiveCalls()
  const dyingNode = calls.addNode('node_b')
  const [corrupted, ...otherCalls] = await Promise.all(Array.from({ length: 12 }, () => calls.create()))
  for (const call of [corrupted, ...otherCalls]) await dyingNode.join(call.accessToken)
  await calls.database.transaction(async (transaction) => {
    const update = transaction.updateTable('calls').set({ agent_path: 'invalid' })
    await update.where('call_id', '=', corrupted.callId).execute()
  })
  await expect(calls.node.reportDeath('node_b')).rejects.toThrow('1 calls could not be ended.')
  for (const { callId } of otherCalls) expect(await calls.get(callId)).toMatchObject({ status: 'error' })
})

test('frees the slots of a dead node', async () => {
  await using calls = await openLiveCalls()
  const dyingNode = calls.addNode('node_b')
  const { accessToken } = await calls.create()
  await dyingNode.join(accessToken)
  const countHolders = async () => (await calls.database.read.selectFrom('leases').select('holder').execute()).length
  expect(await countHolders()).toBe(1)
  calls.deadNodes.add('node_b')
  await calls.node.lostCallRecovery.endAllLostCalls()
  expect(await countHolders()).toBe(0)
})

test('finds calls of a lost node whose death was not noticed', async () => {
  await using calls = await openLiveCalls()
  const { callId, accessToken } = await calls.create()
  await calls.addNode('node_b').join(accessToken)
  await calls.node.lostCallRecovery.endAllLostCalls()
  expect(await calls.get(callId)).toMatchObject({ status: 'ongoing' })
  calls.deadNodes.add('node_b')
  await calls.node.lostCallRecovery.endAllLostCalls()
  expect(await calls.get(callId)).toMatchObject({ disconnectionReason: 'error_node_lost' })
})

test('a paused node neither ends its call again nor adds to its record', async () => {
  await using calls = await openLiveCalls()
  const pausedNode = calls.addNode('node_b')
  const { callId, accessToken } = await calls.create()
  await pausedNode.join(accessToken)
  expect(await pausedNode.isHeldByThisNode(callId)).toBe(true)
  const journal = pausedNode.journals.open(callId, calls.time.clock.now())
  await calls.node.reportDeath('node_b')
  expect(await pausedNode.isHeldByThisNode(callId)).toBe(false)
  journal.append({ type: 'injected', content: 'late' })
  journal.append({ type: 'injected', content: 'later' })
  await calls.flush()
  await journal.close()
  expect(await pausedNode.callEnder.endById(callId, { reason: 'user_hangup' })).toBe(false)
  const { body } = await calls.send(`GET /api/calls/${callId}/transcript`)
  expect(body.entries).toMatchObject([{ type: 'call-ended', reason: 'error_node_lost' }])
})
