import type { Clock } from '@parley/engine/ports'
import type { StreamFrame } from '../../../http/implement.ts'
import type { Background } from '../../../kernel/background.ts'
import { ConstraintError } from '../../../kernel/constraint-error.ts'
import { BatchConflictError, type Database } from '../../../kernel/database.ts'
import type { TurnSignals } from '../failover/node-signals.ts'
import { isOutage, PATIENCE_MS } from '../failover/patient-writes.ts'
import type { TurnRun } from '../turn/turn-run.ts'
import { type FrameChunk, readOwner, recordFrames } from './journal-store.ts'

/** Turns of one batch, and characters of it: a result of a tool may be megabytes. */
const MOST_CHUNKS = 100
const MOST_CHARACTERS = 1024 * 1024
const RETRY_MS = 250

export interface TurnJournalDependencies {
  readonly database: Database
  readonly clock: Clock
  readonly background: Background
  readonly nodes: { readonly nodeId: string }
  readonly signals: TurnSignals
}

interface Entry {
  readonly run: TurnRun
  /** So many events of its log are on record. */
  recorded: number
  isFollowed: boolean
}

interface Chunk extends FrameChunk {
  readonly entry: Entry
  readonly end: number
}

/**
 * Puts the events of the running turns on record before their readers are told, so that any node can tell and continue them.
 * One write is under way at a time, and takes along what all turns have by then: a turn pays one round trip, and the database
 * sees one write per round trip instead of one per event. While the database is away readers wait, turns go on; after a minute
 * they are interrupted.
 */
export class TurnJournal {
  readonly #dependencies: TurnJournalDependencies
  readonly #entries = new Map<string, Entry>()
  readonly #changed = new Set<Entry>()
  #isWriting = false

  constructor(dependencies: TurnJournalDependencies) {
    this.#dependencies = dependencies
    dependencies.signals.on('turnFollowed', (turnId) => {
      const entry = this.#entries.get(turnId)
      if (entry !== undefined) entry.isFollowed = true
    })
  }

  /** From now on readers of the run are told what is on record, of which it has `recorded` events already. */
  open(run: TurnRun, recorded: number): void {
    const entry: Entry = { run, recorded, isFollowed: false }
    this.#entries.set(run.turnId, entry)
    run.log.gate(recorded, () => this.#mark(entry))
    if (run.log.length > recorded) this.#mark(entry)
  }

  /** The run cannot be recorded any more: its readers are told everything. */
  leave(run: TurnRun): void {
    const entry = this.#entries.get(run.turnId)
    if (entry?.run !== run) return
    this.#forget(entry)
    run.log.release()
  }

  #forget(entry: Entry): void {
    if (this.#isOpen(entry)) this.#entries.delete(entry.run.turnId)
    this.#changed.delete(entry)
  }

  #isOpen(entry: Entry): boolean {
    return this.#entries.get(entry.run.turnId) === entry
  }

  #mark(entry: Entry): void {
    if (!this.#isOpen(entry)) return
    this.#changed.add(entry)
    this.#start()
  }

  #start(): void {
    if (this.#isWriting || this.#changed.size === 0) return
    this.#isWriting = true
    this.#dependencies.background.run('turn journal', async () => {
      try {
        while (this.#changed.size > 0) {
          // Events that come in one go are written in one go.
          await new Promise<void>((resolve) => process.nextTick(resolve))
          await this.#record(this.#take())
        }
      } finally {
        this.#isWriting = false
        this.#start()
      }
    })
  }

  #take(): Chunk[] {
    const chunks: Chunk[] = []
    let characters = 0
    for (const entry of this.#changed) {
      if (chunks.length === MOST_CHUNKS || characters >= MOST_CHARACTERS) break
      const { log, turnId } = entry.run
      const frames: StreamFrame[] = []
      for (const frame of log.frames(entry.recorded)) {
        if (characters >= MOST_CHARACTERS) break
        frames.push(frame)
        characters += frame.data.length
      }
      const end = entry.recorded + frames.length
      if (end === log.length) this.#changed.delete(entry)
      if (frames.length > 0) chunks.push({ entry, turnId, frames, end })
      else this.#settle(entry)
    }
    return chunks
  }

  async #record(chunks: readonly Chunk[]): Promise<void> {
    const { database, clock, nodes } = this.#dependencies
    const deadlineMs = clock.now() + PATIENCE_MS
    let open = chunks
    while (open.length > 0) {
      const now = clock.now()
      try {
        await database.batch(recordFrames(database, open, { nodeId: nodes.nodeId, now }), { durable: false })
        for (const { entry, end } of open) this.#recorded(entry, end)
        return
      } catch (error) {
        const refused = refusedChunk(error, open)
        if (refused !== null) await this.#refuse(refused.entry)
        else if (!isOutage(error)) {
          for (const { entry } of open) this.leave(entry.run)
          throw error
        } else {
          if (now >= deadlineMs) for (const { entry } of open) this.#giveUp(entry)
          await new Promise<void>((resolve) => clock.after(RETRY_MS, resolve))
        }
      }
      open = open.filter(({ entry }) => this.#isOpen(entry))
    }
  }

  #recorded(entry: Entry, end: number): void {
    if (!this.#isOpen(entry)) return
    const { log, turnId } = entry.run
    entry.recorded = end
    log.allow(end)
    if (entry.isFollowed) this.#dependencies.signals.tell('turnEvents', turnId)
    this.#settle(entry)
  }

  /** Nothing follows any more: the log tells the rest by itself. */
  #settle(entry: Entry): void {
    const { log } = entry.run
    if (log.isClosed && entry.recorded === log.length) this.#forget(entry)
  }

  /** The turn is not ours any more, or its chat was deleted, which its run will learn by itself. */
  async #refuse(entry: Entry): Promise<void> {
    const { database, nodes } = this.#dependencies
    const owner = await readOwner(database.read, entry.run.turnId).catch(() => null)
    if (owner === null || owner === nodes.nodeId) return this.leave(entry.run)
    this.#forget(entry)
    entry.run.lose()
  }

  #giveUp(entry: Entry): void {
    if (entry.run.log.isClosed) this.leave(entry.run)
    else entry.run.interrupt()
  }
}

function refusedChunk(error: unknown, chunks: readonly Chunk[]): Chunk | null {
  if (!(error instanceof BatchConflictError || error instanceof ConstraintError)) return null
  return chunks[error.statement ?? 0] ?? null
}
