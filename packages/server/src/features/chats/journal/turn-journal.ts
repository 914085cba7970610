import type { Clock } from '@parley/engine/ports'
import type { StreamFrame } from '../../../kernel/api/implement.ts'
import { ConstraintError } from '../../../kernel/errors.ts'
import { BatchConflictError, type BatchStatement, type Database } from '../../../kernel/storage/database.ts'
import type { Background } from '../../../kernel/work/background.ts'
import type { NodeSignals } from '../failover/node-signals.ts'
import { isOutage, OUTAGE_TIMEOUT_MS } from '../failover/retrying-writes.ts'
import type { TurnRun } from '../turn/turn-run.ts'
import { buildFrameInserts, type FrameChunk, readOwner } from './journal-store.ts'

/** How long text deltas are collected before they are recorded. */
const BATCH_MS = 150
/** Shorter delay while another node follows the turn, because that node receives only recorded events. */
const FOLLOWED_BATCH_MS = 20
/** Maximum age of published text deltas that are not recorded yet. Limits the data loss after a crash. */
const MAX_UNRECORDED_MS = 250
/** Maximum number of published events that are not recorded yet. */
export const MAX_UNRECORDED_EVENTS = 1000
/** Maximum number of turns in one batch. Characters are also limited because a tool result can be several megabytes. */
const MAX_CHUNKS = 100
const MAX_CHARACTERS = 1024 * 1024
const RETRY_MS = 250

interface TurnJournalDependencies {
  readonly database: Database
  readonly clock: Clock
  readonly background: Background
  readonly nodes: { readonly nodeId: string }
  readonly signals: NodeSignals
}

interface Entry {
  readonly run: TurnRun
  /** Number of recorded events in the run's log. */
  recordedCount: number
  /** Number of visible events: recorded events and the text deltas right after them. */
  visibleCount: number
  /** Arrival time of the oldest unrecorded event. Null if all events are recorded. */
  oldestUnrecordedAtMs: number | null
  /** Resolves when the pending write of the run's events is finished or abandoned. Null if no write is pending. */
  pendingWrite: PromiseWithResolvers<void> | null
  isFollowed: boolean
}

interface Chunk extends FrameChunk {
  readonly entry: Entry
  readonly endIndex: number
}

/**
 * Records the events of running turns so that any node can serve and continue the turns. Text deltas are published
 * immediately and recorded in batches within 250 ms. Other events are published after they are recorded. During a
 * database outage, readers wait and turns continue. After a minute, the turns are interrupted.
 */
export class TurnJournal {
  readonly #dependencies: TurnJournalDependencies
  readonly #entries = new Map<string, Entry>()
  readonly #changedEntries = new Set<Entry>()
  #cancelTimer: (() => void) | null = null
  #isWriting = false
  #collectedAtMs = 0

  constructor(dependencies: TurnJournalDependencies) {
    this.#dependencies = dependencies
    dependencies.signals.on('turnFollowed', (turnId) => {
      const entry = this.#entries.get(turnId)
      if (entry === undefined || entry.isFollowed) return
      entry.isFollowed = true
      if (this.#changedEntries.has(entry)) this.#schedule(0)
    })
  }

  /** Starts recording a run. Its first `recordedCount` events are already stored. */
  open(run: TurnRun, recordedCount: number): void {
    const counts = { recordedCount, visibleCount: recordedCount }
    const entry: Entry = { run, ...counts, oldestUnrecordedAtMs: null, pendingWrite: null, isFollowed: false }
    this.#entries.set(run.turnId, entry)
    run.log.limitVisibility(recordedCount, () => this.#handleAppend(entry))
    if (run.log.length > recordedCount) this.#handleAppend(entry)
  }

  /** Stops recording a run and makes all its events visible to readers. */
  stopRecording(run: TurnRun): void {
    const entry = this.#entries.get(run.turnId)
    if (entry?.run !== run) return
    this.#removeEntry(entry)
    run.log.showAll()
    if (entry.isFollowed) this.#dependencies.signals.emit('turnEvents', run.turnId)
  }

  /** Returns statements that record the run's remaining and final events. Call `stopRecording` after the commit. */
  async buildFinalStatements(run: TurnRun, finalFrames: readonly StreamFrame[]): Promise<BatchStatement[]> {
    const entry = this.#entries.get(run.turnId)
    if (entry?.run !== run) return []
    this.#changedEntries.delete(entry)
    // Waits for a pending write because it starts at the same event.
    await entry.pendingWrite?.promise
    if (!this.#isOpen(entry)) return []
    this.#changedEntries.delete(entry)
    const { database, clock, nodes } = this.#dependencies
    const frames = [...run.log.getFrames(entry.recordedCount), ...finalFrames]
    return buildFrameInserts(database, [{ turnId: run.turnId, frames }], { nodeId: nodes.nodeId, now: clock.now() })
  }

  #handleAppend(entry: Entry): void {
    if (!this.#isOpen(entry)) return
    this.#changedEntries.add(entry)
    entry.oldestUnrecordedAtMs ??= this.#dependencies.clock.now()
    this.#reveal(entry)
    const isBlocked = entry.visibleCount < entry.run.log.length
    this.#schedule(isBlocked ? 0 : entry.isFollowed ? FOLLOWED_BATCH_MS : BATCH_MS)
  }

  /** Publishes recorded events and a limited number of recent text deltas after them. */
  #reveal(entry: Entry): void {
    const { log } = entry.run
    const { clock } = this.#dependencies
    const { recordedCount, oldestUnrecordedAtMs } = entry
    const isLate = oldestUnrecordedAtMs !== null && clock.now() - oldestUnrecordedAtMs > MAX_UNRECORDED_MS
    const newFrames = isLate ? [] : log.getFrames(entry.visibleCount, recordedCount + MAX_UNRECORDED_EVENTS)
    const deltaCount = newFrames.findIndex(({ event }) => event !== 'message.delta')
    entry.visibleCount += deltaCount === -1 ? newFrames.length : deltaCount
    log.show(entry.visibleCount)
  }

  #removeEntry(entry: Entry): void {
    if (this.#isOpen(entry)) this.#entries.delete(entry.run.turnId)
    this.#changedEntries.delete(entry)
    entry.pendingWrite?.resolve()
  }

  #isOpen(entry: Entry): boolean {
    return this.#entries.get(entry.run.turnId) === entry
  }

  #schedule(delayMs: number): void {
    if (this.#isWriting) return
    if (delayMs === 0) {
      this.#cancelTimer?.()
      this.#cancelTimer = null
      this.#write()
    } else {
      this.#cancelTimer ??= this.#dependencies.clock.after(delayMs, () => {
        this.#cancelTimer = null
        this.#write()
      })
    }
  }

  #write(): void {
    if (this.#isWriting || this.#changedEntries.size === 0) return
    this.#isWriting = true
    this.#dependencies.background.run('turn journal', async () => {
      try {
        // Collects events of the same tick into one write.
        await new Promise<void>((resolve) => process.nextTick(resolve))
        await this.#record(this.#collectChunks())
      } finally {
        this.#isWriting = false
        // Events that arrived during the write are recorded without another delay.
        if (this.#changedEntries.size > 0) this.#schedule(0)
      }
    })
  }

  #collectChunks(): Chunk[] {
    this.#collectedAtMs = this.#dependencies.clock.now()
    const chunks: Chunk[] = []
    let characterCount = 0
    for (const entry of this.#changedEntries) {
      if (chunks.length === MAX_CHUNKS || characterCount >= MAX_CHARACTERS) break
      const { log, turnId } = entry.run
      const frames: StreamFrame[] = []
      for (const frame of log.getFrames(entry.recordedCount)) {
        if (characterCount >= MAX_CHARACTERS) break
        frames.push(frame)
        characterCount += frame.data.length
      }
      const end = entry.recordedCount + frames.length
      if (end === log.length) this.#changedEntries.delete(entry)
      if (frames.length === 0) continue
      entry.pendingWrite = Promise.withResolvers()
      chunks.push({ entry, turnId, frames, endIndex: end })
    }
    return chunks
  }

  async #record(chunks: readonly Chunk[]): Promise<void> {
    const { database, clock, nodes } = this.#dependencies
    const deadlineMs = clock.now() + OUTAGE_TIMEOUT_MS
    let pendingChunks = chunks
    while (pendingChunks.length > 0) {
      const now = clock.now()
      try {
        const statements = buildFrameInserts(database, pendingChunks, { nodeId: nodes.nodeId, now })
        await database.batch(statements, { durable: false })
        for (const { entry, endIndex } of pendingChunks) this.#markRecorded(entry, endIndex)
        return
      } catch (error) {
        const rejectedChunk = findRejectedChunk(error, pendingChunks)
        if (rejectedChunk !== null) await this.#rejectEntry(rejectedChunk.entry)
        else if (!isOutage(error)) {
          for (const { entry } of pendingChunks) this.stopRecording(entry.run)
          throw error
        } else {
          if (now >= deadlineMs) for (const { entry } of pendingChunks) this.#interrupt(entry)
          await new Promise<void>((resolve) => clock.after(RETRY_MS, resolve))
        }
      }
      pendingChunks = pendingChunks.filter(({ entry }) => this.#isOpen(entry))
    }
  }

  #markRecorded(entry: Entry, end: number): void {
    entry.pendingWrite?.resolve()
    entry.pendingWrite = null
    if (!this.#isOpen(entry)) return
    const { log, turnId } = entry.run
    entry.recordedCount = end
    entry.visibleCount = Math.max(entry.visibleCount, end)
    // The remaining events arrived during this write.
    entry.oldestUnrecordedAtMs = end === log.length ? null : this.#collectedAtMs
    this.#reveal(entry)
    if (entry.isFollowed) this.#dependencies.signals.emit('turnEvents', turnId)
  }

  /** Handles rejected events. Either another node owns the turn, or the chat was deleted. */
  async #rejectEntry(entry: Entry): Promise<void> {
    const { database, nodes } = this.#dependencies
    const owner = await readOwner(database.read, entry.run.turnId).catch(() => null)
    if (owner === null || owner === nodes.nodeId) return this.stopRecording(entry.run)
    this.#removeEntry(entry)
    entry.run.dispatch({ type: 'moved' })
  }

  /** Interrupts the run because an outage lasted too long. */
  #interrupt({ run }: Entry): void {
    run.interrupt()
    if (run.state.phase !== 'answering') this.stopRecording(run)
  }
}

function findRejectedChunk(error: unknown, chunks: readonly Chunk[]): Chunk | null {
  if (!(error instanceof BatchConflictError || error instanceof ConstraintError)) return null
  return chunks[error.statement ?? 0] ?? null
}
