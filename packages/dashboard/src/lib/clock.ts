import { useSyncExternalStore } from 'react'

/** The one place of the dashboard that knows the time and timers. */
export function now(): number {
  return Date.now()
}

/** Runs something later; returns what takes it back. */
export function after(delayMs: number, run: () => void): () => void {
  const timer = setTimeout(run, delayMs)
  return () => clearTimeout(timer)
}

/** A name that nobody else has used. */
export function uniqueName(): string {
  return crypto.randomUUID()
}

const TICK_MS = 1_000
const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined

/** Calls back once a second; one timer serves all. */
export function onTick(listener: () => void): () => void {
  listeners.add(listener)
  timer ??= setInterval(() => {
    for (const each of listeners) each()
  }, TICK_MS)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** The time to a second, for what grows older on the screen. */
export function useNow(): number {
  return useSyncExternalStore(onTick, wholeSecond)
}

const wholeSecond = (): number => Math.floor(Date.now() / TICK_MS) * TICK_MS
