import { createManualClock } from '@parley/engine/testing/manual-clock'
import { expect, test } from 'vitest'
import { CallPacer, PACER_TICK_MS } from './call-pacer.ts'

function openPacer() {
  const time = createManualClock()
  const errors: unknown[] = []
  const pacer = new CallPacer({ clock: time.clock, logError: (error) => errors.push(error) })
  return { time, errors, pacer }
}

test('calls each pump every 5 ms and stops the timer when none is left', async () => {
  const { time, pacer } = openPacer()
  const startMs = time.clock.now()
  const first: number[] = []
  const second: number[] = []
  const removeFirst = pacer.add((nowMs) => first.push(nowMs - startMs))
  await time.advance(12)
  const removeSecond = pacer.add((nowMs) => second.push(nowMs - startMs))
  expect(pacer.size).toBe(2)
  await time.advance(10)
  removeFirst()
  await time.advance(8)
  removeSecond()
  expect(first).toEqual([5, 10, 15, 20])
  expect(second).toEqual([15, 20, 25, 30])
  expect(pacer.size).toBe(0)
  expect(time.pendingTimers()).toBe(0)
  await time.advance(1000)
  expect(first).toHaveLength(4)

  const remove = pacer.add((nowMs) => first.push(nowMs - startMs))
  await time.advance(PACER_TICK_MS)
  expect(first.at(-1)).toBe(1035)
  remove()
})

test('reports the first call once', () => {
  let count = 0
  const pacer = new CallPacer({
    clock: createManualClock().clock,
    logError: () => {},
    onFirstCall: () => {
      count += 1
    },
  })
  expect(count).toBe(0)
  for (let call = 0; call < 3; call += 1) pacer.add(() => {})()
  expect(count).toBe(1)
})

test('lets a running pump remove itself and others', async () => {
  const { time, pacer } = openPacer()
  const seen: string[] = []
  const removes: (() => void)[] = []
  removes.push(
    pacer.add(() => {
      seen.push('first')
      for (const remove of removes) remove()
    }),
  )
  removes.push(pacer.add(() => seen.push('second')))
  await time.advance(100)
  expect(seen).toEqual(['first'])
  expect(time.pendingTimers()).toBe(0)
})

test('keeps its pace when the last pump is replaced within a tick', async () => {
  const { time, pacer } = openPacer()
  const startMs = time.clock.now()
  const next: number[] = []
  const remove = pacer.add(() => {
    remove()
    pacer.add((nowMs) => next.push(nowMs - startMs))
  })
  await time.advance(20)
  expect(next).toEqual([10, 15, 20])
  expect([pacer.stats().ticks, time.pendingTimers()]).toEqual([4, 1])
})

test('isolates a failing pump and logs its error once', async () => {
  const { time, pacer, errors } = openPacer()
  let paced = 0
  pacer.add(() => {
    throw new Error('broken')
  })
  pacer.add(() => {
    paced += 1
  })
  await time.advance(50)
  expect(paced).toBe(10)
  expect(errors).toEqual([new Error('broken')])
})

/** A clock whose timers are late. */
function lateClock(latenessMs: (turn: number) => number) {
  let nowMs = 1_000_000
  let waiting: { readonly dueMs: number; readonly callback: () => void } | null = null
  let turn = 0
  return {
    clock: {
      now: () => nowMs,
      after: (delayMs: number, callback: () => void) => {
        waiting = { dueMs: nowMs + delayMs, callback }
        return () => {
          waiting = null
        }
      },
    },
    jump: (byMs: number) => {
      nowMs += byMs
    },
    run(turns: number) {
      for (let index = 0; index < turns && waiting !== null; index += 1) {
        const { dueMs, callback } = waiting
        waiting = null
        nowMs = Math.max(nowMs, dueMs) + latenessMs(turn)
        turn += 1
        callback()
      }
      return nowMs
    },
  }
}

test('does not accumulate delays and measures lateness', () => {
  const late = lateClock((turn) => (turn === 50 ? 34 : 1.5))
  const pacer = new CallPacer({ clock: late.clock, logError: () => undefined })
  const startMs = late.clock.now()
  const at: number[] = []
  pacer.add((nowMs) => at.push(nowMs - startMs))
  pacer.add(() => undefined)
  late.run(100)
  // 34 ms skip six ticks of 5 ms; every other tick is 1.5 ms late.
  expect(at[49]).toBe(251.5)
  expect(at[50]).toBe(255 + 34)
  expect(at[51]).toBe(291.5)
  expect(at[99]).toBe((100 + 6) * 5 + 1.5)
  expect(pacer.stats()).toEqual({ ticks: 100, byLateness: [0, 99, 0, 0, 0, 1], lateFrames: 2, worstLatenessMs: 34 })
})

test.each([-3_600_000, 3_600_000])('continues after the system time jumps by %i ms', (byMs) => {
  const late = lateClock(() => 0)
  const pacer = new CallPacer({ clock: late.clock, logError: () => undefined })
  const at: number[] = []
  pacer.add((nowMs) => at.push(nowMs))
  late.run(3)
  late.jump(byMs)
  late.run(3)
  expect(at).toHaveLength(6)
  expect(at[5] ?? 0).toBeGreaterThan((at[3] ?? 0) + 5)
  expect((at[4] ?? 0) - (at[3] ?? 0)).toBe(5)
  expect(pacer.stats()).toMatchObject({ lateFrames: 0, worstLatenessMs: 0 })
})
