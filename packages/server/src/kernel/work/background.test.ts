import { describe, expect, test } from 'vitest'
import { createBackground } from './background.ts'

/** Deadlines fire under test control. */
function setup() {
  const logged: string[] = []
  let fire: () => void = () => undefined
  let cancelled = false
  const background = createBackground({
    clock: {
      now: () => 0,
      after(_delayMs, callback) {
        fire = callback
        return () => {
          cancelled = true
        }
      },
    },
    logError: (name, error) => logged.push(`${name}: ${(error as Error).message}`),
  })
  return { background, logged, fireDeadline: () => fire(), isCancelled: () => cancelled }
}

describe('background work', () => {
  test('logs failures under their name, thrown or rejected', async () => {
    const { background, logged } = setup()
    background.run('rejects', () => Promise.reject(new Error('one')))
    background.run('throws', () => {
      throw new Error('two')
    })
    await background.drain(1_000)
    expect(logged.sort()).toEqual(['rejects: one', 'throws: two'])
  })

  test('drain waits for nested work and cancels its deadline', async () => {
    const { background, isCancelled } = setup()
    const done: string[] = []
    background.run('outer', async () => {
      await Promise.resolve()
      background.run('inner', async () => {
        await Promise.resolve()
        done.push('inner')
      })
      done.push('outer')
    })
    expect(await background.drain(1_000)).toEqual([])
    expect(done).toEqual(['outer', 'inner'])
    expect(isCancelled()).toBe(true)
  })

  test('drain returns the running work at the deadline', async () => {
    const { background, fireDeadline } = setup()
    background.run('stuck', () => new Promise(() => undefined))
    const drained = background.drain(1_000)
    fireDeadline()
    expect(await drained).toEqual(['stuck'])
  })
})
