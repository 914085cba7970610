/** Maximum number of concurrent requests. */
const MAX_ACTIVE = 64
/** Maximum number of concurrent requests to one target. */
const MAX_PER_TARGET = 4
/** Limit before the first success, because each request may take the whole timeout. */
const MAX_PER_UNPROVEN_TARGET = 1
/** Deliveries claimed ahead of free capacity, so that sending does not wait for the database. */
const PREFETCH_COUNT = 64
/** Maximum number of claimed deliveries, sent or not. Their bodies are not in memory, but no other node can send them. */
const MAX_CLAIMED = 4_096
/** Number of working targets to remember. */
const MAX_PROVEN = 10_000

interface Lane {
  readonly queued: string[]
  active: number
}

/** Selects the next delivery. Each target has a lane, and free capacity rotates between lanes. */
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

  /**
   * Returns how many more deliveries to claim for the target, or 0 if there are enough. `found` is the number already claimed
   * for other targets.
   */
  capacityFor(target: string, found: number): number {
    const lane = this.#lanes.get(target)
    const queueTarget = this.#proven.has(target) ? PREFETCH_COUNT : MAX_PER_UNPROVEN_TARGET
    const missing = queueTarget - (lane?.queued.length ?? 0)
    // Claims at least half of the queue, because small claims would cost more.
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

  /** Records that a request to the target ended. `wasDelivered` is null if no request was sent. */
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

  /** Stops sending and returns unsent deliveries. */
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
      // Starts one delivery per lane and round, longest wait first, because capacity may run out.
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
