import { type Bus, createHint, Hints, readHint } from '../../../kernel/work/bus.ts'
import type { SharedClock } from '../../../kernel/work/shared-clock.ts'

/** Topic on which nodes announce that they follow a call. */
const FOLLOWED_TOPIC = 'call.follow'
/** Topic on which nodes announce new events of a call. */
const WRITTEN_TOPIC = 'call.events'
/** Interval at which followers announce themselves. Other nodes remember them slightly longer. */
export const ANNOUNCE_INTERVAL_MS = 5_000
const FOLLOW_TTL_MS = 12_000

interface CallSignalDependencies {
  readonly bus: Pick<Bus, 'publish' | 'subscribe'>
  readonly clock: SharedClock
  readonly nodeId: string
}

/**
 * Sends hints about new events of followed calls, on this node and between nodes. Hints may get lost, so followers also poll
 * the database.
 */
export class CallSignals {
  readonly #dependencies: CallSignalDependencies
  readonly #hints: Hints
  /** Time until which other nodes need hints, by call. */
  readonly #followedUntil = new Map<string, number>()

  constructor(dependencies: CallSignalDependencies) {
    this.#dependencies = dependencies
    const { bus, clock, nodeId } = dependencies
    this.#hints = new Hints(clock)
    bus.subscribe(FOLLOWED_TOPIC, (message) => {
      const callId = readHint(message, nodeId)
      if (callId === null) return
      // The entry is re-inserted at the end, so that expired entries come first.
      this.#followedUntil.delete(callId)
      this.#followedUntil.set(callId, clock.now() + FOLLOW_TTL_MS)
      for (const [followedCallId, untilMs] of this.#followedUntil) {
        if (untilMs >= clock.now()) break
        this.#followedUntil.delete(followedCallId)
      }
    })
    bus.subscribe(WRITTEN_TOPIC, (message) => {
      const callId = readHint(message, nodeId)
      if (callId !== null) this.#hints.wakeAll(callId)
    })
  }

  /** Announces new events of the given calls. */
  announceWritten(callIds: ReadonlySet<string>): void {
    const { bus, clock, nodeId } = this.#dependencies
    for (const callId of callIds) {
      this.#hints.wakeAll(callId)
      const untilMs = this.#followedUntil.get(callId)
      if (untilMs === undefined) continue
      if (untilMs < clock.now()) this.#followedUntil.delete(callId)
      else bus.publish(WRITTEN_TOPIC, createHint(callId, nodeId))
    }
  }

  /** Announces to other nodes that this node follows the call. */
  announceFollower(callId: string): void {
    const { bus, nodeId } = this.#dependencies
    bus.publish(FOLLOWED_TOPIC, createHint(callId, nodeId))
  }

  /** Resolves on new events, after `maxWaitMs`, or when `signal` aborts. */
  wait(callId: string, options: { maxWaitMs: number; signal: AbortSignal }): Promise<void> {
    return this.#hints.wait(callId, options)
  }
}
