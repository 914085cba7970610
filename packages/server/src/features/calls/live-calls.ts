import type { LegRateHz } from '@parley/engine/audio/frame'
import type { JsonValue } from '@parley/engine/ports'
import type { CallObserver } from '@parley/engine/voice/call-observer'
import type { MediaLeg } from '@parley/engine/voice/ports'
import type { CallRecorder } from '@parley/engine/voice/session/session-ports'

/** Calls that live on this node, as the edges that bring callers see them. */

/** Why a caller or a listener is not let in, or a call does not start; `retry`: it may work in a moment or at another node. */
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

/** A call that was started. */
export interface StartedCall {
  readonly ok: true
  readonly callId: string
  readonly agentName: string
  readonly language: string
  readonly recognition: 'browser' | 'server' | 'none'
  /** One sentence for each provider that is stood in for. */
  readonly standIns: readonly string[]
  readonly startedAtMs: number
}

/** A call that is to start: its record exists, its caller's leg is there. */
export interface CallStart {
  readonly callId: string
  readonly leg: MediaLeg
  /** Whoever shows the call while it runs. */
  readonly observer?: CallObserver | null
}

/** Where calls start, whatever brings their callers. Nothing rejects. */
export interface LiveCallHost {
  /**
   * Starts a registered call on this node: takes its slot, marks it as ongoing, and the agent speaks. A call whose record has
   * a token starts only here where the token was admitted.
   */
  start(start: CallStart): Promise<StartedCall | CallRefusal>
  /** Ends all calls at once since the process stops; they are written down in the background. */
  endAll(): void
  /** Calls that this node holds. */
  readonly activeCount: number
}

/** A caller whose token was used up for a call of this node. */
export interface AdmittedCaller {
  readonly ok: true
  readonly callId: string
  /** To be called when the call did not start: its token works again. Never rejects. */
  release(): Promise<void>
}

/** Lets callers in by their token. Nothing rejects. */
export interface CallerAdmission {
  /** Of several who come with one token one is admitted. */
  admit(accessToken: string): Promise<AdmittedCaller | CallRefusal>
}

/** A call that somebody may listen to. */
export interface AdmittedListener {
  readonly ok: true
  readonly callId: string
  /** Calls `onLost` once when the listener loses access to the call; the returned function ends that. */
  watch(onLost: (refusal: CallRefusal) => void): () => void
}

/** Lets listeners in by their token, as long as the credential behind it may hear the call. Nothing rejects. */
export interface ListenerAdmission {
  admit(accessToken: string): Promise<AdmittedListener | CallRefusal>
}

/** What is told to a live call from outside. It travels between nodes as JSON. */
export type CallCommand =
  | { readonly type: 'say'; readonly text: string; readonly interruptible: boolean }
  /** `respond`: the agent reacts at once, otherwise at its next turn. */
  | { readonly type: 'inject'; readonly text: string; readonly respond: boolean }
  | { readonly type: 'end' }
  /** What the call carries was changed, as far as it is given; it stands in its row already. */
  | {
      readonly type: 'changed'
      readonly metadata?: Readonly<Record<string, JsonValue>>
      readonly overrideVariables?: Readonly<Record<string, string | null>>
    }

/** The calls that this node holds, as their control sees them. */
export interface ActiveCalls {
  /** Tells the call; false when this node does not hold it. Returns at once and never throws. */
  command(callId: string, command: CallCommand): boolean
}

/** Tells live calls what to do, wherever they live. */
export interface LiveCallControl {
  /**
   * Resolves once the node that holds the call has taken the command. Throws `unavailable` when none has within two seconds:
   * then it may have been taken or not.
   */
  command(callId: string, command: CallCommand): Promise<void>
}

/** A call whose sound is kept. */
export interface RecordedCallOptions {
  readonly callId: string
  readonly rateHz: LegRateHz
  /** Told once, a sentence, when some of it cannot be kept. */
  readonly onProblem: (message: string) => void
}

/** Where the sound of calls is kept. */
export interface CallRecorders {
  open(call: RecordedCallOptions): CallRecorder & {
    /** Resolves once everything is kept that can be, and what came too late to be kept is to be removed. Never rejects. */
    close(): Promise<void>
  }
}
