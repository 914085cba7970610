import type { WebhookEventName } from '@parley/contract/webhook-event'
import { describe, expect, test } from 'vitest'
import { startWebhookReceiver } from '../../../../../testing/webhook-receiver/webhook-receiver.ts'
import { openReceiver, openWebhooks } from './webhooks-test-kit.ts'

const URL = 'https://hooks.example.com/parley'
const DEFAULT_EVENTS = ['chat_started', 'chat_ended', 'chat_analyzed', 'call_started', 'call_ended', 'call_analyzed']

test('creates, reads, updates and deletes an endpoint', async () => {
  await using feature = await openWebhooks()
  const { send } = feature
  const created = await send('POST /api/webhooks', { workspaceId: 1, url: URL })
  expect(created).toMatchObject({ status: 201, etag: '"1"' })
  const { webhookId } = created.body
  expect(created.body).toEqual({
    webhookId: expect.stringMatching(/^webhook_[0-9a-f]{26}$/),
    workspaceId: 1,
    url: URL,
    events: DEFAULT_EVENTS,
    description: '',
    enabled: true,
    createdAt: '2026-01-05T12:00:00.000Z',
    updatedAt: '2026-01-05T12:00:00.000Z',
    warnings: [],
  })
  const path = `/api/webhooks/${webhookId}`
  await feature.time.advance(1_000)
  const events = ['call_ended', 'chat_ended', 'call_ended']
  const changes = { workspaceId: 1, events, description: 'Orders', enabled: false }
  const edited = await send(`PATCH ${path}`, changes, { 'if-match': '"1"' })
  expect(edited).toMatchObject({
    status: 200,
    etag: '"2"',
    body: {
      url: URL,
      events: ['call_ended', 'chat_ended'],
      description: 'Orders',
      enabled: false,
      updatedAt: '2026-01-05T12:00:01.000Z',
    },
  })
  expect((await send(`PATCH ${path}`, { workspaceId: 1 }, { 'if-match': '"1"' })).status).toBe(412)
  const cleared = await send(`PATCH ${path}`, { workspaceId: 1, events: null, description: null, enabled: null })
  expect(cleared.body).toMatchObject({ url: URL, events: DEFAULT_EVENTS, description: '', enabled: true })
  expect(await send(`GET ${path}?workspaceId=1`)).toMatchObject({ status: 200, etag: '"3"', body: { webhookId } })

  expect((await send(`GET ${path}?workspaceId=2`)).status).toBe(404)
  expect((await send(`PATCH ${path}`, { workspaceId: 2, url: URL })).status).toBe(404)
  expect((await send(`DELETE ${path}?workspaceId=2`)).status).toBe(404)
  expect((await send(`DELETE ${path}?workspaceId=1`, undefined, { 'if-match': '"2"' })).status).toBe(412)
  expect((await send(`DELETE ${path}?workspaceId=1`, undefined, { 'if-match': '"3"' })).status).toBe(204)
  expect((await send(`GET ${path}?workspaceId=1`)).status).toBe(404)
})

test('paginates the list, newest first', async () => {
  await using feature = await openWebhooks()
  const ids: string[] = []
  for (let index = 0; index < 3; index += 1) {
    ids.unshift(await feature.addWebhook(`${URL}/${index}`))
    await feature.time.advance(1)
  }
  const first = await feature.send('GET /api/webhooks?workspaceId=1&limit=2')
  expect(first.body.map(({ webhookId }: { webhookId: string }) => webhookId)).toEqual(ids.slice(0, 2))
  const second = await feature.send(`GET /api/v1/webhooks?workspaceId=1&limit=2&paginationKey=${first.next}`)
  expect(second.body).toMatchObject([{ webhookId: ids[2] }])
  expect(second.next).toBeUndefined()
  expect((await feature.send('GET /api/webhooks?workspaceId=2')).body).toEqual([])
})

test('allows at most twenty per workspace', async () => {
  await using feature = await openWebhooks()
  for (let index = 0; index < 20; index += 1) await feature.addWebhook(`${URL}/${index}`)
  const body = { workspaceId: 1, url: URL }
  expect(await feature.send('POST /api/webhooks', body)).toMatchObject({
    status: 400,
    body: { code: 'invalid_request', error: expect.stringContaining('at most 20') },
  })
  expect((await feature.send('POST /api/webhooks', { workspaceId: 2, url: URL })).status).toBe(201)
})

test('reports all problems of a body at once', async () => {
  await using feature = await openWebhooks()
  const body = { workspaceId: 1, url: 'ftp://example.com', events: ['chat_begun'], description: 7, enabled: 'yes' }
  const refused = await feature.send('POST /api/webhooks', body)
  expect(refused.status).toBe(400)
  expect(refused.body.details.map(({ path }: { path: string }) => path)).toEqual([
    'url',
    'events[0]',
    'description',
    'enabled',
  ])
  const bad = [
    '',
    'example.com',
    'https://',
    'https://user:pass@example.com',
    'http:example.com',
    'https://a b.com',
    null,
  ]
  for (const url of [...bad, `https://example.com/${'x'.repeat(2000)}`]) {
    expect([url, (await feature.send('POST /api/webhooks', { workspaceId: 1, url })).status]).toEqual([url, 400])
  }
  expect((await feature.send('POST /api/webhooks', { workspaceId: 1, url: URL, events: [] })).status).toBe(400)
})

test('stores a URL that will be rejected, with a warning', async () => {
  await using feature = await openWebhooks({ allowPrivateTargets: [] })
  const body = { workspaceId: 1, url: 'http://169.254.169.254/latest' }
  const created = await feature.send('POST /api/webhooks', body)
  expect(created).toMatchObject({ status: 201, body: { warnings: [expect.stringContaining('not public')] } })
  const path = `/api/webhooks/${created.body.webhookId}`
  expect((await feature.send(`PATCH ${path}`, { workspaceId: 1, url: URL })).body.warnings).toEqual([])
})

describe('access', () => {
  const requestLines = [
    'GET /api/webhooks?workspaceId=1',
    'POST /api/webhooks',
    'GET /api/webhooks/webhook_1?workspaceId=1',
    'PATCH /api/webhooks/webhook_1',
    'DELETE /api/webhooks/webhook_1?workspaceId=1',
    'GET /api/webhook-deliveries?workspaceId=1',
    'GET /api/webhook-deliveries/delivery_1?workspaceId=1',
    'POST /api/webhook-deliveries/delivery_1/resend',
  ]

  test.each(requestLines)('%s requires an admin of the workspace', async (requestLine) => {
    await using feature = await openWebhooks()
    const body = /^(POST|PATCH)/.test(requestLine) ? { workspaceId: 1, url: URL } : undefined
    const accountSid = '00000000-0000-4000-8000-00000000000a'
    const sendAsMember = (level: 'admin' | 'editor') => ({
      role: 'end_user' as const,
      workspaces: new Map([[1, { level, accountSid }]]),
    })
    feature.actAs(sendAsMember('editor'))
    expect((await feature.send(requestLine, body)).status).toBe(403)
    feature.actAs({ scopes: new Set(['read', 'write', 'calls'] as const) })
    expect((await feature.send(requestLine, body)).status).toBe(403)
    feature.actAs(sendAsMember('admin'))
    expect([200, 201, 404]).toContain((await feature.send(requestLine, body)).status)
  })
})

test('filters deliveries of a call from those of other calls and of a chat', async () => {
  await using feature = await openReceiver()
  // The same id, but a different kind.
  await feature.emitEventTo({ kind: 'call', id: 'one' }, 'call_ended')
  await feature.emitEventTo({ kind: 'call', id: 'two' }, 'call_ended')
  await feature.emitEvent('chat_ended', 'one')
  await feature.attempted(3)
  const list = async (query: string) => {
    const { body } = await feature.send(`GET /api/webhook-deliveries?workspaceId=1${query}`)
    return body.map(({ event, callId, chatId }: Record<string, unknown>) => [event, callId, chatId])
  }
  expect(await list('')).toHaveLength(3)
  expect(await list('&callId=one')).toEqual([['call_ended', 'one', null]])
  expect(await list('&callId=two')).toEqual([['call_ended', 'two', null]])
  expect(await list('&callId=three')).toEqual([])
  expect(await list('&chatId=one')).toEqual([['chat_ended', null, 'one']])
})

test('filters deliveries by endpoint, event, status and chat, and paginates', async () => {
  await using feature = await openWebhooks()
  await using receiver = await startWebhookReceiver()
  await using failing = await startWebhookReceiver()
  failing.setReply({ kind: 'html', status: 410 })
  const webhookId = await feature.addWebhook(receiver.url)
  const failingId = await feature.addWebhook(failing.url, { events: ['chat_ended'] })
  feature.webhooks.start()
  // Jobs create deliveries concurrently, so each event gets its deliveries before the next event is emitted.
  const emitEvent = async (event: WebhookEventName, chatId: string, deliveryCount: number) => {
    await feature.emitEvent(event, chatId)
    await feature.until(async () => (await feature.deliveries()).length === deliveryCount)
    await feature.time.advance(1)
  }
  await emitEvent('chat_started', 'chat_1', 1)
  await emitEvent('chat_ended', 'chat_1', 3)
  await emitEvent('chat_started', 'chat_2', 4)
  await emitEvent('chat_ended', 'chat_2', 6)
  await feature.attempted(6)
  const list = async (query: string) => {
    const { body } = await feature.send(`GET /api/webhook-deliveries?workspaceId=1${query}`)
    return body.map((row: Record<string, unknown>) => [
      row.webhookId === webhookId ? 'ok' : 'failing',
      row.event,
      row.chatId,
    ])
  }
  expect(await list('')).toHaveLength(6)
  expect(await list(`&webhookId=${failingId}`)).toEqual([
    ['failing', 'chat_ended', 'chat_2'],
    ['failing', 'chat_ended', 'chat_1'],
  ])
  expect(await list('&event=chat_started')).toEqual([
    ['ok', 'chat_started', 'chat_2'],
    ['ok', 'chat_started', 'chat_1'],
  ])
  expect(await list('&status=failed&chatId=chat_1')).toEqual([['failing', 'chat_ended', 'chat_1']])
  expect(await list('&status=delivered&event=chat_ended&chatId=chat_1')).toEqual([['ok', 'chat_ended', 'chat_1']])
  expect(await list('&status=pending')).toEqual([])
  expect((await feature.send('GET /api/webhook-deliveries?workspaceId=1&status=lost')).status).toBe(400)
  expect((await feature.send('GET /api/webhook-deliveries?workspaceId=2')).body).toEqual([])

  const seen: string[] = []
  for (let query = '', pages = 0; pages < 3; pages += 1) {
    const { body, next } = await feature.send(`GET /api/webhook-deliveries?workspaceId=1&limit=2${query}`)
    seen.push(...body.map(({ deliveryId }: { deliveryId: string }) => deliveryId))
    query = `&paginationKey=${next}`
    expect(next === undefined).toBe(pages === 2)
  }
  expect(new Set(seen).size).toBe(6)

  const path = `/api/webhook-deliveries/${seen[0]}`
  expect((await feature.send(`GET ${path}?workspaceId=2`)).status).toBe(404)
  expect((await feature.send(`POST ${path}/resend`, { workspaceId: 2 })).status).toBe(404)
  expect((await feature.send('POST /api/webhook-deliveries/x/resend', { workspaceId: 1 })).status).toBe(404)
})
