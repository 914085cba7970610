import { useSyncExternalStore } from 'react'

/** Returns the current time. Only this module reads the clock and sets timers. */
export function now(): number {
  return Date.now()
}

/** Runs a function after a delay. Returns a function that cancels the timer. */
export function setTimer(delayMs: number, callback: () => void): () => void {
  const timer = setTimeout(callback, delayMs)
  return () => clearTimeout(timer)
}

export function createRandomId(): string {
  return crypto.randomUUID()
}

const TICK_MS = 1_000
const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined

/** Calls the listener once per second. All listeners share one timer. */
export function subscribeToTicks(listener: () => void): () => void {
  listeners.add(listener)
  timer ??= setInterval(() => {
    for (const notifyListener of listeners) notifyListener()
  }, TICK_MS)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** Returns the current time in milliseconds, rounded down to a second and updated every second. */
export function useNow(): number {
  return useSyncExternalStore(subscribeToTicks, getWholeSecond)
}

const getWholeSecond = (): number => Math.floor(Date.now() / TICK_MS) * TICK_MS
