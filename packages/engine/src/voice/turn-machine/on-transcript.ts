import { addUtterance, discardTurn, FASTEST_WORD_MS } from './caller-turn.ts'
import { classifyInterruption, type InterruptionKind } from './deciders.ts'
import { endsWithQuestionMark } from './endpointing/expected-answer.ts'
import type { VoiceEvent } from './events.ts'
import { dropSpeculation, interruptAgent } from './generations.ts'
import { BACKCHANNEL_MS, isEcho, resumeAgent } from './on-voice.ts'
import {
  type CallerTurn,
  canInterrupt,
  change,
  isAfterQuestion,
  isAgentBusy,
  note,
  type Step,
  type TranscribedUtterance,
  type TurnState,
} from './state.ts'
import { getWordList } from './words/languages.ts'
import { getTextAfterWords, splitWords } from './words/split-words.ts'

type Transcript = Extract<VoiceEvent, { type: 'transcript' }>

const MAX_TEXT_LENGTH = 4_000
/** A backchannel within this time after the agent's last word refers to that word. */
const AFTER_LAST_WORD_MS = 1_000

/** Handles a transcript. */
export function onTranscript(step: Step, event: Transcript): void {
  const text = getUnconsumedText(step.state, event, step.nowMs)
  if (text === null || isEchoedText(step.state, text, step.nowMs)) return
  const existing = step.state.turn?.utterances.find(({ id }) => id === event.utteranceId)
  if (existing?.stage === 'final' || (existing === undefined && text === '')) {
    if (text === '' && event.stage === 'final') clearUntranscribedVoice(step)
    return
  }
  updateTurn(step, { id: event.utteranceId, text, stage: event.stage, endOfTurn: event.endOfTurn })
}

function updateTurn(step: Step, utterance: TranscribedUtterance): void {
  const { turn: previousTurn, lastSpoken, voice } = step.state
  const turn = addUtterance(step.state, utterance, step.nowMs)
  if (turn === null) {
    retractTurn(step)
    return
  }
  // Words prove that speech is being recognized.
  if (step.state.transcriber !== 'listening') change(step, { transcriber: 'listening', unrecognizedTurns: 0 })
  const isSoonAfter = lastSpoken.endedAtMs !== null && turn.firstVoiceAtMs - lastSpoken.endedAtMs <= AFTER_LAST_WORD_MS
  const isOverlappingAgent =
    previousTurn?.isOverlappingAgent === true || isAgentBusy(step.state) || (lastSpoken.isSinceLastTurn && isSoonAfter)
  change(step, {
    turn: { ...turn, isOverlappingAgent },
    voice: { ...voice, untranscribedSinceMs: null, retranscribingSinceMs: null },
  })
  if (previousTurn === null && turn.isTextOnly)
    note(step, 'text-without-voice', 'Words recognized without detected voice.')
  if (previousTurn?.text === turn.text && previousTurn.isOverlappingAgent === isOverlappingAgent) return
  if (isAgentBusy(step.state)) decideOverlap(step, { ...turn, isOverlappingAgent })
  // The paused speech has ended, so there is nothing to interrupt.
  else endPause(step, 'Nothing is left to interrupt.')
}

/** Decides whether caller speech stops the agent. */
function decideOverlap(step: Step, turn: CallerTurn): void {
  const verdict = classifyOverlap(step.state, turn)
  const isInterruption = verdict === 'interruption' || verdict === 'command'
  if (isInterruption && canInterrupt(step.state, 'voice')) {
    change(step, { turn: { ...turn, isOverlappingAgent: false } })
    interruptAgent(step, verdict === 'command' ? 'the caller asked it to stop' : 'the caller started to speak')
    return
  }
  endPause(step, 'The words did not interrupt the agent.')
}

/** Resumes the agent immediately or after the caller's voice has ended. */
function endPause(step: Step, reason: string): void {
  const { pause, voice } = step.state
  if (pause === null) return
  if (!voice.isOn) resumeAgent(step, reason)
  else change(step, { pause: { ...pause, resumeAtMs: step.nowMs + BACKCHANNEL_MS } })
}

/** Classifies the current turn relative to the agent's speech. */
function classifyOverlap(state: TurnState, turn: CallerTurn): InterruptionKind {
  const { language, agentName } = state.settings
  const speech = { text: turn.text, agentName, isAfterQuestion: isAfterQuestion(state) }
  const verdict = classifyInterruption(speech, getWordList(language))
  return verdict === 'backchannel' && isStillAnswering(state) ? 'interruption' : verdict
}

/**
 * Whether the caller is still answering. If the turn was committed in mid-answer, a "yes" before the agent speaks belongs to
 * that turn.
 */
function isStillAnswering({ generation, uncommitted, lastSpoken }: TurnState): boolean {
  return generation?.answers === 'user' && uncommitted?.wasPlayed !== true && endsWithQuestionMark(lastSpoken.text)
}

/** Drops a finished turn that is only a backchannel. */
export function dropBackchannel(step: Step): void {
  const { turn, voice, digits, typed } = step.state
  if (turn === null || voice.isOn || !turn.isOverlappingAgent || digits !== null || typed.length > 0) return
  if (turn.retranscribingSinceMs !== null || classifyOverlap(step.state, turn) !== 'backchannel') return
  discardTurn(step)
  dropSpeculation(step, 'Backchannel from the caller.')
  note(step, 'backchannel', 'Backchannel from the caller; the agent continued.')
  resumeAgent(step, 'Backchannel from the caller.')
}

/** Drops a turn after the transcriber retracted its words. */
function retractTurn(step: Step): void {
  change(step, { turn: null })
  endPause(step, 'No words recognized.')
}

/** Clears voice in which the transcriber found no words. */
function clearUntranscribedVoice(step: Step): void {
  const { voice, pause, turn } = step.state
  if (voice.isOn) return
  if (turn !== null) change(step, { turn: { ...turn, textAtMs: step.nowMs } })
  if (voice.untranscribedSinceMs === null) return
  change(step, { voice: { ...voice, untranscribedSinceMs: null } })
  if (pause !== null) resumeAgent(step, 'No words recognized.')
}

/** Returns the words that no turn has consumed, or `null` if there cannot be any. */
function getUnconsumedText(state: TurnState, event: Transcript, nowMs: number): string | null {
  const text = event.text.trim().slice(0, MAX_TEXT_LENGTH)
  const consumed = state.consumed.find(({ id }) => id === event.utteranceId)
  if (consumed === undefined) return text
  const { voice, consumedAtMs } = state
  const hasNewVoice = voice.isOn || voice.lastAtMs >= (consumedAtMs ?? state.startedAtMs)
  if (!hasNewVoice || nowMs - voice.startedAtMs < FASTEST_WORD_MS) return null
  const newText = getTextAfterWords(text, consumed.words)
  const isInTurn = state.turn?.utterances.some(({ id }) => id === event.utteranceId) === true
  return newText === '' && !isInTurn ? null : newText
}

/** Whether a text is the agent's own speech. Without echo cancellation, words that the agent is saying count as echo. */
function isEchoedText(state: TurnState, text: string, nowMs: number): boolean {
  if (state.voice.isOn || !isEcho(state, 'echo-like', nowMs)) return false
  const agentWords = new Set(splitWords(state.queue.map((speech) => speech.text).join(' ')))
  const heardWords = splitWords(text)
  return heardWords.length > 0 && heardWords.every((word) => agentWords.has(word))
}
