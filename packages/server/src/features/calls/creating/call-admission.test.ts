import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openLiveCalls } from '../live-call-test-kit.ts'
import { createCallTokens } from './call-tokens.ts'

test('a token starts its call once', async () => {
  await using calls = await openLiveCalls()
  const { callId, accessToken } = await calls.create()
  await calls.time.advance(5_000)
  const { callers } = calls.node.admissions
  const early = await callers.admit(accessToken)
  if (!early.ok) throw new Error(early.message)
  expect(early.callId).toBe(callId)
  expect(await callers.admit(accessToken)).toMatchObject({ code: 'token_used', retry: false })
  expect(await calls.get(callId)).toMatchObject({ status: 'registered' })
  // This caller's call did not start.
  await early.release()
  const other = calls.addNode('node_b')
  const joins = await Promise.all([
    calls.node.enter(accessToken),
    other.enter(accessToken),
    calls.node.enter(accessToken),
  ])
  expect(joins.filter(({ ok }) => ok)).toHaveLength(1)
  expect(joins.filter(({ ok }) => !ok)).toMatchObject([{ code: 'token_used' }, { code: 'token_used' }])
  expect(await calls.get(callId)).toMatchObject({
    status: 'ongoing',
    startedAt: '2026-01-05T12:00:05.000Z',
    accessToken: null,
    webCallUrl: null,
    agentPath: [{ agentId: calls.agentId, agentVersion: 1, at: '2026-01-05T12:00:05.000Z' }],
  })
  expect(await callers.admit(accessToken)).toMatchObject({ code: 'token_used', retry: false })
  await calls.node.callEnder.endById(callId, { reason: 'user_hangup' })
  expect(await calls.node.enter(accessToken)).toMatchObject({ ok: false, code: 'call_ended' })
})

test('rejects forged, foreign, truncated and expired tokens', async () => {
  await using calls = await openLiveCalls()
  const { callId, accessToken } = await calls.create()
  const other = await calls.create()
  const [use, , expires, signature] = accessToken.split('.')
  const forged = [
    '',
    'x'.repeat(1_000),
    accessToken.slice(0, -1),
    `${accessToken}x`,
    [use, other.callId, expires, signature].join('.'),
    [use, callId, Number(expires) + 60_000, signature].join('.'),
    ['listen', callId, expires, signature].join('.'),
  ]
  for (const token of forged) expect(await calls.node.enter(token)).toMatchObject({ code: 'token_invalid' })
  await calls.time.advance(600_000)
  expect(await calls.node.enter(accessToken)).toMatchObject({ code: 'token_expired' })
  expect(await calls.get(callId)).toMatchObject({ disconnectionReason: 'registered_call_timeout' })
  expect(await calls.node.enter(accessToken)).toMatchObject({ code: 'token_expired' })
})

test('converts the reserved slot, and takes a new one or refuses after it expired', async () => {
  await using calls = await openLiveCalls()
  await calls.database.transaction(async (transaction) => {
    await transaction.updateTable('workspaces').set({ concurrency_base: 1 }).where('workspace_id', '=', 1).execute()
  })
  const slots = () => calls.database.read.selectFrom('leases').select(['lease_id', 'holder']).execute()
  const first = await calls.create()
  expect(await slots()).toEqual([{ lease_id: first.callId, holder: '' }])
  await calls.time.advance(60_000)
  const second = await calls.create()
  expect(await calls.node.enter(first.accessToken)).toMatchObject({ code: 'concurrency_limit_reached', retry: true })
  expect(await calls.get(first.callId)).toMatchObject({ status: 'registered', accessToken: first.accessToken })
  expect(await calls.node.enter(second.accessToken)).toMatchObject({ ok: true })
  expect(await slots()).toEqual([{ lease_id: second.callId, holder: 'node_a' }])
  await calls.node.leases.release(second.callId)
  expect(await calls.node.enter(first.accessToken)).toMatchObject({ ok: true })
  expect(await slots()).toEqual([{ lease_id: first.callId, holder: 'node_a' }])
})

test('a call that cannot start here waits for its caller again', async () => {
  let isBroken = true
  const started = async () => {
    if (isBroken) throw new Error('broken')
    return []
  }
  await using calls = await openLiveCalls({ events: { started } })
  const { accessToken } = await calls.create()
  expect(await calls.node.enter(accessToken)).toMatchObject({ code: 'unavailable', retry: true })
  expect(calls.node.logged).toEqual(['start a call: Error: broken'])
  isBroken = false
  expect(await calls.node.enter(accessToken)).toMatchObject({ ok: true })
})

const CALL = { callId: `call_${'a'.repeat(26)}`, expiresAtMs: 1_767_614_400_000, credentialId: null }
const tokens = createCallTokens(new Uint8Array(32).fill(1))

test('a token returns what was signed, for its use only', () => {
  expect(tokens.read('join', tokens.sign('join', CALL))).toEqual(CALL)
  expect(tokens.sign('join', CALL)).toBe(tokens.sign('join', CALL))
  expect(tokens.read('listen', tokens.sign('join', CALL))).toBeNull()
  const heard = { ...CALL, credentialId: 'session_1' }
  const listen = tokens.sign('listen', heard)
  expect(tokens.read('listen', listen)).toEqual(heard)
  for (const changed of ['.session_2', '']) {
    expect(tokens.read('listen', listen.replace('.session_1', changed))).toBeNull()
  }
  expect(createCallTokens(new Uint8Array(32).fill(2)).read('join', tokens.sign('join', CALL))).toBeNull()
})

test('rejects every other text', () => {
  const token = tokens.sign('join', CALL)
  fc.assert(
    fc.property(fc.nat(token.length - 2), fc.constantFrom(...'abcXYZ019._- \0'), (index, character) => {
      const changed = token.slice(0, index) + character + token.slice(index + 1)
      return changed === token || tokens.read('join', changed) === null
    }),
  )
  fc.assert(fc.property(fc.string({ maxLength: 200 }), (text) => tokens.read('join', text) === null))
})
