import { describe, expect, test } from 'vitest'
import { startWebhookReceiver } from '../../../../../testing/webhook-receiver/webhook-receiver.ts'
import { openReceiver, openWebhooks, PLAIN_AGENT } from './webhooks-test-kit.ts'

const EVENT = {
  workspaceId: 1,
  event: 'chat_started',
  subject: { kind: 'chat', id: 'chat_1' },
  agents: [PLAIN_AGENT],
} as const

describe('events of a workspace', () => {
  test('without receivers cost nothing', async () => {
    await using feature = await openWebhooks()
    expect(await feature.webhooks.events.buildStatements(EVENT)).toEqual([])
    await feature.addWebhook('https://example.com', { events: ['call_ended'] })
    expect(await feature.webhooks.events.buildStatements(EVENT)).toEqual([])
    expect(await feature.webhooks.events.buildStatements({ ...EVENT, workspaceId: 2 })).toEqual([])
  })

  test('are published if and only if they are committed', async () => {
    await using feature = await openReceiver()
    const { receiver } = feature
    const statements = await feature.webhooks.events.buildStatements(EVENT)
    const undone = feature.database.transaction(async (transaction) => {
      for (const { query } of statements) await transaction.executeQuery(query)
      throw new Error('not today')
    })
    await expect(undone).rejects.toThrow('not today')
    await feature.emitEvent('chat_ended')
    await feature.attempted(1)
    expect(receiver.received.map(({ event }) => event)).toEqual(['chat_ended'])
  })

  test('are published from a transaction as well, where nothing can be looked up', async () => {
    await using feature = await openWebhooks()
    await using receiver = await startWebhookReceiver()
    await feature.addWebhook(receiver.url)
    const other = feature.connect()
    feature.webhooks.start()
    await feature.database.transaction(async (transaction) => {
      for (const { query } of await other.events.buildStatements(EVENT)) await transaction.executeQuery(query)
    })
    await feature.attempted(1)
    expect(receiver.received).toHaveLength(1)
  })

  test('about a knowledge base contain its state at publication', async () => {
    await using feature = await openWebhooks({
      readSubject: async (workspaceId, { kind, id }) => ({ [kind]: { knowledgeBaseId: id, workspaceId } }),
    })
    await using receiver = await startWebhookReceiver()
    await feature.addWebhook(receiver.url, { events: ['knowledge_base_ready'] })
    feature.webhooks.start()
    const subject = { kind: 'knowledge_base', id: 'knowledge_base_1' } as const
    const event = { workspaceId: 1, event: 'knowledge_base_ready', subject, agents: [] } as const
    await feature.database.batch(await feature.webhooks.events.buildStatements(event))
    await feature.attempted(1)
    expect(receiver.received[0]?.body).toEqual({
      event: 'knowledge_base_ready',
      event_id: expect.stringMatching(/^evt_/),
      created_at: expect.any(String),
      knowledge_base: { knowledgeBaseId: 'knowledge_base_1', workspaceId: 1 },
    })
    expect(await feature.deliveries()).toMatchObject([{ event: 'knowledge_base_ready', chatId: null }])
    await feature.database.batch(feature.webhooks.events.buildDeleteStatements(subject))
    expect(await feature.deliveries()).toEqual([])
  })

  test("reach another node's new endpoint when it is announced, or within five seconds", async () => {
    await using feature = await openWebhooks()
    const { buildStatements } = feature.connect().events
    const busless = feature.connect({
      bus: { publish: () => undefined, subscribe: () => () => undefined, onGap: () => () => undefined },
    }).events
    expect([await buildStatements(EVENT), await busless.buildStatements(EVENT)]).toEqual([[], []])
    await feature.addWebhook('https://example.com')
    await Promise.resolve()
    expect(await buildStatements(EVENT)).toHaveLength(2)
    expect(await busless.buildStatements(EVENT)).toEqual([])
    await feature.time.advance(5_000)
    expect(await busless.buildStatements(EVENT)).toHaveLength(2)
  })
})

describe('the job that publishes an event', () => {
  async function openJob(readSubject = async (): Promise<Record<string, unknown> | null> => ({ chat: {} })) {
    const feature = await openWebhooks({ readSubject })
    await feature.addWebhook('https://example.com')
    await feature.emitEvent('chat_started')
    const job = await feature.database.read.selectFrom('jobs').selectAll().executeTakeFirstOrThrow()
    const handler = feature.webhooks.handlers[job.kind]
    const given = { jobId: job.job_id, kind: job.kind, payload: JSON.parse(job.payload), attempt: 1, maxAttempts: 10 }
    return {
      feature,
      run: async () => await handler?.run(given, new AbortController().signal),
      countOf: async (table: 'webhook_events' | 'webhook_deliveries') =>
        (await feature.database.read.selectFrom(table).selectAll().execute()).length,
      [Symbol.asyncDispose]: () => feature[Symbol.asyncDispose](),
    }
  }

  test('creates one delivery even when it runs twice or concurrently', async () => {
    await using job = await openJob()
    await Promise.all([job.run(), job.run()])
    await job.run()
    expect(await job.countOf('webhook_deliveries')).toBe(1)
  })

  test('deletes an event about a deleted subject', async () => {
    await using job = await openJob(async () => null)
    await job.run()
    expect([await job.countOf('webhook_events'), await job.countOf('webhook_deliveries')]).toEqual([0, 0])
  })

  test('deletes an event without receivers', async () => {
    await using job = await openJob()
    const [webhook] = (await job.feature.send('GET /api/webhooks?workspaceId=1')).body
    await job.feature.send(`DELETE /api/webhooks/${webhook.webhookId}?workspaceId=1`)
    await job.run()
    expect([await job.countOf('webhook_events'), await job.countOf('webhook_deliveries')]).toEqual([0, 0])
  })
})

test('after thirty days an event is deleted with its deliveries and attempts', async () => {
  await using feature = await openWebhooks()
  await using receiver = await startWebhookReceiver()
  await feature.addWebhook(receiver.url)
  const node = feature.webhooks
  node.start()
  await feature.emitEvent('chat_started')
  await feature.attempted(1)
  const [{ kind = '' } = {}] = node.schedules
  const sweep = async () =>
    await node.handlers[kind]?.run(
      { jobId: 'job_1', kind, payload: {}, attempt: 1, maxAttempts: 10 },
      new AbortController().signal,
    )
  // Virtual timers would fire for every second of the month.
  const { database, time } = feature
  const age = async (ageMs: number) =>
    await database.transaction(async (transaction) => {
      await transaction
        .updateTable('webhook_events')
        .set({ created_at: time.clock.now() - ageMs })
        .execute()
    })
  await age(30 * 24 * 60 * 60 * 1000 - 1)
  await sweep()
  expect(await feature.deliveries()).toHaveLength(1)
  await age(30 * 24 * 60 * 60 * 1000)
  await sweep()
  expect(await feature.deliveries()).toEqual([])
  expect(await database.read.selectFrom('webhook_attempts').selectAll().execute()).toEqual([])
})
