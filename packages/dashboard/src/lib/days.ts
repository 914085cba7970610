import { useSyncExternalStore } from 'react'
import { now, onTick } from './clock.ts'

/** Days as people count them, in the zone of the browser. */

/** The first moment of the day that is `days` before that of `atMs`. Days of a change of clocks have other lengths than 24 hours. */
export function startOfDay(atMs: number, days = 0): Date {
  const date = new Date(atMs)
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() - days)
}

/** The UTC days of a range that ends with that of `endMs`, oldest first: `2026-11-23` each. */
export function utcDaysUntil(endMs: number, count: number): string[] {
  const end = new Date(endMs)
  return Array.from({ length: count }, (_, at) => {
    const day = Date.UTC(end.getUTCFullYear(), end.getUTCMonth(), end.getUTCDate() - (count - 1 - at))
    return new Date(day).toISOString().slice(0, 10)
  })
}

/** The UTC day that it is; changes at midnight there and not before. */
export function useUtcToday(): string {
  return useSyncExternalStore(onTick, () => new Date(now()).toISOString().slice(0, 10))
}

/** The first moment of today; changes at midnight and not before. */
export function useToday(): number {
  return useSyncExternalStore(onTick, () => startOfDay(now()).getTime())
}
