import { createClauseSplitter } from '../speaking/split-clauses.ts'
import type { WholeText } from './effects.ts'
import type { UtteranceKind } from './events.ts'
import { isTurnSpeech } from './occupation.ts'
import type { KeptClause, TurnState } from './state.ts'
import { change, emit, type Step } from './step.ts'
import { wordsOf } from './words/languages.ts'
import type { SpokenLines } from './words/word-list.ts'

/** A text of the machine's own up to this length is spoken in one. */
const LONGEST_PIECE = 120

/** Says something of a reply, behind what is queued. */
export function speakClause(step: Step, generation: number, { utteranceId, text }: KeptClause): void {
  enqueue(step, { utteranceId, generation, kind: 'reply', text })
  const current = step.state.generation
  if (current !== null) change(step, { generation: { ...current, hasSpoken: true } })
}

/** Says something of the machine's own. Blank texts are not said. */
export function speakOwn(step: Step, kind: UtteranceKind, text: string, isInterruptible = true): void {
  const pieces = piecesOf(text, step.state.settings.language)
  const first = step.state.nextOwnUtterance
  change(step, { nextOwnUtterance: first + pieces.length })
  const whole = pieces.length > 1 ? { whole: { id: `own-${first}`, text, pieces: pieces.length } } : {}
  for (const [index, piece] of pieces.entries()) {
    enqueue(step, {
      utteranceId: `own-${first + index}`,
      generation: null,
      kind,
      text: piece,
      isInterruptible,
      ...whole,
    })
  }
}

/** A long text is spoken in clauses, so that its first sound comes as soon as that of an answer. */
function piecesOf(text: string, language: string): readonly string[] {
  if (text.trim() === '') return []
  if (text.length <= LONGEST_PIECE) return [text]
  const splitter = createClauseSplitter({ language })
  return [...splitter.push(text), ...splitter.end()]
}

/** Says the next of the language's own lines. */
export function speakLine(step: Step, kind: UtteranceKind, lines: readonly string[]): void {
  const number = step.state.nextLine
  const line = lines[number % Math.max(1, lines.length)]
  if (line === undefined) return
  change(step, { nextLine: number + 1 })
  speakOwn(step, kind, line)
}

/** What is said in the language of the call. */
export function ownLines(state: TurnState): SpokenLines {
  return wordsOf(state.settings.language).says
}

interface Asked {
  readonly utteranceId: string
  readonly generation: number | null
  readonly kind: UtteranceKind
  readonly text: string
  readonly isInterruptible?: boolean
  readonly whole?: WholeText
}

function enqueue(step: Step, { isInterruptible = true, ...spoken }: Asked): void {
  const { utteranceId, generation, kind, text } = spoken
  const { queue, settings, unsettled } = step.state
  // Ids come from outside as well: a double would never be played.
  if (queue.some((speech) => speech.utteranceId === utteranceId)) return
  emit(step, { type: 'speak', ...spoken })
  const speech = {
    utteranceId,
    generation,
    kind,
    text,
    isInterruptible: isInterruptible && settings.interruptible,
    status: 'asked',
    isComplete: false,
    waitsSinceMs: null,
    otherVoices: 0,
  } as const
  change(step, { queue: [...queue, speech] })
  if (!isTurnSpeech(speech)) return
  change(step, {
    unsettled: {
      generation: generation ?? unsettled?.generation ?? null,
      wasHeard: unsettled?.wasHeard ?? false,
      isFallback: (unsettled?.isFallback ?? false) || kind === 'fallback',
    },
  })
}

/** Drops everything that was to be said. A pause ends with it. */
export function clearSpeech(step: Step): void {
  const { queue, isPlayoutPaused } = step.state
  if (queue.length > 0 || isPlayoutPaused) emit(step, { type: 'clear-playout' })
  change(step, { queue: [], pause: null, isPlayoutPaused: false })
}

/** What was said goes into the history. */
export function settleSpeech(step: Step, interrupted: boolean): void {
  const { unsettled } = step.state
  if (unsettled === null) return
  emit(step, { type: 'commit-agent-turn', generation: unsettled.generation, interrupted })
  change(step, { unsettled: null })
}
