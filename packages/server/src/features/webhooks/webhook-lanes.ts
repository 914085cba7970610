/** All requests under way at a time. */
const MAX_ACTIVE = 64
/** To one target. */
const MAX_PER_TARGET = 4
/** As long as nothing has reached a target, it gets one request at a time: it may not answer for as long as it is waited for. */
const MAX_PER_UNPROVEN_TARGET = 1
/** Taken before there is a free place, so that places do not wait for the database. */
const PREFETCH_COUNT = 64
/** All that is taken, sent or not: its bodies are not in memory, but nobody else can send it. */
const MAX_CLAIMED = 4_096
/** Targets that are remembered to work. */
const MAX_PROVEN = 10_000

interface Lane {
  readonly queued: string[]
  active: number
}

/** Which of the deliveries at hand is sent next: each target has a lane, and free places go around. */
export class WebhookLanes {
  readonly #send: (deliveryId: string, target: string) => void
  /** Whoever had a place goes to the end. */
  readonly #lanes = new Map<string, Lane>()
  readonly #proven = new Set<string>()
  #active = 0
  #queued = 0
  #isClosed = false

  constructor(send: (deliveryId: string, target: string) => void) {
    this.#send = send
  }

  /** How many more may be taken for the target; 0 while it has enough. `found` are taken for others already. */
  capacityFor(target: string, found: number): number {
    const lane = this.#lanes.get(target)
    const queueTarget = this.#proven.has(target) ? PREFETCH_COUNT : MAX_PER_UNPROVEN_TARGET
    const missing = queueTarget - (lane?.queued.length ?? 0)
    // Asked for by halves: a few at a time would cost more.
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

  /** One to the target is over; `wasDelivered` is null when it was not sent. */
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

  /** Sends nothing more; answers what was not sent, also what came since. */
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
      // One for each lane in a round, those first that have waited longest, since places may run out.
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
