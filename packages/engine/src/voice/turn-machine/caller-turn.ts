import { getMaxWordlessVoiceMs, getTranscriptDueAtMs } from './deciders.ts'
import {
  type EndOfTurnEstimate,
  type EndOfTurnWait,
  estimateEndOfTurn,
  getEndOfTurnAtMs,
} from './endpointing/end-of-turn.ts'
import { detectExpectedAnswer } from './endpointing/expected-answer.ts'
import {
  type CallerTurn,
  type ConsumedUtterance,
  change,
  emit,
  type Step,
  type TranscribedUtterance,
  type TurnState,
} from './state.ts'
import { getWordList } from './words/languages.ts'
import { countSpacedWords } from './words/split-words.ts'

/** Maximum number of utterances to keep separately per turn. Older utterances are final and merged. */
const MAX_TURN_UTTERANCES = 12

/** Minimum time to recognize a word. Earlier text belongs to the previous voice. */
export const FASTEST_WORD_MS = 250

/** Returns the turn with a new or corrected utterance, or `null` if no text is left. */
export function addUtterance(state: TurnState, utterance: TranscribedUtterance, nowMs: number): CallerTurn | null {
  const { turn } = state
  const previousUtterances =
    turn === null ? [] : turn.retranscribingSinceMs === null ? turn.utterances : turn.utterances.filter(isFinalText)
  const utterances = insertUtterance(previousUtterances, utterance)
  const text = joinUtteranceTexts(utterances)
  if (text === '') return null
  const transcriberEstimate = utterances.at(-1)?.endOfTurn ?? null
  const estimate = estimateTurnEnd(state, text, transcriberEstimate)
  if (turn === null) return { ...createTurnFields(state, nowMs), utterances, text, estimate }
  const isChanged = text !== turn.text
  return {
    ...turn,
    utterances,
    text,
    estimate,
    retranscribingSinceMs: null,
    textAtMs: isChanged ? nowMs : turn.textAtMs,
    lastVoiceAtMs: getLatestVoiceAtMs(state, turn.isTextOnly && isChanged ? nowMs : turn.lastVoiceAtMs),
  }
}

function createTurnFields(state: TurnState, nowMs: number): Omit<CallerTurn, 'utterances' | 'text' | 'estimate'> {
  const { voice, settings } = state
  const { transcriberP99Ms } = settings
  const isRetranscribed =
    voice.retranscribingSinceMs !== null && nowMs <= getTranscriptDueAtMs(voice.retranscribingSinceMs, transcriberP99Ms)
  const isLate = nowMs - voice.lastAtMs > transcriberP99Ms && !isRetranscribed
  const isTextOnly = !voice.isOn && voice.untranscribedSinceMs === null && isLate
  const lastVoiceAtMs = isTextOnly ? nowMs : getLatestVoiceAtMs(state, voice.lastAtMs)
  return {
    firstVoiceAtMs: isTextOnly ? nowMs : (voice.untranscribedSinceMs ?? voice.startedAtMs),
    lastVoiceAtMs,
    textAtMs: nowMs,
    isTextOnly,
    retranscribingSinceMs: null,
    isOverlappingAgent: false,
    speculations: 0,
    backchannelForMs: null,
  }
}

function getLatestVoiceAtMs({ voice }: TurnState, atMs: number): number {
  return Math.max(atMs, voice.lastAtMs)
}

function estimateTurnEnd(state: TurnState, text: string, transcriberEstimate: number | null): EndOfTurnEstimate {
  const words = getWordList(state.settings.language)
  return estimateEndOfTurn(
    { text, transcriberEstimate, expectedAnswer: detectExpectedAnswer(state.lastSpoken.text, words) },
    words,
  )
}

function insertUtterance(
  utterances: readonly TranscribedUtterance[],
  utterance: TranscribedUtterance,
): TranscribedUtterance[] {
  const index = utterances.findIndex(({ id }) => id === utterance.id)
  const updatedUtterances = index === -1 ? [...utterances, utterance] : utterances.with(index, utterance)
  const [first, second, ...rest] = updatedUtterances
  if (updatedUtterances.length <= MAX_TURN_UTTERANCES || first === undefined || second === undefined)
    return updatedUtterances
  return [{ ...second, text: `${first.text} ${second.text}`.trim() }, ...rest]
}

function joinUtteranceTexts(utterances: readonly TranscribedUtterance[]): string {
  return utterances
    .map(({ text }) => text)
    .filter((text) => text !== '')
    .join(' ')
}

/** Returns the time at which the caller's turn ends if nothing else happens. */
export function getTurnEndAtMs(state: TurnState, turn: CallerTurn): number {
  const { voice, settings } = state
  if (voice.isOn) return Math.max(turn.textAtMs, voice.startedAtMs) + getMaxWordlessVoiceMs(settings.transcriberP99Ms)
  const wait: EndOfTurnWait = {
    estimate: turn.estimate,
    lastVoiceAtMs: turn.lastVoiceAtMs,
    responseThresholdMs: settings.responseThresholdMs,
    responsivenessFactor: settings.responsivenessFactor,
    transcriberP99Ms: settings.transcriberP99Ms,
    isFinal: state.transcriber !== 'listening' || (isFinal(turn) && !hasUntranscribedVoice(state, turn)),
    averagePauseMs: state.settings.adaptsToPauses === false ? null : state.averagePauseMs,
  }
  const atMs = getEndOfTurnAtMs(wait)
  // The next transcriber gets time to report as well.
  if (turn.retranscribingSinceMs === null || wait.isFinal) return atMs
  return Math.max(atMs, turn.retranscribingSinceMs + settings.transcriberP99Ms)
}

/** Whether voice may contain more words: it followed the last words or lasted longer than a word. */
function hasUntranscribedVoice({ voice }: TurnState, { textAtMs, isTextOnly }: CallerTurn): boolean {
  if (isTextOnly) return false
  return voice.startedAtMs > textAtMs - FASTEST_WORD_MS || voice.lastAtMs > textAtMs + FASTEST_WORD_MS
}

/** Whether no transcriber will change the turn's text. */
export function isFinal({ utterances }: CallerTurn): boolean {
  return utterances.every(isFinalText)
}

function isFinalText({ stage }: TranscribedUtterance): boolean {
  return stage === 'final'
}

/** Whether the transcriber will keep the turn's text. */
export function isStable(turn: CallerTurn): boolean {
  return turn.utterances.every(({ stage }) => stage !== 'interim')
}

/** Maximum number of remembered utterances from earlier turns. Late texts arrive within seconds. */
export const MAX_CONSUMED_UTTERANCES = 64

/** Commits speech, typed text and digits as a user turn. At least one of them must be present. */
export function consumeTurn(step: Step): number {
  const { turn, digits, typed, voice, nextTurn } = step.state
  const text = [turn?.text, ...typed, digits?.text].filter((part) => part !== undefined && part !== '').join(' ')
  const source = digits !== null ? 'dtmf' : typed.length > 0 ? 'typed' : 'speech'
  const lastVoiceAtMs = source === 'speech' ? (turn?.lastVoiceAtMs ?? voice.lastAtMs) : step.nowMs
  const firstVoiceAtMs = Math.min(turn?.firstVoiceAtMs ?? lastVoiceAtMs, lastVoiceAtMs)
  const endOfTurnMs = Math.max(0, step.nowMs - lastVoiceAtMs)
  emit(step, { type: 'commit-user-turn', turn: nextTurn, text, source, firstVoiceAtMs, lastVoiceAtMs, endOfTurnMs })
  if (turn !== null) discardTurn(step)
  change(step, {
    nextTurn: nextTurn + 1,
    digits: null,
    typed: [],
    opening: null,
    isInjected: false,
    quiet: null,
    silenceMs: 0,
    reminders: 0,
    unrecognizedTurns: 0,
    lastSpoken: { ...step.state.lastSpoken, isSinceLastTurn: false },
  })
  return nextTurn
}

/** Drops the turn and ignores its words if they arrive late or again. */
export function discardTurn(step: Step): void {
  const { turn, consumed } = step.state
  if (turn === null) return
  change(step, { turn: null, consumed: addConsumed(consumed, turn), consumedAtMs: step.nowMs })
}

function addConsumed(consumed: readonly ConsumedUtterance[], turn: CallerTurn): ConsumedUtterance[] {
  const turnUtterances = turn.utterances.map(({ id, text }) => {
    const previousWords = consumed.find((utterance) => utterance.id === id)?.words ?? 0
    return { id, words: previousWords + countSpacedWords(text) }
  })
  const ids = new Set(turnUtterances.map(({ id }) => id))
  return [...consumed.filter(({ id }) => !ids.has(id)), ...turnUtterances].slice(-MAX_CONSUMED_UTTERANCES)
}
