import type { Frame } from './frame.ts'
import { releaseAudio, type Utterance } from './utterance.ts'

/** Utterances that are remembered after their end, without their sound. */
const MAX_RETAINED_UTTERANCES = 128

/** Utterances in the order in which they are spoken, and the last ones that were. */
export interface SpeechQueue {
  readonly waiting: readonly Utterance[]
  add(utterance: Utterance): void
  /** Among those that wait and those that are remembered. */
  find(utteranceId: string): Utterance | undefined
  /** All that are known, in their order. */
  all(): readonly Utterance[]
  /** Samples that can leave in the next frame. An utterance whose sound is still coming leaves in whole frames only. */
  countReady(): number
  /** Moves `ready` samples into a frame; answers where each stretch of them stands. */
  fill(frame: Frame, ready: number): readonly Stretch[]
  /** Takes out what was played to its end. */
  takeEnded(): readonly string[]
  clear(): void
  readonly underruns: number
}

/** Samples of one utterance within a frame. */
export interface Stretch {
  readonly of: Utterance
  readonly offset: number
  readonly samples: number
  readonly atSample: number
}

/** An empty queue. */
export function createSpeechQueue(frameSize: number): SpeechQueue {
  return new Queue(frameSize)
}

class Queue implements SpeechQueue {
  readonly waiting: Utterance[] = []
  underruns = 0
  readonly #frameSize: number
  readonly #remembered: Utterance[] = []

  constructor(frameSize: number) {
    this.#frameSize = frameSize
  }

  add(utterance: Utterance): void {
    this.waiting.push(utterance)
  }

  find(utteranceId: string): Utterance | undefined {
    const isMatch = ({ id }: Utterance): boolean => id === utteranceId
    return this.waiting.find(isMatch) ?? this.#remembered.find(isMatch)
  }

  all(): readonly Utterance[] {
    return [...this.#remembered, ...this.waiting]
  }

  countReady(): number {
    let ready = 0
    for (const utterance of this.waiting) {
      const available = ready + utterance.totalSamples - utterance.nextSample
      if (available >= this.#frameSize) return this.#frameSize
      if (!utterance.isComplete) {
        if (ready === 0 && utterance.nextSample > 0) this.#recordUnderrun(utterance)
        return ready
      }
      ready = available
    }
    return ready
  }

  fill(frame: Frame, ready: number): readonly Stretch[] {
    const stretches: Stretch[] = []
    let filled = 0
    for (const utterance of this.waiting) {
      if (filled === ready) break
      const offset = utterance.nextSample
      const samples = Math.min(ready - filled, utterance.totalSamples - offset)
      if (samples === 0) continue
      utterance.audio?.read(offset, samples, frame, filled)
      utterance.isStarved = false
      utterance.nextSample += samples
      stretches.push({ of: utterance, offset, samples, atSample: filled })
      filled += samples
    }
    return stretches
  }

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

  #recordUnderrun(utterance: Utterance): void {
    if (!utterance.isStarved) this.underruns += 1
    utterance.isStarved = true
    utterance.isRepositioned = true
  }
}
