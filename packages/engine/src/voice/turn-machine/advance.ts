import type { VoiceEffect } from './effects.ts'
import { drainCall, endCall } from './end-call.ts'
import type { VoiceEvent } from './events.ts'
import { dropSpeculation } from './generations.ts'
import { onInject, onLineLost, onLineRestored, onRecogniser, onSay } from './on-control.ts'
import { onDtmf, onTyped } from './on-keys.ts'
import { onPlayoutEnded, onPlayoutStarted, onSpeechComplete, onSpeechFailed, onSpeechReady } from './on-playout.ts'
import { onClause, onEndAsked, onGenerationEnded, onToolEnded, onToolStarted, onTransition } from './on-reply.ts'
import { onTranscript } from './on-transcript.ts'
import { onVoiceEnded, onVoiceStarted } from './on-voice.ts'
import { onJoined } from './opening.ts'
import { settle } from './settle.ts'
import type { TurnState } from './state.ts'
import { change, type Step } from './step.ts'
import { onTimer } from './timers.ts'

/** What an event comes to: how turns stand from now on, and what is to be done, in this order. */
export interface Advanced {
  readonly state: TurnState
  readonly effects: readonly VoiceEffect[]
}

/**
 * Takes one event. Pure: the same state, event and time give the same answer. Events that do not belong (late, double, of
 * something cancelled) change nothing. After the end nothing is ever to be done.
 */
export function advance(state: TurnState, event: VoiceEvent, nowMs: number): Advanced {
  if (state.phase === 'ended' || !MEANS[event.type].includes(state.phase)) return { state, effects: [] }
  const step: Step = { state, effects: [], nowMs }
  take(step, event)
  if (step.state.phase === 'live' || step.state.phase === 'ending') settle(step)
  return { state: step.state, effects: step.effects }
}

type Phase = TurnState['phase']

const ALWAYS: readonly Phase[] = ['waiting', 'live', 'ending']
/** What the agent says and does goes on while the call is being ended. */
const ONCE_JOINED: readonly Phase[] = ['live', 'ending']
/** Nobody is listened to any more while the call is being ended. */
const LIVE: readonly Phase[] = ['live']

/** In which phases an event means something. */
const MEANS: Readonly<Record<VoiceEvent['type'], readonly Phase[]>> = {
  joined: ['waiting'],
  settings: ALWAYS,
  'end-requested': ALWAYS,
  'hang-up': ALWAYS,
  timer: ONCE_JOINED,
  clause: ONCE_JOINED,
  'tool-started': ONCE_JOINED,
  'tool-ended': ONCE_JOINED,
  transition: ONCE_JOINED,
  'end-asked': ONCE_JOINED,
  'generation-ended': ONCE_JOINED,
  'speech-ready': ONCE_JOINED,
  'speech-complete': ONCE_JOINED,
  'speech-failed': ONCE_JOINED,
  'playout-started': ONCE_JOINED,
  'playout-ended': ONCE_JOINED,
  'line-lost': ONCE_JOINED,
  'line-restored': ONCE_JOINED,
  'voice-started': LIVE,
  'voice-ended': LIVE,
  transcript: LIVE,
  recogniser: LIVE,
  typed: LIVE,
  dtmf: LIVE,
  say: LIVE,
  inject: LIVE,
}

type Handlers = {
  readonly [Type in VoiceEvent['type']]: (step: Step, event: Extract<VoiceEvent, { type: Type }>) => void
}

const HANDLERS: Handlers = {
  joined: (step, { opening }) => onJoined(step, opening),
  settings: (step, { settings }) => {
    change(step, { settings })
    dropSpeculation(step, 'The settings of the agent changed.')
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
  'end-asked': (step, { generation }) => onEndAsked(step, generation),
  'generation-ended': onGenerationEnded,
  'speech-ready': (step, { utteranceId }) => onSpeechReady(step, utteranceId),
  'speech-complete': (step, { utteranceId }) => onSpeechComplete(step, utteranceId),
  'speech-failed': (step, { utteranceId }) => onSpeechFailed(step, utteranceId),
  'playout-started': (step, { utteranceId }) => onPlayoutStarted(step, utteranceId),
  'playout-ended': (step, { utteranceId }) => onPlayoutEnded(step, utteranceId),
  'line-lost': (step) => {
    onLineLost(step)
    const { ending } = step.state
    if (ending !== null) endCall(step, ending.reason)
  },
  'line-restored': onLineRestored,
  'voice-started': onVoiceStarted,
  'voice-ended': (step, { lastVoiceAtMs }) => onVoiceEnded(step, lastVoiceAtMs),
  transcript: onTranscript,
  recogniser: (step, { status }) => onRecogniser(step, status),
  typed: (step, { text }) => onTyped(step, text),
  dtmf: (step, { digit }) => onDtmf(step, digit),
  say: (step, { text, interruptible }) => onSay(step, text, interruptible),
  inject: (step, { respond }) => onInject(step, respond),
}

function take(step: Step, event: VoiceEvent): void {
  // The table pairs each type with its handler; the compiler cannot follow that through an index.
  const handle = HANDLERS[event.type] as (step: Step, event: VoiceEvent) => void
  handle(step, event)
}
