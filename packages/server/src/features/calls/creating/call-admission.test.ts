import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openLiveCalls } from '../live-call-test-kit.ts'
import { createCallTokens } from './call-tokens.ts'

test('a token starts its call once', async () => {
  await using calls = await openLiveCalls()
  const { callId, accessToken } = await calls.create()
  await calls.time.advance(5_000)
  const { callers } = calls.node.admissions
  const admission = await callers.admit(accessToken)
  if (!admission.ok) throw new Error(admission.message)
  expect(admission.callId).toBe(callId)
  expect(await callers.admit(accessToken)).toMatchObject({ code: 'token_used', retry: false })
  expect(await calls.get(callId)).toMatchObject({ status: 'registered' })
  // This caller's call did not start.
  await admission.release()
  const otherNode = calls.addNode('node_b')
  const joins = await Promise.all([
    calls.node.join(accessToken),
    otherNode.join(accessToken),
    calls.node.join(accessToken),
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
  expect(await calls.node.join(accessToken)).toMatchObject({ ok: false, code: 'call_ended' })
})

test('rejects forged, foreign, truncated and expired tokens', async () => {
  await using calls = await openLiveCalls()
  const { callId, accessToken } = await calls.create()
  const otherCall = await calls.create()
  const [use, , expires, signature] = accessToken.split('.')
  const forgedTokens = [
    '',
    'x'.repeat(1_000),
    accessToken.slice(0, -1),
    `${accessToken}x`,
    [use, otherCall.callId, expires, signature].join('.'),
    [use, callId, Number(expires) + 60_000, signature].join('.'),
    ['listen', callId, expires, signature].join('.'),
  ]
  for (const token of forgedTokens) expect(await calls.node.join(token)).toMatchObject({ code: 'token_invalid' })
  await calls.time.advance(600_000)
  expect(await calls.node.join(accessToken)).toMatchObject({ code: 'token_expired' })
  expect(await calls.get(callId)).toMatchObject({ disconnectionReason: 'registered_call_timeout' })
  expect(await calls.node.join(accessToken)).toMatchObject({ code: 'token_expired' })
})

test('converts the reserved slot, and takes a new one or refuses after it expired', async () => {
  await using calls = await openLiveCalls()
  await calls.database.transaction(async (transaction) => {
    await transaction.updateTable('workspaces').set({ concurrency_base: 1 }).where('workspace_id', '=', 1).execute()
  })
  const readSlots = () => calls.database.read.selectFrom('leases').select(['lease_id', 'holder']).execute()
  const first = await calls.create()
  expect(await readSlots()).toEqual([{ lease_id: first.callId, holder: '' }])
  await calls.time.advance(60_000)
  const second = await calls.create()
  expect(await calls.node.join(first.accessToken)).toMatchObject({ code: 'concurrency_limit_reached', retry: true })
  expect(await calls.get(first.callId)).toMatchObject({ status: 'registered', accessToken: first.accessToken })
  expect(await calls.node.join(second.accessToken)).toMatchObject({ ok: true })
  expect(await readSlots()).toEqual([{ lease_id: second.callId, holder: 'node_a' }])
  await calls.node.leases.release(second.callId)
  expect(await calls.node.join(first.accessToken)).toMatchObject({ ok: true })
  expect(await readSlots()).toEqual([{ lease_id: first.callId, holder: 'node_a' }])
})

test('a call that fails to start waits for its caller again', async () => {
  let isBroken = true
  const started = async () => {
    if (isBroken) throw new Error('broken')
    return []
  }
  await using calls = await openLiveCalls({ events: { onStarted: started } })
  const { accessToken } = await calls.create()
  expect(await calls.node.join(accessToken)).toMatchObject({ code: 'unavailable', retry: true })
  expect(calls.node.loggedErrors).toEqual(['start a call: Error: broken'])
  isBroken = false
  expect(await calls.node.join(accessToken)).toMatchObject({ ok: true })
})

const CALL = { callId: `call_${'a'.repeat(26)}`, expiresAtMs: 1_767_614_400_000, credentialId: null }
const tokens = createCallTokens(new Uint8Array(32).fill(1))

test('a token returns its signed content for its own use only', () => {
  expect(tokens.verify('join', tokens.sign('join', CALL))).toEqual(CALL)
  expect(tokens.sign('join', CALL)).toBe(tokens.sign('join', CALL))
  expect(tokens.verify('listen', tokens.sign('join', CALL))).toBeNull()
  const listenContent = { ...CALL, credentialId: 'session_1' }
  const listenToken = tokens.sign('listen', listenContent)
  expect(tokens.verify('listen', listenToken)).toEqual(listenContent)
  for (const replacement of ['.session_2', '']) {
    expect(tokens.verify('listen', listenToken.replace('.session_1', replacement))).toBeNull()
  }
  expect(createCallTokens(new Uint8Array(32).fill(2)).verify('join', tokens.sign('join', CALL))).toBeNull()
})

test('rejects changed tokens and random text', () => {
  const token = tokens.sign('join', CALL)
  fc.assert(
    fc.property(fc.nat(token.length - 2), fc.constantFrom(...'abcXYZ019._- \0'), (index, character) => {
      const changedToken = token.slice(0, index) + character + token.slice(index + 1)
      return changedToken === token || tokens.verify('join', changedToken) === null
    }),
  )
  fc.assert(fc.property(fc.string({ maxLength: 200 }), (text) => tokens.verify('join', text) === null))
})
