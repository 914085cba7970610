import { applyConsequences } from './apply-consequences.ts'
import { drainCall, endCall } from './end-call.ts'
import type { VoiceEffect, VoiceEvent } from './events.ts'
import { dropSpeculation } from './generations.ts'
import { onConnectionLost, onConnectionRestored, onInject, onJoined, onSay, onTranscriberStatus } from './on-control.ts'
import {
  onPlayoutEnded,
  onPlayoutStarted,
  onSpeechComplete,
  onSpeechFailed,
  onSpeechReady,
  onSpeechRestarted,
} from './on-playout.ts'
import { onAgentHangUp, onClause, onGenerationEnded, onToolEnded, onToolStarted, onTransition } from './on-reply.ts'
import { onTranscript } from './on-transcript.ts'
import { onTurnEndEstimated, onVoiceEnded, onVoicePaused, onVoiceStarted } from './on-voice.ts'
import { type Step, type TurnState, update } from './state.ts'
import { onTimer } from './timers.ts'
import { onDtmf, onTyped } from './user-turn.ts'

/** The next state and the effects to perform in order. */
export interface AdvanceResult {
  readonly state: TurnState
  readonly effects: readonly VoiceEffect[]
}

/**
 * Advances the machine by one event, without side effects. Stale and duplicate events have no effect, and the call emits no
 * effects after it has ended.
 */
export function advance(state: TurnState, event: VoiceEvent, nowMs: number): AdvanceResult {
  if (state.phase === 'ended' || !EVENT_PHASES[event.type].includes(state.phase)) return { state, effects: [] }
  const step: Step = { state, effects: [], nowMs }
  dispatch(step, event)
  if (step.state.phase === 'live' || step.state.phase === 'ending') applyConsequences(step)
  return { state: step.state, effects: step.effects }
}

type Phase = TurnState['phase']

const ANY_PHASE: readonly Phase[] = ['waiting', 'live', 'ending']
/** Phases in which the agent's events are handled. The agent continues to speak while the call is ending. */
const JOINED_PHASES: readonly Phase[] = ['live', 'ending']
/** Phases in which the caller's events are handled. The caller is ignored while the call is ending. */
const LIVE_PHASES: readonly Phase[] = ['live']

/** The phases in which each event is handled. */
const EVENT_PHASES: Readonly<Record<VoiceEvent['type'], readonly Phase[]>> = {
  joined: ['waiting'],
  settings: ANY_PHASE,
  'end-requested': ANY_PHASE,
  'hang-up': ANY_PHASE,
  timer: JOINED_PHASES,
  clause: JOINED_PHASES,
  'tool-started': JOINED_PHASES,
  'tool-ended': JOINED_PHASES,
  transition: JOINED_PHASES,
  'agent-hang-up': JOINED_PHASES,
  'generation-ended': JOINED_PHASES,
  'speech-ready': JOINED_PHASES,
  'speech-restarted': JOINED_PHASES,
  'speech-complete': JOINED_PHASES,
  'speech-failed': JOINED_PHASES,
  'playout-started': JOINED_PHASES,
  'playout-ended': JOINED_PHASES,
  'connection-lost': JOINED_PHASES,
  'connection-restored': JOINED_PHASES,
  'voice-started': LIVE_PHASES,
  'voice-paused': LIVE_PHASES,
  'voice-ended': LIVE_PHASES,
  'turn-end-estimated': LIVE_PHASES,
  transcript: LIVE_PHASES,
  transcriber: LIVE_PHASES,
  typed: LIVE_PHASES,
  dtmf: LIVE_PHASES,
  say: LIVE_PHASES,
  inject: LIVE_PHASES,
}

type Handlers = {
  readonly [Type in VoiceEvent['type']]: (step: Step, event: Extract<VoiceEvent, { type: Type }>) => void
}

const HANDLERS: Handlers = {
  joined: (step, { opening }) => onJoined(step, opening),
  settings: (step, { settings }) => {
    update(step, { settings })
    dropSpeculation(step, "The agent's settings changed.")
  },
  'end-requested': (step, { reason, drain }) => {
    if (!drain) endCall(step, reason)
    else if (step.state.phase !== 'ending') drainCall(step, reason)
  },
  'hang-up': (step) => endCall(step, 'user_hangup'),
  timer: (step, { name }) => onTimer(step, name),
  clause: onClause,
  'tool-started': onToolStarted,
  'tool-ended': onToolEnded,
  transition: onTransition,
  'agent-hang-up': (step, { generation }) => onAgentHangUp(step, generation),
  'generation-ended': onGenerationEnded,
  'speech-ready': (step, { utteranceId }) => onSpeechReady(step, utteranceId),
  'speech-restarted': (step, { utteranceId }) => onSpeechRestarted(step, utteranceId),
  'speech-complete': (step, { utteranceId }) => onSpeechComplete(step, utteranceId),
  'speech-failed': (step, { utteranceId }) => onSpeechFailed(step, utteranceId),
  'playout-started': (step, { utteranceId }) => onPlayoutStarted(step, utteranceId),
  'playout-ended': (step, { utteranceId }) => onPlayoutEnded(step, utteranceId),
  'connection-lost': (step) => {
    onConnectionLost(step)
    const { pendingEnd } = step.state
    if (pendingEnd !== null) endCall(step, pendingEnd.reason)
  },
  'connection-restored': onConnectionRestored,
  'voice-started': onVoiceStarted,
  'voice-paused': (step, { isPaused }) => onVoicePaused(step, isPaused),
  'voice-ended': (step, { lastVoiceAtMs }) => onVoiceEnded(step, lastVoiceAtMs),
  'turn-end-estimated': onTurnEndEstimated,
  transcript: onTranscript,
  transcriber: (step, { status }) => onTranscriberStatus(step, status),
  typed: (step, { text }) => onTyped(step, text),
  dtmf: (step, { digit }) => onDtmf(step, digit),
  say: (step, { text, interruptible }) => onSay(step, text, interruptible),
  inject: (step, { respond }) => onInject(step, respond),
}

function dispatch(step: Step, event: VoiceEvent): void {
  // The table pairs each type with its handler, which the compiler cannot infer through an index.
  const handle = HANDLERS[event.type] as (step: Step, event: VoiceEvent) => void
  handle(step, event)
}
