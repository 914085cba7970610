import { measureFastestRun } from './slowest-run.ts'
import type { TextFunction } from './text-functions.ts'

const KB = 1024
/** Time that the event loop can be blocked. Compiled functions take at most 70 ms on a busy AMD EPYC. */
const ALLOWED_MS = 100
/** Time at 4 KB below which a function cannot exceed the limit at 64 KB, even if its time is quadratic. */
const HARMLESS_MS_AT_4_KB = 0.15
const HARMLESS_MS_AT_16_KB = 3
/** Maximum growth in time for four times the length: linear time grows fourfold, and quadratic time sixteenfold. */
const MAX_GROWTH = 8
/** Runs before a text counts as slow. Code is slow until it is compiled, which takes longer on a busy machine. */
const MAX_RUNS = 15

function measureTime(
  read: TextFunction,
  { unit, kb }: { readonly unit: string; readonly kb: number },
  limitMs: number,
  maxRuns?: number,
) {
  const text = unit.repeat(Math.ceil((kb * KB) / unit.length)).slice(0, kb * KB)
  return measureFastestRun(
    () => {
      try {
        read(text)
      } catch (error) {
        // Rejecting a text is allowed.
        if (error instanceof TypeError || error instanceof ReferenceError) throw error
      }
    },
    limitMs,
    maxRuns,
  )
}

function isHarmless(read: TextFunction, unit: string): boolean {
  const timeAt4Kb = measureTime(read, { unit, kb: 4 }, HARMLESS_MS_AT_4_KB)
  return (
    timeAt4Kb < HARMLESS_MS_AT_4_KB || measureTime(read, { unit, kb: 16 }, HARMLESS_MS_AT_16_KB) < HARMLESS_MS_AT_16_KB
  )
}

/** Returns the units for which a text of the given length takes a function more than 100 ms. */
export function findSlowUnits(read: TextFunction, units: readonly string[], kb: number): string[] {
  return units.filter((unit) => {
    return !isHarmless(read, unit) && measureTime(read, { unit, kb }, ALLOWED_MS, MAX_RUNS) > ALLOWED_MS
  })
}

/** Returns the units for which four times the text takes a function far more than four times the time. */
export function findFastGrowingUnits(read: TextFunction, units: readonly string[]): string[] {
  return units.filter((unit) => {
    if (isHarmless(read, unit)) return false
    const limitMs = Math.max(ALLOWED_MS, measureTime(read, { unit, kb: 16 }, 0) * MAX_GROWTH)
    return measureTime(read, { unit, kb: 64 }, limitMs) > limitMs
  })
}
