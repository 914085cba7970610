import type { LegRateHz } from '@parley/engine/audio/frame'
import type { JsonValue } from '@parley/engine/ports'
import type { CallObserver, MediaLeg } from '@parley/engine/voice/ports'
import type { CallRecorder } from '@parley/engine/voice/session/session-ports'

/**
 * Why a caller or listener is rejected, or a call does not start. `retry` means that another attempt or another node may
 * succeed.
 */
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
  /** One sentence for each vendor replaced by a fallback. */
  readonly standIns: readonly string[]
  readonly startedAtMs: number
}

/** A call to start. Its record exists, and its caller's leg is connected. */
export interface CallStart {
  readonly callId: string
  readonly leg: MediaLeg
  /** Displays the call while it runs. */
  readonly observer?: CallObserver | null
}

/** Starts calls from any kind of leg. No method rejects. */
export interface LiveCallHost {
  /**
   * Starts a registered call on this node: takes its slot, marks it as ongoing and lets the agent speak. A call with a token
   * starts only on the node that admitted the token.
   */
  start(callStart: CallStart): Promise<StartedCall | CallRefusal>
  /** Ends all calls immediately when the process stops. The ends are stored in the background. */
  endAll(): void
  readonly activeCount: number
}

/** A caller with a token that was consumed for a call on this node. */
export interface AdmittedCaller {
  readonly ok: true
  readonly callId: string
  /** Restores the token. Call this method if the call did not start. Never rejects. */
  release(): Promise<void>
}

/** Admits callers by token. Never rejects. */
export interface CallerAdmission {
  /** Admits the first of several callers with the same token. */
  admit(accessToken: string): Promise<AdmittedCaller | CallRefusal>
}

export interface AdmittedListener {
  readonly ok: true
  readonly callId: string
  /**
   * Watches the listener's access and calls `onLost` once if the listener loses access to the call. The returned function stops
   * watching.
   */
  watch(onLost: (refusal: CallRefusal) => void): () => void
}

/** Admits listeners by token if the token's credential allows listening to the call. Never rejects. */
export interface ListenerAdmission {
  admit(accessToken: string): Promise<AdmittedListener | CallRefusal>
}

/** A command to a live call. Nodes exchange commands as JSON. */
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

/** The calls on this node, for call control. */
export interface ActiveCalls {
  /** Sends a command to a call. Returns false if this node does not hold the call. Returns immediately and never throws. */
  sendCommand(callId: string, command: CallCommand): boolean
}

/** Controls live calls on any node. */
export interface LiveCallControl {
  /**
   * Sends a command to the node that holds the call and resolves after it received the command. Throws `unavailable` after two
   * seconds without a response, although the command may have been executed.
   */
  sendCommand(callId: string, command: CallCommand): Promise<void>
}

/** The call to record. */
interface RecordedCallOptions {
  readonly callId: string
  readonly rateHz: LegRateHz
  /** Called once with a sentence if part of the audio cannot be stored. */
  readonly onProblem: (message: string) => void
}

/** Records the audio of calls. */
export interface CallRecorders {
  open(call: RecordedCallOptions): CallRecorder & {
    /** Resolves when all storable audio is stored and late audio is marked for removal. Never rejects. */
    close(): Promise<void>
  }
}
