import { describe, expect, test } from 'vitest'
import { createBackground } from './background.ts'

/** Creates background work whose deadline fires on demand. */
function createTestBackground() {
  const logged: string[] = []
  let fireDeadline: () => void = () => undefined
  let isCancelled = false
  const background = createBackground({
    clock: {
      now: () => 0,
      after(_delayMs, callback) {
        fireDeadline = callback
        return () => {
          isCancelled = true
        }
      },
    },
    logError: (name, error) => logged.push(`${name}: ${(error as Error).message}`),
  })
  return { background, logged, fireDeadline: () => fireDeadline(), isCancelled: () => isCancelled }
}

describe('background work', () => {
  test('logs thrown errors and rejections under the name of the work', async () => {
    const { background, logged } = createTestBackground()
    background.run('rejects', () => Promise.reject(new Error('one')))
    background.run('throws', () => {
      throw new Error('two')
    })
    await background.drain(1_000)
    expect(logged.sort()).toEqual(['rejects: one', 'throws: two'])
  })

  test('drain waits for nested work and cancels its deadline', async () => {
    const { background, isCancelled } = createTestBackground()
    const finishedWork: string[] = []
    background.run('outer', async () => {
      await Promise.resolve()
      background.run('inner', async () => {
        await Promise.resolve()
        finishedWork.push('inner')
      })
      finishedWork.push('outer')
    })
    expect(await background.drain(1_000)).toEqual([])
    expect(finishedWork).toEqual(['outer', 'inner'])
    expect(isCancelled()).toBe(true)
  })

  test('drain returns the running work at the deadline', async () => {
    const { background, fireDeadline } = createTestBackground()
    background.run('stuck', () => new Promise(() => undefined))
    const drained = background.drain(1_000)
    fireDeadline()
    expect(await drained).toEqual(['stuck'])
  })
})
