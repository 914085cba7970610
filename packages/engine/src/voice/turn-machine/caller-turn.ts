import { getMaxWordlessVoiceMs, getTranscriptDueAtMs, isSlowTranscriber } from './decision-rules.ts'
import {
  type EndOfTurnEstimate,
  type EndOfTurnWait,
  estimateEndOfTurn,
  getDelayMs,
  getEndOfTurnAtMs,
} from './endpointing/end-of-turn.ts'
import { detectExpectedAnswer } from './endpointing/expected-answer.ts'
import {
  type CallerTurn,
  type ConsumedUtterance,
  emit,
  type Step,
  type TranscribedUtterance,
  type TurnState,
  update,
} from './state.ts'
import { getWordList } from './words/languages.ts'
import { countSpacedWords } from './words/split-words.ts'

/** Maximum number of utterances per turn. The oldest utterances are merged. */
const MAX_TURN_UTTERANCES = 12

/** Maximum time between spoken words and interim text of a working transcriber. */
const MAX_TEXT_DELAY_MS = 700
/** Time for a transcriber that has stopped responding to reconnect, or to be replaced, and to report the missing words. */
const RECONNECT_MS = 4_500
/** Time between words of a text that arrives after the voice. */
const NEXT_TEXT_MS = 1_500
/** Minimum time for a fallback transcriber to report the words of a turn. */
const RETRANSCRIPTION_MS = 1_500

/** Minimum time to recognize a word. Text that arrives sooner belongs to earlier voice. */
export const MIN_WORD_MS = 250

/** Returns the turn with a new or corrected utterance, or `null` if no text is left. */
export function addUtterance(state: TurnState, utterance: TranscribedUtterance, nowMs: number): CallerTurn | null {
  const { turn } = state
  const previousUtterances =
    turn === null
      ? []
      : turn.retranscribingSinceMs === null
        ? turn.utterances
        : turn.utterances.filter(isFinalUtterance)
  const utterances = insertUtterance(previousUtterances, utterance)
  const text = joinUtteranceTexts(utterances)
  if (text === '') return null
  if (turn === null) {
    const fields = createTurnFields(state, nowMs)
    const { isTextOnly } = fields
    return { ...fields, utterances, text, estimate: estimateTurnEnd(state, { utterances, text, isTextOnly }) }
  }
  const isChanged = text !== turn.text
  // Final text after the voice contains all of its words, even if it only confirms them.
  const isConfirmed = utterance.stage === 'final' && !state.voice.isActive
  const estimate = estimateTurnEnd(state, { utterances, text, isTextOnly: turn.isTextOnly })
  return {
    ...turn,
    utterances,
    text,
    estimate,
    retranscribingSinceMs: null,
    lastTextAtMs: nowMs,
    textChangedAtMs: isChanged || isConfirmed ? nowMs : turn.textChangedAtMs,
    lastVoiceAtMs: getLatestVoiceAtMs(state, turn.isTextOnly && isChanged ? nowMs : turn.lastVoiceAtMs),
  }
}

function createTurnFields(state: TurnState, nowMs: number): Omit<CallerTurn, 'utterances' | 'text' | 'estimate'> {
  const { voice, settings } = state
  const { transcriberP99Ms } = settings
  const isRetranscribed =
    voice.retranscribingSinceMs !== null && nowMs <= getTranscriptDueAtMs(voice.retranscribingSinceMs, transcriberP99Ms)
  const isLate = nowMs - voice.lastActiveAtMs > transcriberP99Ms && !isRetranscribed
  const isTextOnly = !voice.isActive && voice.untranscribedSinceMs === null && isLate
  const lastVoiceAtMs = isTextOnly ? nowMs : getLatestVoiceAtMs(state, voice.lastActiveAtMs)
  return {
    firstVoiceAtMs: isTextOnly ? nowMs : (voice.untranscribedSinceMs ?? voice.startedAtMs),
    lastVoiceAtMs,
    textChangedAtMs: nowMs,
    lastTextAtMs: nowMs,
    isTextOnly,
    retranscribingSinceMs: null,
    isOverlappingAgent: false,
    speculationCount: 0,
    handledPauseAtMs: null,
  }
}

function getLatestVoiceAtMs({ voice }: TurnState, voiceAtMs: number): number {
  return Math.max(voiceAtMs, voice.lastActiveAtMs)
}

/** Estimates the turn's end again after the turn detector's answer has arrived or become outdated. */
export function refreshEstimate(step: Step): void {
  const { turn } = step.state
  if (turn !== null) update(step, { turn: { ...turn, estimate: estimateTurnEnd(step.state, turn) } })
}

function estimateTurnEnd(
  state: TurnState,
  { utterances, text, isTextOnly }: Pick<CallerTurn, 'utterances' | 'text' | 'isTextOnly'>,
): EndOfTurnEstimate {
  const words = getWordList(state.settings.language)
  return estimateEndOfTurn(
    {
      text,
      transcriberEstimate: utterances.at(-1)?.endOfTurn ?? null,
      detectorEstimate: isTextOnly ? null : state.voice.endProbability,
      expectedAnswer: detectExpectedAnswer(state.lastSpeech.text, words),
      punctuatesFragments: state.settings.punctuatesFragments === true,
    },
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
  if (voice.isActive) {
    const { transcriberP99Ms, responsivenessFactor } = settings
    const { probability } = turn.estimate
    const isFinal = hasFinalText(turn)
    const wordlessMs = getMaxWordlessVoiceMs({
      transcriberP99Ms,
      isFinal,
      probability,
      isStreaming: state.textDelays.isStreaming,
      firstTextDelayMs: voice.startedAtMs < turn.lastTextAtMs ? 0 : (state.textDelays.firstMs ?? 0),
    })
    const delayMs = getDelayMs(probability) * responsivenessFactor
    const textAtMs = isFinal ? turn.lastTextAtMs : turn.textChangedAtMs
    return Math.max(textAtMs, voice.startedAtMs) + Math.round(Math.max(wordlessMs, delayMs))
  }
  const wait: EndOfTurnWait = {
    estimate: turn.estimate,
    lastVoiceAtMs: turn.lastVoiceAtMs,
    responseThresholdMs: settings.responseThresholdMs,
    responsivenessFactor: settings.responsivenessFactor,
    transcriberLimitMs: settings.transcriberLimitMs ?? settings.transcriberP99Ms,
    isFinal: state.transcriberStatus !== 'listening' || (hasFinalText(turn) && !hasUntranscribedVoice(state, turn)),
    averagePauseMs: state.settings.adaptsToPauses === false ? null : state.averagePauseMs,
  }
  const endAtMs = getEndOfTurnAtMs(wait)
  return wait.isFinal ? endAtMs : Math.max(endAtMs, getLateTextDueAtMs(turn, settings.transcriberP99Ms))
}

/** Whether the caller spoke for so long after the last words that words are missing. */
function isTextBehind({ isTextOnly, lastVoiceAtMs, textChangedAtMs }: CallerTurn): boolean {
  return !isTextOnly && lastVoiceAtMs - textChangedAtMs > MAX_TEXT_DELAY_MS
}

/** Returns the time at which missing words have arrived if the transcriber reconnects or another one takes over. */
function getLateTextDueAtMs(turn: CallerTurn, transcriberP99Ms: number): number {
  const { lastVoiceAtMs, lastTextAtMs, retranscribingSinceMs } = turn
  const isBehind = isTextBehind(turn)
  if (retranscribingSinceMs === null) {
    if (isBehind) return lastVoiceAtMs + RECONNECT_MS
    // A transcriber that reports words after the voice is still sending the rest.
    return isSlowTranscriber(transcriberP99Ms) && lastTextAtMs > lastVoiceAtMs ? lastTextAtMs + NEXT_TEXT_MS : 0
  }
  // A fallback transcriber needs time to respond as well.
  if (!isBehind) return retranscribingSinceMs + transcriberP99Ms
  return Math.max(retranscribingSinceMs, lastVoiceAtMs) + Math.max(transcriberP99Ms, RETRANSCRIPTION_MS)
}

/** Whether the voice may contain words that have not been transcribed yet. */
function hasUntranscribedVoice({ voice }: TurnState, { textChangedAtMs, isTextOnly }: CallerTurn): boolean {
  if (isTextOnly) return false
  return voice.startedAtMs > textChangedAtMs - MIN_WORD_MS || voice.lastActiveAtMs > textChangedAtMs + MIN_WORD_MS
}

/** Whether all of the turn's text is final. */
export function hasFinalText({ utterances }: CallerTurn): boolean {
  return utterances.every(isFinalUtterance)
}

function isFinalUtterance({ stage }: TranscribedUtterance): boolean {
  return stage === 'final'
}

/** Whether none of the turn's text is interim. */
export function hasStableText(turn: CallerTurn): boolean {
  return turn.utterances.every(({ stage }) => stage !== 'interim')
}

/** Maximum number of remembered utterances from earlier turns. Late texts arrive within seconds. */
export const MAX_CONSUMED_UTTERANCES = 64

/** Commits speech, typed text and digits as a user turn. At least one of them must be present. */
export function consumeTurn(step: Step): { readonly turnNumber: number; readonly text: string } {
  const { turn, digits, typedTexts, voice, nextTurnNumber } = step.state
  const text = [turn?.text, ...typedTexts, digits?.text].filter((part) => part !== undefined && part !== '').join(' ')
  const source = digits !== null ? 'dtmf' : typedTexts.length > 0 ? 'typed' : 'speech'
  const lastVoiceAtMs = source === 'speech' ? (turn?.lastVoiceAtMs ?? voice.lastActiveAtMs) : step.nowMs
  const firstVoiceAtMs = Math.min(turn?.firstVoiceAtMs ?? lastVoiceAtMs, lastVoiceAtMs)
  const endOfTurnMs = Math.max(0, step.nowMs - lastVoiceAtMs)
  emit(step, {
    type: 'commit-user-turn',
    turn: nextTurnNumber,
    text,
    source,
    firstVoiceAtMs,
    lastVoiceAtMs,
    endOfTurnMs,
  })
  if (turn !== null) discardTurn(step)
  update(step, {
    nextTurnNumber: nextTurnNumber + 1,
    digits: null,
    typedTexts: [],
    opening: null,
    isInjectionPending: false,
    silence: null,
    previousSilenceMs: 0,
    reminderCount: 0,
    unrecognizedTurnCount: 0,
    notUnderstoodCount: 0,
    lastSpeech: { ...step.state.lastSpeech, isSinceLastTurn: false },
  })
  return { turnNumber: nextTurnNumber, text }
}

/** Drops the turn. Its words are ignored if they arrive again. */
export function discardTurn(step: Step): void {
  const { turn } = step.state
  if (turn === null) return
  update(step, {
    turn: null,
    consumedUtterances: consumeUtterances(step.state, turn.utterances),
    consumedAtMs: step.nowMs,
  })
}

/** Returns the consumed utterances with these ones, whose words are ignored if they arrive again. */
export function consumeUtterances(
  { consumedUtterances }: TurnState,
  utterances: readonly Pick<TranscribedUtterance, 'id' | 'text'>[],
): ConsumedUtterance[] {
  const turnUtterances = utterances.map(({ id, text }) => {
    const previousWords = consumedUtterances.find((utterance) => utterance.id === id)?.wordCount ?? 0
    return { id, wordCount: previousWords + countSpacedWords(text) }
  })
  const ids = new Set(turnUtterances.map(({ id }) => id))
  return [...consumedUtterances.filter(({ id }) => !ids.has(id)), ...turnUtterances].slice(-MAX_CONSUMED_UTTERANCES)
}
