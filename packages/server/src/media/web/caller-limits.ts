import type { LegRateHz } from '@parley/engine/audio/frame'
import type { Clock } from '@parley/engine/ports'
import { createTokenBucket } from '../token-bucket.ts'

/** Audio limits: a burst as long as a call waits for its caller, then slightly above real time. */
const AUDIO_BURST_SECONDS = 20
const AUDIO_PER_SECOND = 1.1
/**
 * Characters that a caller may type or recognize: several times what people say. Messages count as extra characters,
 * since all of them are kept for the call.
 */
const WORDS = { perSecond: 200, burst: 20_000 }
const CHARACTERS_PER_MESSAGE = 100
/** Warnings are limited so that they do not displace missed messages. */
const WARNINGS = { perSecond: 0.1, burst: 5 }

/** Limits of one caller across all connections. Each method returns `false` if the limit is exceeded. */
export interface CallerLimits {
  /** Samples, including missing ones before them. */
  takeAudio(samples: number): boolean
  /** Typed text or a key. */
  takeText(text: string): boolean
  /** Text recognized by the client. A growing text counts once. */
  takeUtterance(id: string, text: string): boolean
  takeWarning(): boolean
}

export function createCallerLimits(clock: Omit<Clock, 'after'>, rateHz: LegRateHz): CallerLimits {
  const audio = createTokenBucket(clock, { perSecond: rateHz * AUDIO_PER_SECOND, burst: rateHz * AUDIO_BURST_SECONDS })
  const words = createTokenBucket(clock, WORDS)
  const warnings = createTokenBucket(clock, WARNINGS)
  /** The last utterance, and how much of it was counted. */
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
