import fc from 'fast-check'
import { expect, test } from 'vitest'
import { WebhookLanes } from './webhook-lanes.ts'

/** Lanes whose requests end when the test says so. */
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
      lanes.done(target, wasDelivered)
    },
  }
}

test('a target gets one request at a time until one has reached it, then four', () => {
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

test('targets that never answer leave places for the others', () => {
  const { add, active, activeTo, end } = openLanes()
  for (let index = 0; index < 60; index += 1) add(`hanging ${index}`, 100)
  add('a', 10)
  expect(active).toHaveLength(61)
  end('a', true)
  expect(activeTo('a')).toBe(4)
  for (let index = 0; index < 9; index += 1) end('a', true)
  expect(activeTo('a')).toBe(0)
})

test('places that run out go around', () => {
  const { add, active, end } = openLanes()
  for (let index = 0; index < 100; index += 1) add(`target ${index}`, 2)
  expect(active).toHaveLength(64)
  for (let count = 0; count < 36; count += 1) end(active[0]?.target ?? '', false)
  expect(new Set(active.map(({ target }) => target)).size).toBe(64)
  expect(active.map(({ target }) => target)).toContain('target 99')
})

test('nothing is sent twice, lost, or sent beside more than may be', () => {
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

test('more is taken as soon as half of it is sent', () => {
  const { lanes, add, end } = openLanes()
  expect(lanes.capacityFor('a', 0)).toBe(1)
  add('a', 1)
  end('a', true)
  expect(lanes.capacityFor('a', 0)).toBe(64)
  add('a', 64)
  expect(lanes.capacityFor('a', 0)).toBe(0)
  for (let index = 0; index < 40; index += 1) end('a', true)
  expect(lanes.capacityFor('a', 0)).toBeGreaterThanOrEqual(32)
  expect(lanes.capacityFor('b', 5_000)).toBe(0)
})
