import { FASTEST_WORD_MS, withUtterance } from './caller-turn.ts'
import { classifyInterruption, type InterruptionKind } from './classify-interruption.ts'
import { discardTurn } from './consume-turn.ts'
import { endsAsQuestion } from './endpointing/expected-answer.ts'
import type { VoiceEvent } from './events.ts'
import { dropSpeculation, interrupt } from './generations.ts'
import { BACKCHANNEL_MS, isEcho, resumeAgent } from './on-voice.ts'
import type { CallerTurn, TranscribedUtterance, TurnState } from './state.ts'
import { change, note, type Step } from './step.ts'
import { canInterrupt, isAfterQuestion, isAgentBusy } from './turn-conditions.ts'
import { wordsOf } from './words/languages.ts'
import { textAfterWords } from './words/spaced-words.ts'
import { splitWords } from './words/split-words.ts'

type Transcript = Extract<VoiceEvent, { type: 'transcript' }>

const MAX_TEXT_LENGTH = 4_000
/** After the agent's last word a "mhm" still belongs to what it said. */
const AFTER_LAST_WORD_MS = 1_000

/** The recogniser tells what it has understood so far. */
export function onTranscript(step: Step, event: Transcript): void {
  const text = unconsumedText(step.state, event, step.nowMs)
  if (text === null || isEchoedText(step.state, text, step.nowMs)) return
  const known = step.state.turn?.utterances.find(({ id }) => id === event.utteranceId)
  if (known?.stage === 'final' || (known === undefined && text === '')) {
    if (text === '' && event.stage === 'final') clearUntranscribedVoice(step)
    return
  }
  updateTurn(step, { id: event.utteranceId, text, stage: event.stage, endOfTurn: event.endOfTurn })
}

function updateTurn(step: Step, utterance: TranscribedUtterance): void {
  const { turn: before, lastSpoken, voice } = step.state
  const turn = withUtterance(step.state, utterance, step.nowMs)
  if (turn === null) {
    retractTurn(step)
    return
  }
  // Words show that somebody listens after all.
  if (step.state.transcriber !== 'listening') change(step, { transcriber: 'listening', unrecognizedTurns: 0 })
  const isSoonAfter = lastSpoken.endedAtMs !== null && turn.firstVoiceAtMs - lastSpoken.endedAtMs <= AFTER_LAST_WORD_MS
  const isOverlappingAgent =
    before?.isOverlappingAgent === true || isAgentBusy(step.state) || (lastSpoken.isSinceLastTurn && isSoonAfter)
  change(step, {
    turn: { ...turn, isOverlappingAgent },
    voice: { ...voice, untranscribedSinceMs: null, retranscribingSinceMs: null },
  })
  if (before === null && turn.isTextOnly)
    note(step, 'text-without-voice', 'Words were recognised where no voice was heard.')
  if (before?.text === turn.text && before.isOverlappingAgent === isOverlappingAgent) return
  if (isAgentBusy(step.state)) decideOverlap(step, { ...turn, isOverlappingAgent })
  // What the agent paused for has ended meanwhile without a word: only its own "mhm" is left of it.
  else endPause(step, 'Nothing is left to interrupt.')
}

/** Words over the agent's: whether it stops. */
function decideOverlap(step: Step, turn: CallerTurn): void {
  const verdict = interruptionKindOf(step.state, turn)
  const isTaken = verdict === 'interruption' || verdict === 'command'
  if (isTaken && canInterrupt(step.state, 'voice')) {
    change(step, { turn: { ...turn, isOverlappingAgent: false } })
    interrupt(step, verdict === 'command' ? 'the caller told it to stop' : 'the caller began to speak')
    return
  }
  endPause(step, 'The words did not interrupt.')
}

/** The agent goes on: at once where nobody speaks, otherwise when these words are over. */
function endPause(step: Step, why: string): void {
  const { pause, voice } = step.state
  if (pause === null) return
  if (!voice.isOn) resumeAgent(step, why)
  else change(step, { pause: { ...pause, resumeAtMs: step.nowMs + BACKCHANNEL_MS } })
}

/** What the words of a turn mean to an agent that speaks, or has just spoken. */
export function interruptionKindOf(state: TurnState, turn: CallerTurn): InterruptionKind {
  const { language, agentName } = state.settings
  const heard = { text: turn.text, agentName, isAfterQuestion: isAfterQuestion(state) }
  const verdict = classifyInterruption(heard, wordsOf(language))
  return verdict === 'backchannel' && isStillAnswering(state) ? 'interruption' : verdict
}

/** The turn was taken in the middle of an answer to a question: a "yes" before the agent speaks is the rest of it. */
function isStillAnswering({ generation, uncommitted, lastSpoken }: TurnState): boolean {
  return generation?.answers === 'user' && uncommitted?.wasPlayed !== true && endsAsQuestion(lastSpoken.text)
}

/** A "mhm" that is over is no turn. */
export function dropBackchannel(step: Step): void {
  const { turn, voice, digits, typed } = step.state
  if (turn === null || voice.isOn || !turn.isOverlappingAgent || digits !== null || typed.length > 0) return
  if (turn.retranscribingSinceMs !== null || interruptionKindOf(step.state, turn) !== 'backchannel') return
  discardTurn(step)
  dropSpeculation(step, 'The caller only showed that they listen.')
  note(step, 'backchannel', 'The caller showed that they listen; the agent went on.')
  resumeAgent(step, 'The caller only showed that they listen.')
}

/** The recogniser took its words back: there were none. */
function retractTurn(step: Step): void {
  change(step, { turn: null })
  endPause(step, 'What sounded like words was none.')
}

/** Told to be noise: nothing more is waited for. */
function clearUntranscribedVoice(step: Step): void {
  const { voice, pause, turn } = step.state
  if (voice.isOn) return
  if (turn !== null) change(step, { turn: { ...turn, textAtMs: step.nowMs } })
  if (voice.untranscribedSinceMs === null) return
  change(step, { voice: { ...voice, untranscribedSinceMs: null } })
  if (pause !== null) resumeAgent(step, 'What sounded like words was none.')
}

/** The words that no turn has taken; `null`: nothing new can be in it. */
function unconsumedText(state: TurnState, event: Transcript, nowMs: number): string | null {
  const text = event.text.trim().slice(0, MAX_TEXT_LENGTH)
  const consumed = state.consumed.find(({ id }) => id === event.utteranceId)
  if (consumed === undefined) return text
  const { voice, consumedAtMs } = state
  const hasNewVoice = voice.isOn || voice.lastAtMs >= (consumedAtMs ?? state.startedAtMs)
  if (!hasNewVoice || nowMs - voice.sinceMs < FASTEST_WORD_MS) return null
  const rest = textAfterWords(text, consumed.words)
  const isKnown = state.turn?.utterances.some(({ id }) => id === event.utteranceId) === true
  return rest === '' && !isKnown ? null : rest
}

/** Where echo comes back, words that the agent is saying itself are the agent's. */
function isEchoedText(state: TurnState, text: string, nowMs: number): boolean {
  if (state.voice.isOn || !isEcho(state, 'echo-like', nowMs)) return false
  const said = new Set(splitWords(state.queue.map((speech) => speech.text).join(' ')))
  const heard = splitWords(text)
  return heard.length > 0 && heard.every((word) => said.has(word))
}
