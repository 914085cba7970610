import { describe, expect, test } from 'vitest'
import { randomId, systemClock } from './system.ts'

describe('randomId', () => {
  test('has the prefix and 26 lowercase hex digits', () => {
    expect(randomId('chat_agent')).toMatch(/^chat_agent_[0-9a-f]{26}$/)
  })

  test('does not repeat across batches of random bytes', () => {
    expect(new Set(Array.from({ length: 2_000 }, () => randomId('job'))).size).toBe(2_000)
  })
})

describe('systemClock', () => {
  test('runs a callback once and not before its delay', async () => {
    const started = performance.now()
    await new Promise<void>((resolve) => systemClock.after(5, resolve))
    expect(performance.now() - started).toBeGreaterThanOrEqual(4)
  })

  test('does not run a canceled callback', async () => {
    let ran = false
    systemClock.after(1, () => {
      ran = true
    })()
    await new Promise<void>((resolve) => systemClock.after(5, resolve))
    expect(ran).toBe(false)
  })

  test('does not fire a delay beyond the timer limit at once', async () => {
    let ran = false
    const cancel = systemClock.after(2 ** 40, () => {
      ran = true
    })
    await new Promise<void>((resolve) => systemClock.after(5, resolve))
    cancel()
    expect(ran).toBe(false)
  })
})
