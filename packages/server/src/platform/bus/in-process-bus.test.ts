import { expect, test } from 'vitest'
import { createInProcessBus } from './in-process-bus.ts'

const unexpected = (_name: string, error: unknown): void => {
  throw error
}

test('delivers in order to the subscribers of the topic, after the publisher', async () => {
  const bus = createInProcessBus(unexpected)
  const seen: unknown[] = []
  bus.subscribe('calls', (message) => seen.push(message))
  bus.subscribe('other', () => seen.push('other'))
  bus.publish('calls', { n: 1 })
  bus.publish('calls', { n: 2 })
  expect(seen).toEqual([])
  await Promise.resolve()
  expect(seen).toEqual([{ n: 1 }, { n: 2 }])
})

test('an unsubscribed handler hears nothing more, another one of the same function does', async () => {
  const bus = createInProcessBus(unexpected)
  let count = 0
  const handler = (): void => {
    count += 1
  }
  const first = bus.subscribe('t', handler)
  bus.subscribe('t', handler)
  first()
  first()
  bus.publish('t', null)
  await Promise.resolve()
  expect(count).toBe(1)
})

test('a handler that throws is logged and does not keep the message from the others', async () => {
  const logged: string[] = []
  const bus = createInProcessBus((name, error) => logged.push(`${name}: ${(error as Error).message}`))
  const seen: unknown[] = []
  bus.subscribe('t', () => {
    throw new Error('broken')
  })
  bus.subscribe('t', (message) => seen.push(message))
  bus.publish('t', 'hello')
  await Promise.resolve()
  expect(seen).toEqual(['hello'])
  expect(logged).toEqual(['bus topic t: broken'])
})
