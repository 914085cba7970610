import { FASTEST_WORD_MS, withUtterance } from './caller-turn.ts'
import { endsAsQuestion } from './endpointing/expected-answer.ts'
import type { VoiceEvent } from './events.ts'
import { dropSpeculation, interrupt } from './generations.ts'
import { type InterruptionVerdict, judgeInterruption } from './judge-interruption.ts'
import { isAfterQuestion, isOccupied, mayInterrupt } from './occupation.ts'
import { BACKCHANNEL_MS, isEcho, resumeAgent } from './on-voice.ts'
import type { CallerTurn, HeardUtterance, TurnState } from './state.ts'
import { change, note, type Step } from './step.ts'
import { forgetTurn } from './take-turn.ts'
import { wordsOf } from './words/languages.ts'
import { textBehindWords } from './words/spaced-words.ts'
import { splitWords } from './words/split-words.ts'

type Transcript = Extract<VoiceEvent, { type: 'transcript' }>

const LONGEST_TEXT = 4_000
/** After the agent's last word a "mhm" still belongs to what it said. */
const AFTER_LAST_WORD_MS = 1_000

/** The recogniser tells what it has understood so far. */
export function onTranscript(step: Step, event: Transcript): void {
  const text = untakenText(step.state, event, step.nowMs)
  if (text === null || isEchoedText(step.state, text, step.nowMs)) return
  const known = step.state.turn?.utterances.find(({ id }) => id === event.utteranceId)
  if (known?.stage === 'final' || (known === undefined && text === '')) {
    if (text === '' && event.stage === 'final') explainVoice(step)
    return
  }
  hear(step, { id: event.utteranceId, text, stage: event.stage, endOfTurn: event.endOfTurn })
}

function hear(step: Step, utterance: HeardUtterance): void {
  const { turn: before, lastSaid, voice } = step.state
  const turn = withUtterance(step.state, utterance, step.nowMs)
  if (turn === null) {
    takeBack(step)
    return
  }
  // Words show that somebody listens after all.
  if (step.state.ears !== 'listening') change(step, { ears: 'listening', deafTurns: 0 })
  const isSoonAfter = lastSaid.endedAtMs !== null && turn.firstVoiceAtMs - lastSaid.endedAtMs <= AFTER_LAST_WORD_MS
  const isOverAgent = before?.isOverAgent === true || isOccupied(step.state) || (lastSaid.isSinceTurn && isSoonAfter)
  change(step, { turn: { ...turn, isOverAgent }, voice: { ...voice, unexplainedSinceMs: null, heardAgainAtMs: null } })
  if (before === null && turn.isTextOnly)
    note(step, 'text-without-voice', 'Words were recognised where no voice was heard.')
  if (before?.text === turn.text && before.isOverAgent === isOverAgent) return
  if (isOccupied(step.state)) decideOverAgent(step, { ...turn, isOverAgent })
  // What the agent paused for has ended meanwhile without a word: only its own "mhm" is left of it.
  else endPause(step, 'Nothing is left to interrupt.')
}

/** Words over the agent's: whether it stops. */
function decideOverAgent(step: Step, turn: CallerTurn): void {
  const verdict = verdictOf(step.state, turn)
  const isTaken = verdict === 'interruption' || verdict === 'command'
  if (isTaken && mayInterrupt(step.state, 'voice')) {
    change(step, { turn: { ...turn, isOverAgent: false } })
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
export function verdictOf(state: TurnState, turn: CallerTurn): InterruptionVerdict {
  const { language, agentName } = state.settings
  const heard = { text: turn.text, agentName, isAfterQuestion: isAfterQuestion(state) }
  const verdict = judgeInterruption(heard, wordsOf(language))
  return verdict === 'backchannel' && isStillAnswering(state) ? 'interruption' : verdict
}

/** The turn was taken in the middle of an answer to a question: a "yes" before the agent speaks is the rest of it. */
function isStillAnswering({ generation, unsettled, lastSaid }: TurnState): boolean {
  return generation?.answers === 'user' && unsettled?.wasHeard !== true && endsAsQuestion(lastSaid.text)
}

/** A "mhm" that is over is no turn. */
export function dropBackchannel(step: Step): void {
  const { turn, voice, digits, typed } = step.state
  if (turn === null || voice.isOn || !turn.isOverAgent || digits !== null || typed.length > 0) return
  if (turn.heardAgainAtMs !== null || verdictOf(step.state, turn) !== 'backchannel') return
  forgetTurn(step)
  dropSpeculation(step, 'The caller only showed that they listen.')
  note(step, 'backchannel', 'The caller showed that they listen; the agent went on.')
  resumeAgent(step, 'The caller only showed that they listen.')
}

/** The recogniser took its words back: there were none. */
function takeBack(step: Step): void {
  change(step, { turn: null })
  endPause(step, 'What sounded like words was none.')
}

/** Told to be noise: nothing more is waited for. */
function explainVoice(step: Step): void {
  const { voice, pause, turn } = step.state
  if (voice.isOn) return
  if (turn !== null) change(step, { turn: { ...turn, textAtMs: step.nowMs } })
  if (voice.unexplainedSinceMs === null) return
  change(step, { voice: { ...voice, unexplainedSinceMs: null } })
  if (pause !== null) resumeAgent(step, 'What sounded like words was none.')
}

/** The words that no turn has taken; `null`: nothing new can be in it. */
function untakenText(state: TurnState, event: Transcript, nowMs: number): string | null {
  const text = event.text.trim().slice(0, LONGEST_TEXT)
  const taken = state.taken.find(({ id }) => id === event.utteranceId)
  if (taken === undefined) return text
  const { voice, takenAtMs } = state
  const hasNewVoice = voice.isOn || voice.lastAtMs >= (takenAtMs ?? state.startedAtMs)
  if (!hasNewVoice || nowMs - voice.sinceMs < FASTEST_WORD_MS) return null
  const rest = textBehindWords(text, taken.words)
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
