import type { MakeId } from '@parley/engine/ports'
import { buildSignatureHeader } from '../../kernel/security/signature.ts'
import { BatchConflictError, type BatchStatement, type Database } from '../../kernel/storage/database.ts'
import type { SharedClock } from '../../kernel/work/shared-clock.ts'
import { type AttemptResult, decideOutcome, evaluateResponse } from './decide-targets.ts'
import {
  buildAttemptStatements,
  buildCancelStatement,
  buildReleaseStatements,
  buildRenewLeaseStatements,
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

interface SentAttempt {
  readonly attempt: number
  readonly sentAt: number
  readonly durationMs: number
  readonly result: AttemptResult
}

const MAX_RESPONSE_BYTES = 64 * 1024

/** Sends a delivery once, signed with all active secrets. Returns null if the request was aborted. */
async function sendDelivery(
  delivery: LoadedDelivery & { readonly url: string },
  { send, readSecrets, clock, version }: SendingDependencies,
  signal: AbortSignal,
): Promise<SentAttempt | null> {
  const secrets = await readSecrets(delivery.workspaceId)
  // Recipients would reject an unsigned request.
  if (secrets.length === 0) throw new Error(`Workspace ${delivery.workspaceId} has no signing secret.`)
  const sentAt = clock.now()
  const attempt = delivery.attempts + 1
  const response = await send({
    url: delivery.url,
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'user-agent': `Parley/${version}`,
      'x-webhook-id': delivery.deliveryId,
      'x-webhook-event': delivery.event,
      'x-webhook-attempt': String(attempt),
      'x-webhook-signature': buildSignatureHeader(secrets, delivery.body, sentAt),
    },
    body: delivery.body,
    timeoutMs: delivery.timeoutMs,
    maxResponseBytes: MAX_RESPONSE_BYTES,
    maxRedirects: 0,
    signal,
  })
  const result = evaluateResponse(response)
  if (signal.aborted && !result.isDelivered) return null
  return { attempt, sentAt, durationMs: Math.max(0, clock.now() - sentAt), result }
}

const POLL_INTERVAL_MS = 1_000
/** After a crash, the worker's deliveries wait up to this time. Leases are renewed after a third of it. */
const LEASE_MS = 15_000
/** A target is skipped for this time, or until one of its deliveries ends, if its due deliveries all wait for earlier ones. */
const IDLE_TARGET_MS = 250
/** Pause after an internal error such as a database failure. */
const INTERNAL_ERROR_PAUSE_MS = 5_000
const WRITE_RETRY_DELAY_MS = 1_000
/** Results are stored even after a database outage of one minute, so that deliveries are not sent twice. */
const MAX_WRITE_RETRIES = 60

interface WebhookDispatcherOptions extends SendingDependencies {
  readonly database: Database
  /** Clock that is synchronized between nodes. */
  readonly clock: SharedClock
  readonly makeId: MakeId
  readonly logError: (name: string, error: unknown) => void
  /** Notifies the dispatcher of new deliveries, so that they are sent before the next poll. */
  readonly onDeliveriesWritten?: (listener: () => void) => () => void
}

/**
 * Sends due deliveries. Each target has a separate lane, so that no target blocks another. Deliveries about one subject are
 * sent in order. Any number of dispatchers may share a database.
 */
export interface WebhookDispatcher {
  start(): void
  /** Polls for due deliveries immediately. */
  wake(): void
  /**
   * Stops sending and waits up to `deadlineMs` for pending requests. Aborts the remaining requests and releases their
   * deliveries.
   */
  stop(deadlineMs: number): Promise<void>
}

export function createWebhookDispatcher(options: WebhookDispatcherOptions): WebhookDispatcher {
  return new PollingDispatcher(options)
}

class PollingDispatcher implements WebhookDispatcher {
  readonly #options: WebhookDispatcherOptions
  readonly #worker: string
  readonly #lanes: WebhookLanes
  readonly #abort = new AbortController()
  /** Lease expiry by delivery id, for all deliveries of this worker. */
  readonly #leases = new Map<string, number>()
  /** Time of the next check, for targets whose deliveries cannot be sent yet. */
  readonly #idleTargets = new Map<string, number>()
  #unsubscribe: () => void = () => undefined
  #cancelPoll: () => void = () => undefined
  #cancelRenewal: () => void = () => undefined
  #pendingPoll: Promise<void> | null = null
  #shouldPollAgain = false
  #isRunning = false
  #drained: PromiseWithResolvers<void> | null = null

  constructor(options: WebhookDispatcherOptions) {
    this.#options = options
    this.#worker = options.makeId('worker')
    this.#lanes = new WebhookLanes((deliveryId, target) => void this.#deliver(deliveryId, target))
  }

  start(): void {
    this.#isRunning = true
    this.#unsubscribe = this.#options.onDeliveriesWritten?.(() => this.wake()) ?? this.#unsubscribe
    this.#scheduleRenewal()
    this.wake()
  }

  wake(): void {
    if (!this.#isRunning) return
    if (this.#pendingPoll !== null) {
      this.#shouldPollAgain = true
      return
    }
    this.#cancelPoll()
    this.#pendingPoll = this.#poll().finally(() => {
      this.#pendingPoll = null
      if (!this.#shouldPollAgain) return
      this.#shouldPollAgain = false
      this.wake()
    })
  }

  async stop(deadlineMs: number): Promise<void> {
    this.#isRunning = false
    this.#unsubscribe()
    this.#cancelPoll()
    const unsentIds = this.#lanes.close()
    // A pending claim may still return deliveries.
    await this.#pendingPoll
    await this.#release([...unsentIds, ...this.#lanes.close()], this.#options.clock.now())
    if (this.#leases.size > 0) await this.#drain(deadlineMs)
    this.#cancelRenewal()
  }

  /** Waits for pending requests. After the deadline, aborts them and drops unwritten results. */
  async #drain(deadlineMs: number): Promise<void> {
    this.#drained = Promise.withResolvers()
    const cancel = this.#options.clock.after(deadlineMs, () => this.#abort.abort(new Error('The process is stopping.')))
    await this.#drained.promise
    cancel()
  }

  async #poll(): Promise<void> {
    const { database, clock, logError } = this.#options
    // Deliveries that are written together cause one poll.
    await Promise.resolve()
    let waitMs = POLL_INTERVAL_MS
    try {
      const now = clock.now()
      const pendingTargets = await findPendingTargets(database.read)
      const dueTargets = pendingTargets.filter(({ dueAt }) => dueAt <= now)
      for (const { dueAt } of pendingTargets) if (dueAt > now) waitMs = Math.min(waitMs, dueAt - now)
      if (dueTargets.length > 0) waitMs = Math.min(waitMs, await this.#claim(dueTargets, now))
    } catch (error) {
      logError('claim webhook deliveries', error)
    }
    if (this.#isRunning) this.#cancelPoll = clock.after(waitMs, () => this.wake())
  }

  /** Claims deliveries up to the free capacity. Returns the maximum time until the next poll. */
  async #claim(dueTargets: readonly PendingTarget[], now: number): Promise<number> {
    const { database, clock } = this.#options
    const { deliveryIds, waitMs } = await this.#findDueDeliveries(dueTargets, now)
    if (deliveryIds.length === 0) return waitMs
    const leaseUntil = now + LEASE_MS
    const claimedDeliveries = await claimDeliveries(database, deliveryIds, { worker: this.#worker, now, leaseUntil })
    // The process was suspended, so other workers may have claimed the deliveries.
    if (clock.now() >= leaseUntil) return 0
    for (const { deliveryId } of claimedDeliveries) this.#leases.set(deliveryId, leaseUntil)
    this.#lanes.add(claimedDeliveries)
    return waitMs
  }

  async #findDueDeliveries(
    dueTargets: readonly PendingTarget[],
    now: number,
  ): Promise<{ deliveryIds: string[]; waitMs: number }> {
    let waitMs = Number.POSITIVE_INFINITY
    let requestedCount = 0
    const dueQueries: { readonly target: string; readonly limit: number }[] = []
    for (const [target, expiresAt] of this.#idleTargets) if (expiresAt <= now) this.#idleTargets.delete(target)
    for (const { target } of dueTargets.toSorted((left, right) => left.dueAt - right.dueAt)) {
      const idleUntil = this.#idleTargets.get(target)
      if (idleUntil !== undefined) waitMs = Math.min(waitMs, idleUntil - now)
      const limit = idleUntil === undefined ? this.#lanes.getClaimLimit(target, requestedCount) : 0
      if (limit > 0) dueQueries.push({ target, limit })
      requestedCount += limit
    }
    const idsByTarget = await Promise.all(
      dueQueries.map(async ({ target, limit }) => {
        const ids = await findDueDeliveries(this.#options.database.read, { target, now, limit })
        if (ids.length === 0) this.#idleTargets.set(target, now + IDLE_TARGET_MS)
        return ids
      }),
    )
    // A delivery whose lease expired may still be sent by this process and must not be sent twice at the same time.
    return { deliveryIds: idsByTarget.flat().filter((deliveryId) => !this.#leases.has(deliveryId)), waitMs }
  }

  async #deliver(deliveryId: string, target: string): Promise<void> {
    const { logError } = this.#options
    let wasDelivered: boolean | null = null
    let statements: BatchStatement[] | null = null
    try {
      const outcome = await this.#attemptDelivery(deliveryId)
      statements = outcome.statements
      wasDelivered = outcome.wasDelivered
    } catch (error) {
      logError(`webhook delivery ${deliveryId}`, error)
      const dueAt = this.#options.clock.now() + INTERNAL_ERROR_PAUSE_MS
      statements = buildReleaseStatements(this.#options.database, [deliveryId], { worker: this.#worker, dueAt })
    }
    // The next delivery to this target need not wait for the write.
    this.#lanes.finish(target, wasDelivered)
    await this.#storeResult(deliveryId, statements)
    this.#dropLeases([deliveryId])
    // Later deliveries may be due now.
    this.#idleTargets.delete(target)
    this.wake()
  }

  /** Sends a delivery and returns the statements that store the result. Does nothing if the lease was lost. */
  async #attemptDelivery(
    deliveryId: string,
  ): Promise<{ readonly statements: BatchStatement[]; readonly wasDelivered: boolean | null }> {
    const { database, clock } = this.#options
    const delivery = await loadDelivery(database.read, deliveryId, this.#worker)
    const hasLease = (this.#leases.get(deliveryId) ?? 0) > clock.now()
    if (delivery === null || !hasLease) return { statements: [], wasDelivered: null }
    const { url } = delivery
    if (url === null)
      return { statements: [buildCancelStatement(database, deliveryId, clock.now())], wasDelivered: null }
    const sentAttempt = await sendDelivery({ ...delivery, url }, this.#options, this.#abort.signal)
    if (sentAttempt === null) {
      const releaseOptions = { worker: this.#worker, dueAt: clock.now() }
      return { statements: buildReleaseStatements(database, [deliveryId], releaseOptions), wasDelivered: null }
    }
    const { attempt, sentAt, durationMs, result } = sentAttempt
    const tries = delivery.tries + 1
    const row = {
      delivery_id: deliveryId,
      attempt,
      at: sentAt,
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
  async #storeResult(deliveryId: string, statements: readonly BatchStatement[]): Promise<void> {
    const { database, logError } = this.#options
    if (statements.length === 0) return
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await database.batch(statements)
      } catch (error) {
        logError(`store the result of webhook delivery ${deliveryId}, attempt ${attempt}`, error)
        if (error instanceof BatchConflictError || this.#abort.signal.aborted || attempt >= MAX_WRITE_RETRIES) return
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
    if (this.#leases.size === 0) this.#drained?.resolve()
  }

  #pause(durationMs: number): Promise<void> {
    const pause = Promise.withResolvers<void>()
    const { signal } = this.#abort
    const cancel = this.#options.clock.after(durationMs, pause.resolve)
    const onAbort = (): void => pause.resolve()
    signal.addEventListener('abort', onAbort, { once: true })
    if (signal.aborted) pause.resolve()
    return pause.promise.finally(() => {
      cancel()
      signal.removeEventListener('abort', onAbort)
    })
  }

  #scheduleRenewal(): void {
    this.#cancelRenewal = this.#options.clock.after(LEASE_MS / 3, () => void this.#renewLeases())
  }

  async #renewLeases(): Promise<void> {
    const { database, clock, logError } = this.#options
    this.#scheduleRenewal()
    const deliveryIds = [...this.#leases.keys()]
    const leaseUntil = clock.now() + LEASE_MS
    try {
      await database.batch(buildRenewLeaseStatements(database, deliveryIds, { worker: this.#worker, leaseUntil }))
      for (const deliveryId of deliveryIds) if (this.#leases.has(deliveryId)) this.#leases.set(deliveryId, leaseUntil)
    } catch (error) {
      logError('renew leases of webhook deliveries', error)
    }
  }
}
