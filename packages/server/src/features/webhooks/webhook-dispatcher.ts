import type { MakeId } from '@parley/engine/ports'
import { BatchConflictError, type BatchStatement, type Database } from '../../kernel/storage/database.ts'
import type { SharedClock } from '../../kernel/work/shared-clock.ts'
import { decideOutcome } from './decide-outcome.ts'
import {
  attemptStatements,
  cancelStatement,
  claimDeliveries,
  findDueDeliveries,
  findPendingTargets,
  loadDelivery,
  type PendingTarget,
  releaseStatements,
  renewStatements,
} from './dispatch-store.ts'
import { type SendingDependencies, sendDelivery } from './send-delivery.ts'
import { WebhookLanes } from './webhook-lanes.ts'

const POLL_INTERVAL_MS = 1_000
/** Deliveries of a dead worker wait this long. Renewed three times within it. */
const LEASE_MS = 15_000
/** A target whose due deliveries all wait for earlier ones is not looked at for this long, unless one of them ends. */
const IDLE_TARGET_MS = 250
/** When something of the house, such as the database, kept a delivery from being sent. */
const INTERNAL_ERROR_PAUSE_MS = 5_000
const WRITE_RETRY_DELAY_MS = 1_000
/** An outage of the database up to this long does not make deliveries go out twice whose end could not be written. */
const MAX_WRITE_RETRIES = 60

export interface WebhookDispatcherOptions extends SendingDependencies {
  readonly database: Database
  /** With several nodes, the same time on all of them. */
  readonly clock: SharedClock
  readonly makeId: MakeId
  readonly logError: (name: string, error: unknown) => void
  /** Tells of commits that wrote deliveries, so that they are sent at once; without it they wait for the next poll. */
  readonly onDeliveriesWritten?: (listener: () => void) => () => void
}

/**
 * Sends what is due: for each target in a lane of its own, so that none waits for another, and about each subject one after
 * the other. Any number of dispatchers may work on one database.
 */
export interface WebhookDispatcher {
  start(): void
  /** There may be something due. */
  wake(): void
  /** Sends nothing more and waits for what is under way, at most `deadlineMs`. The rest is cut off and given back. */
  stop(deadlineMs: number): Promise<void>
}

export function createWebhookDispatcher(options: WebhookDispatcherOptions): WebhookDispatcher {
  return new TableDispatcher(options)
}

class TableDispatcher implements WebhookDispatcher {
  readonly #options: WebhookDispatcherOptions
  readonly #worker: string
  readonly #lanes: WebhookLanes
  readonly #abort = new AbortController()
  /** What this worker has, with the end of each lease. */
  readonly #leases = new Map<string, number>()
  /** Targets that had nothing to send, with the time of the next look at them. */
  readonly #idleTargets = new Map<string, number>()
  #cancelHints: () => void = () => undefined
  #cancelPoll: () => void = () => undefined
  #cancelRenewal: () => void = () => undefined
  #polling: Promise<void> | null = null
  #pollAgain = false
  #isRunning = false
  #idle: PromiseWithResolvers<void> | null = null

  constructor(options: WebhookDispatcherOptions) {
    this.#options = options
    this.#worker = options.makeId('worker')
    this.#lanes = new WebhookLanes((deliveryId, target) => void this.#deliver(deliveryId, target))
  }

  start(): void {
    this.#isRunning = true
    this.#cancelHints = this.#options.onDeliveriesWritten?.(() => this.wake()) ?? this.#cancelHints
    this.#scheduleRenewal()
    this.wake()
  }

  wake(): void {
    if (!this.#isRunning) return
    if (this.#polling !== null) {
      this.#pollAgain = true
      return
    }
    this.#cancelPoll()
    this.#polling = this.#poll().finally(() => {
      this.#polling = null
      if (!this.#pollAgain) return
      this.#pollAgain = false
      this.wake()
    })
  }

  async stop(deadlineMs: number): Promise<void> {
    this.#isRunning = false
    this.#cancelHints()
    this.#cancelPoll()
    const unsent = this.#lanes.close()
    // A claim under way may still bring something.
    await this.#polling
    await this.#release([...unsent, ...this.#lanes.close()], this.#options.clock.now())
    if (this.#leases.size > 0) await this.#waitForLeases(deadlineMs)
    this.#cancelRenewal()
  }

  /** Until everything under way has ended; after the deadline it is cut off, and what cannot be written then is left. */
  async #waitForLeases(deadlineMs: number): Promise<void> {
    this.#idle = Promise.withResolvers()
    const cancel = this.#options.clock.after(deadlineMs, () => this.#abort.abort(new Error('The process stops.')))
    await this.#idle.promise
    cancel()
  }

  async #poll(): Promise<void> {
    const { database, clock, logError } = this.#options
    // Several deliveries that were written together are one look.
    await Promise.resolve()
    let waitMs = POLL_INTERVAL_MS
    try {
      const now = clock.now()
      const pending = await findPendingTargets(database.read)
      const due = pending.filter(({ dueAt }) => dueAt <= now)
      for (const { dueAt } of pending) if (dueAt > now) waitMs = Math.min(waitMs, dueAt - now)
      if (due.length > 0) waitMs = Math.min(waitMs, await this.#claim(due, now))
    } catch (error) {
      logError('take webhook deliveries', error)
    }
    if (this.#isRunning) this.#cancelPoll = clock.after(waitMs, () => this.wake())
  }

  /** Takes what there is room for; returns how long to wait at most before the next look. */
  async #claim(due: readonly PendingTarget[], now: number): Promise<number> {
    const { database, clock } = this.#options
    const { found, waitMs } = await this.#findDue(due, now)
    if (found.length === 0) return waitMs
    const leaseUntil = now + LEASE_MS
    const claimed = await claimDeliveries(database, found, { worker: this.#worker, now, leaseUntil })
    // The process was suspended meanwhile: others may have them by now.
    if (clock.now() >= leaseUntil) return 0
    for (const { deliveryId } of claimed) this.#leases.set(deliveryId, leaseUntil)
    this.#lanes.add(claimed)
    return waitMs
  }

  async #findDue(due: readonly PendingTarget[], now: number): Promise<{ found: string[]; waitMs: number }> {
    let waitMs = Number.POSITIVE_INFINITY
    let requestedCount = 0
    const dueQueries: { readonly target: string; readonly limit: number }[] = []
    for (const [target, until] of this.#idleTargets) if (until <= now) this.#idleTargets.delete(target)
    for (const { target } of due.toSorted((left, right) => left.dueAt - right.dueAt)) {
      const idleUntil = this.#idleTargets.get(target)
      if (idleUntil !== undefined) waitMs = Math.min(waitMs, idleUntil - now)
      const limit = idleUntil === undefined ? this.#lanes.capacityFor(target, requestedCount) : 0
      if (limit > 0) dueQueries.push({ target, limit })
      requestedCount += limit
    }
    const answers = await Promise.all(
      dueQueries.map(async ({ target, limit }) => {
        const ids = await findDueDeliveries(this.#options.database.read, { target, now, limit })
        if (ids.length === 0) this.#idleTargets.set(target, now + IDLE_TARGET_MS)
        return ids
      }),
    )
    // One whose lease lapsed while it is still being sent here is not sent beside itself.
    return { found: answers.flat().filter((deliveryId) => !this.#leases.has(deliveryId)), waitMs }
  }

  async #deliver(deliveryId: string, target: string): Promise<void> {
    const { logError } = this.#options
    let wasDelivered: boolean | null = null
    let statements: BatchStatement[] | null = null
    try {
      const attemptRecord = await this.#attempt(deliveryId)
      statements = attemptRecord.statements
      wasDelivered = attemptRecord.wasDelivered
    } catch (error) {
      logError(`webhook delivery ${deliveryId}`, error)
      const dueAt = this.#options.clock.now() + INTERNAL_ERROR_PAUSE_MS
      statements = releaseStatements(this.#options.database, [deliveryId], { worker: this.#worker, dueAt })
    }
    // The next one to this target need not wait for the disk.
    this.#lanes.done(target, wasDelivered)
    await this.#write(deliveryId, statements)
    this.#dropLeases([deliveryId])
    // What waited behind it may be due.
    this.#idleTargets.delete(target)
    this.wake()
  }

  /** Sends it; what is to be written about that. Nothing when it is no longer this worker's. */
  async #attempt(
    deliveryId: string,
  ): Promise<{ readonly statements: BatchStatement[]; readonly wasDelivered: boolean | null }> {
    const { database, clock } = this.#options
    const delivery = await loadDelivery(database.read, deliveryId, this.#worker)
    const hasLease = (this.#leases.get(deliveryId) ?? 0) > clock.now()
    if (delivery === null || !hasLease) return { statements: [], wasDelivered: null }
    const { url } = delivery
    if (url === null) return { statements: [cancelStatement(database, deliveryId, clock.now())], wasDelivered: null }
    const sent = await sendDelivery({ ...delivery, url }, this.#options, this.#abort.signal)
    if (sent === null) {
      const releaseOptions = { worker: this.#worker, dueAt: clock.now() }
      return { statements: releaseStatements(database, [deliveryId], releaseOptions), wasDelivered: null }
    }
    const { attempt, at, durationMs, result } = sent
    const tries = delivery.tries + 1
    const row = {
      delivery_id: deliveryId,
      attempt,
      at,
      status: result.status,
      duration_ms: durationMs,
      error: result.error,
      response_body: result.responseBody,
    }
    const outcome = decideOutcome(result, tries)
    const attemptRecord = { row, url, tries, outcome, endedAt: clock.now() }
    return { statements: attemptStatements(database, this.#worker, attemptRecord), wasDelivered: result.isDelivered }
  }

  /** Writes what became of a delivery; given up, its lease lapses and it is sent again. */
  async #write(deliveryId: string, statements: readonly BatchStatement[]): Promise<void> {
    const { database, logError } = this.#options
    if (statements.length === 0) return
    for (let failures = 1; ; failures += 1) {
      try {
        return await database.batch(statements)
      } catch (error) {
        logError(`write the end of webhook delivery ${deliveryId}, attempt ${failures}`, error)
        if (error instanceof BatchConflictError || this.#abort.signal.aborted || failures >= MAX_WRITE_RETRIES) return
      }
      await this.#pause(WRITE_RETRY_DELAY_MS)
    }
  }

  async #release(deliveryIds: readonly string[], dueAt: number): Promise<void> {
    const { database, logError } = this.#options
    try {
      await database.batch(releaseStatements(database, deliveryIds, { worker: this.#worker, dueAt }))
    } catch (error) {
      logError('give webhook deliveries back', error)
    }
    this.#dropLeases(deliveryIds)
  }

  #dropLeases(deliveryIds: readonly string[]): void {
    for (const deliveryId of deliveryIds) this.#leases.delete(deliveryId)
    if (this.#leases.size === 0) this.#idle?.resolve()
  }

  #pause(durationMs: number): Promise<void> {
    const paused = Promise.withResolvers<void>()
    const { signal } = this.#abort
    const cancel = this.#options.clock.after(durationMs, paused.resolve)
    const onAbort = (): void => paused.resolve()
    signal.addEventListener('abort', onAbort, { once: true })
    if (signal.aborted) paused.resolve()
    return paused.promise.finally(() => {
      cancel()
      signal.removeEventListener('abort', onAbort)
    })
  }

  #scheduleRenewal(): void {
    this.#cancelRenewal = this.#options.clock.after(LEASE_MS / 3, () => void this.#renew())
  }

  async #renew(): Promise<void> {
    const { database, clock, logError } = this.#options
    this.#scheduleRenewal()
    const leases = [...this.#leases.keys()]
    const leaseUntil = clock.now() + LEASE_MS
    try {
      await database.batch(renewStatements(database, leases, { worker: this.#worker, leaseUntil }))
      for (const deliveryId of leases) if (this.#leases.has(deliveryId)) this.#leases.set(deliveryId, leaseUntil)
    } catch (error) {
      logError('renew leases of webhook deliveries', error)
    }
  }
}
