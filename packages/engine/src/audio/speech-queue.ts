import type { Frame } from './frame.ts'
import { letGo, type Utterance } from './utterance.ts'

/** Utterances that are remembered after their end, without their sound. */
const REMEMBERED_UTTERANCES = 128

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
  const waiting: Utterance[] = []
  const remembered: Utterance[] = []
  let underruns = 0

  function remember(utterance: Utterance): void {
    letGo(utterance)
    remembered.push(utterance)
    if (remembered.length > REMEMBERED_UTTERANCES) remembered.shift()
  }

  function noteStarving(utterance: Utterance): void {
    if (!utterance.isStarving) underruns += 1
    utterance.isStarving = true
    utterance.isMoved = true
  }

  return {
    waiting,
    add: (utterance) => waiting.push(utterance),
    find: (utteranceId) =>
      waiting.find(({ id }) => id === utteranceId) ?? remembered.find(({ id }) => id === utteranceId),
    all: () => [...remembered, ...waiting],
    countReady() {
      let ready = 0
      for (const utterance of waiting) {
        const there = ready + utterance.totalSamples - utterance.nextSample
        if (there >= frameSize) return frameSize
        if (!utterance.isComplete) {
          if (ready === 0 && utterance.nextSample > 0) noteStarving(utterance)
          return ready
        }
        ready = there
      }
      return ready
    },
    fill(frame, ready) {
      const stretches: Stretch[] = []
      let filled = 0
      for (const utterance of waiting) {
        if (filled === ready) break
        const offset = utterance.nextSample
        const samples = Math.min(ready - filled, utterance.totalSamples - offset)
        if (samples === 0) continue
        utterance.sound?.read(offset, samples, frame, filled)
        utterance.isStarving = false
        utterance.nextSample += samples
        stretches.push({ of: utterance, offset, samples, atSample: filled })
        filled += samples
      }
      return stretches
    },
    takeEnded() {
      const ended: string[] = []
      for (let head = waiting[0]; head !== undefined; head = waiting[0]) {
        if (!head.isComplete || head.playedTo < head.totalSamples) break
        waiting.shift()
        remember(head)
        ended.push(head.id)
      }
      return ended
    },
    clear() {
      for (const utterance of waiting) remember(utterance)
      waiting.length = 0
    },
    get underruns() {
      return underruns
    },
  }
}
