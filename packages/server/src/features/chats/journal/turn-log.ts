import type { TurnStreamEvent } from '@parley/contract/events'
import type { StreamFrame, StreamSink } from '../../../http/implement.ts'

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

/**
 * The events of one turn, numbered from 1. Readers come and go without touching the turn: each gets the events it has not
 * seen, then the live ones. Events that happen in one go are sent together. What is not on record yet can be kept back.
 */
export class TurnLog implements TurnEvents {
  readonly #frames: StreamFrame[] = []
  readonly #readers = new Map<StreamSink, Reader>()
  #nextId: number
  #characters = 0
  #scheduled = false
  #closed = false
  #held = false
  /** So many frames may be told. */
  #tellable = Number.POSITIVE_INFINITY
  #onChange: (() => void) | null = null

  /** A log that retells a past turn numbers its last event as the turn did, so that whoever resumes misses nothing. */
  constructor(firstId = 1) {
    this.#nextId = Math.max(1, firstId)
  }

  /** The number of the newest event; of the one before the first when there is none. */
  get lastId(): number {
    return this.#nextId - 1
  }

  /** How many events it has, told or not. */
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

  /** Appends an event and returns its number. */
  append({ event, data }: TurnStreamEvent): number {
    const id = this.#nextId
    this.#push({ id, event, data: JSON.stringify(data) })
    this.#changed()
    return id
  }

  /** Appends events that were numbered elsewhere; what it has already is left out. */
  feed(frames: readonly StreamFrame[]): void {
    for (const frame of frames) if (frame.id >= this.#nextId) this.#push(frame)
    this.#changed()
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

  /** Keeps events from readers until `release`: what they tell is not on record yet. */
  hold(): void {
    this.#held = true
    this.#tellable = this.#frames.length
  }

  /** Everything may be told, now and from now on. */
  release(): void {
    this.#held = false
    this.#onChange = null
    this.#tellable = Number.POSITIVE_INFINITY
    this.#schedule()
  }

  /** What is held never came about. */
  discardHeld(): void {
    if (!this.#held) return
    for (const frame of this.#frames.splice(this.#tellable)) this.#characters -= frame.data.length
    this.#nextId = this.#frames.length + 1
    this.#held = false
    this.#tellable = Number.POSITIVE_INFINITY
  }

  /** From now on no more is told than `allow` says; `onChange` is called when there is more to tell. */
  gate(tellable: number, onChange: () => void): void {
    this.#held = false
    this.#onChange = onChange
    this.allow(tellable)
  }

  /** So many of the events may be told. */
  allow(tellable: number): void {
    this.#tellable = tellable
    this.#schedule()
  }

  /** Closes all readers without the events that were not told: they are told elsewhere. */
  abandon(): void {
    this.#closed = true
    this.#frames.length = Math.min(this.#frames.length, this.#tellable)
    this.release()
  }

  #push(frame: StreamFrame): void {
    this.#frames.push(frame)
    this.#nextId = frame.id + 1
    this.#characters += frame.data.length
  }

  #changed(): void {
    this.#onChange?.()
    this.#schedule()
  }

  #schedule(): void {
    if (this.#scheduled || this.#held || (this.#readers.size === 0 && !this.#closed)) return
    this.#scheduled = true
    // After the promise jobs that are due: deltas that came in one packet leave in one packet, at no delay.
    process.nextTick(() => {
      this.#scheduled = false
      this.#flush()
    })
  }

  #flush(): void {
    if (this.#held) return
    const end = Math.min(this.#frames.length, this.#tellable)
    const isOver = this.#closed && end === this.#frames.length
    for (const [sink, reader] of this.#readers) {
      const frames = unseenFrames(this.#frames.slice(reader.sent, end), reader.seen)
      reader.sent = Math.max(reader.sent, end)
      if (isOver) sink.end(frames)
      else if (frames.length > 0) sink.send(frames)
    }
    if (isOver) this.#readers.clear()
  }
}

function unseenFrames(frames: readonly StreamFrame[], seen: number): readonly StreamFrame[] {
  const [first] = frames
  return first === undefined || first.id > seen ? frames : frames.filter(({ id }) => id > seen)
}
