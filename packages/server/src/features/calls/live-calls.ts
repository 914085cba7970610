import type { LegRateHz } from '@parley/engine/audio/frame'
import type { JsonValue } from '@parley/engine/ports'
import type { CallObserver, MediaLeg } from '@parley/engine/voice/ports'
import type { CallRecorder } from '@parley/engine/voice/session/session-ports'

/**
 * Why a caller or listener is rejected, or a call does not start. `retry` means that another attempt or another node may
 * succeed.
 */
export interface CallRejection {
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
  /** A message for the person who tried to join. */
  readonly message: string
  readonly retry: boolean
}

export interface StartedCall {
  readonly ok: true
  readonly callId: string
  readonly agentName: string
  readonly language: string
  readonly recognition: 'browser' | 'server' | 'none'
  /** One message for each vendor replaced by a fallback. */
  readonly standIns: readonly string[]
  readonly startedAtMs: number
}

/** A call to start. Its row exists, and its caller's leg is connected. */
export interface CallStart {
  readonly callId: string
  readonly leg: MediaLeg
  /** Observes the call while it is live. */
  readonly observer?: CallObserver | null
}

/** Starts calls from any kind of leg. No method rejects. */
export interface LiveCallHost {
  /**
   * Acquires a slot, marks the call as ongoing and starts the agent. A call with a token starts only on the node that
   * admitted the token.
   */
  start(callStart: CallStart): Promise<StartedCall | CallRejection>
  /** Ends all calls immediately on shutdown. Their results are stored in the background. */
  endAll(): void
  readonly activeCount: number
}

/** A caller whose token was accepted on this node. */
export interface AdmittedCaller {
  readonly ok: true
  readonly callId: string
  /** Makes the token valid again after the call failed to start. Never rejects. */
  release(): Promise<void>
}

/** Admits callers by token. Never rejects. */
export interface CallerAdmission {
  /** Admits the caller. Each token admits only one caller. */
  admit(accessToken: string): Promise<AdmittedCaller | CallRejection>
}

export interface AdmittedListener {
  readonly ok: true
  readonly callId: string
  /**
   * Watches the listener's access and calls `onLost` once if the listener loses access to the call. The returned function stops
   * watching.
   */
  watch(onLost: (rejection: CallRejection) => void): () => void
}

/** Admits listeners by token if the token's credential allows listening to the call. Never rejects. */
export interface ListenerAdmission {
  admit(accessToken: string): Promise<AdmittedListener | CallRejection>
}

/** A command for a live call. Nodes exchange commands as JSON. */
export type CallCommand =
  | { readonly type: 'say'; readonly text: string; readonly interruptible: boolean }
  /** If `respond` is true, the agent reacts immediately; otherwise, the agent reacts in its next turn. */
  | { readonly type: 'inject'; readonly text: string; readonly respond: boolean }
  | { readonly type: 'end' }
  /** Changed call fields, which are already stored in the call's row. */
  | {
      readonly type: 'changed'
      readonly metadata?: Readonly<Record<string, JsonValue>>
      readonly overrideVariables?: Readonly<Record<string, string | null>>
    }

/** The live calls on this node, for call control. */
export interface ActiveCalls {
  /** Sends a command to a call. Returns false if this node does not hold the call. Returns immediately and never throws. */
  sendCommand(callId: string, command: CallCommand): boolean
}

/** Controls live calls on any node. */
export interface LiveCallControl {
  /**
   * Sends a command to the node that holds the call. Throws `unavailable` if that node does not confirm receipt within
   * two seconds. The command may still have been executed.
   */
  sendCommand(callId: string, command: CallCommand): Promise<void>
}

/** The call to record. */
interface RecordedCallOptions {
  readonly callId: string
  readonly rateHz: LegRateHz
  /** Called once with a message if part of the audio cannot be stored. */
  readonly onProblem: (message: string) => void
}

/** Records the audio of calls. */
export interface CallRecorders {
  open(call: RecordedCallOptions): CallRecorder & {
    /** Stops recording. Resolves when all writes are finished and late audio is removed. Never rejects. */
    close(): Promise<void>
  }
}
