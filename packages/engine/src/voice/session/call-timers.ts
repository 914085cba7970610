import type { Clock } from '../../ports.ts'
import type { TimerName } from '../turn-machine/events.ts'

/** The timers of one call: at most one of each name runs at a time, and none runs out before its time by the clock. */
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
      // Timers of systems run by another clock than the one that tells the time: that one may be behind, or be set back.
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
