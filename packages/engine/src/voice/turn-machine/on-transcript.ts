import type { VoiceLevel } from '../../audio/voice-activity/voice-activity.ts'
import { addUtterance, consumeUtterances, MIN_WORD_MS } from './caller-turn.ts'
import { getTranscriptDueAtMs } from './decision-rules.ts'
import type { VoiceEvent } from './events.ts'
import { isCommand, isStreamingGap, updateDelay, updateFirstTextDelay } from './interruption-rules.ts'
import { askToRepeat } from './on-voice.ts'
import { handleOverlappingWords, resumeAgent, updatePauseEnd } from './overlap.ts'
import {
  emit,
  isAgentAudible,
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
  if (text === null) return
  if (isEchoedText(step.state, text, step.nowMs) || isBackgroundText(step.state, text, step.nowMs)) {
    update(step, { consumedUtterances: consumeUtterances(step.state, [{ id: event.utteranceId, text }]) })
    emit(step, { type: 'ignore-transcript', utteranceId: event.utteranceId })
    return
  }
  measureDelays(step, event)
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
  if (isAgentBusy(step.state)) handleOverlappingWords(step, { ...turn, isOverlappingAgent })
  // The agent has nothing left to say.
  else resumeAgent(step, 'The agent had finished.')
}

/** Drops a turn after the transcriber retracted its words. */
function retractTurn(step: Step): void {
  update(step, { turn: null })
  updatePauseEnd(step, 'No words recognized.')
}

/** Clears voice in which the transcriber found no words. */
function clearUntranscribedVoice(step: Step): void {
  const { voice, pause, turn } = step.state
  if (voice.isActive) return
  if (turn !== null) update(step, { turn: { ...turn, textChangedAtMs: step.nowMs } })
  if (voice.untranscribedSinceMs === null) return
  update(step, { voice: { ...voice, untranscribedSinceMs: null } })
  if (pause !== null) resumeAgent(step, 'No words recognized.')
  askToRepeat(step, voice.untranscribedSinceMs)
}

/** Measures how long the transcriber takes for its first words and for the final text. */
function measureDelays(step: Step, { utteranceId, stage, text }: Transcript): void {
  const { voice, turn, textDelays } = step.state
  if (stage !== 'final' && turn === null && voice.untranscribedSinceMs !== null && text.trim() !== '') {
    const firstMs = updateFirstTextDelay(textDelays.firstMs, step.nowMs - voice.untranscribedSinceMs)
    update(step, { textDelays: { ...textDelays, firstMs } })
  } else if (
    voice.isActive &&
    turn?.utterances.at(-1)?.id === utteranceId &&
    isStreamingGap(step.nowMs - turn.lastTextAtMs)
  ) {
    update(step, { textDelays: { ...textDelays, isStreaming: true } })
  }
  const isInTime = turn === null ? voice.untranscribedSinceMs !== null : !turn.isTextOnly
  if (stage !== 'final' || voice.isActive || !isInTime || voice.retranscribingSinceMs !== null) return
  const finalMs = updateDelay(textDelays.finalMs, step.nowMs - voice.lastActiveAtMs)
  update(step, { textDelays: { ...textDelays, finalMs } })
}

/** Returns the text that no earlier turn contains, or `null` if there is none. */
function getUnconsumedText(state: TurnState, event: Transcript, nowMs: number): string | null {
  const text = event.text.trim().slice(0, MAX_TEXT_LENGTH)
  const consumedUtterance = state.consumedUtterances.find(({ id }) => id === event.utteranceId)
  if (consumedUtterance === undefined) return text
  const { voice, consumedAtMs } = state
  const lastVoiceAtMs = voice.isActive || voice.ignored?.endedAtMs === null ? nowMs : voice.lastActiveAtMs
  const hasNewVoice = lastVoiceAtMs >= (consumedAtMs ?? state.startedAtMs)
  if (!hasNewVoice || nowMs - voice.startedAtMs < MIN_WORD_MS) return null
  const newText = getTextAfterWords(text, consumedUtterance.wordCount)
  const isInTurn = state.turn?.utterances.some(({ id }) => id === event.utteranceId) === true
  return newText === '' && !isInTurn ? null : newText
}

/** Share of the agent's own words from which text counts as an echo, because transcribers mishear some of them. */
const MIN_ECHOED_SHARE = 0.5

/** Whether a text without the caller's voice repeats words that the agent has just said. */
function isEchoedText(state: TurnState, text: string, nowMs: number): boolean {
  const { voice, turn, queue, lastSpeech } = state
  if (voice.isActive || turn !== null) return false
  if (!isAgentAudible(state) && !isIgnoredRecently(state, 'echo-like', nowMs)) return false
  const agentWords = new Set(splitWords([lastSpeech.text, ...queue.map((speech) => speech.text)].join(' ')))
  const heardWords = splitWords(text)
  const echoedCount = heardWords.filter((word) => agentWords.has(word)).length
  return heardWords.length > 0 && echoedCount >= heardWords.length * MIN_ECHOED_SHARE
}

/** Whether other people nearby said a text while the agent was busy. A command stops the agent nevertheless. */
function isBackgroundText(state: TurnState, text: string, nowMs: number): boolean {
  const { voice, turn, settings } = state
  if (voice.isActive || turn !== null || voice.untranscribedSinceMs !== null || !isAgentBusy(state)) return false
  if (text === '' || !isIgnoredRecently(state, 'background', nowMs)) return false
  return !isCommand(splitWords(text), settings.agentName, getWordList(settings.language))
}

/** Whether the last speech was ignored, and its text can still arrive. */
function isIgnoredRecently({ voice: { ignored }, settings }: TurnState, level: VoiceLevel, nowMs: number): boolean {
  if (ignored?.level !== level) return false
  return ignored.endedAtMs === null || nowMs <= getTranscriptDueAtMs(ignored.endedAtMs, settings.transcriberP99Ms)
}
