import type { Clock } from '../../ports.ts'
import type { CallRecord } from './call-record.ts'
import type { Generation } from './generation.ts'
import type { TurnTimes } from './turn-times.ts'
import type { Utterance } from './utterances.ts'

/** Lines that only pass the time: they are no part of what was said, and no answer. */
export const FILLER_KINDS: ReadonlySet<Utterance['kind']> = new Set(['filler', 'backchannel', 'tool-line'])

/** Notes when what happened on the way from the caller's last word to the agent's first. */
export class LatencyTracker {
  readonly #clock: Clock
  readonly #record: CallRecord
  readonly #timesOf: (generation: number | null) => TurnTimes | null
  #current: TurnTimes | null = null

  constructor(clock: Clock, record: CallRecord, timesOf: (generation: number | null) => TurnTimes | null) {
    this.#clock = clock
    this.#record = record
    this.#timesOf = timesOf
  }

  /** Of the turn that was committed last. */
  get current(): TurnTimes | null {
    return this.#current
  }

  /** A turn was committed; nothing more happens in the one before. */
  startTurn(times: TurnTimes): void {
    this.close()
    this.#current = times
  }

  /** Writes down the turn that was committed last. */
  close(): void {
    if (this.#current !== null) this.#record.turn(this.#current)
  }

  /** The generation answers the turn, perhaps since before it was one. */
  committed(generation: Generation): void {
    if (generation.input.type !== 'user' || this.#current === null) return
    generation.times = this.#current
    this.#current.firstTextAtMs ??= generation.firstTextAtMs
    this.#current.firstClauseAtMs ??= generation.firstClauseAtMs
    this.#current.retrievalMs ??= generation.retrievalMs
    this.#current.decisions.push(generation.decisions)
  }

  /** The model's first word, or the first clause that can be spoken. */
  written(generation: Generation, moment: 'firstTextAtMs' | 'firstClauseAtMs'): void {
    const nowMs = this.#clock.now()
    generation[moment] = nowMs
    if (generation.times === null) return
    generation.times[moment] ??= nowMs
    generation.times.retrievalMs ??= generation.retrievalMs
  }

  noteRequested(utterance: Utterance): void {
    const times = this.#awaited(utterance)
    if (times !== null) times.requestedAtMs ??= this.#clock.now()
  }

  noteFirstAudio(utterance: Utterance): void {
    const times = this.#awaited(utterance)
    if (times !== null) times.firstAudioAtMs ??= this.#clock.now()
  }

  played(utterance: Utterance, atMs: number): void {
    const times = this.#awaited(utterance)
    if (times === null) return
    times.firstPlayedAtMs = atMs
    this.#record.answered(times)
  }

  /** The turn that an utterance answers, while its first sound is waited for. */
  #awaited({ generation, kind }: Utterance): TurnTimes | null {
    if (FILLER_KINDS.has(kind)) return null
    const times = kind === 'fallback' ? this.#current : this.#timesOf(generation)
    return times?.firstPlayedAtMs === null ? times : null
  }
}
