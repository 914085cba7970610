import { discardTurn, hasFinalText } from './caller-turn.ts'
import { getMaxWaitForWordsMs } from './decision-rules.ts'
import { endsWithQuestionMark } from './endpointing/expected-answer.ts'
import { dropSpeculation, interruptAgent } from './generations.ts'
import {
  classifyInterruption,
  DEEP_DUCKING_AFTER_MS,
  type DuckingDb,
  getDuckingDb,
  getMaxOverlapMs,
  getResumeAtMs,
  type InterruptionKind,
} from './interruption-rules.ts'
import {
  type CallerTurn,
  canInterrupt,
  emit,
  hasAgentSpoken,
  isAfterQuestion,
  isAgentBusy,
  isHeard,
  note,
  type Step,
  type TurnState,
  update,
} from './state.ts'
import { getWordList } from './words/languages.ts'

/** Maximum duration of a pause while the caller's words do not interrupt. */
const MAX_PAUSE_MS = 3_000
/** Within this time after the agent's first word, a backchannel still refers to what came before. */
const FIRST_WORDS_MS = 1_000
/** Time within which words can follow a backchannel and make it part of a turn. */
const BACKCHANNEL_END_MS = 1_000

/** Classifies the caller's current words relative to the agent's speech. `null` without words. */
function classifyTurn(state: TurnState, isInterim: boolean): InterruptionKind | null {
  return state.turn === null ? null : classifyOverlap(state, state.turn, isInterim)
}

function classifyOverlap(
  state: TurnState,
  turn: CallerTurn,
  isInterim = state.voice.isActive || !hasFinalText(turn),
): InterruptionKind {
  const { language, agentName } = state.settings
  const speech = { text: turn.text, isInterim, agentName, isAfterQuestion: isAfterQuestion(state) }
  const kind = classifyInterruption(speech, getWordList(language))
  return kind === 'backchannel' && isStillAnswering(state) ? 'interruption' : kind
}

/**
 * Whether the caller is still answering. If the turn was committed too early, a "yes" before the agent speaks is part of the
 * answer.
 */
function isStillAnswering({ generation, uncommittedSpeech, lastSpeech }: TurnState): boolean {
  return generation?.inputType === 'user' && !isHeard(uncommittedSpeech) && endsWithQuestionMark(lastSpeech.text)
}

function isInterruption(kind: InterruptionKind | null): boolean {
  return kind === 'interruption' || kind === 'command'
}

/** Stops the agent if the caller's new words interrupt it, and lets it continue if they do not. */
export function handleOverlappingWords(step: Step, turn: CallerTurn): void {
  const kind = classifyOverlap(step.state, turn)
  if (isInterruption(kind) && canInterrupt(step.state, 'voice')) {
    update(step, { turn: { ...turn, isOverlappingAgent: false } })
    interruptAgent(step, kind === 'command' ? 'the caller asked it to stop' : 'the caller started to speak')
    return
  }
  updatePauseEnd(step, 'The words did not interrupt the agent.')
}

/** Resumes a paused agent, immediately or once the caller's speech is decided. */
export function updatePauseEnd(step: Step, reason: string): void {
  const { pause } = step.state
  if (pause === null) return
  const resumeAtMs = getPauseEndAtMs(step)
  update(step, { pause: { resumeAtMs } })
  if (resumeAtMs !== null && resumeAtMs <= step.nowMs) resumeAgent(step, reason)
}

/** Returns the time at which a pause ends if nothing else happens, or `null` while the transcriber can still find words. */
export function getPauseEndAtMs({ state, nowMs }: Step): number | null {
  const { voice, turn, settings, textDelays } = state
  const kind = turn === null ? null : classifyOverlap(state, turn)
  const isUndecided = kind === null || kind === 'undecided'
  if (voice.isActive) {
    if (turn === null)
      return textDelays.isStreaming ? voice.startedAtMs + getMaxWaitForWordsMs(textDelays.firstMs ?? 0) : null
    return isUndecided || nowMs >= getMaxOverlapAtMs(state) ? nowMs + MAX_PAUSE_MS : nowMs
  }
  if (!isUndecided) return nowMs
  return getResumeAtMs({
    startedAtMs: voice.startedAtMs,
    lastVoiceAtMs: voice.lastActiveAtMs,
    finalDelayMs: textDelays.finalMs ?? settings.transcriberP99Ms,
  })
}

/** Resumes the agent after a pause. */
export function resumeAgent(step: Step, reason: string): void {
  if (step.state.pause === null) return
  update(step, { pause: null })
  note(step, 'false-interruption', reason)
}

/** Ends a pause: the agent continues unless undecided words have turned into an interruption. */
export function onPauseEnd(step: Step): void {
  const { voice } = step.state
  if (isInterruption(classifyTurn(step.state, false)) && canInterrupt(step.state, 'voice')) {
    interruptAgent(step, 'the caller started to speak')
    return
  }
  // Otherwise, continuing voice would pause the agent again and again.
  update(step, { voice: { ...voice, isActive: false } })
  resumeAgent(step, 'Silence without recognizable words.')
}

/** Whether the caller speaks while the agent is busy and could be interrupted. */
function isOverlapping(state: TurnState): boolean {
  return state.voice.isActive && isAgentBusy(state) && canInterrupt(state, 'voice')
}

function hasOnlyBackchannels(state: TurnState): boolean {
  const kind = classifyTurn(state, true)
  return kind === 'backchannel' || kind === 'answer'
}

/** Returns the time at which continuing speech stops the agent. */
function getMaxOverlapAtMs(state: TurnState): number {
  const { voice, settings, textDelays, uncommittedSpeech } = state
  const isBackchannel = hasOnlyBackchannels(state)
  const playedSinceMs = uncommittedSpeech?.playedSinceMs ?? null
  const isAtFirstWords = playedSinceMs !== null && voice.startedAtMs - playedSinceMs < FIRST_WORDS_MS
  if (voice.isPaused || (isBackchannel && isAtFirstWords)) return Number.POSITIVE_INFINITY
  const maxMs = getMaxOverlapMs({
    interruptionAfterMs: settings.interruptionAfterMs ?? 0,
    firstTextDelayMs: textDelays.firstMs,
    isBackchannel,
  })
  return voice.startedAtMs + maxMs
}

/** Returns the time at which the agent gets quieter or stops because the caller keeps speaking. */
export function getOverlapDueAtMs(state: TurnState): number | undefined {
  const { pause, duckingDb, voice } = state
  if (pause !== null || !isOverlapping(state)) return undefined
  const stopAtMs = getMaxOverlapAtMs(state)
  const dueAtMs = duckingDb === 6 ? Math.min(stopAtMs, voice.startedAtMs + DEEP_DUCKING_AFTER_MS) : stopAtMs
  return dueAtMs === Number.POSITIVE_INFINITY ? undefined : dueAtMs
}

/** Stops the agent if the caller has spoken over it for long enough. */
export function onOverlap(step: Step): void {
  if (step.nowMs >= getMaxOverlapAtMs(step.state)) pauseAgent(step)
}

function pauseAgent(step: Step): void {
  update(step, { pause: { resumeAtMs: getPauseEndAtMs(step) } })
}

/** Delays an answer that is not audible yet while the caller speaks, and ends a pause that nothing else would end. */
export function updatePause(step: Step): void {
  const { pause, queue, generation, voice } = step.state
  if (pause === null) {
    const isHeld = isOverlapping(step.state) && !hasAgentSpoken(step.state) && !hasOnlyBackchannels(step.state)
    if (isHeld) pauseAgent(step)
    return
  }
  if (queue.length === 0 && generation === null) update(step, { pause: null })
  else if (pause.resumeAtMs === null && !voice.isActive && voice.untranscribedSinceMs === null)
    update(step, { pause: { resumeAtMs: step.nowMs } })
}

/** Lowers the agent's voice while the caller may be interrupting, and restores it otherwise. */
export function updateDucking(step: Step): void {
  const db = selectDucking(step)
  if (db === step.state.duckingDb) return
  emit(step, { type: 'duck-playout', db })
  update(step, { duckingDb: db })
}

function selectDucking({ state, nowMs }: Step): DuckingDb {
  const isPossibleInterruption =
    state.pause === null &&
    isOverlapping(state) &&
    !state.voice.isPaused &&
    hasAgentSpoken(state) &&
    !hasOnlyBackchannels(state)
  return isPossibleInterruption ? getDuckingDb(nowMs - state.voice.startedAtMs) : 0
}

/** Whether the caller's finished words are only a backchannel, which is not answered. */
export function isFinishedBackchannel(state: TurnState): boolean {
  const { turn, voice, digits, typedTexts } = state
  if (turn === null || voice.isActive || !turn.isOverlappingAgent || digits !== null || typedTexts.length > 0)
    return false
  return turn.retranscribingSinceMs === null && classifyOverlap(state, turn, false) === 'backchannel'
}

/** Returns the time at which finished words over the agent are decided, or `undefined` if they are already. */
export function getOverlapEndDueAtMs(state: TurnState): number | undefined {
  const { turn, voice, settings, textDelays } = state
  if (turn === null || voice.isActive || !turn.isOverlappingAgent) return undefined
  const finalDelayMs = textDelays.finalMs ?? settings.transcriberP99Ms
  if (isFinishedBackchannel(state))
    return turn.lastVoiceAtMs + Math.max(BACKCHANNEL_END_MS, hasFinalText(turn) ? 0 : finalDelayMs)
  const isUndecided = !hasFinalText(turn) && isInterruption(classifyTurn(state, false))
  if (!isUndecided || !isAgentBusy(state) || !canInterrupt(state, 'voice')) return undefined
  return getResumeAtMs({ startedAtMs: turn.firstVoiceAtMs, lastVoiceAtMs: turn.lastVoiceAtMs, finalDelayMs })
}

/** Drops a finished backchannel, or treats undecided words as an interruption. */
export function onOverlapEnd(step: Step): void {
  if (isFinishedBackchannel(step.state)) {
    discardTurn(step)
    dropSpeculation(step, 'Backchannel from the caller.')
    note(step, 'backchannel', 'Backchannel from the caller; the agent continued.')
    resumeAgent(step, 'Backchannel from the caller.')
  } else if (isInterruption(classifyTurn(step.state, false))) interruptAgent(step, 'the caller started to speak')
}
