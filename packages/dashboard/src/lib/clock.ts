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

/** The time to a second, for what grows older on the screen. */
export function useNow(): number {
  return useSyncExternalStore(onTick, wholeSecond)
}

function onTick(listener: () => void): () => void {
  const timer = setInterval(listener, TICK_MS)
  return () => clearInterval(timer)
}

const wholeSecond = (): number => Math.floor(Date.now() / TICK_MS) * TICK_MS
