import { describe, expect, test } from 'vitest'
import { startWebhookReceiver } from '../../../../../testing/webhook-receiver/webhook-receiver.ts'
import { verifySignature } from '../../kernel/security/signature.ts'
import { openReceiver, openWebhooks, PLAIN_AGENT } from './webhooks-test-kit.ts'

test('posts an event to the endpoint once, signed', async () => {
  await using feature = await openReceiver()
  const { receiver, webhookId } = feature
  expect(await feature.emitEvent('chat_started')).toBe(2)
  await feature.attempted(1)
  const [webhook] = receiver.received
  const [delivery] = await feature.deliveries()
  expect(webhook?.headers).toMatchObject({
    'content-type': 'application/json',
    'user-agent': 'Parley/1.2.3',
    'x-webhook-id': delivery?.deliveryId,
    'x-webhook-event': 'chat_started',
    'x-webhook-attempt': '1',
  })
  expect(webhook?.body).toEqual({
    event: 'chat_started',
    event_id: delivery?.eventId,
    created_at: '2026-01-05T12:00:00.000Z',
    chat: { chatId: 'chat_1', messages: [] },
  })
  const secrets = await feature.signingSecrets.getActiveSecrets(1)
  const check = { secrets, rawBody: webhook?.rawBody ?? '', nowMs: feature.time.clock.now() }
  expect(verifySignature(webhook?.signature ?? '', check)).toBe(true)
  expect(delivery).toMatchObject({
    webhookId,
    url: receiver.url,
    chatId: 'chat_1',
    status: 'delivered',
    attemptCount: 1,
    lastStatus: 200,
    lastError: null,
    nextAttemptAt: null,
    requestBody: webhook?.rawBody.toString(),
    attempts: [{ attempt: 1, status: 200, error: null, responseBody: 'ok' }],
  })
  expect(feature.logged).toEqual([])
})

test('deleting a subject stops its events and removes them from the log', async () => {
  await using feature = await openReceiver()
  await feature.emitEvent('chat_started')
  await feature.attempted(1)
  expect(await feature.deliveries()).toHaveLength(1)
  await feature.database.batch(feature.webhooks.events.buildDeleteStatements({ kind: 'chat', id: 'chat_2' }))
  expect(await feature.deliveries()).toHaveLength(1)
  await feature.database.batch(feature.webhooks.events.buildDeleteStatements({ kind: 'chat', id: 'chat_1' }))
  expect(await feature.deliveries()).toEqual([])
})

test('signs with both secrets during a rotation', async () => {
  await using feature = await openReceiver()
  const { receiver } = feature
  const [old = ''] = await feature.signingSecrets.getActiveSecrets(1)
  receiver.setReply({ kind: 'html', status: 500 })
  await feature.emitEvent('chat_started')
  await feature.attempted(1)
  const rotated = await feature.send('POST /api/signing-secret/rotate', { workspaceId: 1 })
  const [{ secret: fresh }] = rotated.body.secrets
  receiver.setReply({ kind: 'html' })
  await feature.attempted(2)
  const isSignedBy = (secret: string, index: number): boolean => {
    const { signature = '', rawBody = '' } = receiver.received[index] ?? {}
    const nowMs = Number(/^v=(\d+)/.exec(signature)?.[1])
    return verifySignature(signature, { secrets: [secret], rawBody, nowMs })
  }
  expect([isSignedBy(old, 0), isSignedBy(fresh, 0)]).toEqual([true, false])
  expect([isSignedBy(old, 1), isSignedBy(fresh, 1)]).toEqual([true, true])
  // A day later.
  await feature.database.transaction(async (transaction) => {
    const expired = { expires_at: feature.time.clock.now() }
    await transaction.updateTable('signing_secrets').set(expired).where('expires_at', 'is not', null).execute()
  })
  await feature.time.advance(5_000)
  await feature.emitEvent('chat_ended')
  await feature.attempted(3)
  expect([isSignedBy(old, 2), isSignedBy(fresh, 2)]).toEqual([false, true])
})

test('an event to several endpoints has one event id and a delivery id each', async () => {
  await using feature = await openWebhooks()
  await using first = await startWebhookReceiver()
  await using second = await startWebhookReceiver()
  await feature.addWebhook(first.url)
  await feature.addWebhook(second.url)
  await feature.addWebhook(`${first.url}/other`, { events: ['call_ended'] })
  await feature.addWebhook(`${first.url}/off`, { enabled: false })
  feature.webhooks.start()
  await feature.emitEvent('chat_ended')
  await feature.attempted(2)
  expect(first.received).toHaveLength(1)
  expect(second.received[0]?.rawBody).toEqual(first.received[0]?.rawBody)
  expect(second.received[0]?.id).not.toBe(first.received[0]?.id)
  expect(await feature.deliveries()).toHaveLength(2)
})

describe('an agent with its own URL', () => {
  test('receives its events there instead of at the endpoints', async () => {
    await using feature = await openWebhooks()
    await using endpoint = await startWebhookReceiver()
    await using own = await startWebhookReceiver()
    await feature.addWebhook(endpoint.url)
    feature.webhooks.start()
    const agent = { url: own.url, events: ['chat_ended'] as const, timeoutMs: 2_000 }
    expect(await feature.emitEvent('chat_started', 'chat_1', [agent])).toBe(0)
    await feature.emitEvent('chat_ended', 'chat_1', [agent, agent])
    await feature.attempted(1)
    expect(await feature.deliveries()).toMatchObject([{ webhookId: null, url: own.url, status: 'delivered' }])
    await feature.emitEvent('chat_ended', 'chat_2', [agent, PLAIN_AGENT])
    await feature.attempted(3)
    expect(own.received).toHaveLength(2)
    expect(endpoint.received).toHaveLength(1)
  })

  test('applies its own timeout', async () => {
    await using feature = await openWebhooks()
    await using own = await startWebhookReceiver()
    own.setReply({ kind: 'hang' })
    feature.webhooks.start()
    await feature.emitEvent('chat_ended', 'chat_1', [{ url: own.url, events: ['chat_ended'], timeoutMs: 2_000 }])
    await feature.until(() => own.received.length === 1)
    await feature.time.advance(2_000)
    await feature.attempted(1)
    expect((await feature.deliveries())[0]).toMatchObject({ lastError: expect.stringContaining('2000 ms') })
  })
})

describe('a changed endpoint', () => {
  test('receives pending retries at its new URL', async () => {
    await using feature = await openWebhooks()
    await using wrong = await startWebhookReceiver()
    await using right = await startWebhookReceiver()
    wrong.setReply({ kind: 'html', status: 404 })
    const webhookId = await feature.addWebhook(wrong.url)
    feature.webhooks.start()
    await feature.emitEvent('chat_ended')
    await feature.attempted(1)
    await feature.send(`PATCH /api/webhooks/${webhookId}`, { workspaceId: 1, url: right.url })
    await feature.attempted(2)
    expect(right.received).toMatchObject([{ attempt: 2 }])
    expect(await feature.deliveries()).toMatchObject([{ status: 'delivered', url: right.url }])
  })

  test('gets no new events while disabled, but pending ones arrive', async () => {
    await using feature = await openReceiver()
    const { receiver, webhookId } = feature
    receiver.setReply({ kind: 'html', status: 500 })
    await feature.emitEvent('chat_started')
    await feature.attempted(1)
    await feature.send(`PATCH /api/webhooks/${webhookId}`, { workspaceId: 1, enabled: false })
    expect(await feature.emitEvent('chat_ended')).toBe(0)
    receiver.setReply({ kind: 'html' })
    await feature.attempted(2)
    await feature.send(`PATCH /api/webhooks/${webhookId}`, { workspaceId: 1, enabled: true })
    expect(await feature.emitEvent('chat_analyzed')).toBe(2)
    await feature.attempted(3)
    expect(receiver.received.map(({ event }) => event)).toEqual(['chat_started', 'chat_started', 'chat_analyzed'])
  })

  test('cancels its pending deliveries when deleted', async () => {
    await using feature = await openReceiver()
    const { receiver, webhookId } = feature
    receiver.setReply({ kind: 'html', status: 500 })
    await feature.emitEvent('chat_started')
    await feature.emitEvent('chat_ended')
    // Both are pending. An event published later would find no endpoint and create no delivery.
    await feature.until(async () => (await feature.deliveries()).length === 2)
    await feature.attempted(1)
    await feature.send(`DELETE /api/webhooks/${webhookId}?workspaceId=1`)
    await feature.time.advance(10 * 60 * 1000)
    await feature.quiet()
    expect(receiver.received).toHaveLength(1)
    const deliveries = (await feature.deliveries()).sort((left, right) => right.attemptCount - left.attemptCount)
    expect(deliveries).toMatchObject([
      { status: 'cancelled', webhookId, attemptCount: 1, nextAttemptAt: null, endedAt: expect.any(String) },
      { status: 'cancelled', webhookId, attemptCount: 0 },
    ])
    const again = await feature.send(`POST /api/webhook-deliveries/${deliveries[0]?.deliveryId}/resend`, {
      workspaceId: 1,
    })
    expect(again).toMatchObject({ status: 404, body: { error: expect.stringContaining(webhookId) } })
  })

  test('that is deleted during an attempt still records its result', async () => {
    await using feature = await openWebhooks()
    await using receiver = await startWebhookReceiver()
    const gate = Promise.withResolvers<void>()
    receiver.setReply({ kind: 'slow', gate: gate.promise })
    const webhookId = await feature.addWebhook(receiver.url)
    feature.webhooks.start()
    await feature.emitEvent('chat_started')
    await feature.until(() => receiver.received.length === 1)
    await feature.send(`DELETE /api/webhooks/${webhookId}?workspaceId=1`)
    gate.resolve()
    await feature.attempted(1)
    expect(await feature.deliveries()).toMatchObject([{ status: 'delivered', attempts: [{ status: 200 }] }])
  })
})

describe('a private address', () => {
  const names: Readonly<Record<string, string>> = {
    'private.example.com': '10.0.0.8',
    'mapped.example.com': '::ffff:127.0.0.1',
    'metadata.example.com': '169.254.169.254',
  }

  test.each([
    'http://127.0.0.1:9/',
    'http://[::ffff:127.0.0.1]:9/',
    'http://private.example.com/',
    'http://mapped.example.com/',
    'http://metadata.example.com/',
  ])('is rejected when used: %s', async (url) => {
    await using feature = await openWebhooks({
      allowPrivateTargets: [],
      resolve: async (name) => [{ address: names[name] ?? '', family: names[name]?.includes(':') === true ? 6 : 4 }],
    })
    await feature.addWebhook(url)
    feature.webhooks.start()
    await feature.emitEvent('chat_ended')
    await feature.attempted(1)
    expect(await feature.deliveries()).toMatchObject([
      { status: 'failed', attemptCount: 1, lastStatus: null, lastError: 'Only public addresses can be called.' },
    ])
  })

  test('cannot be reached by a redirect either', async () => {
    await using feature = await openWebhooks()
    await using inside = await startWebhookReceiver()
    await using receiver = await startWebhookReceiver()
    receiver.setReply({ kind: 'redirect', to: inside.url, status: 307 })
    await feature.addWebhook(receiver.url)
    feature.webhooks.start()
    await feature.emitEvent('chat_ended')
    await feature.attempted(1)
    expect(inside.received).toEqual([])
  })
})
