import { fastestRun } from './slowest-run.ts'
import type { TextFunction } from './text-functions.ts'

const KB = 1024
/** What the event loop may be blocked for; the slowest function takes about 45 ms on two cores of an AMD EPYC. */
const ALLOWED_MS = 100
/** Below this a function cannot take the allowed time at 64 KB, even if its time grows with the square of the length. */
const HARMLESS_MS_AT_4_KB = 0.15
const HARMLESS_MS_AT_16_KB = 3
/** How many times as long four times the length may take: linear time is four, quadratic time sixteen. */
const MAX_GROWTH = 8

function timeOf(read: TextFunction, { unit, kb }: { readonly unit: string; readonly kb: number }, limitMs: number) {
  const text = unit.repeat(Math.ceil((kb * KB) / unit.length)).slice(0, kb * KB)
  return fastestRun(() => {
    try {
      read(text)
    } catch (error) {
      // Refusing a text is fine.
      if (error instanceof TypeError || error instanceof ReferenceError) throw error
    }
  }, limitMs)
}

function isHarmless(read: TextFunction, unit: string): boolean {
  const timeAt4Kb = timeOf(read, { unit, kb: 4 }, HARMLESS_MS_AT_4_KB)
  return timeAt4Kb < HARMLESS_MS_AT_4_KB || timeOf(read, { unit, kb: 16 }, HARMLESS_MS_AT_16_KB) < HARMLESS_MS_AT_16_KB
}

/** The units of which a text of this length takes a function over 100 ms. */
export function slowUnits(read: TextFunction, units: readonly string[], kb: number): string[] {
  return units.filter((unit) => {
    return !isHarmless(read, unit) && timeOf(read, { unit, kb }, ALLOWED_MS) > ALLOWED_MS
  })
}

/** The units of which four times the text takes a function far more than four times the time. */
export function fastGrowingUnits(read: TextFunction, units: readonly string[]): string[] {
  return units.filter((unit) => {
    if (isHarmless(read, unit)) return false
    const limitMs = Math.max(ALLOWED_MS, timeOf(read, { unit, kb: 16 }, 0) * MAX_GROWTH)
    return timeOf(read, { unit, kb: 64 }, limitMs) > limitMs
  })
}
