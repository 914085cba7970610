import { createClauseSplitter } from '../speaking/split-clauses.ts'
import type { FullText, UtteranceKind } from './events.ts'
import { type BufferedClause, emit, isTurnSpeech, type Step, type TurnState, update } from './state.ts'
import { getWordList } from './words/languages.ts'
import type { SystemPhrases } from './words/word-list.ts'

/** Maximum length of a system text that is spoken in one utterance. */
const MAX_PART_LENGTH = 120

/** Queues a reply's clause. */
export function speakClause(step: Step, generation: number, { utteranceId, text }: BufferedClause): void {
  enqueue(step, { utteranceId, generation, kind: 'reply', text })
  const current = step.state.generation
  if (current !== null) update(step, { generation: { ...current, hasSpoken: true } })
}

/** Queues a system text unless it is blank. */
export function speakSystemText(step: Step, kind: UtteranceKind, text: string, isInterruptible = true): void {
  const parts = splitText(text, step.state.settings.language)
  const firstNumber = step.state.nextSystemUtteranceNumber
  update(step, { nextSystemUtteranceNumber: firstNumber + parts.length })
  const fullText = parts.length > 1 ? { fullText: { id: `own-${firstNumber}`, text, partCount: parts.length } } : {}
  for (const [index, part] of parts.entries()) {
    enqueue(step, {
      utteranceId: `own-${firstNumber + index}`,
      generation: null,
      kind,
      text: part,
      isInterruptible,
      ...fullText,
    })
  }
}

/** Splits a long text into clauses, so that its audio starts sooner. */
function splitText(text: string, language: string): readonly string[] {
  if (text.trim() === '') return []
  if (text.length <= MAX_PART_LENGTH) return [text]
  const splitter = createClauseSplitter({ language })
  return [...splitter.push(text), ...splitter.end()]
}

/** Speaks the next phrase in the rotation. */
export function speakNextPhrase(step: Step, kind: UtteranceKind, phrases: readonly string[]): void {
  const phraseIndex = step.state.nextPhraseIndex
  const phrase = phrases[phraseIndex % Math.max(1, phrases.length)]
  if (phrase === undefined) return
  update(step, { nextPhraseIndex: phraseIndex + 1 })
  speakSystemText(step, kind, phrase)
}

/** Returns the phrases in the call's language. */
export function getSystemPhrases(state: TurnState): SystemPhrases {
  return getWordList(state.settings.language).phrases
}

interface NewSpeech {
  readonly utteranceId: string
  readonly generation: number | null
  readonly kind: UtteranceKind
  readonly text: string
  readonly isInterruptible?: boolean
  readonly fullText?: FullText
}

function enqueue(step: Step, { isInterruptible = true, ...effectFields }: NewSpeech): void {
  const { utteranceId, generation, kind, text } = effectFields
  const { queue, settings, uncommittedSpeech } = step.state
  // IDs may come from external input, and a duplicate would never be played.
  if (queue.some((speech) => speech.utteranceId === utteranceId)) return
  emit(step, { type: 'speak', ...effectFields })
  const speech = {
    utteranceId,
    generation,
    kind,
    text,
    isInterruptible: isInterruptible && settings.interruptible,
    status: 'requested',
    isComplete: false,
    waitingSinceMs: null,
    voiceSwitchCount: 0,
  } as const
  update(step, { queue: [...queue, speech] })
  if (!isTurnSpeech(speech)) return
  update(step, {
    uncommittedSpeech: {
      generation: generation ?? uncommittedSpeech?.generation ?? null,
      playedSinceMs: uncommittedSpeech?.playedSinceMs ?? null,
      isFallback: (uncommittedSpeech?.isFallback ?? false) || kind === 'fallback',
    },
  })
}

/** Drops all queued speech and ends a pause. */
export function clearSpeech(step: Step): void {
  const { queue, isPlayoutPaused } = step.state
  if (queue.length > 0 || isPlayoutPaused) emit(step, { type: 'clear-playout' })
  update(step, { queue: [], pause: null, isPlayoutPaused: false })
}

/** Commits the agent's speech. */
export function commitSpeech(step: Step, interrupted: boolean): void {
  const { uncommittedSpeech } = step.state
  if (uncommittedSpeech === null) return
  emit(step, { type: 'commit-agent-turn', generation: uncommittedSpeech.generation, interrupted })
  update(step, { uncommittedSpeech: null })
}
