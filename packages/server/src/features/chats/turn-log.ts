import type { TurnStreamEvent } from '@parley/contract/events'
import type { StreamFrame, StreamSink } from '../../http/implement.ts'

/**
 * The events of one turn, numbered from 1. Readers come and go without touching the turn: each gets the events it has not
 * seen, then the live ones. Events that happen in one go are sent together.
 */
export class TurnLog {
  readonly #frames: StreamFrame[] = []
  readonly #readers = new Map<StreamSink, number>()
  readonly #firstId: number
  #characters = 0
  #scheduled = false
  #closed = false
  #held = false

  /** A log that retells a past turn numbers its last event as the turn did, so that whoever resumes misses nothing. */
  constructor(firstId = 1) {
    this.#firstId = Math.max(1, firstId)
  }

  get count(): number {
    return this.#frames.length
  }

  /** How much its events hold. */
  get characters(): number {
    return this.#characters
  }

  /** Appends an event and returns its number. */
  append({ event, data }: TurnStreamEvent): number {
    const id = this.#firstId + this.#frames.length
    const text = JSON.stringify(data)
    this.#frames.push({ id, event, data: text })
    this.#characters += text.length
    this.#schedule()
    return id
  }

  /** No event follows; readers get what is left and are closed. */
  close(): void {
    this.#closed = true
    this.#schedule()
  }

  /** Sends every event after `lastEventId`, then the live ones; returns what stops it. */
  read(sink: StreamSink, lastEventId: number): () => void {
    this.#readers.set(sink, Math.min(Math.max(0, lastEventId - this.#firstId + 1), this.#frames.length))
    this.#flush()
    return () => this.#readers.delete(sink)
  }

  /** Keeps events from readers until `release`: what they tell is not on record yet. */
  hold(): void {
    this.#held = true
  }

  release(): void {
    this.#held = false
    this.#schedule()
  }

  /** What is held never came about. */
  discardHeld(): void {
    if (!this.#held) return
    this.#frames.length = 0
    this.#held = false
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
    for (const [sink, sent] of this.#readers) {
      const frames = this.#frames.slice(sent)
      this.#readers.set(sink, this.#frames.length)
      if (this.#closed) sink.end(frames)
      else if (frames.length > 0) sink.send(frames)
    }
    if (this.#closed) this.#readers.clear()
  }
}
