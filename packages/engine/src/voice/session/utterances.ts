import type { Playout } from '../../audio/playout.ts'
import { heardText, offsetOfWords } from '../speaking/heard-text.ts'
import type { PreparedSpeech } from '../speaking/prepare-speech.ts'
import type { FullText } from '../turn-machine/effects.ts'
import type { UtteranceKind } from '../turn-machine/events.ts'

/** Something that the agent says in one piece. */
export interface Utterance {
  readonly id: string
  readonly generation: number | null
  /** The turn in which it is said; `null`: unasked, or that of its generation. */
  readonly turnId: string | null
  readonly kind: UtteranceKind
  /** As it was written. */
  readonly text: string
  readonly prepared: PreparedSpeech
  /** The text that it is a piece of; `null`: it is one of its own, or of a reply. */
  readonly fullText: FullText | null
  /** When its sound is heard. */
  readonly timeline: PlaybackTimeline
  /** When its first sample was due at the caller's end; `null` before. */
  startedAtMs: number | null
  endedAtMs: number | null
  /** Of `prepared.text`: what follows could not be spoken by any voice; `null`: all of it was. */
  spokenUntil: number | null
}

/** When the caller hears what of an utterance, which may stop and go on later. */
export interface PlaybackTimeline {
  /** From this place on it is heard from this moment on. */
  resumeAt(offsetMs: number, atMs: number): void
  /** When what begins, or ends, at this place does so. */
  timeOf(offsetMs: number, edge: 'start' | 'end'): number
}

/** A course that has not begun. */
export function createPlaybackTimeline(): PlaybackTimeline {
  let segments: { readonly offsetMs: number; readonly atMs: number }[] = []
  return {
    resumeAt(offsetMs, atMs) {
      // What is said once more counts as it was said last.
      segments = [...segments.filter((one) => one.offsetMs < offsetMs), { offsetMs, atMs }]
    },
    timeOf(offsetMs, edge) {
      // Speech goes on at a whole sample: next to the word's edge, not always on it.
      const reached = edge === 'start' ? offsetMs + 1 : offsetMs - 1
      const segment = segments.findLast((one) => one.offsetMs <= reached) ?? segments[0]
      return segment === undefined ? 0 : segment.atMs + offsetMs - segment.offsetMs
    },
  }
}

/** What was heard of an utterance. */
export interface HeardUtterance {
  /** In the words in which it was written. */
  readonly text: string
  readonly complete: boolean
  /** By the clock. */
  readonly words: readonly { readonly word: string; readonly startMs: number; readonly endMs: number }[]
  readonly endMs: number
}

const NOTHING: HeardUtterance = { text: '', complete: false, words: [], endMs: 0 }

/** Tells what the caller has heard so far, in the words in which it was written. */
export function getHeardUtterance(utterance: Utterance | undefined, playout: Playout): HeardUtterance {
  if (utterance === undefined || utterance.startedAtMs === null) return NOTHING
  const { startedAtMs, text, prepared, timeline } = utterance
  const heard = playout.heard(utterance.id)
  const words = heard.words.map((word) => ({
    word: word.text,
    startMs: Math.round(timeline.timeOf(word.startMs, 'start')),
    endMs: Math.round(timeline.timeOf(word.endMs, 'end')),
  }))
  const endMs = utterance.endedAtMs ?? words.at(-1)?.endMs ?? startedAtMs
  if (heard.complete && utterance.spokenUntil === null) return { text: text.trim(), complete: true, words, endMs }
  const spokenOffset = offsetOfWords(
    prepared.text,
    heard.words.map((word) => word.text),
  )
  // A text whose last word was heard can lack a breath of sound, so it is complete only when the sound is.
  const offset = Math.min(spokenOffset, utterance.spokenUntil ?? spokenOffset)
  return { text: heardText(text, prepared, offset), complete: false, words, endMs }
}
