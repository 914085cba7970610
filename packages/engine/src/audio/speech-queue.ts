import type { Frame } from './frame.ts'
import { recordPlayed, releaseAudio, type Utterance } from './utterance.ts'

/** Maximum number of ended utterances that are kept without their audio. */
const MAX_RETAINED_UTTERANCES = 128

/** A range of an utterance's samples within a frame. */
interface SampleRange {
  readonly utterance: Utterance
  readonly offset: number
  readonly samples: number
  readonly frameOffset: number
}

/** Queue of utterances in speaking order. Also keeps the last ended utterances. */
export class SpeechQueue {
  readonly pending: Utterance[] = []
  readonly #frameSamples: number
  readonly #endedUtterances: Utterance[] = []

  constructor(frameSamples: number) {
    this.#frameSamples = frameSamples
  }

  add(utterance: Utterance): void {
    this.pending.push(utterance)
  }

  /** Finds a pending or recently ended utterance. */
  find(utteranceId: string): Utterance | undefined {
    const isMatch = ({ id }: Utterance): boolean => id === utteranceId
    return this.pending.find(isMatch) ?? this.#endedUtterances.find(isMatch)
  }

  /** Counts the samples that are ready for the next frame. Incomplete utterances only fill complete frames. */
  countReadySamples(): number {
    let readySamples = 0
    for (const utterance of this.pending) {
      const availableSamples = readySamples + utterance.totalSamples - utterance.nextSample
      if (availableSamples >= this.#frameSamples) return this.#frameSamples
      if (!utterance.isComplete) {
        // The utterance's audio ran out, so its next audio plays later.
        if (readySamples === 0 && utterance.nextSample > 0) utterance.isRepositioned = true
        return readySamples
      }
      readySamples = availableSamples
    }
    return readySamples
  }

  /** Copies the next samples into a frame and returns their ranges. */
  fillFrame(frame: Frame, readySamples: number): readonly SampleRange[] {
    const ranges: SampleRange[] = []
    let filledSamples = 0
    for (const utterance of this.pending) {
      if (filledSamples === readySamples) break
      const offset = utterance.nextSample
      const samples = Math.min(readySamples - filledSamples, utterance.totalSamples - offset)
      if (samples === 0) continue
      utterance.audio?.read(offset, samples, frame, filledSamples)
      utterance.nextSample += samples
      ranges.push({ utterance, offset, samples, frameOffset: filledSamples })
      filledSamples += samples
    }
    return ranges
  }

  /** Removes and returns the utterances that have been played completely. */
  removeEnded(): readonly string[] {
    const endedIds: string[] = []
    for (let head = this.pending[0]; head !== undefined; head = this.pending[0]) {
      if (!head.isComplete || head.playedSamples < head.totalSamples) break
      this.pending.shift()
      this.#archive(head)
      endedIds.push(head.id)
    }
    return endedIds
  }

  clear(): void {
    for (const utterance of this.pending) this.#archive(utterance)
    this.pending.length = 0
  }

  #archive(utterance: Utterance): void {
    releaseAudio(utterance)
    this.#endedUtterances.push(utterance)
    if (this.#endedUtterances.length > MAX_RETAINED_UTTERANCES) this.#endedUtterances.shift()
  }
}

/** Consecutive sent samples of one utterance. */
interface SentRun {
  readonly utterance: Utterance
  readonly startSample: number
  /** First sample, counted within the utterance. */
  readonly offset: number
  samples: number
  /** Stream position at which the run was withdrawn, or `null` if it has not been. */
  withdrawnAtSample: number | null
  /** Whether the utterance has been resumed or cleared since the withdrawal. */
  isObsolete: boolean
}

/** Maps stream positions to utterances. Keeps recently withdrawn runs, because clients may report their position late. */
export class SentLedger {
  sentSamples = 0
  playedSamples = 0
  #runs: SentRun[] = []

  /** Advances the stream and returns the previous position. */
  advance(sampleCount: number): number {
    const previousPosition = this.sentSamples
    this.sentSamples += sampleCount
    return previousPosition
  }

  recordRun(run: Pick<SentRun, 'startSample' | 'samples' | 'utterance' | 'offset'>): void {
    const { startSample, samples, utterance, offset } = run
    const lastRun = this.#runs.at(-1)
    const isContinuation =
      lastRun !== undefined &&
      lastRun.utterance === utterance &&
      lastRun.withdrawnAtSample === null &&
      lastRun.startSample + lastRun.samples === startSample &&
      lastRun.offset + lastRun.samples === offset
    if (isContinuation) lastRun.samples += samples
    else this.#runs.push({ utterance, startSample, offset, samples, withdrawnAtSample: null, isObsolete: false })
  }

  /** Records the position after the last played sample, clamped to the possible range. */
  recordPlayed(position: number): void {
    this.playedSamples = Math.min(this.sentSamples, Math.max(this.playedSamples, position))
    this.#runs = this.#runs.filter((run) => !this.#reportProgress(run))
  }

  /** Withdraws all unplayed runs. */
  withdraw(): void {
    for (const run of this.#runs) run.withdrawnAtSample ??= this.sentSamples
  }

  /** Marks withdrawn runs as obsolete, so that late reports no longer move their utterances. */
  markWithdrawnRunsObsolete(): void {
    for (const run of this.#runs) if (run.withdrawnAtSample !== null) run.isObsolete = true
  }

  /** Reports a run's progress. Returns whether the run is finished and can be dropped. */
  #reportProgress(run: SentRun): boolean {
    const { utterance, startSample, offset, samples, withdrawnAtSample, isObsolete } = run
    // Later audio is already playing, so this run's final position has been reported.
    if (withdrawnAtSample !== null && this.playedSamples > withdrawnAtSample) return true
    const playedRunSamples = Math.min(samples, this.playedSamples - startSample)
    if (playedRunSamples <= 0) return false
    recordPlayed(utterance, offset + playedRunSamples, !isObsolete)
    return playedRunSamples === samples
  }
}
