import { maxWordlessVoiceMs, transcriptDueAtMs } from './decide-untranscribed-voice.ts'
import { type EndOfTurnWait, endOfTurnAtMs } from './endpointing/end-of-turn-delay.ts'
import { type EndOfTurnEstimate, estimateEndOfTurn } from './endpointing/estimate-end-of-turn.ts'
import { expectedAnswerTo } from './endpointing/expected-answer.ts'
import type { CallerTurn, TranscribedUtterance, TurnState } from './state.ts'
import { wordsOf } from './words/languages.ts'

/** Utterances of one turn that are told apart; older ones are final and become one. */
const MAX_TURN_UTTERANCES = 12

/** No recogniser hears a word as fast as this: what comes so soon after voice began belongs to the voice before. */
export const FASTEST_WORD_MS = 250

/** What the caller says with a new or corrected utterance in it; `null`: nothing is left. */
export function withUtterance(state: TurnState, utterance: TranscribedUtterance, nowMs: number): CallerTurn | null {
  const { turn } = state
  const before =
    turn === null ? [] : turn.retranscribingSinceMs === null ? turn.utterances : turn.utterances.filter(isFinalText)
  const utterances = insertUtterance(before, utterance)
  const text = textOf(utterances)
  if (text === '') return null
  const transcriberEstimate = utterances.at(-1)?.endOfTurn ?? null
  const estimate = estimateOf(state, text, transcriberEstimate)
  if (turn === null) return { ...newTurnFields(state, nowMs), utterances, text, estimate }
  const isChanged = text !== turn.text
  return {
    ...turn,
    utterances,
    text,
    estimate,
    retranscribingSinceMs: null,
    textAtMs: isChanged ? nowMs : turn.textAtMs,
    lastVoiceAtMs: latestVoiceAtMs(state, turn.isTextOnly && isChanged ? nowMs : turn.lastVoiceAtMs),
  }
}

function newTurnFields(state: TurnState, nowMs: number): Omit<CallerTurn, 'utterances' | 'text' | 'estimate'> {
  const { voice, settings } = state
  const { transcriberP99Ms } = settings
  const isRetranscribed =
    voice.retranscribingSinceMs !== null && nowMs <= transcriptDueAtMs(voice.retranscribingSinceMs, transcriberP99Ms)
  const isLate = nowMs - voice.lastAtMs > transcriberP99Ms && !isRetranscribed
  const isTextOnly = !voice.isOn && voice.untranscribedSinceMs === null && isLate
  const lastVoiceAtMs = isTextOnly ? nowMs : latestVoiceAtMs(state, voice.lastAtMs)
  return {
    firstVoiceAtMs: isTextOnly ? nowMs : (voice.untranscribedSinceMs ?? voice.sinceMs),
    lastVoiceAtMs,
    textAtMs: nowMs,
    isTextOnly,
    retranscribingSinceMs: null,
    isOverlappingAgent: false,
    speculations: 0,
    backchannelForMs: null,
  }
}

function latestVoiceAtMs({ voice }: TurnState, atMs: number): number {
  return Math.max(atMs, voice.lastAtMs)
}

function estimateOf(state: TurnState, text: string, transcriberEstimate: number | null): EndOfTurnEstimate {
  const words = wordsOf(state.settings.language)
  return estimateEndOfTurn(
    { text, transcriberEstimate, expectedAnswer: expectedAnswerTo(state.lastSpoken.text, words) },
    words,
  )
}

function insertUtterance(
  before: readonly TranscribedUtterance[],
  utterance: TranscribedUtterance,
): TranscribedUtterance[] {
  const index = before.findIndex(({ id }) => id === utterance.id)
  const placed = index === -1 ? [...before, utterance] : before.with(index, utterance)
  const [first, second, ...rest] = placed
  if (placed.length <= MAX_TURN_UTTERANCES || first === undefined || second === undefined) return placed
  return [{ ...second, text: `${first.text} ${second.text}`.trim() }, ...rest]
}

function textOf(utterances: readonly TranscribedUtterance[]): string {
  return utterances
    .map(({ text }) => text)
    .filter((text) => text !== '')
    .join(' ')
}

/** When the caller's turn counts as over as things stand. */
export function turnEndAtMs(state: TurnState, turn: CallerTurn): number {
  const { voice, settings } = state
  if (voice.isOn) return Math.max(turn.textAtMs, voice.sinceMs) + maxWordlessVoiceMs(settings.transcriberP99Ms)
  const wait: EndOfTurnWait = {
    estimate: turn.estimate,
    lastVoiceAtMs: turn.lastVoiceAtMs,
    responseThresholdMs: settings.responseThresholdMs,
    responsivenessFactor: settings.responsivenessFactor,
    transcriberP99Ms: settings.transcriberP99Ms,
    isFinal: state.transcriber !== 'listening' || (isFinal(turn) && !hasUntranscribedVoice(state, turn)),
    averagePauseMs: state.settings.adaptsToPauses === false ? null : state.averagePauseMs,
  }
  const atMs = endOfTurnAtMs(wait)
  // Other ears have their time, too.
  if (turn.retranscribingSinceMs === null || wait.isFinal) return atMs
  return Math.max(atMs, turn.retranscribingSinceMs + settings.transcriberP99Ms)
}

/** Voice came after the last words, or went on for longer than a word: it may hold more of them. */
function hasUntranscribedVoice({ voice }: TurnState, { textAtMs, isTextOnly }: CallerTurn): boolean {
  if (isTextOnly) return false
  return voice.sinceMs > textAtMs - FASTEST_WORD_MS || voice.lastAtMs > textAtMs + FASTEST_WORD_MS
}

/** No recogniser will change any of it. */
export function isFinal({ utterances }: CallerTurn): boolean {
  return utterances.every(isFinalText)
}

function isFinalText({ stage }: TranscribedUtterance): boolean {
  return stage === 'final'
}

/** The recogniser will not rewrite any of it. */
export function isStable(turn: CallerTurn): boolean {
  return turn.utterances.every(({ stage }) => stage !== 'interim')
}
