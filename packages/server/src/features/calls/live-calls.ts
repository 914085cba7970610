import type { LegRateHz } from '@parley/engine/audio/frame'
import type { JsonValue } from '@parley/engine/ports'
import type { CallObserver, MediaLeg } from '@parley/engine/voice/ports'
import type { CallRecorder } from '@parley/engine/voice/session/session-ports'

/** Why a caller or listener is refused or a call does not start. `retry`: it may work later or on another node. */
export interface CallRefusal {
  readonly ok: false
  readonly code:
    | 'token_invalid'
    | 'token_used'
    | 'token_expired'
    | 'token_revoked'
    | 'call_ended'
    | 'concurrency_limit_reached'
    | 'held_elsewhere'
    | 'unavailable'
  /** A sentence for the person who wants to join. */
  readonly message: string
  readonly retry: boolean
}

export interface StartedCall {
  readonly ok: true
  readonly callId: string
  readonly agentName: string
  readonly language: string
  readonly recognition: 'browser' | 'server' | 'none'
  /** One sentence for each vendor that is replaced by a fallback. */
  readonly standIns: readonly string[]
  readonly startedAtMs: number
}

/** A call to start: its record exists and its caller's leg is connected. */
export interface CallStart {
  readonly callId: string
  readonly leg: MediaLeg
  /** Shows the call while it runs. */
  readonly observer?: CallObserver | null
}

/** Starts calls from any kind of leg. Nothing rejects. */
export interface LiveCallHost {
  /**
   * Starts a registered call on this node: takes its slot, marks it as ongoing, and lets the agent speak. A call with a
   * token in its record starts only here, where the token was admitted.
   */
  start(start: CallStart): Promise<StartedCall | CallRefusal>
  /** Ends all calls at once because the process stops; they are stored in the background. */
  endAll(): void
  readonly activeCount: number
}

/** A caller whose token was consumed for a call of this node. */
export interface AdmittedCaller {
  readonly ok: true
  readonly callId: string
  /** Call when the call did not start: its token works again. Never rejects. */
  release(): Promise<void>
}

/** Admits callers by token. Nothing rejects. */
export interface CallerAdmission {
  /** Admits one of several callers with the same token. */
  admit(accessToken: string): Promise<AdmittedCaller | CallRefusal>
}

export interface AdmittedListener {
  readonly ok: true
  readonly callId: string
  /** Calls `onLost` once when the listener loses access to the call; the returned function stops that. */
  watch(onLost: (refusal: CallRefusal) => void): () => void
}

/** Admits listeners by token while the credential behind it may hear the call. Nothing rejects. */
export interface ListenerAdmission {
  admit(accessToken: string): Promise<AdmittedListener | CallRefusal>
}

/** A command to a live call. Nodes exchange it as JSON. */
export type CallCommand =
  | { readonly type: 'say'; readonly text: string; readonly interruptible: boolean }
  /** `respond`: the agent reacts at once, otherwise in its next turn. */
  | { readonly type: 'inject'; readonly text: string; readonly respond: boolean }
  | { readonly type: 'end' }
  /** Fields of the call that changed, as already stored in its row. */
  | {
      readonly type: 'changed'
      readonly metadata?: Readonly<Record<string, JsonValue>>
      readonly overrideVariables?: Readonly<Record<string, string | null>>
    }

/** The calls of this node, as seen by call control. */
export interface ActiveCalls {
  /** Sends a command to the call; false when this node does not hold it. Returns at once and never throws. */
  command(callId: string, command: CallCommand): boolean
}

/** Controls live calls on any node. */
export interface LiveCallControl {
  /**
   * Resolves when the node that holds the call has the command. Throws `unavailable` after two seconds without a
   * response; the command may have been executed.
   */
  command(callId: string, command: CallCommand): Promise<void>
}

/** A recorded call. */
interface RecordedCallOptions {
  readonly callId: string
  readonly rateHz: LegRateHz
  /** Called once with a sentence when part of the audio cannot be stored. */
  readonly onProblem: (message: string) => void
}

/** Records the audio of calls. */
export interface CallRecorders {
  open(call: RecordedCallOptions): CallRecorder & {
    /** Resolves when all storable audio is stored, and late audio is marked for removal. Never rejects. */
    close(): Promise<void>
  }
}
