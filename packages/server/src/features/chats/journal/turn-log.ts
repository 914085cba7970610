import type { TurnStreamEvent } from '@parley/contract/events'
import type { StreamFrame, StreamSink } from '../../../kernel/api/implement.ts'

/** A turn's events on any node, for clients to follow. */
export interface TurnEvents {
  /** Sends every event after `lastEventId`, then live events. The returned function stops the reader. */
  read(sink: StreamSink, lastEventId: number): () => void
}

interface Reader {
  /** Number of log frames sent to the reader. */
  sent: number
  /** Last event number that the reader had when it connected. */
  readonly seen: number
}

const ALL = Number.POSITIVE_INFINITY

/**
 * The events of one turn, numbered from 1. Each reader gets its unseen events, then live events, without affecting the turn.
 * Events of the same tick are sent together.
 */
export class TurnLog implements TurnEvents {
  readonly #frames: StreamFrame[] = []
  readonly #readers = new Map<StreamSink, Reader>()
  #nextId: number
  #characters = 0
  #scheduled = false
  #closed = false
  /** Number of frames visible to readers. */
  #visible = ALL
  #onAppend: (() => void) | null = null

  /** Creates a log that starts at `firstId`. A past turn keeps its last event number, so that resuming clients miss nothing. */
  constructor(firstId = 1) {
    this.#nextId = Math.max(1, firstId)
  }

  /** Number of the latest event, or one less than the first number if there are no events. */
  get lastId(): number {
    return this.#nextId - 1
  }

  /** Number of events, visible or not. */
  get length(): number {
    return this.#frames.length
  }

  get isClosed(): boolean {
    return this.#closed
  }

  /** Total size of the events. */
  get characters(): number {
    return this.#characters
  }

  /** Returns the events in a range of positions, counted from 0. */
  frames(from = 0, to = this.#frames.length): readonly StreamFrame[] {
    return this.#frames.slice(from, to)
  }

  append({ event, data }: TurnStreamEvent): void {
    this.#push({ id: this.#nextId, event, data: JSON.stringify(data) })
    this.#changed()
  }

  /** Appends events numbered elsewhere. Skips events that the log already has. */
  feed(frames: readonly StreamFrame[]): void {
    for (const frame of frames) if (frame.id >= this.#nextId) this.#push(frame)
    this.#changed()
  }

  /** Skips numbers that another node may have used for unrecorded events. */
  skipIds(count: number): void {
    this.#nextId += count
  }

  /** Ends the log. Readers get the remaining events and are closed. */
  close(): void {
    this.#closed = true
    this.#changed()
  }

  read(sink: StreamSink, lastEventId: number): () => void {
    // Events that the reader has already received may still be fed to this log.
    this.#readers.set(sink, { sent: 0, seen: lastEventId })
    this.#flush()
    return () => this.#readers.delete(sink)
  }

  /** Hides events from now on until `showAll`, because they describe data that is not stored yet. */
  holdEvents(): void {
    this.#visible = this.#frames.length
  }

  /** Drops the held events. */
  discardHeld(): void {
    for (const frame of this.#frames.splice(this.#visible)) this.#characters -= frame.data.length
    this.#nextId = this.#frames.length + 1
    this.#visible = ALL
  }

  /** Limits readers to the events allowed by `show`. Calls `onAppend` when there are more events. */
  limit(visible: number, onAppend: () => void): void {
    this.#onAppend = onAppend
    this.show(visible)
  }

  /** Makes the given number of events visible. */
  show(visible: number): void {
    this.#visible = visible
    this.#schedule()
  }

  /** Makes all current and later events visible. */
  showAll(): void {
    this.#onAppend = null
    this.show(ALL)
  }

  /** Closes all readers without the remaining events, which another node sends. */
  abandon(): void {
    this.#closed = true
    this.#frames.length = Math.min(this.#frames.length, this.#visible)
    this.showAll()
  }

  #push(frame: StreamFrame): void {
    this.#frames.push(frame)
    this.#nextId = frame.id + 1
    this.#characters += frame.data.length
  }

  #changed(): void {
    this.#onAppend?.()
    this.#schedule()
  }

  #schedule(): void {
    if (this.#scheduled || (this.#readers.size === 0 && !this.#closed)) return
    this.#scheduled = true
    // The flush runs after pending promise jobs, so that deltas of one packet are sent together without delay.
    process.nextTick(() => {
      this.#scheduled = false
      this.#flush()
    })
  }

  #flush(): void {
    const end = Math.min(this.#frames.length, this.#visible)
    const isEnded = this.#closed && end === this.#frames.length
    for (const [sink, reader] of this.#readers) {
      const frames = filterUnseenFrames(this.#frames.slice(reader.sent, end), reader.seen)
      reader.sent = Math.max(reader.sent, end)
      if (isEnded) sink.end(frames)
      else if (frames.length > 0) sink.send(frames)
    }
    if (isEnded) this.#readers.clear()
  }
}

function filterUnseenFrames(frames: readonly StreamFrame[], seen: number): readonly StreamFrame[] {
  const [first] = frames
  return first === undefined || first.id > seen ? frames : frames.filter(({ id }) => id > seen)
}
