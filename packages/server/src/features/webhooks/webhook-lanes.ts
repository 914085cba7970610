/** Maximum number of concurrent requests. */
const MAX_ACTIVE = 64
/** Maximum number of concurrent requests to one target. */
const MAX_PER_TARGET = 4
/** Limit before the first successful delivery, because a request to a broken target may take the whole timeout. */
const MAX_PER_UNPROVEN_TARGET = 1
/** Deliveries claimed ahead of free capacity, so that sending does not wait for the database. */
const PREFETCH_COUNT = 64
/** Maximum number of claimed deliveries, including active ones. No other node can send them. */
const MAX_CLAIMED = 4_096
/** Maximum number of targets that are remembered after a successful delivery. */
const MAX_PROVEN_TARGETS = 10_000

interface Lane {
  readonly queuedIds: string[]
  activeCount: number
}

/** Limits concurrent deliveries. Each target has its own lane, and free capacity rotates between the lanes. */
export class WebhookLanes {
  readonly #send: (deliveryId: string, target: string) => void
  /** Ordered by last use. */
  readonly #lanes = new Map<string, Lane>()
  readonly #provenTargets = new Set<string>()
  #activeCount = 0
  #queuedCount = 0
  #isClosed = false

  constructor(send: (deliveryId: string, target: string) => void) {
    this.#send = send
  }

  /**
   * Returns how many more deliveries to claim for the target, or 0 if enough are queued. `claimedCount` is the number to claim
   * for other targets in the same batch.
   */
  getClaimLimit(target: string, claimedCount: number): number {
    const lane = this.#lanes.get(target)
    const desiredQueueLength = this.#provenTargets.has(target) ? PREFETCH_COUNT : MAX_PER_UNPROVEN_TARGET
    const missingCount = desiredQueueLength - (lane?.queuedIds.length ?? 0)
    // Small claims are inefficient.
    if (missingCount * 2 < desiredQueueLength) return 0
    return Math.max(0, Math.min(missingCount, MAX_CLAIMED - this.#activeCount - this.#queuedCount - claimedCount))
  }

  add(deliveries: readonly { readonly deliveryId: string; readonly target: string }[]): void {
    for (const { deliveryId, target } of deliveries) {
      const lane = this.#lanes.get(target) ?? { queuedIds: [], activeCount: 0 }
      this.#lanes.set(target, lane)
      lane.queuedIds.push(deliveryId)
      this.#queuedCount += 1
    }
    this.#startDeliveries()
  }

  /** Records that a request to the target ended. `wasDelivered` is null if no request was sent. */
  finish(target: string, wasDelivered: boolean | null): void {
    const lane = this.#lanes.get(target)
    if (lane === undefined) return
    lane.activeCount -= 1
    this.#activeCount -= 1
    this.#lanes.delete(target)
    if (lane.activeCount > 0 || lane.queuedIds.length > 0) this.#lanes.set(target, lane)
    if (wasDelivered === false) this.#provenTargets.delete(target)
    else if (wasDelivered === true) this.#markProven(target)
    this.#startDeliveries()
  }

  /** Stops sending and returns unsent deliveries. */
  close(): readonly string[] {
    this.#isClosed = true
    return [...this.#lanes.values()].flatMap(({ queuedIds }) => queuedIds.splice(0))
  }

  #markProven(target: string): void {
    if (this.#provenTargets.size >= MAX_PROVEN_TARGETS) this.#provenTargets.clear()
    this.#provenTargets.add(target)
  }

  #startDeliveries(): void {
    let hasStartedAny = true
    while (hasStartedAny && !this.#isClosed) {
      hasStartedAny = false
      // Starts one delivery per lane in each round. Lanes that have waited longest come first.
      for (const [target, lane] of [...this.#lanes]) {
        if (this.#activeCount >= MAX_ACTIVE) return
        if (lane.activeCount >= (this.#provenTargets.has(target) ? MAX_PER_TARGET : MAX_PER_UNPROVEN_TARGET)) continue
        const deliveryId = lane.queuedIds.shift()
        if (deliveryId === undefined) continue
        lane.activeCount += 1
        this.#activeCount += 1
        this.#queuedCount -= 1
        this.#lanes.delete(target)
        this.#lanes.set(target, lane)
        hasStartedAny = true
        this.#send(deliveryId, target)
      }
    }
  }
}
