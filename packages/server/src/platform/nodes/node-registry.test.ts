import { createManualClock } from '@parley/engine/testing/manual-clock'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createMeasuredClock } from './node-registry.ts'
import { openNodes } from './node-test-kit.ts'

test('nodes know each other while they run; a stopped node leaves nothing to take over', async () => {
  await using world = await openNodes()
  const first = await world.addNode('node_a')
  const second = await world.addNode('node_b')
  expect(await first.isAlive('node_a')).toBe(true)
  expect(await first.isAlive('node_b')).toBe(true)
  expect(await second.isAlive('node_a')).toBe(true)
  expect(await first.isAlive('node_c')).toBe(false)
  expect([first.getFault(), second.getFault()]).toEqual([null, null])
  await second.stop()
  expect(await world.readNodes()).toMatchObject([{ node_id: 'node_a' }])
  await world.pass(20_000, [first])
  expect(await first.isAlive('node_b')).toBe(false)
  expect(first.deaths).toEqual([])
})

test('detects a dead node in time and deletes it after the takeover', async () => {
  await using world = await openNodes()
  const nodes = [await world.addNode('node_a'), await world.addNode('node_b')]
  const dead = await world.addNode('node_c')
  await world.pass(10_000, [...nodes, dead])
  const diedAt = world.time.clock.now()
  dead.pause()
  while (nodes.every(({ deaths }) => deaths.length === 0)) await world.pass(2_000, nodes)
  // Time stands while it is forgotten: a look that began before the end of that would find the dead one once more.
  await world.until(async () => (await world.readNodes()).length === 2)
  expect(world.time.clock.now() - diedAt).toBeLessThanOrEqual(12_000)
  expect(await nodes[0]?.isAlive('node_c')).toBe(false)
  expect(await nodes[1]?.isAlive('node_c')).toBe(false)
  await world.pass(10_000, nodes)
  // Both are notified only if both check before the first takes over.
  expect(new Set(nodes.flatMap(({ deaths }) => deaths))).toEqual(new Set(['node_c']))
  expect(nodes.every(({ deaths }) => deaths.length <= 1)).toBe(true)
})

test('retries a takeover until every listener succeeds', async () => {
  await using world = await openNodes()
  const node = await world.addNode('node_a')
  const dead = await world.addNode('node_b')
  let failures = 2
  node.onNodeCrash(async () => {
    failures -= 1
    if (failures >= 0) throw new Error('not now')
  })
  await world.pass(10_000, [node, dead])
  dead.pause()
  while (node.deaths.length < 3) await world.pass(2_000, [node])
  await world.until(() => node.logged.length === 3)
  expect(await world.readNodes()).toHaveLength(1)
  expect(node.deaths).toEqual(['node_b', 'node_b', 'node_b'])
  expect(node.logged).toEqual([
    'take over from node node_b: not now',
    'take over from node node_b: not now',
    'a node stopped; this node took over its work',
  ])
})

test('a paused node reports its missing heartbeats, and recovers', async () => {
  await using world = await openNodes()
  const node = await world.addNode('node_a')
  const paused = await world.addNode('node_b')
  await world.pass(10_000, [node, paused])
  paused.pause()
  while (node.deaths.length === 0) await world.pass(2_000, [node])
  await world.until(async () => (await world.readNodes()).length === 1)
  await world.pass(20_000, [node])
  expect(paused.getFault()).toBe('could not send its heartbeat to the other nodes')
  paused.resume()
  await world.until(() => paused.getFault() === null)
  expect(await node.isAlive('node_b')).toBe(true)
  expect(await paused.isAlive('node_a')).toBe(true)
  // Its pace has shifted by some of the pause; the other one sees it beat.
  await world.time.advance(2_000)
  await world.pass(10_000, [node, paused])
  expect(node.deaths).toEqual(['node_b'])
  expect(paused.deaths).toEqual([])
})

test('no node counts as dead after a database outage', async () => {
  await using world = await openNodes()
  const nodes = [await world.addNode('node_a'), await world.addNode('node_b'), await world.addNode('node_c')]
  await world.pass(10_000, nodes)
  for (const node of nodes) node.isPartitioned = true
  for (let elapsedMs = 0; elapsedMs < 30_000; elapsedMs += 1_000) await world.time.advance(1_000)
  expect(nodes.map((node) => node.getFault())).not.toContain(null)
  // The first one is back three seconds before the others.
  const [first, ...others] = nodes
  if (first === undefined) throw new Error('no node')
  first.isPartitioned = false
  // The database answers, but it has not beaten again itself: it cannot tell who lives.
  expect(await first.isAlive('node_b')).toBe(true)
  await world.time.advance(2_000)
  await world.until(() => first.getFault() === null)
  expect(await first.isAlive('node_b')).toBe(true)
  await world.time.advance(1_000)
  for (const node of others) node.isPartitioned = false
  // Time passes only when every beat that was due is written.
  const haveAllBeaten = async () =>
    (await world.readNodes()).every(({ seen_at }) => seen_at > world.time.clock.now() - 2_000)
  await world.time.advance(2_000)
  await world.until(haveAllBeaten)
  for (let elapsedMs = 0; elapsedMs < 20_000; elapsedMs += 1_000) {
    await world.time.advance(1_000)
    await world.until(haveAllBeaten)
  }
  expect(nodes.map((node) => node.getFault())).toEqual([null, null, null])
  expect(nodes.flatMap(({ deaths }) => deaths)).toEqual([])
  expect(await world.readNodes()).toHaveLength(3)
})

test('a wrong clock affects no other node and is reported', async () => {
  await using world = await openNodes()
  const node = await world.addNode('node_a')
  const early = await world.addNode('node_b', 3_600_000)
  const late = await world.addNode('node_c', -3_600_000)
  await world.pass(20_000, [node, early, late])
  expect([node, early, late].flatMap(({ deaths }) => deaths)).toEqual([])
  expect(node.getFault()).toBe(null)
  expect(early.getFault()).toBe("the clock differs from the database's by 3600000 ms")
  expect(late.logged).toEqual(["this machine's clock differs from the database's"])
})

test('retries a failed heartbeat', async () => {
  await using world = await openNodes()
  const node = await world.addNode('node_a')
  node.isPartitioned = true
  await world.time.advance(2_000)
  await world.until(() => node.logged.length === 1)
  expect(node.logged).toEqual(['send the heartbeat of this node: cut off'])
  expect(node.getFault()).toBe(null)
  node.isPartitioned = false
  await world.pass(2_000, [node])
})

test("returns the time of the database, whatever the machine's clock", async () => {
  const { clock, advance } = createManualClock()
  const shared = createMeasuredClock({ ...clock, now: () => clock.now() + 90_000 }, async () => clock.now())
  expect(shared.now()).toBe(clock.now() + 90_000)
  await shared.measure()
  expect(shared.skewMs).toBe(90_000)
  await advance(1_234)
  expect(shared.now()).toBe(clock.now())
})

test('a pause during a measurement does not change the clock', async () => {
  const { clock } = createManualClock(0)
  let pausedMs = 0
  const own = { ...clock, now: () => clock.now() + 500 + pausedMs }
  const shared = createMeasuredClock(own, async () => {
    const answer = clock.now() + pausedMs
    pausedMs += 30_000
    return answer
  })
  await shared.measure()
  expect(shared.skewMs).toBe(15_500)
  // Nothing says yet where in these thirty seconds the answer was made; a quick answer says it.
  const quick = createMeasuredClock(own, async () => own.now() - 500)
  await quick.measure()
  expect(quick.skewMs).toBe(500)
})

test('is never off by more than the time of an answer', () => {
  const delays = fc.tuple(fc.integer({ min: 0, max: 5_000 }), fc.integer({ min: 0, max: 5_000 }))
  const rounds = fc.array(delays, { minLength: 1, maxLength: 20 })
  const skews = fc.integer({ min: -1e6, max: 1e6 })
  return fc.assert(
    fc.asyncProperty(skews, rounds, async (skewMs, roundTrips) => {
      let now = 1e9
      let outboundMs = 0
      let returnMs = 0
      const own = { now: () => now + skewMs, after: () => () => undefined }
      const shared = createMeasuredClock(own, async () => {
        now += outboundMs
        const answer = now
        now += returnMs
        return answer
      })
      let best = Number.POSITIVE_INFINITY
      for ([outboundMs, returnMs] of roundTrips) {
        await shared.measure()
        best = Math.min(best, outboundMs + returnMs)
        expect(Math.abs(shared.skewMs - skewMs)).toBeLessThanOrEqual(best)
      }
    }),
  )
})
