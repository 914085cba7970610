import { createManualClock } from '@parley/engine/testing/manual-clock'
import { expect, test } from 'vitest'
import { CallPacer, PACER_TICK_MS } from './call-pacer.ts'

function openPacer() {
  const time = createManualClock()
  const errors: unknown[] = []
  const pacer = new CallPacer({ clock: time.clock, logError: (error) => errors.push(error) })
  return { time, errors, pacer }
}

test('calls each pump every 5 ms and stops the timer when no pump is left', async () => {
  const { time, pacer } = openPacer()
  const startMs = time.clock.now()
  const firstTimes: number[] = []
  const secondTimes: number[] = []
  const removeFirst = pacer.add((nowMs) => firstTimes.push(nowMs - startMs))
  await time.advance(12)
  const removeSecond = pacer.add((nowMs) => secondTimes.push(nowMs - startMs))
  expect(pacer.size).toBe(2)
  await time.advance(10)
  removeFirst()
  await time.advance(8)
  removeSecond()
  expect(firstTimes).toEqual([5, 10, 15, 20])
  expect(secondTimes).toEqual([15, 20, 25, 30])
  expect(pacer.size).toBe(0)
  expect(time.countPendingTimers()).toBe(0)
  await time.advance(1000)
  expect(firstTimes).toHaveLength(4)

  const remove = pacer.add((nowMs) => firstTimes.push(nowMs - startMs))
  await time.advance(PACER_TICK_MS)
  expect(firstTimes.at(-1)).toBe(1035)
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
  const calledPumps: string[] = []
  const removes: (() => void)[] = []
  removes.push(
    pacer.add(() => {
      calledPumps.push('first')
      for (const remove of removes) remove()
    }),
  )
  removes.push(pacer.add(() => calledPumps.push('second')))
  await time.advance(100)
  expect(calledPumps).toEqual(['first'])
  expect(time.countPendingTimers()).toBe(0)
})

test('keeps its pace when the last pump is replaced within a tick', async () => {
  const { time, pacer } = openPacer()
  const startMs = time.clock.now()
  const replacementTimes: number[] = []
  const remove = pacer.add(() => {
    remove()
    pacer.add((nowMs) => replacementTimes.push(nowMs - startMs))
  })
  await time.advance(20)
  expect(replacementTimes).toEqual([10, 15, 20])
  expect([pacer.getStats().ticks, time.countPendingTimers()]).toEqual([4, 1])
})

test('isolates a failing pump and logs its error once', async () => {
  const { time, pacer, errors } = openPacer()
  let callCount = 0
  pacer.add(() => {
    throw new Error('broken')
  })
  pacer.add(() => {
    callCount += 1
  })
  await time.advance(50)
  expect(callCount).toBe(10)
  expect(errors).toEqual([new Error('broken')])
})

/** Creates a clock with late timers. */
function createLateClock(latenessMs: (turn: number) => number) {
  let nowMs = 1_000_000
  let pendingTimer: { readonly dueMs: number; readonly callback: () => void } | null = null
  let timerIndex = 0
  return {
    clock: {
      now: () => nowMs,
      after: (delayMs: number, callback: () => void) => {
        pendingTimer = { dueMs: nowMs + delayMs, callback }
        return () => {
          pendingTimer = null
        }
      },
    },
    jump: (byMs: number) => {
      nowMs += byMs
    },
    runTimers(timerCount: number) {
      for (let index = 0; index < timerCount && pendingTimer !== null; index += 1) {
        const { dueMs, callback } = pendingTimer
        pendingTimer = null
        nowMs = Math.max(nowMs, dueMs) + latenessMs(timerIndex)
        timerIndex += 1
        callback()
      }
      return nowMs
    },
  }
}

test('does not accumulate delays and measures lateness', () => {
  const lateClock = createLateClock((turn) => (turn === 50 ? 34 : 1.5))
  const pacer = new CallPacer({ clock: lateClock.clock, logError: () => undefined })
  const startMs = lateClock.clock.now()
  const times: number[] = []
  pacer.add((nowMs) => times.push(nowMs - startMs))
  pacer.add(() => undefined)
  lateClock.runTimers(100)
  // 34 ms skip six ticks of 5 ms; every other tick is 1.5 ms late.
  expect(times[49]).toBe(251.5)
  expect(times[50]).toBe(255 + 34)
  expect(times[51]).toBe(291.5)
  expect(times[99]).toBe((100 + 6) * 5 + 1.5)
  expect(pacer.getStats()).toEqual({
    ticks: 100,
    ticksByLateness: [0, 99, 0, 0, 0, 1],
    lateFrames: 2,
    worstLatenessMs: 34,
  })
})

test.each([-3_600_000, 3_600_000])('continues after the system time jumps by %i ms', (byMs) => {
  const lateClock = createLateClock(() => 0)
  const pacer = new CallPacer({ clock: lateClock.clock, logError: () => undefined })
  const times: number[] = []
  pacer.add((nowMs) => times.push(nowMs))
  lateClock.runTimers(3)
  lateClock.jump(byMs)
  lateClock.runTimers(3)
  expect(times).toHaveLength(6)
  expect(times[5] ?? 0).toBeGreaterThan((times[3] ?? 0) + 5)
  expect((times[4] ?? 0) - (times[3] ?? 0)).toBe(5)
  expect(pacer.getStats()).toMatchObject({ lateFrames: 0, worstLatenessMs: 0 })
})
