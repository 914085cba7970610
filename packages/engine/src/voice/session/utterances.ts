import type { Playout } from '../../audio/playout.ts'
import { heardText, offsetOfWords } from '../speaking/heard-text.ts'
import type { PreparedSpeech } from '../speaking/prepare-speech.ts'
import type { FullText } from '../turn-machine/effects.ts'
import type { UtteranceKind } from '../turn-machine/events.ts'

/** Something that the agent says in one piece. */
export interface Utterance {
  readonly id: string
  readonly generation: number | null
  /** The turn in which it is said; `null` if unprompted or given by its generation. */
  readonly turnId: string | null
  readonly kind: UtteranceKind
  /** As written. */
  readonly text: string
  readonly prepared: PreparedSpeech
  /** The text that it is a part of; `null` for complete texts and replies. */
  readonly fullText: FullText | null
  /** When its audio is heard. */
  readonly timeline: PlaybackTimeline
  /** Playback time of its first sample; `null` before. */
  startedAtMs: number | null
  endedAtMs: number | null
  /** End of the spoken part of `prepared.text`; `null` if all of it was synthesized. */
  spokenUntil: number | null
}

/** Maps positions of an utterance to the time at which they are heard, across pauses. */
export interface PlaybackTimeline {
  /** Playback continues at this position and time. */
  resumeAt(offsetMs: number, atMs: number): void
  /** When the start or end of something at this position is heard. */
  timeOf(offsetMs: number, edge: 'start' | 'end'): number
}

export function createPlaybackTimeline(): PlaybackTimeline {
  let segments: { readonly offsetMs: number; readonly atMs: number }[] = []
  return {
    resumeAt(offsetMs, atMs) {
      // Repeated audio counts with its last time.
      segments = [...segments.filter((one) => one.offsetMs < offsetMs), { offsetMs, atMs }]
    },
    timeOf(offsetMs, edge) {
      // Speech resumes at a whole sample, which may differ from the word edge.
      const reached = edge === 'start' ? offsetMs + 1 : offsetMs - 1
      const segment = segments.findLast((one) => one.offsetMs <= reached) ?? segments[0]
      return segment === undefined ? 0 : segment.atMs + offsetMs - segment.offsetMs
    },
  }
}

/** What was heard of an utterance. */
export interface HeardUtterance {
  /** As written. */
  readonly text: string
  readonly complete: boolean
  /** In clock time. */
  readonly words: readonly { readonly word: string; readonly startMs: number; readonly endMs: number }[]
  readonly endMs: number
}

const NOTHING: HeardUtterance = { text: '', complete: false, words: [], endMs: 0 }

/** Returns what the caller has heard so far, as written. */
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
  // A text is complete only if its audio is, even after its last word was heard.
  const offset = Math.min(spokenOffset, utterance.spokenUntil ?? spokenOffset)
  return { text: heardText(text, prepared, offset), complete: false, words, endMs }
}
