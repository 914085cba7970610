import type { TurnStreamEvent } from '@parley/contract/events'
import type { StreamFrame, StreamSink } from '../../../kernel/api/implement.ts'

/** What clients follow: the events of a turn, wherever it runs. */
export interface TurnEvents {
  /** Sends every event after `lastEventId`, then the live ones; returns what stops it. */
  read(sink: StreamSink, lastEventId: number): () => void
}

interface Reader {
  /** So many frames of the log are behind it. */
  sent: number
  /** Number of the last event that it had before it came. */
  readonly seen: number
}

const ALL = Number.POSITIVE_INFINITY

/**
 * The events of one turn, numbered from 1. Readers come and go without touching the turn: each gets the events it has not
 * seen, then the live ones. Events that happen in one go are sent together.
 */
export class TurnLog implements TurnEvents {
  readonly #frames: StreamFrame[] = []
  readonly #readers = new Map<StreamSink, Reader>()
  #nextId: number
  #characters = 0
  #scheduled = false
  #closed = false
  /** Readers see so many of the frames. */
  #visible = ALL
  #onAppend: (() => void) | null = null

  /** A log made of a past turn numbers its last event as the turn did, so that whoever resumes misses nothing. */
  constructor(firstId = 1) {
    this.#nextId = Math.max(1, firstId)
  }

  /** The number of the newest event; of the one before the first when there is none. */
  get lastId(): number {
    return this.#nextId - 1
  }

  /** How many events it has, visible or not. */
  get length(): number {
    return this.#frames.length
  }

  get isClosed(): boolean {
    return this.#closed
  }

  /** How much its events hold. */
  get characters(): number {
    return this.#characters
  }

  /** The events from one place to another, counted from 0. */
  frames(from = 0, to = this.#frames.length): readonly StreamFrame[] {
    return this.#frames.slice(from, to)
  }

  append({ event, data }: TurnStreamEvent): void {
    this.#push({ id: this.#nextId, event, data: JSON.stringify(data) })
    this.#changed()
  }

  /** Appends events that were numbered elsewhere, leaving out those it has. */
  feed(frames: readonly StreamFrame[]): void {
    for (const frame of frames) if (frame.id >= this.#nextId) this.#push(frame)
    this.#changed()
  }

  /** Leaves out as many numbers, which another node may have used for events that are not on record. */
  skipIds(count: number): void {
    this.#nextId += count
  }

  /** No event follows; readers get what is left and are closed. */
  close(): void {
    this.#closed = true
    this.#changed()
  }

  read(sink: StreamSink, lastEventId: number): () => void {
    // What the reader has seen may still have to be fed to this log.
    this.#readers.set(sink, { sent: 0, seen: lastEventId })
    this.#flush()
    return () => this.#readers.delete(sink)
  }

  /** Events from here on stay invisible until `showAll`: what they are about is not on record yet. */
  holdEvents(): void {
    this.#visible = this.#frames.length
  }

  /** The events that were held never happened. */
  discardHeld(): void {
    for (const frame of this.#frames.splice(this.#visible)) this.#characters -= frame.data.length
    this.#nextId = this.#frames.length + 1
    this.#visible = ALL
  }

  /** From now on readers see as many events as `show` says; `onAppend` is called when there are more. */
  limit(visible: number, onAppend: () => void): void {
    this.#onAppend = onAppend
    this.show(visible)
  }

  /** Readers see so many of the events. */
  show(visible: number): void {
    this.#visible = visible
    this.#schedule()
  }

  /** Readers see everything, now and from now on. */
  showAll(): void {
    this.#onAppend = null
    this.show(ALL)
  }

  /** Closes all readers without the events that they have not seen: another node sends those. */
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
    // After the promise jobs that are due: deltas that came in one packet leave in one packet, at no delay.
    process.nextTick(() => {
      this.#scheduled = false
      this.#flush()
    })
  }

  #flush(): void {
    const end = Math.min(this.#frames.length, this.#visible)
    const isEnded = this.#closed && end === this.#frames.length
    for (const [sink, reader] of this.#readers) {
      const frames = unseenFrames(this.#frames.slice(reader.sent, end), reader.seen)
      reader.sent = Math.max(reader.sent, end)
      if (isEnded) sink.end(frames)
      else if (frames.length > 0) sink.send(frames)
    }
    if (isEnded) this.#readers.clear()
  }
}

function unseenFrames(frames: readonly StreamFrame[], seen: number): readonly StreamFrame[] {
  const [first] = frames
  return first === undefined || first.id > seen ? frames : frames.filter(({ id }) => id > seen)
}
