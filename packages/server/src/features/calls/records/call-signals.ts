import { type Bus, createHint, Hints, readHint } from '../../../kernel/work/bus.ts'
import type { SharedClock } from '../../../kernel/work/shared-clock.ts'

/** Somebody follows the call: say so when there is more of it. */
const FOLLOWED_TOPIC = 'call.follow'
/** There is more of the call. */
const WRITTEN_TOPIC = 'call.events'
/** Nodes that follow say so this often, and are told for a little longer than that. */
export const FOLLOW_INTERVAL_MS = 5_000
const FOLLOW_TTL_MS = 12_000

export interface CallSignalDependencies {
  readonly bus: Pick<Bus, 'publish' | 'subscribe'>
  readonly clock: SharedClock
  readonly nodeId: string
}

/**
 * Hints that there is more of a call, on this node and between nodes, for calls that somebody follows only. A hint may get lost:
 * whoever waits for one looks into the database as well.
 */
export class CallSignals {
  readonly #dependencies: CallSignalDependencies
  readonly #hints: Hints
  /** Until when other nodes want to be told of a call. */
  readonly #followed = new Map<string, number>()

  constructor(dependencies: CallSignalDependencies) {
    this.#dependencies = dependencies
    const { bus, clock, nodeId } = dependencies
    this.#hints = new Hints(clock)
    bus.subscribe(FOLLOWED_TOPIC, (message) => {
      const callId = readHint(message, nodeId)
      if (callId === null) return
      // Set anew, it is the last: those that nobody follows any more stand first.
      this.#followed.delete(callId)
      this.#followed.set(callId, clock.now() + FOLLOW_TTL_MS)
      for (const [first, until] of this.#followed) {
        if (until >= clock.now()) break
        this.#followed.delete(first)
      }
    })
    bus.subscribe(WRITTEN_TOPIC, (message) => {
      const callId = readHint(message, nodeId)
      if (callId !== null) this.#hints.wake(callId)
    })
  }

  /** There is more of these calls. */
  written(callIds: ReadonlySet<string>): void {
    const { bus, clock, nodeId } = this.#dependencies
    for (const callId of callIds) {
      this.#hints.wake(callId)
      const until = this.#followed.get(callId)
      if (until === undefined) continue
      if (until < clock.now()) this.#followed.delete(callId)
      else bus.publish(WRITTEN_TOPIC, createHint(callId, nodeId))
    }
  }

  /** Tells the other nodes that this one follows the call. */
  follow(callId: string): void {
    const { bus, nodeId } = this.#dependencies
    bus.publish(FOLLOWED_TOPIC, createHint(callId, nodeId))
  }

  /** Resolves when there is more of the call, after `longestMs`, or when `signal` aborts. */
  wait(callId: string, limits: { longestMs: number; signal: AbortSignal }): Promise<void> {
    return this.#hints.wait(callId, limits)
  }
}
