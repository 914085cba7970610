import type { LegRateHz } from '@parley/engine/audio/frame'
import type { Clock } from '@parley/engine/ports'
import { createTokenBucket } from '../token-bucket.ts'

/** Audio, and gaps in it, may come in so much at once as a call waits at most, and then as fast as time goes. */
const AUDIO_BURST_SECONDS = 20
const AUDIO_PER_SECOND = 1.1
/**
 * Characters that a caller may write, and its own end may understand: several times what anybody says or types. All of it is
 * remembered for the rest of the call, and each message besides, which counts as so many characters.
 */
const WORDS = { perSecond: 200, burst: 20_000 }
const CHARACTERS_PER_MESSAGE = 100
/** Warnings about messages come now and then: they must not drive out what a caller who comes back has missed. */
const WARNINGS = { perSecond: 0.1, burst: 5 }

/** What one caller may send over a call, whatever connections it comes by. Each takes from what is left; `false`: too much. */
export interface CallerLimits {
  /** Samples, and those that are missing before them. */
  takeAudio(samples: number): boolean
  /** Something that was typed, or a key. */
  takeText(text: string): boolean
  /** What the caller's own end recognised. A text that is sent again while it grows counts once. */
  takeUtterance(id: string, text: string): boolean
  takeWarning(): boolean
}

export function createCallerLimits(clock: Omit<Clock, 'after'>, rateHz: LegRateHz): CallerLimits {
  const audio = createTokenBucket(clock, { perSecond: rateHz * AUDIO_PER_SECOND, burst: rateHz * AUDIO_BURST_SECONDS })
  const words = createTokenBucket(clock, WORDS)
  const warnings = createTokenBucket(clock, WARNINGS)
  /** The last one, and how much of it is counted. */
  let utterance = { id: '', counted: 0 }

  return {
    takeAudio: (samples) => audio.take(samples),
    takeText: ({ length }) => words.take(CHARACTERS_PER_MESSAGE + length),
    takeUtterance(id, { length }) {
      const counted = utterance.id === id ? utterance.counted : -CHARACTERS_PER_MESSAGE
      if (length > counted && !words.take(length - counted)) return false
      utterance = { id, counted: Math.max(counted, length) }
      return true
    },
    takeWarning: () => warnings.take(1),
  }
}
