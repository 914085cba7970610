import { expect, test } from 'vitest'
import { openNodes } from './node-test-kit.ts'

test('nodes know each other from the start to the end; one that stops leaves nothing to take over', async () => {
  await using world = await openNodes()
  const first = await world.addNode('node_a')
  const second = await world.addNode('node_b')
  expect(await first.isAlive('node_a')).toBe(true)
  expect(await first.isAlive('node_b')).toBe(true)
  expect(await second.isAlive('node_a')).toBe(true)
  expect(await first.isAlive('node_c')).toBe(false)
  expect([first.status(), second.status()]).toEqual([null, null])
  await second.stop()
  expect(await world.readNodes()).toMatchObject([{ node_id: 'node_a' }])
  await world.pass(20_000, [first])
  expect(await first.isAlive('node_b')).toBe(false)
  expect(first.deaths).toEqual([])
})

test('a node that dies is noticed in time, and forgotten when one of the others has taken over', async () => {
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
  // Both are told only if both look before the first has taken over.
  expect(new Set(nodes.flatMap(({ deaths }) => deaths))).toEqual(new Set(['node_c']))
  expect(nodes.every(({ deaths }) => deaths.length <= 1)).toBe(true)
})

test('taking over is tried again until everybody has done it', async () => {
  await using world = await openNodes()
  const node = await world.addNode('node_a')
  const dead = await world.addNode('node_b')
  let failures = 2
  node.onDeath(async () => {
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
    'a node died; what it held is free',
  ])
})

test('a paused node knows that it may be taken for dead, and comes back', async () => {
  await using world = await openNodes()
  const node = await world.addNode('node_a')
  const paused = await world.addNode('node_b')
  await world.pass(10_000, [node, paused])
  paused.pause()
  while (node.deaths.length === 0) await world.pass(2_000, [node])
  await world.until(async () => (await world.readNodes()).length === 1)
  await world.pass(20_000, [node])
  expect(paused.status()).toBe('could not tell the other nodes that it is alive')
  paused.resume()
  await world.until(() => paused.status() === null)
  expect(await node.isAlive('node_b')).toBe(true)
  expect(await paused.isAlive('node_a')).toBe(true)
  // Its pace has shifted by some of the pause; the other one sees it beat.
  await world.time.advance(2_000)
  await world.pass(10_000, [node, paused])
  expect(node.deaths).toEqual(['node_b'])
  expect(paused.deaths).toEqual([])
})

test('after an outage of the database nobody is buried who comes back', async () => {
  await using world = await openNodes()
  const nodes = [await world.addNode('node_a'), await world.addNode('node_b'), await world.addNode('node_c')]
  await world.pass(10_000, nodes)
  for (const node of nodes) node.isPartitioned = true
  for (let elapsedMs = 0; elapsedMs < 30_000; elapsedMs += 1_000) await world.time.advance(1_000)
  expect(nodes.map((node) => node.status())).not.toContain(null)
  // The first one is back three seconds before the others.
  const [first, ...others] = nodes
  if (first === undefined) throw new Error('no node')
  first.isPartitioned = false
  // The database answers, but it has not beaten again itself: it cannot tell who lives.
  expect(await first.isAlive('node_b')).toBe(true)
  await world.time.advance(2_000)
  await world.until(() => first.status() === null)
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
  expect(nodes.map((node) => node.status())).toEqual([null, null, null])
  expect(nodes.flatMap(({ deaths }) => deaths)).toEqual([])
  expect(await world.readNodes()).toHaveLength(3)
})

test('a clock that is wrong changes nothing for the others, and is told', async () => {
  await using world = await openNodes()
  const node = await world.addNode('node_a')
  const early = await world.addNode('node_b', 3_600_000)
  const late = await world.addNode('node_c', -3_600_000)
  await world.pass(20_000, [node, early, late])
  expect([node, early, late].flatMap(({ deaths }) => deaths)).toEqual([])
  expect(node.status()).toBe(null)
  expect(early.status()).toBe("the clock differs from the database's by 3600000 ms")
  expect(late.logged).toEqual(["this machine's clock differs from the database's"])
})

test('a beat that fails is tried again and goes no further', async () => {
  await using world = await openNodes()
  const node = await world.addNode('node_a')
  node.isPartitioned = true
  await world.time.advance(2_000)
  await world.until(() => node.logged.length === 1)
  expect(node.logged).toEqual(['tell the other nodes that this one is alive: cut off'])
  expect(node.status()).toBe(null)
  node.isPartitioned = false
  await world.pass(2_000, [node])
})
