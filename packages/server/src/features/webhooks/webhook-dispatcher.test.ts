import type { Clock } from '@parley/engine/ports'
import { expect, test } from 'vitest'
import { startWebhookReceiver } from '../../../../../testing/webhook-receiver/webhook-receiver.ts'
import { shareClock } from '../../kernel/work/shared-clock.ts'
import { openWebhooks } from './webhooks-test-kit.ts'

const LEASE_MS = 15_000
/** Of a stop: as long as nothing else waits. */
const DEADLINE_MS = 1_234

/** A clock whose timers stop with the process that they belong to. */
function killableClock(clock: Clock) {
  let isDead = false
  const killable: Clock = {
    now: clock.now,
    after: (delayMs, callback) => clock.after(delayMs, () => (isDead ? undefined : callback())),
  }
  return {
    clock: killable,
    die: () => {
      isDead = true
    },
    isDead: () => isDead,
  }
}

test('a node that dies between sending and writing that down: sent again under the same id', async () => {
  await using feature = await openWebhooks()
  await using receiver = await startWebhookReceiver()
  await feature.addWebhook(receiver.url)
  const lifetime = killableClock(feature.time.clock)
  const killedNode = feature.connect({
    clock: shareClock(lifetime.clock),
    // The answer came, and nothing after it.
    send: async ({ url, headers, body }) => {
      await fetch(url, { method: 'POST', headers, body })
      lifetime.die()
      return await new Promise(() => undefined)
    },
  })
  killedNode.dispatcher.start()
  feature.webhooks.start()
  // Whoever is first: the other one is to have it only when the lease is over.
  await feature.webhooks.dispatcher.stop(0)
  await feature.emitEvent('chat_started')
  // No time passes until then: the lease lasts as long as it may, and was never renewed.
  await feature.until(lifetime.isDead)
  const takeoverNode = feature.connect()
  takeoverNode.start()
  await feature.time.advance(LEASE_MS - 1)
  await feature.quiet()
  expect(receiver.received).toHaveLength(1)
  await feature.time.advance(1)
  await feature.attempted(1)
  expect(receiver.received.map(({ id, attempt }) => [id, attempt])).toEqual([
    [receiver.received[0]?.id, 1],
    [receiver.received[0]?.id, 1],
  ])
  expect(await feature.deliveries()).toMatchObject([{ status: 'delivered', attemptCount: 1 }])
})

test('several nodes send each delivery once, and about one chat in order', async () => {
  await using feature = await openWebhooks()
  await using receiver = await startWebhookReceiver()
  await feature.addWebhook(receiver.url, { events: ['chat_started', 'transcript_updated', 'chat_ended'] })
  const nodes = [feature.webhooks, feature.connect(), feature.connect()]
  for (const node of nodes) node.start()
  const chats = Array.from({ length: 30 }, (_, index) => `chat_${index}`)
  for (const event of ['chat_started', 'transcript_updated', 'chat_ended'] as const) {
    await Promise.all(chats.map((chatId) => feature.emitEvent(event, chatId)))
  }
  await feature.attempted(90)
  expect(receiver.received).toHaveLength(90)
  expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(90)
  for (const chatId of chats) {
    const events = receiver.received.filter(({ body }) => (body.chat as { chatId: string }).chatId === chatId)
    expect(events.map(({ event }) => event)).toEqual(['chat_started', 'transcript_updated', 'chat_ended'])
  }
})

test('a stop waits for what is under way, gives the rest back, and another node goes on', async () => {
  await using feature = await openWebhooks()
  await using receiver = await startWebhookReceiver()
  const gate = Promise.withResolvers<void>()
  receiver.answer({ kind: 'slow', gate: gate.promise })
  await feature.addWebhook(receiver.url)
  const first = feature.connect()
  first.dispatcher.start()
  feature.webhooks.start()
  await feature.webhooks.dispatcher.stop(0)
  for (let index = 0; index < 3; index += 1) await feature.emitEvent('chat_started', `chat_${index}`)
  await feature.until(() => receiver.received.length === 1)
  let isStopped = false
  const stopping = first.dispatcher.stop(5_000).then(() => {
    isStopped = true
  })
  await feature.until(async () => {
    const rows = await feature.database.read.selectFrom('webhook_deliveries').select('leased_by').execute()
    return rows.filter(({ leased_by }) => leased_by !== null).length === 1
  })
  expect(isStopped).toBe(false)
  gate.resolve()
  await stopping
  expect(receiver.received).toHaveLength(1)
  feature.connect().start()
  await feature.attempted(3)
  expect(receiver.received.map(({ attempt }) => attempt)).toEqual([1, 1, 1])
})

test('a stop cuts off what takes too long; that was no attempt', async () => {
  await using feature = await openWebhooks()
  await using receiver = await startWebhookReceiver()
  receiver.answer({ kind: 'hang' })
  await feature.addWebhook(receiver.url)
  const { clock } = feature.time
  const firstAttempt = Promise.withResolvers<void>()
  const first = feature.connect({
    clock: {
      scope: 'installation',
      now: clock.now,
      after: (delayMs, callback) => {
        if (delayMs === DEADLINE_MS) firstAttempt.resolve()
        return clock.after(delayMs, callback)
      },
    },
  })
  first.dispatcher.start()
  feature.webhooks.start()
  await feature.webhooks.dispatcher.stop(0)
  await feature.emitEvent('chat_started')
  await feature.until(() => receiver.received.length === 1)
  let isStopped = false
  const stopping = first.dispatcher.stop(DEADLINE_MS).then(() => {
    isStopped = true
  })
  // The stop looks at what is held first: its deadline counts from then on.
  await firstAttempt.promise
  await feature.time.advance(DEADLINE_MS - 1)
  expect(await feature.deliveries()).toMatchObject([{ status: 'pending', attempts: [] }])
  expect(isStopped).toBe(false)
  await feature.time.advance(1)
  await stopping
  const delivery = await feature.deliveries()
  expect(delivery).toMatchObject([{ status: 'pending', attemptCount: 0, attempts: [] }])
  receiver.answer({ kind: 'html' })
  feature.connect().start()
  await feature.attempted(1)
  expect(await feature.deliveries()).toMatchObject([{ status: 'delivered', attemptCount: 1 }])
})

test('without a secret nothing is sent, and that is no attempt', async () => {
  await using feature = await openWebhooks()
  await using receiver = await startWebhookReceiver()
  await feature.addWebhook(receiver.url)
  let isAvailable = false
  const node = feature.connect({
    secretsFor: async (workspaceId) => {
      if (isAvailable) return await feature.signingSecrets.activeSecrets(workspaceId)
      throw new Error('The database is away.')
    },
  })
  node.start()
  await feature.emitEvent('chat_started')
  await feature.until(() => feature.logged.length > 0)
  expect(receiver.received).toHaveLength(0)
  isAvailable = true
  await feature.attempted(1)
  expect(receiver.received).toMatchObject([{ attempt: 1 }])
})
