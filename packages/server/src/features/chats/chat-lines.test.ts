import { expect, test } from 'vitest'
import { ChatLines } from './chat-lines.ts'

test('work of one chat runs in order, work of others meanwhile, and a failure stops nothing', async () => {
  const lines = new ChatLines()
  const happened: string[] = []
  const first = Promise.withResolvers<void>()
  const a1 = lines.run('a', async () => {
    await first.promise
    happened.push('a1')
    throw new Error('a1 failed')
  })
  const a2 = lines.run('a', async () => {
    happened.push('a2')
    return 2
  })
  await lines.run('b', async () => void happened.push('b1'))
  expect(happened).toEqual(['b1'])
  first.resolve()
  await expect(a1).rejects.toThrow('a1 failed')
  expect(await a2).toBe(2)
  expect(happened).toEqual(['b1', 'a1', 'a2'])
})

test('a line is busy while somebody waits or runs', async () => {
  const lines = new ChatLines()
  const work = Promise.withResolvers<void>()
  const running = lines.run('a', () => work.promise)
  expect([lines.isBusy('a'), lines.isBusy('b')]).toEqual([true, false])
  work.resolve()
  await running
  expect(lines.isBusy('a')).toBe(false)
})
