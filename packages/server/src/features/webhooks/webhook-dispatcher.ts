import type { MakeId } from '@parley/engine/ports'
import { buildSignatureHeader } from '../../kernel/security/signature.ts'
import { BatchConflictError, type BatchStatement, type Database } from '../../kernel/storage/database.ts'
import type { SharedClock } from '../../kernel/work/shared-clock.ts'
import { type AttemptResult, decideOutcome, evaluateResponse } from './decide-targets.ts'
import {
  buildAttemptStatements,
  buildCancelStatement,
  buildReleaseStatements,
  buildRenewStatements,
  claimDeliveries,
  findDueDeliveries,
  findPendingTargets,
  type LoadedDelivery,
  loadDelivery,
  type PendingTarget,
} from './dispatch-store.ts'
import { WebhookLanes } from './webhook-lanes.ts'
import type { ReadSigningSecrets, SendWebhook } from './webhook-ports.ts'

interface SendingDependencies {
  readonly send: SendWebhook
  readonly readSecrets: ReadSigningSecrets
  readonly clock: Omit<SharedClock, 'after'>
  /** Product version for `User-Agent`. */
  readonly version: string
}

/** Result of one request, or null if the request was aborted. */
interface SentAttempt {
  readonly attempt: number
  readonly at: number
  readonly durationMs: number
  readonly result: AttemptResult
}

const MAX_RESPONSE_BYTES = 64 * 1024

/** Sends a delivery once, signed with all current secrets. Rejects if the delivery cannot be signed. */
async function sendDelivery(
  delivery: LoadedDelivery & { readonly url: string },
  { send, readSecrets, clock, version }: SendingDependencies,
  signal: AbortSignal,
): Promise<SentAttempt | null> {
  const secrets = await readSecrets(delivery.workspaceId)
  // Unsigned requests would teach recipients to accept unsigned requests.
  if (secrets.length === 0) throw new Error(`Workspace ${delivery.workspaceId} has no signing secret.`)
  const at = clock.now()
  const attempt = delivery.attempts + 1
  const answer = await send({
    url: delivery.url,
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'user-agent': `Parley/${version}`,
      'x-webhook-id': delivery.deliveryId,
      'x-webhook-event': delivery.event,
      'x-webhook-attempt': String(attempt),
      'x-webhook-signature': buildSignatureHeader(secrets, delivery.body, at),
    },
    body: delivery.body,
    timeoutMs: delivery.timeoutMs,
    maxResponseBytes: MAX_RESPONSE_BYTES,
    maxRedirects: 0,
    signal,
  })
  const result = evaluateResponse(answer)
  if (signal.aborted && !result.isDelivered) return null
  return { attempt, at, durationMs: Math.max(0, clock.now() - at), result }
}

const POLL_INTERVAL_MS = 1_000
/** Time for which deliveries of a crashed worker wait. Leases are renewed three times as often. */
const LEASE_MS = 15_000
/** Time for which a target is skipped if all of its due deliveries wait for earlier ones, unless one of those ends. */
const IDLE_TARGET_MS = 250
/** Pause after an internal error such as a database failure. */
const INTERNAL_ERROR_PAUSE_MS = 5_000
const WRITE_RETRY_DELAY_MS = 1_000
/** During a shorter database outage, results are retried instead of sending deliveries twice. */
const MAX_WRITE_RETRIES = 60

interface WebhookDispatcherOptions extends SendingDependencies {
  readonly database: Database
  /** Clock that is synchronized between nodes. */
  readonly clock: SharedClock
  readonly makeId: MakeId
  readonly logError: (name: string, error: unknown) => void
  /** Reports commits that wrote deliveries, so that they are sent immediately. Otherwise, they wait for the next poll. */
  readonly onDeliveriesWritten?: (listener: () => void) => () => void
}

/**
 * Sends due deliveries. Each target has a separate lane, so that no target blocks another. Deliveries about one subject are
 * sequential. Any number of dispatchers may share a database.
 */
export interface WebhookDispatcher {
  start(): void
  /** Triggers a poll, because a delivery may be due. */
  wake(): void
  /**
   * Stops sending and waits up to `deadlineMs` for pending requests. Aborts the remaining requests and releases their
   * deliveries.
   */
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
  /** Deliveries of this worker and the expiry of their leases. */
  readonly #leases = new Map<string, number>()
  /** Targets without sendable deliveries, and the time of their next check. */
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
    // A pending claim may still return deliveries.
    await this.#polling
    await this.#release([...unsent, ...this.#lanes.close()], this.#options.clock.now())
    if (this.#leases.size > 0) await this.#waitForLeases(deadlineMs)
    this.#cancelRenewal()
  }

  /** Waits for pending requests. After the deadline, aborts them and drops unwritten results. */
  async #waitForLeases(deadlineMs: number): Promise<void> {
    this.#idle = Promise.withResolvers()
    const cancel = this.#options.clock.after(deadlineMs, () => this.#abort.abort(new Error('The process is stopping.')))
    await this.#idle.promise
    cancel()
  }

  async #poll(): Promise<void> {
    const { database, clock, logError } = this.#options
    // Deliveries that are written together cause one poll.
    await Promise.resolve()
    let waitMs = POLL_INTERVAL_MS
    try {
      const now = clock.now()
      const pending = await findPendingTargets(database.read)
      const due = pending.filter(({ dueAt }) => dueAt <= now)
      for (const { dueAt } of pending) if (dueAt > now) waitMs = Math.min(waitMs, dueAt - now)
      if (due.length > 0) waitMs = Math.min(waitMs, await this.#claim(due, now))
    } catch (error) {
      logError('claim webhook deliveries', error)
    }
    if (this.#isRunning) this.#cancelPoll = clock.after(waitMs, () => this.wake())
  }

  /** Claims deliveries up to the free capacity. Returns the maximum time until the next poll. */
  async #claim(due: readonly PendingTarget[], now: number): Promise<number> {
    const { database, clock } = this.#options
    const { found, waitMs } = await this.#findDue(due, now)
    if (found.length === 0) return waitMs
    const leaseUntil = now + LEASE_MS
    const claimed = await claimDeliveries(database, found, { worker: this.#worker, now, leaseUntil })
    // The process was suspended, so other workers may have claimed the deliveries.
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
    // A delivery whose lease expired may still be sent by this process and must not be sent twice at the same time.
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
      statements = buildReleaseStatements(this.#options.database, [deliveryId], { worker: this.#worker, dueAt })
    }
    // The next delivery to this target need not wait for the write.
    this.#lanes.done(target, wasDelivered)
    await this.#write(deliveryId, statements)
    this.#dropLeases([deliveryId])
    // Later deliveries may be due now.
    this.#idleTargets.delete(target)
    this.wake()
  }

  /** Sends a delivery and returns the statements to write, or none if the lease was lost. */
  async #attempt(
    deliveryId: string,
  ): Promise<{ readonly statements: BatchStatement[]; readonly wasDelivered: boolean | null }> {
    const { database, clock } = this.#options
    const delivery = await loadDelivery(database.read, deliveryId, this.#worker)
    const hasLease = (this.#leases.get(deliveryId) ?? 0) > clock.now()
    if (delivery === null || !hasLease) return { statements: [], wasDelivered: null }
    const { url } = delivery
    if (url === null)
      return { statements: [buildCancelStatement(database, deliveryId, clock.now())], wasDelivered: null }
    const sent = await sendDelivery({ ...delivery, url }, this.#options, this.#abort.signal)
    if (sent === null) {
      const releaseOptions = { worker: this.#worker, dueAt: clock.now() }
      return { statements: buildReleaseStatements(database, [deliveryId], releaseOptions), wasDelivered: null }
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
    return {
      statements: buildAttemptStatements(database, this.#worker, attemptRecord),
      wasDelivered: result.isDelivered,
    }
  }

  /** Stores the result of a delivery. If all retries fail, the lease expires and the delivery is sent again. */
  async #write(deliveryId: string, statements: readonly BatchStatement[]): Promise<void> {
    const { database, logError } = this.#options
    if (statements.length === 0) return
    for (let failures = 1; ; failures += 1) {
      try {
        return await database.batch(statements)
      } catch (error) {
        logError(`store the result of webhook delivery ${deliveryId}, attempt ${failures}`, error)
        if (error instanceof BatchConflictError || this.#abort.signal.aborted || failures >= MAX_WRITE_RETRIES) return
      }
      await this.#pause(WRITE_RETRY_DELAY_MS)
    }
  }

  async #release(deliveryIds: readonly string[], dueAt: number): Promise<void> {
    const { database, logError } = this.#options
    try {
      await database.batch(buildReleaseStatements(database, deliveryIds, { worker: this.#worker, dueAt }))
    } catch (error) {
      logError('release webhook deliveries', error)
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
      await database.batch(buildRenewStatements(database, leases, { worker: this.#worker, leaseUntil }))
      for (const deliveryId of leases) if (this.#leases.has(deliveryId)) this.#leases.set(deliveryId, leaseUntil)
    } catch (error) {
      logError('renew leases of webhook deliveries', error)
    }
  }
}
