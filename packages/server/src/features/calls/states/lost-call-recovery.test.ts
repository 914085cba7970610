import { expect, test } from 'vitest'
import { openLiveCalls } from '../live-call-test-kit.ts'

test('calls of a dead node end at their last event, and tokens it consumed work again', async () => {
  await using calls = await openLiveCalls()
  const dyingNode = calls.addNode('node_b')
  const [lost, silent, mine, waiting] = await Promise.all(Array.from({ length: 4 }, () => calls.create()))
  for (const call of [lost, silent]) await dyingNode.enter(call.accessToken)
  await calls.node.enter(mine.accessToken)
  const journal = dyingNode.journals.open(lost.callId, calls.time.clock.now())
  await calls.time.advance(4_000)
  journal.append({ type: 'variables', variables: { name: 'Ada' } })
  journal.append({ type: 'injected', content: 'x' })
  await calls.flush()
  await calls.database.transaction(async (transaction) => {
    const taken = { token_used_at: 1, node_id: 'node_b' }
    await transaction.updateTable('calls').set(taken).where('call_id', '=', waiting.callId).execute()
  })
  await calls.time.advance(20_000)
  await calls.node.noticeDeath('node_b')
  expect(await calls.get(lost.callId)).toMatchObject({
    status: 'error',
    disconnectionReason: 'error_node_lost',
    endedAt: '2026-01-05T12:00:04.000Z',
    durationMs: 4_000,
    collectedDynamicVariables: { name: 'Ada' },
  })
  expect(await calls.get(silent.callId)).toMatchObject({ status: 'error', durationMs: 0 })
  expect(await calls.get(mine.callId)).toMatchObject({ status: 'ongoing' })
  const { body } = await calls.send(`GET /api/calls/${lost.callId}/transcript`)
  expect(body.entries.map(({ type }: { type: string }) => type)).toEqual(['variables', 'injected', 'call-ended'])
  expect(await calls.node.enter(waiting.accessToken)).toMatchObject({ ok: true })
})

test('audio recorded after the last event belongs to the call', async () => {
  await using calls = await openLiveCalls()
  const dyingNode = calls.addNode('node_b')
  const { callId, accessToken } = await calls.create()
  await dyingNode.enter(accessToken)
  const journal = dyingNode.journals.open(callId, calls.time.clock.now())
  journal.append({ type: 'call-started' })
  await calls.flush()
  calls.recordedMs.set(callId, 12_000)
  await calls.time.advance(30_000)
  await calls.node.noticeDeath('node_b')
  expect(await calls.get(callId)).toMatchObject({ status: 'error', durationMs: 12_000 })
})

test('a call that cannot be ended does not block others', async () => {
  await using calls = await openLiveCalls()
  const dyingNode = calls.addNode('node_b')
  const [corrupted, ...others] = await Promise.all(Array.from({ length: 12 }, () => calls.create()))
  for (const call of [corrupted, ...others]) await dyingNode.enter(call.accessToken)
  await calls.database.transaction(async (transaction) => {
    const change = transaction.updateTable('calls').set({ agent_path: 'spoilt' })
    await change.where('call_id', '=', corrupted.callId).execute()
  })
  await expect(calls.node.noticeDeath('node_b')).rejects.toThrow('1 calls could not be ended.')
  for (const { callId } of others) expect(await calls.get(callId)).toMatchObject({ status: 'error' })
})

test('frees the slots of a dead node', async () => {
  await using calls = await openLiveCalls()
  const dyingNode = calls.addNode('node_b')
  const { accessToken } = await calls.create()
  await dyingNode.enter(accessToken)
  const holders = async () => (await calls.database.read.selectFrom('leases').select('holder').execute()).length
  expect(await holders()).toBe(1)
  calls.deadNodes.add('node_b')
  await calls.node.lost.endAllLost()
  expect(await holders()).toBe(0)
})

test('finds calls of a lost node whose death was not noticed', async () => {
  await using calls = await openLiveCalls()
  const { callId, accessToken } = await calls.create()
  await calls.addNode('node_b').enter(accessToken)
  await calls.node.lost.endAllLost()
  expect(await calls.get(callId)).toMatchObject({ status: 'ongoing' })
  calls.deadNodes.add('node_b')
  await calls.node.lost.endAllLost()
  expect(await calls.get(callId)).toMatchObject({ disconnectionReason: 'error_node_lost' })
})

test('a paused node neither ends its call again nor adds to its record', async () => {
  await using calls = await openLiveCalls()
  const paused = calls.addNode('node_b')
  const { callId, accessToken } = await calls.create()
  await paused.enter(accessToken)
  expect(await paused.isHeldByThisNode(callId)).toBe(true)
  const journal = paused.journals.open(callId, calls.time.clock.now())
  await calls.node.noticeDeath('node_b')
  expect(await paused.isHeldByThisNode(callId)).toBe(false)
  journal.append({ type: 'injected', content: 'late' })
  journal.append({ type: 'injected', content: 'later' })
  await calls.flush()
  await journal.close()
  expect(await paused.callEnder.endById(callId, { reason: 'user_hangup' })).toBe(false)
  const { body } = await calls.send(`GET /api/calls/${callId}/transcript`)
  expect(body.entries).toMatchObject([{ type: 'call-ended', reason: 'error_node_lost' }])
})
