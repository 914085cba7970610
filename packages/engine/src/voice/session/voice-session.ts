import { advance } from '../turn-machine/advance.ts'
import { initialState } from '../turn-machine/state.ts'
import { SessionLoop, type TurnMachine } from './session-loop.ts'
import type { CallOutcome, VoiceSession, VoiceSessionOptions } from './session-ports.ts'

/** Creates a call over one leg. Call `start` to begin. */
export function createVoiceSession(options: VoiceSessionOptions): VoiceSession {
  return openVoiceSession(options, { initialState, advance })
}

/** Same as `createVoiceSession` with another turn machine. */
export function openVoiceSession<State>(options: VoiceSessionOptions, machine: TurnMachine<State>): VoiceSession {
  let finish: (outcome: CallOutcome) => void = () => {}
  const ended = new Promise<CallOutcome>((resolve) => {
    finish = resolve
  })
  const loop = new SessionLoop(options, machine, finish)
  return {
    start: () => loop.start(),
    pump: (nowMs) => loop.pump(nowMs),
    say: (text, interruptible) => loop.post({ type: 'say', text, interruptible }),
    inject: (text, respond) => loop.inject(text, respond),
    end: (reason, drain) => loop.post({ type: 'end-requested', reason, drain }),
    ended,
    transcript: () => loop.transcript(),
  }
}
