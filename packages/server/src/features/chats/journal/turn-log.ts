import type { TurnStreamEvent } from '@parley/contract/events'
import type { StreamFrame, StreamSink } from '../../../kernel/api/implement.ts'

/** The event stream of a turn on any node. */
export interface TurnEvents {
  /** Sends every event after `lastEventId`, then live events. The returned function stops reading. */
  read(sink: StreamSink, lastEventId: number): () => void
}

interface Reader {
  /** Number of log frames sent to the reader. */
  sentCount: number
  /** Id of the last event that the reader had received when it connected. */
  readonly lastSeenId: number
}

const ALL_FRAMES = Number.POSITIVE_INFINITY

/**
 * The events of one turn, numbered from 1. Each reader receives the events it has not seen, then live events. Events of
 * the same tick are sent together.
 */
export class TurnLog implements TurnEvents {
  readonly #frames: StreamFrame[] = []
  readonly #readers = new Map<StreamSink, Reader>()
  #nextId: number
  #characters = 0
  #isScheduled = false
  #isClosed = false
  /** Number of frames visible to readers. */
  #visibleCount = ALL_FRAMES
  #onAppend: (() => void) | null = null

  /** Creates a log that starts at `firstId`. An ended turn keeps its last event id so that clients can resume. */
  constructor(firstId = 1) {
    this.#nextId = Math.max(1, firstId)
  }

  /** Id of the latest event, or one less than the first id if there are no events. */
  get lastId(): number {
    return this.#nextId - 1
  }

  /** Number of events, visible or not. */
  get length(): number {
    return this.#frames.length
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Total size of the events in characters. */
  get characterCount(): number {
    return this.#characters
  }

  /** Returns the events in a range of zero-based positions. */
  getFrames(from = 0, to = this.#frames.length): readonly StreamFrame[] {
    return this.#frames.slice(from, to)
  }

  append({ event, data }: TurnStreamEvent): void {
    this.#push({ id: this.#nextId, event, data: JSON.stringify(data) })
    this.#handleChange()
  }

  /** Appends events that already have ids. Skips events that the log already has. */
  appendFrames(frames: readonly StreamFrame[]): void {
    for (const frame of frames) if (frame.id >= this.#nextId) this.#push(frame)
    this.#handleChange()
  }

  /** Skips ids that another node may have used for unrecorded events. */
  skipIds(count: number): void {
    this.#nextId += count
  }

  /** Ends the log. Readers get the remaining events and are closed. */
  close(): void {
    this.#isClosed = true
    this.#handleChange()
  }

  read(sink: StreamSink, lastEventId: number): () => void {
    // Events that the reader has already received may still be appended.
    this.#readers.set(sink, { sentCount: 0, lastSeenId: lastEventId })
    this.#flush()
    return () => this.#readers.delete(sink)
  }

  /** Hides new events until `showAll` is called. They describe data that is not stored yet. */
  hideEvents(): void {
    this.#visibleCount = this.#frames.length
  }

  /** Drops the hidden events. */
  discardHiddenEvents(): void {
    for (const frame of this.#frames.splice(this.#visibleCount)) this.#characters -= frame.data.length
    this.#nextId = this.#frames.length + 1
    this.#visibleCount = ALL_FRAMES
  }

  /** Limits readers to the first `visibleCount` events until `show` is called. Calls `onAppend` on new events. */
  limitVisibility(visibleCount: number, onAppend: () => void): void {
    this.#onAppend = onAppend
    this.show(visibleCount)
  }

  /** Makes the given number of events visible. */
  show(visibleCount: number): void {
    this.#visibleCount = visibleCount
    this.#schedule()
  }

  /** Makes all current and later events visible. */
  showAll(): void {
    this.#onAppend = null
    this.show(ALL_FRAMES)
  }

  /** Closes all readers without sending the remaining events, which another node sends. */
  abandon(): void {
    this.#isClosed = true
    this.#frames.length = Math.min(this.#frames.length, this.#visibleCount)
    this.showAll()
  }

  #push(frame: StreamFrame): void {
    this.#frames.push(frame)
    this.#nextId = frame.id + 1
    this.#characters += frame.data.length
  }

  #handleChange(): void {
    this.#onAppend?.()
    this.#schedule()
  }

  #schedule(): void {
    if (this.#isScheduled || (this.#readers.size === 0 && !this.#isClosed)) return
    this.#isScheduled = true
    // Runs after pending promise jobs so that deltas from one packet are sent together.
    process.nextTick(() => {
      this.#isScheduled = false
      this.#flush()
    })
  }

  #flush(): void {
    const end = Math.min(this.#frames.length, this.#visibleCount)
    const isEnded = this.#isClosed && end === this.#frames.length
    for (const [sink, reader] of this.#readers) {
      const frames = filterUnseenFrames(this.#frames.slice(reader.sentCount, end), reader.lastSeenId)
      reader.sentCount = Math.max(reader.sentCount, end)
      if (isEnded) sink.end(frames)
      else if (frames.length > 0) sink.send(frames)
    }
    if (isEnded) this.#readers.clear()
  }
}

function filterUnseenFrames(frames: readonly StreamFrame[], lastSeenId: number): readonly StreamFrame[] {
  const [firstFrame] = frames
  return firstFrame === undefined || firstFrame.id > lastSeenId ? frames : frames.filter(({ id }) => id > lastSeenId)
}
