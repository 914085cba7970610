import type { CallEventEntry } from '@parley/contract/call-event'
import type { CallJournal } from '@parley/engine/voice/session/session-ports'
import { ConstraintError } from '../../../kernel/errors.ts'
import type { BatchStatement, Database } from '../../../kernel/storage/database.ts'
import type { SharedClock } from '../../../kernel/work/shared-clock.ts'
import type { CallEventRow } from '../../../tables/call-tables.ts'
import { buildAppendStatement } from './event-store.ts'

export interface PendingEvent<Journal> {
  readonly journal: Journal
  readonly entry: CallEventEntry
  readonly atMs: number
}

/** Number of events dropped together, so that a full queue is not searched for each event. */
const HEADROOM = 1_000

/** Event types in the order in which they are dropped: metrics first, then details. Messages are dropped last. */
const EXPENDABLE_TYPES: readonly ReadonlySet<CallEventEntry['type']>[] = [
  new Set(['turn', 'warning']),
  new Set(['variables', 'dtmf', 'node-transition', 'state-transition', 'injected']),
]

/**
 * Shrinks a full queue: merges usage of the same product, then drops expendable events, oldest first. The order stays the same,
 * and `onDropped` receives each dropped event.
 */
function shrinkQueue<Journal>(
  queue: readonly PendingEvent<Journal>[],
  limit: number,
  onDropped: (event: PendingEvent<Journal>) => void,
): PendingEvent<Journal>[] {
  const targetLength = Math.max(0, limit - Math.min(HEADROOM, limit / 10))
  let remainingEvents = mergeUsage(queue)
  for (const types of [...EXPENDABLE_TYPES, null]) {
    let excess = remainingEvents.length - targetLength
    if (excess <= 0) break
    remainingEvents = remainingEvents.filter((event) => {
      if (excess <= 0 || (types !== null && !types.has(event.entry.type))) return true
      excess -= 1
      onDropped(event)
      return false
    })
  }
  return remainingEvents
}

function mergeUsage<Journal>(queue: readonly PendingEvent<Journal>[]): PendingEvent<Journal>[] {
  const indexes = new Map<Journal, Map<string, number>>()
  const mergedEvents: PendingEvent<Journal>[] = []
  for (const event of queue) {
    const { journal, entry } = event
    if (entry.type !== 'usage') {
      mergedEvents.push(event)
      continue
    }
    const journalIndexes = indexes.get(journal) ?? new Map<string, number>()
    indexes.set(journal, journalIndexes)
    const key = JSON.stringify([entry.product, entry.model, entry.unit])
    const index = journalIndexes.get(key)
    const earlierEvent = index === undefined ? undefined : mergedEvents[index]
    if (index === undefined || earlierEvent?.entry.type !== 'usage') {
      journalIndexes.set(key, mergedEvents.length)
      mergedEvents.push(event)
    } else {
      mergedEvents[index] = {
        ...earlierEvent,
        entry: { ...entry, quantity: entry.quantity + earlierEvent.entry.quantity },
      }
    }
  }
  return mergedEvents
}

/** Delay after the first event, so that events of all calls share a write. */
const BATCH_DELAY_MS = 50
/** Maximum number of rows in one statement. */
const MAX_ROWS_PER_WRITE = 500
/** Retry interval while the database is unavailable. */
const RETRY_MS = 500
const MAX_PENDING_EVENTS = 10_000
const MAX_AT_MS = 2_147_483_647
/** Placeholder for a call whose events were all dropped. It ensures that the loss is recorded. */
const LOST_EVENTS_MARKER: CallEventEntry = { type: 'warning', code: 'events_lost', message: '' }

interface EventWriterDependencies {
  readonly database: Pick<Database, 'batch' | 'queryBuilder'>
  readonly clock: SharedClock
  readonly logError: (name: string, error: unknown) => void
  /** Returns the statements to commit together with these calls' ended turns. */
  readonly onTurnsEnded?: (callIds: readonly string[]) => Promise<readonly BatchStatement[]>
  /** Called after events of these calls are stored. */
  readonly onWritten: (callIds: ReadonlySet<string>) => void
}

/** The journal of one call. */
interface OpenJournal extends CallJournal {
  /** Closes the journal. Resolves when all events are stored or dropped. */
  close(): Promise<void>
}

interface Journal {
  readonly callId: string
  readonly startedAtMs: number
  nextPosition: number
  /** Number of events that are queued or being written. */
  pendingCount: number
  /** Number of events dropped after the last warning about dropped events. */
  droppedCount: number
  isClosed: boolean
  readonly written: PromiseWithResolvers<void>
}

/**
 * Stores the events of this node's calls in the background, so that appending an event only queues it. During a
 * database outage, a limited number of events waits in memory. A warning in the call's events reports how many events
 * were dropped.
 */
export class CallEventWriter {
  readonly #dependencies: EventWriterDependencies
  readonly #journals = new Set<Journal>()
  #queue: PendingEvent<Journal>[] = []
  #isScheduled = false
  #isWriting = false
  #writingCount = 0
  #isDatabaseDown = false
  #isStopped = false
  #idle: PromiseWithResolvers<void> | null = null
  #skipWait: () => void = () => undefined

  constructor(dependencies: EventWriterDependencies) {
    this.#dependencies = dependencies
  }

  /** Number of events that are not stored yet. */
  get pendingCount(): number {
    return this.#queue.length + this.#writingCount
  }

  open(callId: string, startedAtMs: number): OpenJournal {
    const written = Promise.withResolvers<void>()
    const journal = { callId, startedAtMs, nextPosition: 0, pendingCount: 0, droppedCount: 0, isClosed: false, written }
    this.#journals.add(journal)
    return {
      append: (entry, atMs) => this.#append(journal, entry, atMs ?? this.#dependencies.clock.now()),
      close: () => {
        journal.isClosed = true
        this.#resolveIfWritten(journal)
        return written.promise
      },
    }
  }

  /** Writes pending events until the deadline and drops the rest. */
  async stop(deadlineMs: number): Promise<void> {
    const deadline = Promise.withResolvers<void>()
    const cancel = this.#dependencies.clock.after(deadlineMs, deadline.resolve)
    this.#idle ??= Promise.withResolvers<void>()
    if (this.#queue.length === 0 && !this.#isWriting) this.#idle.resolve()
    this.#skipWait()
    await Promise.race([this.#idle.promise, deadline.promise])
    cancel()
    this.#isStopped = true
    this.#queue = []
    this.#skipWait()
    for (const journal of this.#journals) journal.written.resolve()
    this.#journals.clear()
  }

  #append(journal: Journal, entry: CallEventEntry, atMs: number): void {
    if (journal.isClosed || this.#isStopped) return
    journal.pendingCount += 1
    this.#queue.push({ journal, entry, atMs })
    if (this.#queue.length >= MAX_PENDING_EVENTS) this.#queue = this.#dropExpendableEvents()
    this.#schedule()
  }

  #dropExpendableEvents(): PendingEvent<Journal>[] {
    const emptiedJournals = new Set<Journal>()
    const remainingEvents = shrinkQueue(this.#queue, MAX_PENDING_EVENTS, ({ journal, entry }) => {
      if (entry !== LOST_EVENTS_MARKER) journal.droppedCount += 1
      emptiedJournals.add(journal)
    })
    for (const { journal } of this.#queue) journal.pendingCount -= 1
    for (const { journal } of remainingEvents) {
      journal.pendingCount += 1
      emptiedJournals.delete(journal)
    }
    for (const journal of emptiedJournals) {
      journal.pendingCount += 1
      remainingEvents.push({ journal, entry: LOST_EVENTS_MARKER, atMs: this.#dependencies.clock.now() })
    }
    return remainingEvents
  }

  #schedule(): void {
    if (this.#isScheduled || this.#isWriting) return
    this.#isScheduled = true
    void this.#pause(BATCH_DELAY_MS).then(async () => {
      this.#isScheduled = false
      this.#isWriting = true
      while (this.#queue.length > 0) await this.#writeBatch()
      this.#isWriting = false
      this.#idle?.resolve()
    })
  }

  /** Waits for the duration, or until the writer stops. */
  #pause(durationMs: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#dependencies.clock.after(durationMs, resolve)
      this.#skipWait = () => {
        cancel()
        resolve()
      }
    })
  }

  async #writeBatch(): Promise<void> {
    const events = this.#queue.splice(0, MAX_ROWS_PER_WRITE)
    this.#writingCount = events.length
    const rows = this.#toRows(events)
    while (!(await this.#tryWrite(rows))) {
      await this.#pause(RETRY_MS)
      if (this.#isStopped) break
    }
    this.#writingCount = 0
    if (this.#isStopped) return
    for (const { journal } of events) {
      journal.pendingCount -= 1
      this.#resolveIfWritten(journal)
    }
    this.#dependencies.onWritten(new Set(rows.map((row) => row.call_id)))
  }

  /** Assigns positions as late as possible so that dropped events leave no gaps. */
  #toRows(events: readonly PendingEvent<Journal>[]): CallEventRow[] {
    const rows: CallEventRow[] = []
    for (const { journal, entry, atMs } of events) {
      if (journal.droppedCount > 0) {
        const message = `${journal.droppedCount} events were lost while the database was unavailable.`
        journal.droppedCount = 0
        rows.push(toRow(journal, { type: 'warning', code: 'events_lost', message }, atMs))
      }
      if (entry === LOST_EVENTS_MARKER) continue
      try {
        rows.push(toRow(journal, entry, atMs))
      } catch (error) {
        this.#dependencies.logError('write a call event', error)
      }
    }
    return rows
  }

  /** Writes rows. Returns false if the write must be retried. */
  async #tryWrite(rows: readonly CallEventRow[]): Promise<boolean> {
    const { database, logError } = this.#dependencies
    if (rows.length === 0) return true
    try {
      await database.batch([buildAppendStatement(database, rows), ...(await this.#buildTurnStatements(rows))])
      this.#isDatabaseDown = false
      return true
    } catch (error) {
      if (error instanceof ConstraintError) return await this.#writePerCall(rows)
      if (!this.#isDatabaseDown) logError('write events of calls', error)
      this.#isDatabaseDown = true
      return false
    }
  }

  /** Returns the statements for ended turns. Errors are only logged because they must not block writes. */
  async #buildTurnStatements(rows: readonly CallEventRow[]): Promise<readonly BatchStatement[]> {
    const { onTurnsEnded, logError } = this.#dependencies
    const callIds = new Set(rows.filter(({ type }) => type === 'turn').map((row) => row.call_id))
    if (onTurnsEnded === undefined || callIds.size === 0) return []
    try {
      return await onTurnsEnded([...callIds])
    } catch (error) {
      if (!this.#isDatabaseDown) logError('publish turns of calls', error)
      return []
    }
  }

  /** Writes each call's rows separately, so that one call's error, such as its deletion, does not affect other calls. */
  async #writePerCall(rows: readonly CallEventRow[]): Promise<boolean> {
    const { database, logError } = this.#dependencies
    for (const callRows of Map.groupBy(rows, (row) => row.call_id).values()) {
      try {
        await database.batch([buildAppendStatement(database, callRows)])
      } catch (error) {
        if (!(error instanceof ConstraintError)) return false
        logError('write events that the database rejects', error)
      }
    }
    return true
  }

  #resolveIfWritten(journal: Journal): void {
    if (!journal.isClosed || journal.pendingCount > 0) return
    this.#journals.delete(journal)
    journal.written.resolve()
  }
}

function toRow(journal: Journal, { type, ...fields }: CallEventEntry, atMs: number): CallEventRow {
  const content = JSON.stringify(fields)
  const at_ms = Math.min(MAX_AT_MS, Math.max(0, Math.round(atMs - journal.startedAtMs)))
  const row = {
    call_id: journal.callId,
    position: journal.nextPosition,
    at_ms,
    created_at: Math.round(atMs),
    type,
    content,
  }
  journal.nextPosition += 1
  return row
}
