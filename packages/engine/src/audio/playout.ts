import type { TimedWord } from '../voice/ports.ts'
import { countFrameSamples, createFrameFactory, type Frame } from './frame.ts'
import { SentLedger, SpeechQueue } from './speech-queue.ts'
import {
  appendAudio,
  createUtterance,
  findQuietMs,
  getHeardSpeech,
  getWords,
  type HeardSpeech,
  measureCharacterMs,
  NOTHING_HEARD,
  rewindToWord,
  truncateAudio,
  type Utterance,
} from './utterance.ts'

/** Assumed duration of a character until a complete utterance has been measured. */
const DEFAULT_CHARACTER_MS = 50
const DEFAULT_PACE_CHARACTERS = 10
const MAX_PACE_CHARACTERS = 200

export interface SpeechFrame {
  /** The audio frame. The receiver owns it and may modify it. */
  readonly frame: Frame
  /** Position in the stream of all sent samples. */
  readonly startSample: number
  /** Utterances that start in this frame. */
  readonly started: readonly string[]
  /** Utterances that continue with this frame after a gap, with their offsets. */
  readonly repositioned: readonly { readonly utteranceId: string; readonly offsetMs: number }[]
}

const NO_STARTED_UTTERANCES: SpeechFrame['started'] = []
const NO_REPOSITIONED_UTTERANCES: SpeechFrame['repositioned'] = []

/**
 * A call's queue of agent speech, from synthesis until the caller has heard it. Stream positions include silence and
 * background audio (`recordSent`). Clients report the position after their last played sample, skipping dropped samples.
 */
export class Playout {
  readonly #rateHz: number
  readonly #frameSamples: number
  readonly #createFrame = createFrameFactory()
  readonly #ledger = new SentLedger()
  readonly #queue: SpeechQueue
  /** Whether the next frame fades in from silence. */
  #fadesIn = false
  #isPaused = false
  #characterMs = DEFAULT_CHARACTER_MS
  /** Weight of the measured pace, in characters. */
  #paceCharacters = DEFAULT_PACE_CHARACTERS

  constructor({ rateHz }: { rateHz: number }) {
    this.#rateHz = rateHz
    this.#frameSamples = countFrameSamples(rateHz)
    this.#queue = new SpeechQueue(this.#frameSamples)
  }

  /** Queues an utterance unless its ID is already queued. `text` is used to report the heard words. */
  startUtterance(utteranceId: string, text: string): void {
    if (this.#queue.find(utteranceId) !== undefined) return
    this.#queue.add(createUtterance({ id: utteranceId, text, rateHz: this.#rateHz }))
  }

  /** Appends audio and takes ownership of `samples`. Ignored for cleared or completed utterances. */
  append(utteranceId: string, samples: Int16Array): void {
    const utterance = this.#queue.find(utteranceId)
    if (utterance !== undefined) appendAudio(utterance, samples)
  }

  /** Adds words in order, timed from the utterance's first sample, before or after their audio. */
  addWords(utteranceId: string, words: readonly TimedWord[]): void {
    this.#queue.find(utteranceId)?.words.push(...words)
  }

  /** Drops unsent audio after a position, and replaces all words. Returns the number of samples that are left. */
  truncate(utteranceId: string, samples: number, words: readonly TimedWord[]): number {
    const utterance = this.#queue.find(utteranceId)
    if (utterance === undefined) return 0
    truncateAudio(utterance, Math.max(samples, utterance.nextSample), words)
    return utterance.totalSamples
  }

  /** Returns the times of an utterance's words, estimated if the voice has reported none. */
  getWordTimes(utteranceId: string): readonly TimedWord[] {
    const utterance = this.#queue.find(utteranceId)
    return utterance === undefined ? [] : getWords(utterance, this.#characterMs)
  }

  /** Returns the quietest position of an utterance near an estimated word boundary. */
  findQuietMs(utteranceId: string, nearMs: number): number {
    const utterance = this.#queue.find(utteranceId)
    return utterance === undefined ? nearMs : findQuietMs(utterance, nearMs)
  }

  /** Returns the number of an utterance's samples that were sent. */
  getSentSamples(utteranceId: string): number {
    return this.#queue.find(utteranceId)?.nextSample ?? 0
  }

  /** Marks the end of an utterance's audio. Returns the utterances that have already been played completely. */
  complete(utteranceId: string): { ended: readonly string[] } {
    const utterance = this.#queue.find(utteranceId)
    if (utterance === undefined || utterance.isComplete || utterance.audio === null) return { ended: [] }
    utterance.isComplete = true
    this.#measurePace(utterance)
    return { ended: this.#queue.removeEnded() }
  }

  /** Updates the pace, weighting utterances by length and recency. */
  #measurePace(utterance: Utterance): void {
    const measuredMs = measureCharacterMs(utterance)
    if (measuredMs === null) return
    const { length } = utterance.text
    this.#characterMs += ((measuredMs - this.#characterMs) * length) / (this.#paceCharacters + length)
    this.#paceCharacters = Math.min(MAX_PACE_CHARACTERS, this.#paceCharacters + length)
  }

  /** Returns the next frame, or `null` if paused or not ready. Report background audio sent instead with `recordSent`. */
  takeNextFrame(): SpeechFrame | null {
    const readySamples = this.#countReadySamples()
    if (readySamples === 0) return null
    const frame = this.#createFrame(this.#frameSamples)
    const startSample = this.#ledger.advance(frame.length)
    let started = NO_STARTED_UTTERANCES
    let repositioned = NO_REPOSITIONED_UTTERANCES
    for (const { utterance, offset, samples, frameOffset } of this.#queue.fillFrame(frame, readySamples)) {
      this.#ledger.recordRun({ startSample: startSample + frameOffset, samples, utterance, offset })
      if (utterance.startSample === null) started = [...started, utterance.id]
      else if (utterance.isRepositioned)
        repositioned = [...repositioned, { utteranceId: utterance.id, offsetMs: (offset * 1000) / this.#rateHz }]
      utterance.startSample ??= startSample + frameOffset
      utterance.isRepositioned = false
    }
    if (this.#fadesIn) fadeIn(frame)
    this.#fadesIn = false
    return { frame, startSample, started, repositioned }
  }

  #countReadySamples(): number {
    return this.#isPaused ? 0 : this.#queue.countReadySamples()
  }

  /** Counts samples sent without speech and returns their position. */
  recordSent(samples: number): number {
    return this.#ledger.advance(samples)
  }

  /** Records the playback position. Returns the utterances that ended, except cleared ones. */
  recordPlayed(totalPlayedSamples: number): { ended: readonly string[] } {
    this.#ledger.recordPlayed(totalPlayedSamples)
    return { ended: this.#queue.removeEnded() }
  }

  /** Stops sending and withdraws unplayed audio. The client's buffer must be cleared as well. */
  pause(): void {
    this.#isPaused = true
    this.#ledger.withdraw()
    for (const utterance of this.#queue.pending) {
      utterance.nextSample = utterance.playedSamples
      utterance.isRepositioned = true
    }
  }

  /** Resumes at the start of the interrupted word, at most 600 ms back, with a 20 ms fade-in. */
  resume(): void {
    if (!this.#isPaused) return
    this.#isPaused = false
    this.#ledger.markWithdrawnRunsObsolete()
    const { pending } = this.#queue
    const interrupted = pending.find(
      ({ playedSamples, totalSamples, isComplete }) => playedSamples < totalSamples || !isComplete,
    )
    if (interrupted === undefined || interrupted.playedSamples === 0) return
    rewindToWord(interrupted, this.#characterMs)
    this.#fadesIn = true
  }

  /** Drops all unplayed audio and ends a pause. */
  clear(): void {
    this.#isPaused = false
    this.#ledger.withdraw()
    this.#ledger.markWithdrawnRunsObsolete()
    this.#queue.clear()
  }

  /** Returns the heard part of an utterance. Only the last 128 ended utterances are available. */
  getHeard(utteranceId: string): HeardSpeech {
    const utterance = this.#queue.find(utteranceId)
    return utterance === undefined ? NOTHING_HEARD : getHeardSpeech(utterance, this.#characterMs)
  }

  /** Whether `takeNextFrame` would return speech now. */
  get isReady(): boolean {
    return this.#countReadySamples() > 0
  }

  /** Whether every utterance has been played completely or cleared. */
  get isEmpty(): boolean {
    return this.#queue.pending.length === 0
  }

  get isPaused(): boolean {
    return this.#isPaused
  }

  /** Number of samples sent so far. */
  get sentSamples(): number {
    return this.#ledger.sentSamples
  }

  get playedSamples(): number {
    return this.#ledger.playedSamples
  }

  /** Number of unsent speech samples. */
  get queuedSamples(): number {
    return this.#queue.pending.reduce((sum, { totalSamples, nextSample }) => sum + totalSamples - nextSample, 0)
  }
}

/** Ramps the gain within a frame to prevent a click. */
function fadeIn(frame: Frame): void {
  for (let index = 0; index < frame.length; index += 1) {
    frame[index] = Math.round(((frame[index] as number) * index) / frame.length)
  }
}
