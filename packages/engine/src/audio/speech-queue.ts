import type { Frame } from './frame.ts'
import { recordPlayed, releaseAudio, type Utterance } from './utterance.ts'

/** Maximum number of ended utterances to remember without their audio. */
const MAX_RETAINED_UTTERANCES = 128

/** An utterance's samples within a frame. */
interface Stretch {
  readonly of: Utterance
  readonly offset: number
  readonly samples: number
  readonly atSample: number
}

/** Utterances in speaking order, and the last ones that ended. */
export class SpeechQueue {
  readonly waiting: Utterance[] = []
  readonly #frameSize: number
  readonly #remembered: Utterance[] = []

  constructor(frameSize: number) {
    this.#frameSize = frameSize
  }

  add(utterance: Utterance): void {
    this.waiting.push(utterance)
  }

  /** Finds a queued or remembered utterance. */
  find(utteranceId: string): Utterance | undefined {
    const isMatch = ({ id }: Utterance): boolean => id === utteranceId
    return this.waiting.find(isMatch) ?? this.#remembered.find(isMatch)
  }

  /** Counts the samples that are ready for the next frame. Incomplete utterances are sent in complete frames only. */
  countReady(): number {
    let ready = 0
    for (const utterance of this.waiting) {
      const available = ready + utterance.totalSamples - utterance.nextSample
      if (available >= this.#frameSize) return this.#frameSize
      if (!utterance.isComplete) {
        // The utterance's audio ran out, so the rest plays later.
        if (ready === 0 && utterance.nextSample > 0) utterance.isRepositioned = true
        return ready
      }
      ready = available
    }
    return ready
  }

  /** Moves `ready` samples into a frame and returns their stretches. */
  fill(frame: Frame, ready: number): readonly Stretch[] {
    const stretches: Stretch[] = []
    let filled = 0
    for (const utterance of this.waiting) {
      if (filled === ready) break
      const offset = utterance.nextSample
      const samples = Math.min(ready - filled, utterance.totalSamples - offset)
      if (samples === 0) continue
      utterance.audio?.read(offset, samples, frame, filled)
      utterance.nextSample += samples
      stretches.push({ of: utterance, offset, samples, atSample: filled })
      filled += samples
    }
    return stretches
  }

  /** Removes and returns the utterances that have been played completely. */
  takeEnded(): readonly string[] {
    const ended: string[] = []
    for (let head = this.waiting[0]; head !== undefined; head = this.waiting[0]) {
      if (!head.isComplete || head.playedTo < head.totalSamples) break
      this.waiting.shift()
      this.#remember(head)
      ended.push(head.id)
    }
    return ended
  }

  clear(): void {
    for (const utterance of this.waiting) this.#remember(utterance)
    this.waiting.length = 0
  }

  #remember(utterance: Utterance): void {
    releaseAudio(utterance)
    this.#remembered.push(utterance)
    if (this.#remembered.length > MAX_RETAINED_UTTERANCES) this.#remembered.shift()
  }
}

/** Consecutive samples of one utterance in the stream. */
interface Run {
  readonly of: Utterance
  readonly startSample: number
  /** First sample, counted within the utterance. */
  readonly offset: number
  samples: number
  /** Stream position at the withdrawal, or `null` while the run is in flight. */
  withdrawnAt: number | null
  /** Whether the utterance continued without the run. */
  isSettled: boolean
}

/**
 * Maps positions in the sent stream to utterances. Keeps runs in flight and recently withdrawn runs, because a client may
 * report its position late.
 */
export class SentLedger {
  sentSamples = 0
  playedSamples = 0
  #runs: Run[] = []

  /** Advances the stream and returns the previous position. */
  send(samples: number): number {
    const startSample = this.sentSamples
    this.sentSamples += samples
    return startSample
  }

  recordRun({ startSample, samples, of, offset }: Pick<Run, 'startSample' | 'samples' | 'of' | 'offset'>): void {
    const last = this.#runs.at(-1)
    const continues =
      last !== undefined &&
      last.of === of &&
      last.withdrawnAt === null &&
      last.startSample + last.samples === startSample &&
      last.offset + last.samples === offset
    if (continues) last.samples += samples
    else this.#runs.push({ of, startSample, offset, samples, withdrawnAt: null, isSettled: false })
  }

  /** Records the position after the last played sample, clamped to the possible range. */
  recordPlayed(position: number): void {
    this.playedSamples = Math.min(this.sentSamples, Math.max(this.playedSamples, position))
    this.#runs = this.#runs.filter((run) => !this.#report(run))
  }

  /** Withdraws all unplayed runs. */
  withdraw(): void {
    for (const run of this.#runs) run.withdrawnAt ??= this.sentSamples
  }

  /** Marks withdrawn runs as settled, so that late reports no longer move their utterances. */
  settle(): void {
    for (const run of this.#runs) if (run.withdrawnAt !== null) run.isSettled = true
  }

  /** Reports a run's progress and returns whether the run can be dropped. */
  #report({ of, startSample, offset, samples, withdrawnAt, isSettled }: Run): boolean {
    // Later audio is playing, so this run's final position was already reported.
    if (withdrawnAt !== null && this.playedSamples > withdrawnAt) return true
    const reached = Math.min(samples, this.playedSamples - startSample)
    if (reached <= 0) return false
    recordPlayed(of, offset + reached, !isSettled)
    return reached === samples
  }
}
