import type { Clock } from '../../ports.ts'
import type { TimerName } from '../turn-machine/events.ts'

/** Timers of one call, at most one per name. None fires early by the call's clock. */
export class CallTimers {
  readonly #clock: Clock
  readonly #onTimer: (name: TimerName) => void
  readonly #cancelByName = new Map<TimerName, () => void>()

  constructor(clock: Clock, onTimer: (name: TimerName) => void) {
    this.#clock = clock
    this.#onTimer = onTimer
  }

  set(name: TimerName, atMs: number): void {
    this.clear(name)
    this.#wait(name, atMs)
  }

  clear(name: TimerName): void {
    this.#cancelByName.get(name)?.()
    this.#cancelByName.delete(name)
  }

  clearAll(): void {
    for (const cancel of this.#cancelByName.values()) cancel()
    this.#cancelByName.clear()
  }

  #wait(name: TimerName, atMs: number): void {
    const cancel = this.#clock.after(Math.ceil(Math.max(0, atMs - this.#clock.now())), () => {
      // System timers use a different clock, which may be ahead of this one.
      if (this.#clock.now() < atMs) {
        this.#wait(name, atMs)
        return
      }
      this.#cancelByName.delete(name)
      this.#onTimer(name)
    })
    this.#cancelByName.set(name, cancel)
  }
}
