import type { Clock } from '../../ports.ts'
import type { CallRecord } from './call-record.ts'
import type { Generation, TurnTimes } from './generation.ts'
import type { Utterance } from './utterances.ts'

/** Kinds of utterances that are not part of the conversation. */
export const FILLER_KINDS: ReadonlySet<Utterance['kind']> = new Set(['filler', 'backchannel', 'tool-line'])

/** Records the times between the caller's last word and the agent's first. */
export class LatencyTracker {
  readonly #clock: Clock
  readonly #record: CallRecord
  readonly #getTurnTimes: (generation: number | null) => TurnTimes | null
  #currentTurn: TurnTimes | null = null

  constructor(clock: Clock, record: CallRecord, getTurnTimes: (generation: number | null) => TurnTimes | null) {
    this.#clock = clock
    this.#record = record
    this.#getTurnTimes = getTurnTimes
  }

  /** Times of the last committed turn. */
  get current(): TurnTimes | null {
    return this.#currentTurn
  }

  /** Closes the previous turn and starts the next one. */
  startTurn(times: TurnTimes): void {
    this.close()
    this.#currentTurn = times
  }

  /** Records the last committed turn. */
  close(): void {
    if (this.#currentTurn !== null) this.#record.recordTurn(this.#currentTurn)
  }

  /** Assigns the current turn to the generation, which may have started before the turn. */
  assignTurn(generation: Generation): void {
    if (generation.input.type !== 'user' || this.#currentTurn === null) return
    generation.times = this.#currentTurn
    this.#currentTurn.firstTextAtMs ??= generation.firstTextAtMs
    this.#currentTurn.firstClauseAtMs ??= generation.firstClauseAtMs
    this.#currentTurn.retrievalMs ??= generation.retrievalMs
    this.#currentTurn.decisions.push(generation.decisions)
  }

  /** Records the model's first token or first complete clause. */
  recordModelOutput(generation: Generation, field: 'firstTextAtMs' | 'firstClauseAtMs'): void {
    const nowMs = this.#clock.now()
    generation[field] = nowMs
    if (generation.times === null) return
    generation.times[field] ??= nowMs
    generation.times.retrievalMs ??= generation.retrievalMs
  }

  recordRequest(utterance: Utterance): void {
    const times = this.#findAwaitedTurn(utterance)
    if (times !== null) times.requestedAtMs ??= this.#clock.now()
  }

  recordFirstAudio(utterance: Utterance): void {
    const times = this.#findAwaitedTurn(utterance)
    if (times !== null) times.firstAudioAtMs ??= this.#clock.now()
  }

  recordPlayback(utterance: Utterance, atMs: number): void {
    const times = this.#findAwaitedTurn(utterance)
    if (times === null) return
    times.firstPlayedAtMs = atMs
    this.#record.recordAnswer(times)
  }

  /** Returns the turn that an utterance answers, or `null` once the turn's first audio was played. */
  #findAwaitedTurn({ generation, kind }: Utterance): TurnTimes | null {
    if (FILLER_KINDS.has(kind)) return null
    const times = kind === 'fallback' ? this.#currentTurn : this.#getTurnTimes(generation)
    return times?.firstPlayedAtMs === null ? times : null
  }
}
