import { describe, expect, test } from 'vitest'
import { createPasswords, createTaskLimiter } from './passwords.ts'

describe('the gate', () => {
  function open(atOnce: number, maxWaiting: number) {
    const enter = createTaskLimiter(atOnce, maxWaiting)
    const started: string[] = []
    const start = (name: string) => {
      const { promise, resolve, reject } = Promise.withResolvers<string>()
      const done = enter(async () => {
        started.push(name)
        return await promise
      })
      return { done, finish: () => resolve(name), fail: () => reject(new Error(name)) }
    }
    return { started, start }
  }

  test('runs the allowed number of tasks and queues the others in order of arrival', async () => {
    const { started, start } = open(2, 20)
    const [a, b, c, d] = [start('a'), start('b'), start('c'), start('d')]
    expect(started).toEqual(['a', 'b'])
    b.finish()
    expect(await b.done).toBe('b')
    expect(started).toEqual(['a', 'b', 'c'])
    const failing = expect(a.done).rejects.toThrow('a')
    a.fail()
    await failing
    expect(started).toEqual(['a', 'b', 'c', 'd'])
    c.finish()
    d.finish()
    expect(await Promise.all([c.done, d.done])).toEqual(['c', 'd'])
  })

  test('rejects a task when the queue is full and accepts the next one later', async () => {
    const { started, start } = open(1, 1)
    const [running, waiting] = [start('a'), start('b')]
    await expect(start('c').done).rejects.toMatchObject({ code: 'unavailable', retryAfterMs: 2_000 })
    running.finish()
    await running.done
    const later = start('d')
    expect(started).toEqual(['a', 'b'])
    waiting.finish()
    await waiting.done
    later.finish()
    expect(await later.done).toBe('d')
    expect(started).toEqual(['a', 'b', 'd'])
  })
})

describe('passwords', () => {
  test('verifies only the right password and rejects users without a password', async () => {
    const { hash, verify } = createPasswords()
    const [stored, again] = await Promise.all([hash('pässword'), hash('pässword')])
    expect(stored).toMatch(/^\$argon2id\$v=19\$m=65536,t=3,p=4\$/)
    expect(again).not.toBe(stored)
    const given = [
      ['pässword', stored],
      ['password', stored],
      ['pässword', null],
      ['', ''],
      ['pässword', 'pässword'],
    ] as const
    expect(await Promise.all(given.map(([password, hashed]) => verify(password, hashed)))).toEqual([
      true,
      false,
      false,
      false,
      false,
    ])
  })

  test('accepts 22 concurrent hashes', async () => {
    const { verify } = createPasswords()
    const weakHash = '$argon2id$v=19$m=8,t=1,p=1$c2FsdHNhbHQ$dGFndGFndGFndGFn'
    const results = await Promise.allSettled(Array.from({ length: 30 }, () => verify('a', weakHash)))
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(22)
  })
})
