/** Concurrent requests in total. */
const MAX_ACTIVE = 64
/** Concurrent requests to one target. */
const MAX_PER_TARGET = 4
/** Limit until the first success, because each request may take the whole timeout. */
const MAX_PER_UNPROVEN_TARGET = 1
/** Claimed ahead of free capacity, so that sending does not wait for the database. */
const PREFETCH_COUNT = 64
/** All claimed deliveries, sent or not: their bodies are not in memory, but no other node can send them. */
const MAX_CLAIMED = 4_096
/** Remembered working targets. */
const MAX_PROVEN = 10_000

interface Lane {
  readonly queued: string[]
  active: number
}

/** Chooses the next delivery: each target has a lane, and free capacity rotates. */
export class WebhookLanes {
  readonly #send: (deliveryId: string, target: string) => void
  /** Ordered by last use. */
  readonly #lanes = new Map<string, Lane>()
  readonly #proven = new Set<string>()
  #active = 0
  #queued = 0
  #isClosed = false

  constructor(send: (deliveryId: string, target: string) => void) {
    this.#send = send
  }

  /** How many more deliveries to claim for the target; 0 when it has enough. `found` are already claimed for others. */
  capacityFor(target: string, found: number): number {
    const lane = this.#lanes.get(target)
    const queueTarget = this.#proven.has(target) ? PREFETCH_COUNT : MAX_PER_UNPROVEN_TARGET
    const missing = queueTarget - (lane?.queued.length ?? 0)
    // Claimed in halves: a few at a time would cost more.
    if (missing * 2 < queueTarget) return 0
    return Math.max(0, Math.min(missing, MAX_CLAIMED - this.#active - this.#queued - found))
  }

  add(deliveries: readonly { readonly deliveryId: string; readonly target: string }[]): void {
    for (const { deliveryId, target } of deliveries) {
      const lane = this.#lanes.get(target) ?? { queued: [], active: 0 }
      this.#lanes.set(target, lane)
      lane.queued.push(deliveryId)
      this.#queued += 1
    }
    this.#fill()
  }

  /** A request to the target ended; `wasDelivered` is null when it was not sent. */
  done(target: string, wasDelivered: boolean | null): void {
    const lane = this.#lanes.get(target)
    if (lane === undefined) return
    lane.active -= 1
    this.#active -= 1
    this.#lanes.delete(target)
    if (lane.active > 0 || lane.queued.length > 0) this.#lanes.set(target, lane)
    if (wasDelivered === false) this.#proven.delete(target)
    else if (wasDelivered === true) this.#markProven(target)
    this.#fill()
  }

  /** Stops sending; returns unsent deliveries. */
  close(): readonly string[] {
    this.#isClosed = true
    return [...this.#lanes.values()].flatMap(({ queued }) => queued.splice(0))
  }

  #markProven(target: string): void {
    if (this.#proven.size >= MAX_PROVEN) this.#proven.clear()
    this.#proven.add(target)
  }

  #fill(): void {
    let hasStarted = true
    while (hasStarted && !this.#isClosed) {
      hasStarted = false
      // One per lane and round, longest waiting first, because capacity may run out.
      for (const [target, lane] of [...this.#lanes]) {
        if (this.#active >= MAX_ACTIVE) return
        if (lane.active >= (this.#proven.has(target) ? MAX_PER_TARGET : MAX_PER_UNPROVEN_TARGET)) continue
        const deliveryId = lane.queued.shift()
        if (deliveryId === undefined) continue
        lane.active += 1
        this.#active += 1
        this.#queued -= 1
        this.#lanes.delete(target)
        this.#lanes.set(target, lane)
        hasStarted = true
        this.#send(deliveryId, target)
      }
    }
  }
}
