import type { Clock, JsonValue } from '@parley/engine/ports'
import { createManualClock } from '@parley/engine/testing/manual-clock'
import { describe, expect, test } from 'vitest'
import { nextTurn } from '../../../../../testing/next-turn.ts'
import { systemClock } from '../system.ts'
import { type FaultyProxy, startFaultyProxy } from './faulty-proxy-test-kit.ts'
import type { NodeBus } from './in-process-bus.ts'

export interface BusParts {
  readonly url: string
  readonly nodeId: string
  readonly clock: Clock
  readonly logError: (name: string, error: unknown) => void
}

/** A test node with a bus. */
export interface BusNode extends AsyncDisposable {
  readonly bus: NodeBus
  /** Null if there is no server. */
  readonly proxy: FaultyProxy | null
  /** Logged errors as `name: message`. */
  readonly errors: string[]
  /** The status at each logged outage. */
  readonly outages: (string | null)[]
  /** Returns the number of gaps reported since the node connected. */
  gaps(): number
  /** Collects messages of a topic from now on. `until` waits for a number of messages. */
  collect(topic: string): { readonly received: JsonValue[]; until(count: number): Promise<readonly JsonValue[]> }
}

export interface BusSource {
  readonly open: (parts: BusParts) => NodeBus
  /** Returns the URL of the server between the nodes. Absent if there is no server. */
  readonly url?: () => string
}

/** Opens a node and waits until it is connected. */
export async function openNode({ open, url }: BusSource, nodeId: string, clock: Clock = systemClock): Promise<BusNode> {
  const proxy = url === undefined ? null : await startFaultyProxy(url())
  const errors: string[] = []
  const outages: (string | null)[] = []
  const logError = (name: string, error: unknown): void => {
    errors.push(`${name}: ${(error as Error).message}`)
    outages.push(bus.getFault())
  }
  const bus: NodeBus = open({ url: proxy?.url ?? '', nodeId, clock, logError })
  let gaps = 0
  if (proxy !== null) {
    const connected = Promise.withResolvers<void>()
    bus.onGap(connected.resolve)
    await connected.promise
  }
  bus.onGap(() => {
    gaps += 1
  })
  return {
    bus,
    proxy,
    errors,
    outages,
    gaps: () => gaps,
    collect(topic) {
      const received: JsonValue[] = []
      let notify = (): void => {}
      bus.subscribe(topic, (message) => {
        received.push(message)
        notify()
      })
      const until = (count: number): Promise<readonly JsonValue[]> =>
        new Promise((resolve) => {
          notify = () => received.length >= count && resolve(received)
          notify()
        })
      return { received, until }
    },
    async [Symbol.asyncDispose]() {
      await bus.close()
      await proxy?.[Symbol.asyncDispose]()
    },
  }
}

/** Waits in real time for sockets. The test's timeout limits the wait. */
async function waitUntil(condition: () => boolean): Promise<void> {
  while (!condition()) await nextTurn()
}

/** Registers the tests of every bus within one process. */
export function describeSingleNode(name: string, source: BusSource): void {
  describe(`${name}, on its own node`, () => {
    test('delivers in order to the subscribers of the topic, after the publisher continues', async () => {
      await using node = await openNode(source, 'one')
      const { received, until } = node.collect('calls')
      const other = node.collect('other')
      node.bus.publish('calls', { n: 1 })
      node.bus.publish('calls', { n: 2 })
      expect(received).toEqual([])
      expect(await until(2)).toEqual([{ n: 1 }, { n: 2 }])
      expect(other.received).toEqual([])
    })

    test('unsubscribing stops one subscription, not another one of the same function', async () => {
      await using node = await openNode(source, 'one')
      let count = 0
      const handler = (): void => {
        count += 1
      }
      const first = node.bus.subscribe('t', handler)
      node.bus.subscribe('t', handler)
      first()
      first()
      node.bus.publish('t', null)
      await node.collect('t').until(0)
      await Promise.resolve()
      expect(count).toBe(1)
    })

    test('an error of a handler is logged, and other handlers still get the message', async () => {
      await using node = await openNode(source, 'one')
      node.bus.subscribe('t', () => {
        throw new Error('broken')
      })
      const { until } = node.collect('t')
      node.bus.publish('t', 'hello')
      expect(await until(1)).toEqual(['hello'])
      expect(node.errors).toEqual(['bus topic t: broken'])
    })

    test('publishing never throws, and a closed bus still delivers locally', async () => {
      await using node = await openNode(source, 'one')
      const { until } = node.collect('t')
      const cyclicMessage: Record<string, JsonValue> = {}
      cyclicMessage['self'] = cyclicMessage
      node.bus.publish('t', cyclicMessage)
      await node.bus.close()
      node.bus.publish('t', 2)
      expect(await until(2)).toEqual([cyclicMessage, 2])
    })
  })
}

/** Registers the tests of every bus between nodes. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a suite of tests.
export function describeManyNodes(name: string, source: BusSource): void {
  // biome-ignore lint/complexity/noExcessiveLinesPerFunction: a suite of tests.
  describe(`${name}, between nodes`, () => {
    test('nodes get each message once, in the order of the publisher', async () => {
      await using one = await openNode(source, 'one')
      await using two = await openNode(source, 'two')
      const here = one.collect('t')
      const remote = two.collect('t')
      const numbers = Array.from({ length: 500 }, (_, index) => index)
      for (const number of numbers) {
        one.bus.publish('t', number)
        // Publishes some messages in one tick and others in separate ticks.
        if (number % 7 === 0) await Promise.resolve()
        if (number % 50 === 0) await remote.until(number)
      }
      expect(await remote.until(500)).toEqual(numbers)
      two.bus.publish('t', 'back')
      expect(await here.until(501)).toEqual([...numbers, 'back'])
      expect(await remote.until(501)).toEqual([...numbers, 'back'])
      expect([one.errors, two.errors, one.bus.getFault(), two.bus.getFault()]).toEqual([[], [], null, null])
    })

    test('delivers any text unchanged in any topic', async () => {
      await using one = await openNode(source, 'one')
      await using two = await openNode(source, 'two')
      const topic = 'a topic\nof "two" lines {}'
      const { until } = two.collect(topic)
      const texts = [
        '',
        '\n',
        '\0',
        'ü — 漢字 — 👍🏽',
        '\ud800',
        '"\\',
        "'; --",
        null,
        0,
        false,
        [],
        {},
        { a: [1, { b: 'c' }] },
      ]
      for (const text of texts) one.bus.publish(topic, text)
      for (const text of texts) one.bus.publish(topic, text)
      expect(await until(2 * texts.length)).toEqual([...texts, ...texts])
    })

    test('a large message arrives complete and in order; an oversized one stays local and is logged', async () => {
      await using one = await openNode(source, 'one')
      await using two = await openNode(source, 'two')
      const here = one.collect('t')
      const { until } = two.collect('t')
      const largeMessage = 'ü漢👍x'.repeat(80_000)
      const oversizedMessage = 'x'.repeat(1024 * 1024)
      for (const message of ['before', largeMessage, oversizedMessage, 'after', largeMessage, 'end'])
        one.bus.publish('t', message)
      expect(await until(5)).toEqual(['before', largeMessage, 'after', largeMessage, 'end'])
      expect(await here.until(6)).toEqual(['before', largeMessage, oversizedMessage, 'after', largeMessage, 'end'])
      expect(one.errors).toEqual(['bus topic t: The message has 1048584 bytes, too many for other nodes.'])
    })

    test('during an outage local handlers get everything; pending messages follow with one gap', async () => {
      await using one = await openNode(source, 'one')
      await using two = await openNode(source, 'two')
      await using three = await openNode(source, 'three')
      const here = one.collect('t')
      const there = two.collect('t')
      const beyond = three.collect('t')
      one.proxy?.cut()
      await expect.poll(() => one.bus.getFault()).not.toBeNull()
      one.bus.publish('t', 'during')
      expect(await here.until(1)).toEqual(['during'])
      two.bus.publish('t', 'missed')
      expect(await there.until(1)).toEqual(['missed'])
      // Waits until the server has forwarded the message, so that node one misses it.
      expect(await beyond.until(1)).toEqual(['missed'])
      expect(one.gaps()).toBe(0)
      one.proxy?.restore()
      // The delay of the next attempt depends on the length of the outage.
      await waitUntil(() => one.gaps() > 0)
      expect(one.bus.getFault()).toBeNull()
      expect(await there.until(2)).toEqual(['missed', 'during'])
      two.bus.publish('t', 'after')
      expect(await here.until(2)).toEqual(['during', 'after'])
      expect(await beyond.until(3)).toEqual(['missed', 'during', 'after'])
      expect([one.gaps(), two.gaps(), three.gaps()]).toEqual([1, 0, 0])
      // Each connection logs one error.
      expect(new Set(one.errors).size).toBe(one.errors.length)
      for (const error of one.errors) expect(error).not.toMatch(/127\.0\.0\.1|:\/\//)
    })

    test('bounds pending messages and reports dropped ones as a gap', async () => {
      await using one = await openNode(source, 'one')
      await using two = await openNode(source, 'two')
      const there = two.collect('t')
      one.proxy?.cut()
      await expect.poll(() => one.bus.getFault()).not.toBeNull()
      for (let number = 0; number < 30_000; number += 1) one.bus.publish('t', number)
      one.bus.publish('t', 'last')
      one.proxy?.restore()
      await expect.poll(() => there.received.at(-1), { timeout: 10_000 }).toBe('last')
      expect(there.received.length).toBeLessThanOrEqual(10_001)
      expect(there.received.length).toBeGreaterThan(5_000)
      expect(two.gaps()).toBe(1)
    })

    test('detects a silent connection and replaces it', async () => {
      const manual = createManualClock()
      await using one = await openNode(source, 'one', manual.clock)
      await using two = await openNode(source, 'two')
      const here = one.collect('t')
      one.proxy?.silence()
      // The existing connection stays silent, but new ones work.
      one.proxy?.restore()
      await manual.advance(9_000)
      expect(one.bus.getFault()).toBeNull()
      await manual.advance(6_000)
      await waitUntil(() => one.outages.length > 0)
      expect(one.outages).not.toContain(null)
      // Starts the next attempt. Its responses take real time, so time must not advance past their deadlines.
      await manual.advance(500)
      await waitUntil(() => one.gaps() > 0)
      two.bus.publish('t', 'hello again')
      expect(await here.until(1)).toEqual(['hello again'])
    })

    test('closing sends pending messages and leaves no timer behind', async () => {
      const manual = createManualClock()
      const one = await openNode(source, 'one', manual.clock)
      await using two = await openNode(source, 'two')
      const there = two.collect('t')
      for (let number = 0; number < 100; number += 1) one.bus.publish('t', number)
      await one[Symbol.asyncDispose]()
      expect(await there.until(100)).toHaveLength(100)
      await expect.poll(() => manual.countPendingTimers()).toBe(0)
    })
  })
}
