import type { LegRateHz } from '@parley/engine/audio/frame'
import type { JsonValue } from '@parley/engine/ports'
import type { CallObserver } from '@parley/engine/voice/call-observer'
import type { MediaLeg } from '@parley/engine/voice/ports'
import type { CallTape } from '@parley/engine/voice/session/session-ports'

/** Calls that live on this node, as the edges that bring callers see them. */

/** Why somebody cannot join; `retry`: the same may succeed in a moment or at another node. */
export interface JoinRefusal {
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

/** A call that was joined. */
export interface JoinedCall {
  readonly ok: true
  readonly callId: string
  readonly agentName: string
  readonly language: string
  readonly recognition: 'browser' | 'server' | 'none'
  /** One sentence for each provider that is stood in for. */
  readonly standIns: readonly string[]
  readonly startedAtMs: number
}

/** Where callers arrive. Nothing rejects. */
export interface LiveCallHost {
  /** Begins the call with its caller's line; the token works once. */
  join(accessToken: string, leg: MediaLeg, observer: CallObserver | null): Promise<JoinedCall | JoinRefusal>
  /** Ends all calls at once since the process stops; they are written down in the background. */
  endAll(): void
  /** Calls that this node holds. */
  readonly activeCount: number
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
export interface HeldCalls {
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
export interface TapedCall {
  readonly callId: string
  readonly rateHz: LegRateHz
  /** Told once, a sentence, when some of it cannot be kept. */
  readonly onTrouble: (message: string) => void
}

/** Where the sound of calls is kept. */
export interface CallTapes {
  open(call: TapedCall): CallTape & {
    /** Resolves once everything is kept that can be, and what came too late to be kept is to be removed. Never rejects. */
    close(): Promise<void>
  }
}
