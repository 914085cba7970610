import { useSyncExternalStore } from 'react'
import { now, subscribeToTicks } from './clock.ts'

/** Returns the start of the local day, `daysAgo` days before a time. Accounts for daylight saving time. */
export function getStartOfDay(timestampMs: number, daysAgo = 0): Date {
  const date = new Date(timestampMs)
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() - daysAgo)
}

/** Lists the last `count` UTC days up to `endMs`, oldest first, in the form `2026-11-23`. */
export function listUtcDays(endMs: number, count: number): string[] {
  const end = new Date(endMs)
  return Array.from({ length: count }, (_, index) => {
    const day = Date.UTC(end.getUTCFullYear(), end.getUTCMonth(), end.getUTCDate() - (count - 1 - index))
    return new Date(day).toISOString().slice(0, 10)
  })
}

/** Returns the current UTC day, updated at midnight UTC. */
export function useUtcToday(): string {
  return useSyncExternalStore(subscribeToTicks, () => new Date(now()).toISOString().slice(0, 10))
}

/** Returns the start of the local day, updated at midnight. */
export function useToday(): number {
  return useSyncExternalStore(subscribeToTicks, () => getStartOfDay(now()).getTime())
}
