import { explainedByMs, longestWordlessVoiceMs } from './decide-unexplained-voice.ts'
import { type EndOfTurnWait, endOfTurnAtMs } from './endpointing/end-of-turn-delay.ts'
import { type EndOfTurnEstimate, estimateEndOfTurn } from './endpointing/estimate-end-of-turn.ts'
import { askedBy } from './endpointing/expected-answer.ts'
import type { CallerTurn, HeardUtterance, TurnState } from './state.ts'
import { wordsOf } from './words/languages.ts'

/** Utterances of one turn that are told apart; older ones are final and become one. */
const TOLD_APART = 12

/** No recogniser hears a word as fast as this: what comes so soon after voice began belongs to the voice before. */
export const FASTEST_WORD_MS = 250

/** What the caller says with a new or corrected utterance in it; `null`: nothing is left. */
export function withUtterance(state: TurnState, utterance: HeardUtterance, nowMs: number): CallerTurn | null {
  const { turn } = state
  const before =
    turn === null ? [] : turn.heardAgainAtMs === null ? turn.utterances : turn.utterances.filter(isFinalText)
  const utterances = place(before, utterance)
  const text = textOf(utterances)
  if (text === '') return null
  const recogniser = utterances.at(-1)?.endOfTurn ?? null
  const estimate = estimateOf(state, text, recogniser)
  if (turn === null) return { ...firstWords(state, nowMs), utterances, text, estimate }
  const isChanged = text !== turn.text
  return {
    ...turn,
    utterances,
    text,
    estimate,
    heardAgainAtMs: null,
    textAtMs: isChanged ? nowMs : turn.textAtMs,
    lastVoiceAtMs: lastVoice(state, turn.isTextOnly && isChanged ? nowMs : turn.lastVoiceAtMs),
  }
}

function firstWords(state: TurnState, nowMs: number): Omit<CallerTurn, 'utterances' | 'text' | 'estimate'> {
  const { voice, settings } = state
  const { recogniserP99Ms } = settings
  const isHeardAgain = voice.heardAgainAtMs !== null && nowMs <= explainedByMs(voice.heardAgainAtMs, recogniserP99Ms)
  const isLate = nowMs - voice.lastAtMs > recogniserP99Ms && !isHeardAgain
  const isTextOnly = !voice.isOn && voice.unexplainedSinceMs === null && isLate
  const lastVoiceAtMs = isTextOnly ? nowMs : lastVoice(state, voice.lastAtMs)
  return {
    firstVoiceAtMs: isTextOnly ? nowMs : (voice.unexplainedSinceMs ?? voice.sinceMs),
    lastVoiceAtMs,
    textAtMs: nowMs,
    isTextOnly,
    heardAgainAtMs: null,
    isOverAgent: false,
    speculations: 0,
    backchannelForMs: null,
  }
}

function lastVoice({ voice }: TurnState, atMs: number): number {
  return Math.max(atMs, voice.lastAtMs)
}

function estimateOf(state: TurnState, text: string, recogniser: number | null): EndOfTurnEstimate {
  const words = wordsOf(state.settings.language)
  return estimateEndOfTurn({ text, recogniser, asked: askedBy(state.lastSaid.text, words) }, words)
}

function place(before: readonly HeardUtterance[], utterance: HeardUtterance): HeardUtterance[] {
  const index = before.findIndex(({ id }) => id === utterance.id)
  const placed = index === -1 ? [...before, utterance] : before.with(index, utterance)
  const [first, second, ...rest] = placed
  if (placed.length <= TOLD_APART || first === undefined || second === undefined) return placed
  return [{ ...second, text: `${first.text} ${second.text}`.trim() }, ...rest]
}

function textOf(utterances: readonly HeardUtterance[]): string {
  return utterances
    .map(({ text }) => text)
    .filter((text) => text !== '')
    .join(' ')
}

/** When the caller's turn counts as over as things stand. */
export function turnOverAtMs(state: TurnState, turn: CallerTurn): number {
  const { voice, settings } = state
  if (voice.isOn) return Math.max(turn.textAtMs, voice.sinceMs) + longestWordlessVoiceMs(settings.recogniserP99Ms)
  const wait: EndOfTurnWait = {
    estimate: turn.estimate,
    lastVoiceAtMs: turn.lastVoiceAtMs,
    responseThresholdMs: settings.responseThresholdMs,
    responsivenessFactor: settings.responsivenessFactor,
    recogniserP99Ms: settings.recogniserP99Ms,
    isFinal: state.ears !== 'listening' || (isFinal(turn) && !hasUnheardVoice(state, turn)),
    ownPauseMs: state.settings.adaptsToPauses === false ? null : state.ownPauseMs,
  }
  const atMs = endOfTurnAtMs(wait)
  // Other ears have their time, too.
  if (turn.heardAgainAtMs === null || wait.isFinal) return atMs
  return Math.max(atMs, turn.heardAgainAtMs + settings.recogniserP99Ms)
}

/** Voice came after the last words, or went on for longer than a word: it may hold more of them. */
function hasUnheardVoice({ voice }: TurnState, { textAtMs, isTextOnly }: CallerTurn): boolean {
  if (isTextOnly) return false
  return voice.sinceMs > textAtMs - FASTEST_WORD_MS || voice.lastAtMs > textAtMs + FASTEST_WORD_MS
}

/** No recogniser will change any of it. */
export function isFinal({ utterances }: CallerTurn): boolean {
  return utterances.every(isFinalText)
}

function isFinalText({ stage }: HeardUtterance): boolean {
  return stage === 'final'
}

/** The recogniser will not rewrite any of it. */
export function isStable(turn: CallerTurn): boolean {
  return turn.utterances.every(({ stage }) => stage !== 'interim')
}
