import { describe, expect, test } from 'vitest'
import { type ReceiverReply, startWebhookReceiver } from '../../../../../testing/webhook-receiver/webhook-receiver.ts'
import { openReceiver, openWebhooks } from './webhooks-test-kit.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

describe('a receiver that recovers gets each event once', () => {
  test.each<[string, ReceiverReply, number | null, RegExp]>([
    ['answers 500', { kind: 'json', body: { error: 'out of order' }, status: 500 }, 500, /status 500/],
    ['redirects', { kind: 'redirect', to: '/elsewhere' }, 302, /redirect/],
    ['closes the connection without an answer', { kind: 'refuse' }, null, /closed the connection/],
    ['does not speak HTTP', { kind: 'garbage' }, null, /not valid HTTP|could not be reached/],
    [
      'answers 500 with a large body',
      { kind: 'raw', body: 'x'.repeat(9e6), contentType: 'a/b', status: 500 },
      500,
      /500/,
    ],
  ])('that %s', async (_case, reply, status, error) => {
    await using feature = await openReceiver()
    const { receiver } = feature
    receiver.setReply(reply)
    await feature.emitEvent('chat_started')
    await feature.attempted(1)
    const [failing] = await feature.deliveries()
    const failedAt = feature.time.clock.now()
    expect(failing).toMatchObject({
      status: 'pending',
      attemptCount: 1,
      lastStatus: status,
      lastError: expect.stringMatching(error),
      nextAttemptAt: new Date(failedAt + 10_000).toISOString(),
    })
    receiver.setReply({ kind: 'json', body: { thanks: true } })
    await feature.attempted(2)
    const [delivery] = await feature.deliveries()
    expect(delivery).toMatchObject({ status: 'delivered', lastStatus: 200, lastError: null, nextAttemptAt: null })
    expect(delivery?.attempts).toMatchObject([
      { attempt: 1, status, error: expect.stringMatching(error) },
      { attempt: 2, status: 200, error: null, responseBody: '{"thanks":true}' },
    ])
    expect(receiver.received.map(({ id, attempt, event }) => [id, attempt, event])).toEqual([
      [delivery?.deliveryId, 1, 'chat_started'],
      [delivery?.deliveryId, 2, 'chat_started'],
    ])
    const [first, second] = receiver.received
    expect(second?.rawBody).toEqual(first?.rawBody)
    // Each attempt is signed with its own time.
    expect(second?.signature).not.toBe(first?.signature)
  })

  test('that is down', async () => {
    await using feature = await openReceiver()
    const { receiver } = feature
    await receiver.stopListening()
    await feature.emitEvent('chat_started')
    await feature.attempted(2)
    expect((await feature.deliveries())[0]).toMatchObject({
      lastStatus: null,
      lastError: expect.stringMatching(/refused/),
    })
    await receiver.startListening()
    await feature.attempted(3)
    expect(receiver.received).toMatchObject([{ attempt: 3, event: 'chat_started' }])
  })

  test('that is slow', async () => {
    await using feature = await openReceiver()
    const { receiver } = feature
    receiver.setReply({ kind: 'hang' })
    await feature.emitEvent('chat_started')
    await feature.until(() => receiver.received.length === 1)
    await feature.time.advance(9_999)
    expect((await feature.deliveries())[0]).toMatchObject({ attemptCount: 0, status: 'pending' })
    receiver.setReply({ kind: 'raw', body: '', contentType: 'text/plain', status: 204 })
    await feature.time.advance(1)
    await feature.attempted(2)
    const [delivery] = await feature.deliveries()
    expect(delivery).toMatchObject({ status: 'delivered', lastStatus: 204 })
    expect(delivery?.attempts[0]).toMatchObject({
      status: null,
      durationMs: 10_000,
      error: expect.stringMatching(/10000 ms/),
    })
  })

  test('that responded with success before the connection broke', async () => {
    await using feature = await openReceiver()
    const { receiver } = feature
    for (const reply of [{ kind: 'cut' }, { kind: 'wrong-length' }, { kind: 'flood', sizeBytes: 1e6 }] as const) {
      receiver.setReply(reply)
      const count = receiver.received.length + 1
      await feature.emitEvent('chat_started', `chat_${count}`)
      await feature.attempted(count)
    }
    expect(receiver.received).toHaveLength(3)
    expect((await feature.deliveries()).map(({ status, lastStatus }) => [status, lastStatus])).toEqual(
      Array.from({ length: 3 }, () => ['delivered', 200]),
    )
  })
})

test('a delivery fails after six attempts, and resending starts over under its id', async () => {
  await using feature = await openReceiver()
  const { receiver } = feature
  receiver.setReply({ kind: 'html', status: 503 })
  await feature.emitEvent('chat_ended')
  await feature.attempted(6)
  const [failed] = await feature.deliveries()
  expect(failed).toMatchObject({ status: 'failed', attemptCount: 6, nextAttemptAt: null, lastStatus: 503 })
  const times = failed?.attempts.map(({ at }) => Date.parse(at)) ?? []
  const pauses = times.slice(1).map((at, index) => at - (times[index] ?? 0))
  for (const [index, pauseMs] of [10_000, MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS].entries()) {
    expect(pauses[index]).toBeGreaterThanOrEqual(pauseMs)
    expect(pauses[index]).toBeLessThan(pauseMs + MINUTE_MS)
  }
  await feature.time.advance(10 * MINUTE_MS)
  await feature.quiet()
  expect(receiver.received).toHaveLength(6)

  receiver.setReply({ kind: 'html' })
  const path = `/api/webhook-deliveries/${failed?.deliveryId}`
  const again = await feature.send(`POST ${path}/resend`, { workspaceId: 1 })
  expect(again).toMatchObject({ status: 200, body: { status: 'pending', attemptCount: 6, endedAt: null } })
  await feature.attempted(7)
  expect((await feature.send(`GET ${path}?workspaceId=1`)).body).toMatchObject({ status: 'delivered', attemptCount: 7 })
  expect(receiver.received.at(-1)).toMatchObject({ id: failed?.deliveryId, attempt: 7 })
  await feature.send(`POST ${path}/resend`, { workspaceId: 1 })
  await feature.attempted(8)
  expect(receiver.received.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
  expect(new Set(receiver.received.map(({ rawBody }) => rawBody.toString())).size).toBe(1)
})

test('status 410 cancels the delivery', async () => {
  await using feature = await openReceiver()
  const { receiver } = feature
  receiver.setReply({ kind: 'html', status: 410 })
  await feature.emitEvent('chat_ended')
  await feature.attempted(1)
  expect((await feature.deliveries())[0]).toMatchObject({ status: 'failed', attemptCount: 1, nextAttemptAt: null })
})

describe('order', () => {
  const events = ['chat_started', 'transcript_updated', 'transcript_updated', 'chat_ended', 'chat_analyzed'] as const

  test('is kept within one chat while others overtake it', async () => {
    await using feature = await openReceiver({ events: [...new Set(events)] })
    const { receiver } = feature
    let failures = 0
    receiver.setReply(({ body, event }) => {
      const { chatId } = body.chat as { readonly chatId: string }
      const isRefused = chatId === 'chat_1' && event === 'chat_started' && ++failures <= 2
      return isRefused ? { kind: 'html', status: 500 } : { kind: 'html' }
    })
    for (const event of events) for (const chatId of ['chat_1', 'chat_2']) await feature.emitEvent(event, chatId)
    await feature.attempted(12)
    const arrived = receiver.received.map(({ body, event }) => [(body.chat as { chatId: string }).chatId, event])
    const of = (chatId: string) => arrived.filter(([id]) => id === chatId).map(([, event]) => event)
    expect(of('chat_1')).toEqual(['chat_started', 'chat_started', ...events])
    expect(of('chat_2')).toEqual(events)
    // No other event of the chat arrived during its retry.
    expect(arrived.findIndex(([id, event]) => id === 'chat_2' && event === 'chat_analyzed')).toBeLessThan(
      arrived.findIndex(([id, event]) => id === 'chat_1' && event === 'transcript_updated'),
    )
    expect(feature.logged).toEqual([])
  })

  test('is given up after the third failure', async () => {
    await using feature = await openReceiver()
    const { receiver } = feature
    receiver.setReply(({ event }) => ({ kind: 'html', status: event === 'chat_started' ? 500 : 200 }))
    await feature.emitEvent('chat_started')
    await feature.emitEvent('chat_ended')
    await feature.attempted(4)
    expect(receiver.received.map(({ event, attempt }) => [event, attempt])).toEqual([
      ['chat_started', 1],
      ['chat_started', 2],
      ['chat_started', 3],
      ['chat_ended', 1],
    ])
    const statuses = (await feature.deliveries()).map(({ event, status }) => [event, status])
    expect(Object.fromEntries(statuses)).toEqual({ chat_started: 'pending', chat_ended: 'delivered' })
  })

  test('holds when the deliveries of a later event were created first', async () => {
    await using feature = await openWebhooks()
    await using receiver = await startWebhookReceiver()
    await feature.addWebhook(receiver.url)
    await feature.emitEvent('chat_started')
    await feature.emitEvent('chat_ended')
    const jobs = await feature.database.read.selectFrom('jobs').selectAll().orderBy('job_id').execute()
    const jobRecords = jobs.map(({ job_id, kind, payload }) => ({
      jobId: job_id,
      kind,
      payload: JSON.parse(payload),
      attempt: 1,
      maxAttempts: 10,
    }))
    const runJob = async (job: (typeof jobRecords)[number] | undefined) => {
      if (job !== undefined) await feature.webhooks.handlers[job.kind]?.run(job, new AbortController().signal)
    }
    feature.webhooks.dispatcher.start()
    await runJob(jobRecords[1])
    await feature.time.advance(30_000)
    await feature.quiet()
    expect(receiver.received).toHaveLength(0)
    await runJob(jobRecords[0])
    await feature.attempted(2)
    expect(receiver.received.map(({ event }) => event)).toEqual(['chat_started', 'chat_ended'])
    const stopped = feature.webhooks.dispatcher.stop(0)
    await feature.time.advance(1)
    await stopped
  })

  test('is given up for an event that cannot be published for a minute', async () => {
    await using feature = await openWebhooks({
      readSubject: async (_workspaceId, { id }, event) => {
        if (event === 'chat_started') throw new Error('not readable')
        return { chat: { chatId: id } }
      },
    })
    await using receiver = await startWebhookReceiver()
    await feature.addWebhook(receiver.url)
    feature.webhooks.start()
    await feature.emitEvent('chat_started')
    await feature.emitEvent('chat_ended')
    await feature.attempted(1)
    expect(receiver.received.map(({ event }) => event)).toEqual(['chat_ended'])
    expect(feature.time.clock.now() - Date.UTC(2026, 0, 5, 12)).toBeGreaterThanOrEqual(60_000)
  })
})

test('a receiver that hangs delays no other', async () => {
  await using feature = await openWebhooks()
  await using hanging = await startWebhookReceiver()
  await using quick = await startWebhookReceiver()
  hanging.setReply({ kind: 'hang' })
  await feature.addWebhook(hanging.url)
  await feature.addWebhook(quick.url)
  feature.webhooks.start()
  for (let index = 0; index < 100; index += 1) await feature.emitEvent('chat_started', `chat_${index}`)
  await feature.until(() => quick.received.length === 100)
  expect(new Set(quick.received.map(({ id }) => id)).size).toBe(100)
  expect(quick.inFlight.max).toBeLessThanOrEqual(4)
  expect(hanging.inFlight.max).toBe(1)
})
