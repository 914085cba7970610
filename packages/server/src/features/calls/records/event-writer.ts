import type { CallEventEntry } from '@parley/contract/call-event'
import type { CallJournal } from '@parley/engine/voice/session/session-ports'
import { ConstraintError } from '../../../kernel/errors.ts'
import type { BatchStatement, Database } from '../../../kernel/storage/database.ts'
import type { SharedClock } from '../../../kernel/work/shared-clock.ts'
import type { CallEventRow } from '../../../tables/call-tables.ts'
import { type PendingEvent, shed } from './event-queue.ts'
import { appendEvents } from './event-store.ts'

/** Events of all calls are written together, this long after the first of them. */
const BATCH_DELAY_MS = 50
/** Rows of one statement. */
const ROWS_AT_ONCE = 500
/** Between two tries while the database is away. */
const RETRY_MS = 500
const MAX_PENDING_EVENTS = 10_000
const MAX_AT_MS = 2_147_483_647
/** Stands in the queue for a call all of whose events had to go: that is noted, and only then the record of the call is whole. */
const LOST_EVENTS_MARKER: CallEventEntry = { type: 'warning', code: 'events_lost', message: '' }

export interface EventWriterDependencies {
  readonly database: Pick<Database, 'batch' | 'compile'>
  readonly clock: SharedClock
  readonly logError: (name: string, error: unknown) => void
  /** What is committed with the end of turns of these calls; absent: nothing. */
  readonly turnsEnded?: (callIds: readonly string[]) => Promise<readonly BatchStatement[]>
  /** Events of these calls are on record. */
  readonly onWritten: (callIds: ReadonlySet<string>) => void
}

/** The journal of one call. */
export interface OpenJournal extends CallJournal {
  /** Resolves once everything that was told is on record, or is not to be saved any more. Nothing can be told afterwards. */
  close(): Promise<void>
}

/**
 * Writes down what happens in the calls of this node, behind the conversation: appending only queues. While the database is away
 * events wait in memory, a bounded number of them; what had to go is counted and noted in the record of its call.
 */
export interface CallEventWriter {
  open(callId: string, startedAtMs: number): OpenJournal
  /** Writes what waits, at most this long; what comes later is let go. */
  stop(deadlineMs: number): Promise<void>
  /** Events that are not on record yet. */
  readonly waiting: number
}

interface Journal {
  readonly callId: string
  readonly startedAtMs: number
  nextPosition: number
  /** Events that are queued or being written. */
  open: number
  /** Events that had to go since the last note of it. */
  lost: number
  isClosed: boolean
  readonly written: PromiseWithResolvers<void>
}

export function createCallEventWriter(dependencies: EventWriterDependencies): CallEventWriter {
  return new EventWriter(dependencies)
}

class EventWriter implements CallEventWriter {
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

  get waiting(): number {
    return this.#queue.length + this.#writingCount
  }

  open(callId: string, startedAtMs: number): OpenJournal {
    const written = Promise.withResolvers<void>()
    const journal = { callId, startedAtMs, nextPosition: 0, open: 0, lost: 0, isClosed: false, written }
    this.#journals.add(journal)
    return {
      append: (entry, atMs) => this.#append(journal, entry, atMs ?? this.#dependencies.clock.now()),
      close: () => {
        journal.isClosed = true
        this.#settle(journal)
        return written.promise
      },
    }
  }

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
    journal.open += 1
    this.#queue.push({ journal, entry, atMs })
    if (this.#queue.length >= MAX_PENDING_EVENTS) this.#queue = this.#makeRoom()
    this.#schedule()
  }

  #makeRoom(): PendingEvent<Journal>[] {
    const emptied = new Set<Journal>()
    const rest = shed(this.#queue, MAX_PENDING_EVENTS, ({ journal, entry }) => {
      if (entry !== LOST_EVENTS_MARKER) journal.lost += 1
      emptied.add(journal)
    })
    for (const { journal } of this.#queue) journal.open -= 1
    for (const { journal } of rest) {
      journal.open += 1
      emptied.delete(journal)
    }
    for (const journal of emptied) {
      journal.open += 1
      rest.push({ journal, entry: LOST_EVENTS_MARKER, atMs: this.#dependencies.clock.now() })
    }
    return rest
  }

  #schedule(): void {
    if (this.#isScheduled || this.#isWriting) return
    this.#isScheduled = true
    void this.#pause(BATCH_DELAY_MS).then(async () => {
      this.#isScheduled = false
      this.#isWriting = true
      while (this.#queue.length > 0) await this.#writeSome()
      this.#isWriting = false
      this.#idle?.resolve()
    })
  }

  /** Waits, unless this process stops. */
  #pause(durationMs: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#dependencies.clock.after(durationMs, resolve)
      this.#skipWait = () => {
        cancel()
        resolve()
      }
    })
  }

  async #writeSome(): Promise<void> {
    const events = this.#queue.splice(0, ROWS_AT_ONCE)
    this.#writingCount = events.length
    const rows = this.#toRows(events)
    while (!(await this.#tryWrite(rows))) {
      await this.#pause(RETRY_MS)
      if (this.#isStopped) break
    }
    this.#writingCount = 0
    if (this.#isStopped) return
    for (const { journal } of events) {
      journal.open -= 1
      this.#settle(journal)
    }
    this.#dependencies.onWritten(new Set(rows.map((row) => row.call_id)))
  }

  /** Events get their places as late as possible: one that had to go leaves no gap. */
  #toRows(events: readonly PendingEvent<Journal>[]): CallEventRow[] {
    const rows: CallEventRow[] = []
    for (const { journal, entry, atMs } of events) {
      if (journal.lost > 0) {
        const message = `${journal.lost} events were lost while the database could not be reached.`
        journal.lost = 0
        rows.push(toRow(journal, { type: 'warning', code: 'events_lost', message }, atMs))
      }
      if (entry === LOST_EVENTS_MARKER) continue
      try {
        rows.push(toRow(journal, entry, atMs))
      } catch (error) {
        this.#dependencies.logError('write down an event of a call', error)
      }
    }
    return rows
  }

  /** Whether there is nothing left to do about these rows. */
  async #tryWrite(rows: readonly CallEventRow[]): Promise<boolean> {
    const { database, logError } = this.#dependencies
    if (rows.length === 0) return true
    try {
      await database.batch([appendEvents(database, rows), ...(await this.#notifyTurns(rows))])
      this.#isDatabaseDown = false
      return true
    } catch (error) {
      if (error instanceof ConstraintError) return await this.#writePerCall(rows)
      if (!this.#isDatabaseDown) logError('write events of calls', error)
      this.#isDatabaseDown = true
      return false
    }
  }

  /** Telling others must never keep words from being written down. */
  async #notifyTurns(rows: readonly CallEventRow[]): Promise<readonly BatchStatement[]> {
    const { turnsEnded, logError } = this.#dependencies
    const callIds = new Set(rows.filter(({ type }) => type === 'turn').map((row) => row.call_id))
    if (turnsEnded === undefined || callIds.size === 0) return []
    try {
      return await turnsEnded([...callIds])
    } catch (error) {
      if (!this.#isDatabaseDown) logError('tell what was said in calls', error)
      return []
    }
  }

  /** Something about one call, such as its deletion in this moment: the others must not suffer from it. */
  async #writePerCall(rows: readonly CallEventRow[]): Promise<boolean> {
    const { database, logError } = this.#dependencies
    for (const some of Map.groupBy(rows, (row) => row.call_id).values()) {
      try {
        await database.batch([appendEvents(database, some)])
      } catch (error) {
        if (!(error instanceof ConstraintError)) return false
        logError('write events that the database refuses', error)
      }
    }
    return true
  }

  #settle(journal: Journal): void {
    if (!journal.isClosed || journal.open > 0) return
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
