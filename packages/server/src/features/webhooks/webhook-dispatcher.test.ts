import type { Clock } from '@parley/engine/ports'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { startWebhookReceiver } from '../../../../../testing/webhook-receiver/webhook-receiver.ts'
import { createSharedClock } from '../../kernel/work/shared-clock.ts'
import { WebhookLanes } from './webhook-lanes.ts'
import { openWebhooks } from './webhooks-test-kit.ts'

const LEASE_MS = 15_000
/** Deadline of a stop, different from all other waits. */
const DEADLINE_MS = 1_234

/** Creates a clock whose timers stop with their process. */
function createKillableClock(clock: Clock) {
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

test('repeats a delivery under the same id when the node dies before recording it', async () => {
  await using feature = await openWebhooks()
  await using receiver = await startWebhookReceiver()
  await feature.addWebhook(receiver.url)
  const lifetime = createKillableClock(feature.time.clock)
  const killedNode = feature.connect({
    clock: createSharedClock(lifetime.clock),
    // The response arrives, but the process stops before any later work.
    send: async ({ url, headers, body }) => {
      await fetch(url, { method: 'POST', headers, body })
      lifetime.die()
      return await new Promise(() => undefined)
    },
  })
  killedNode.dispatcher.start()
  feature.webhooks.start()
  // The other worker must get the delivery only after the lease has expired.
  await feature.webhooks.dispatcher.stop(0)
  await feature.emitEvent('chat_started')
  // No time passes until then. The lease is at its maximum and was never renewed.
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

test('several nodes send each delivery once, and those of one chat in order', async () => {
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

test('a stop waits for requests in progress and returns the rest to another node', async () => {
  await using feature = await openWebhooks()
  await using receiver = await startWebhookReceiver()
  const gate = Promise.withResolvers<void>()
  receiver.setReply({ kind: 'slow', gate: gate.promise })
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

test('a stop aborts slow requests, which do not count as attempts', async () => {
  await using feature = await openWebhooks()
  await using receiver = await startWebhookReceiver()
  receiver.setReply({ kind: 'hang' })
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
  // The stop reads held leases first, so its deadline starts afterwards.
  await firstAttempt.promise
  await feature.time.advance(DEADLINE_MS - 1)
  expect(await feature.deliveries()).toMatchObject([{ status: 'pending', attempts: [] }])
  expect(isStopped).toBe(false)
  await feature.time.advance(1)
  await stopping
  const delivery = await feature.deliveries()
  expect(delivery).toMatchObject([{ status: 'pending', attemptCount: 0, attempts: [] }])
  receiver.setReply({ kind: 'html' })
  feature.connect().start()
  await feature.attempted(1)
  expect(await feature.deliveries()).toMatchObject([{ status: 'delivered', attemptCount: 1 }])
})

test('sends nothing without a secret, which does not count as an attempt', async () => {
  await using feature = await openWebhooks()
  await using receiver = await startWebhookReceiver()
  await feature.addWebhook(receiver.url)
  let isAvailable = false
  const node = feature.connect({
    readSecrets: async (workspaceId) => {
      if (isAvailable) return await feature.signingSecrets.getActiveSecrets(workspaceId)
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

/** Opens lanes whose requests end under test control. */
function openLanes() {
  const active: { deliveryId: string; target: string }[] = []
  const lanes = new WebhookLanes((deliveryId, target) => active.push({ deliveryId, target }))
  let ids = 0
  return {
    lanes,
    active,
    activeTo: (target: string) => active.filter((one) => one.target === target).length,
    add: (target: string, count: number) =>
      lanes.add(Array.from({ length: count }, () => ({ deliveryId: `${++ids}`, target }))),
    end(target: string, wasDelivered: boolean) {
      const index = active.findIndex((one) => one.target === target)
      if (index >= 0) active.splice(index, 1)
      lanes.finish(target, wasDelivered)
    },
  }
}

test('a target gets one request at a time until one succeeds, then four', () => {
  const { add, activeTo, end } = openLanes()
  add('a', 20)
  expect(activeTo('a')).toBe(1)
  end('a', true)
  expect(activeTo('a')).toBe(4)
  end('a', false)
  end('a', false)
  expect(activeTo('a')).toBe(2)
  end('a', false)
  end('a', false)
  expect(activeTo('a')).toBe(1)
})

test('targets that never respond leave capacity for others', () => {
  const { add, active, activeTo, end } = openLanes()
  for (let index = 0; index < 60; index += 1) add(`hanging ${index}`, 100)
  add('a', 10)
  expect(active).toHaveLength(61)
  end('a', true)
  expect(activeTo('a')).toBe(4)
  for (let index = 0; index < 9; index += 1) end('a', true)
  expect(activeTo('a')).toBe(0)
})

test('scarce capacity rotates among targets', () => {
  const { add, active, end } = openLanes()
  for (let index = 0; index < 100; index += 1) add(`target ${index}`, 2)
  expect(active).toHaveLength(64)
  for (let count = 0; count < 36; count += 1) end(active[0]?.target ?? '', false)
  expect(new Set(active.map(({ target }) => target)).size).toBe(64)
  expect(active.map(({ target }) => target)).toContain('target 99')
})

test('nothing is sent twice, lost, or sent above the limits', () => {
  const target = fc.constantFrom('a', 'b', 'c', 'd')
  const step = fc.oneof(
    fc.record({ add: target, count: fc.integer({ min: 1, max: 40 }) }),
    fc.record({ end: target, wasDelivered: fc.boolean() }),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const { lanes, active, activeTo, add, end } = openLanes()
      let added = 0
      let ended = 0
      for (const one of steps) {
        if ('add' in one) {
          add(one.add, one.count)
          added += one.count
        } else if (activeTo(one.end) > 0) {
          end(one.end, one.wasDelivered)
          ended += 1
        }
        for (const name of ['a', 'b', 'c', 'd']) expect(activeTo(name)).toBeLessThanOrEqual(4)
        expect(active.length).toBeLessThanOrEqual(64)
      }
      const unsent = lanes.close()
      expect(unsent.length + active.length + ended).toBe(added)
      expect(new Set([...unsent, ...active.map(({ deliveryId }) => deliveryId)]).size).toBe(added - ended)
    }),
  )
})

test('claims more as soon as half is sent', () => {
  const { lanes, add, end } = openLanes()
  expect(lanes.getClaimLimit('a', 0)).toBe(1)
  add('a', 1)
  end('a', true)
  expect(lanes.getClaimLimit('a', 0)).toBe(64)
  add('a', 64)
  expect(lanes.getClaimLimit('a', 0)).toBe(0)
  for (let index = 0; index < 40; index += 1) end('a', true)
  expect(lanes.getClaimLimit('a', 0)).toBeGreaterThanOrEqual(32)
  expect(lanes.getClaimLimit('b', 5_000)).toBe(0)
})
