import { addUtterance, discardTurn, MIN_WORD_MS } from './caller-turn.ts'
import { classifyInterruption, type InterruptionKind } from './decision-rules.ts'
import { endsWithQuestionMark } from './endpointing/expected-answer.ts'
import type { VoiceEvent } from './events.ts'
import { dropSpeculation, interruptAgent } from './generations.ts'
import { isEcho, MAX_BACKCHANNEL_MS, resumeAgent } from './on-voice.ts'
import {
  type CallerTurn,
  canInterrupt,
  isAfterQuestion,
  isAgentBusy,
  note,
  type Step,
  type TranscribedUtterance,
  type TurnState,
  update,
} from './state.ts'
import { getWordList } from './words/languages.ts'
import { getTextAfterWords, splitWords } from './words/split-words.ts'

type Transcript = Extract<VoiceEvent, { type: 'transcript' }>

const MAX_TEXT_LENGTH = 4_000
/** Maximum delay after the agent's last word at which words can still be a backchannel. */
const MAX_DELAY_AFTER_SPEECH_MS = 1_000

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
  const { turn: previousTurn, lastSpeech, voice } = step.state
  const turn = addUtterance(step.state, utterance, step.nowMs)
  if (turn === null) {
    retractTurn(step)
    return
  }
  // Words prove that speech is being recognized.
  if (step.state.transcriberStatus !== 'listening')
    update(step, { transcriberStatus: 'listening', unrecognizedTurnCount: 0 })
  const isRightAfterSpeech =
    lastSpeech.endedAtMs !== null && turn.firstVoiceAtMs - lastSpeech.endedAtMs <= MAX_DELAY_AFTER_SPEECH_MS
  const isOverlappingAgent =
    previousTurn?.isOverlappingAgent === true ||
    isAgentBusy(step.state) ||
    (lastSpeech.isSinceLastTurn && isRightAfterSpeech)
  update(step, {
    turn: { ...turn, isOverlappingAgent },
    voice: { ...voice, untranscribedSinceMs: null, retranscribingSinceMs: null },
  })
  if (previousTurn === null && turn.isTextOnly)
    note(step, 'text-without-voice', 'Words recognized without detected voice.')
  if (previousTurn?.text === turn.text && previousTurn.isOverlappingAgent === isOverlappingAgent) return
  if (isAgentBusy(step.state)) handleOverlap(step, { ...turn, isOverlappingAgent })
  // The agent has nothing left to say.
  else endPause(step, 'The agent had finished.')
}

/** Decides whether caller speech stops the agent. */
function handleOverlap(step: Step, turn: CallerTurn): void {
  const kind = classifyOverlap(step.state, turn)
  const isInterruption = kind === 'interruption' || kind === 'command'
  if (isInterruption && canInterrupt(step.state, 'voice')) {
    update(step, { turn: { ...turn, isOverlappingAgent: false } })
    interruptAgent(step, kind === 'command' ? 'the caller asked it to stop' : 'the caller started to speak')
    return
  }
  endPause(step, 'The words did not interrupt the agent.')
}

/** Resumes the agent immediately or after the caller's voice has ended. */
function endPause(step: Step, reason: string): void {
  const { pause, voice } = step.state
  if (pause === null) return
  if (!voice.isActive) resumeAgent(step, reason)
  else update(step, { pause: { ...pause, resumeAtMs: step.nowMs + MAX_BACKCHANNEL_MS } })
}

/** Classifies the current turn relative to the agent's speech. */
function classifyOverlap(state: TurnState, turn: CallerTurn): InterruptionKind {
  const { language, agentName } = state.settings
  const speech = { text: turn.text, agentName, isAfterQuestion: isAfterQuestion(state) }
  const kind = classifyInterruption(speech, getWordList(language))
  return kind === 'backchannel' && isStillAnswering(state) ? 'interruption' : kind
}

/**
 * Whether the caller is still answering. If the turn was committed too early, a "yes" before the agent speaks is part of the
 * answer.
 */
function isStillAnswering({ generation, uncommittedSpeech, lastSpeech }: TurnState): boolean {
  return (
    generation?.inputType === 'user' && uncommittedSpeech?.wasPlayed !== true && endsWithQuestionMark(lastSpeech.text)
  )
}

/** Drops a finished turn that is only a backchannel. */
export function dropBackchannel(step: Step): void {
  const { turn, voice, digits, typedTexts } = step.state
  if (turn === null || voice.isActive || !turn.isOverlappingAgent || digits !== null || typedTexts.length > 0) return
  if (turn.retranscribingSinceMs !== null || classifyOverlap(step.state, turn) !== 'backchannel') return
  discardTurn(step)
  dropSpeculation(step, 'Backchannel from the caller.')
  note(step, 'backchannel', 'Backchannel from the caller; the agent continued.')
  resumeAgent(step, 'Backchannel from the caller.')
}

/** Drops a turn after the transcriber retracted its words. */
function retractTurn(step: Step): void {
  update(step, { turn: null })
  endPause(step, 'No words recognized.')
}

/** Clears voice in which the transcriber found no words. */
function clearUntranscribedVoice(step: Step): void {
  const { voice, pause, turn } = step.state
  if (voice.isActive) return
  if (turn !== null) update(step, { turn: { ...turn, textChangedAtMs: step.nowMs } })
  if (voice.untranscribedSinceMs === null) return
  update(step, { voice: { ...voice, untranscribedSinceMs: null } })
  if (pause !== null) resumeAgent(step, 'No words recognized.')
}

/** Returns the text that no earlier turn contains, or `null` if there is none. */
function getUnconsumedText(state: TurnState, event: Transcript, nowMs: number): string | null {
  const text = event.text.trim().slice(0, MAX_TEXT_LENGTH)
  const consumedUtterance = state.consumedUtterances.find(({ id }) => id === event.utteranceId)
  if (consumedUtterance === undefined) return text
  const { voice, consumedAtMs } = state
  const hasNewVoice = voice.isActive || voice.lastActiveAtMs >= (consumedAtMs ?? state.startedAtMs)
  if (!hasNewVoice || nowMs - voice.startedAtMs < MIN_WORD_MS) return null
  const newText = getTextAfterWords(text, consumedUtterance.wordCount)
  const isInTurn = state.turn?.utterances.some(({ id }) => id === event.utteranceId) === true
  return newText === '' && !isInTurn ? null : newText
}

/** Whether a text only repeats words that the agent is saying, and an echo is likely. */
function isEchoedText(state: TurnState, text: string, nowMs: number): boolean {
  if (state.voice.isActive || !isEcho(state, 'echo-like', nowMs)) return false
  const agentWords = new Set(splitWords(state.queue.map((speech) => speech.text).join(' ')))
  const heardWords = splitWords(text)
  return heardWords.length > 0 && heardWords.every((word) => agentWords.has(word))
}
