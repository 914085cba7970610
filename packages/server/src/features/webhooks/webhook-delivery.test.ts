import { expect, test } from 'vitest'
import { startWebhookReceiver } from '../../../../../testing/webhook-receiver/webhook-receiver.ts'
import { verifySignature } from '../../kernel/signature.ts'
import { openWebhooks } from './webhooks-test-kit.ts'

test('what happened is posted to the endpoint, signed, once', async () => {
  await using feature = await openWebhooks()
  await using receiver = await startWebhookReceiver()
  const webhookId = await feature.addWebhook(receiver.url)
  feature.webhooks.start()
  expect(await feature.happen('chat_started')).toBe(2)
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
  const secrets = await feature.signingSecrets.activeSecrets(1)
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
