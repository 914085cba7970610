import type { ChatMessage } from '@parley/contract/chat-message'
import type { TurnStatus, TurnStreamEvent } from '@parley/contract/events'
import type { DialogueAction, DialogueEvent, DialogueState, TurnEnd } from '@parley/engine/dialogue/conversation'
import type { Explanation } from '@parley/engine/dialogue/explanation'
import type { ModelUsage } from '@parley/engine/ports'
import type { AppError } from '../../../kernel/errors.ts'
import type { MessageRow } from '../../../tables/chat-tables.ts'
import type { HandoffColumns } from '../chat-events.ts'
import type { Replay } from '../failover/replay.ts'
import type { TurnEvents } from '../journal/turn-log.ts'
import type { NewMessage } from './turn-writes.ts'

export interface TurnOutcome {
  readonly status: Exclude<TurnStatus, 'running'>
  /** New messages in order, without the user's message. */
  readonly messages: readonly ChatMessage[]
  /** Reason for a failure. Null if the turn did not fail. */
  readonly failure: { readonly code: 'provider_error' | 'provider_timeout'; readonly message: string } | null
}

/** A turn to await or follow. `replayed` is true if an earlier request with the same key started it. */
export interface Turn {
  readonly log: TurnEvents
  readonly outcome: Promise<TurnOutcome>
  readonly replayed: boolean
}

/** Why a turn was stopped: the client canceled it, or the server is shutting down. */
export type StopReason = 'cancelled' | 'interrupted'

/** A turn's progress on this node. */
export type TurnState =
  /** The turn waits for earlier turns. `place` is its place in the database queue, or null if it has not been added. */
  | { readonly phase: 'queued'; readonly place: number | null; readonly stopReason: StopReason | null }
  /** The model runs while the user's message is being stored. Until then, nothing is published or stored. */
  | {
      readonly phase: 'starting'
      readonly place: number | null
      readonly stopReason: StopReason | null
      readonly answer: Answer
    }
  | { readonly phase: 'answering'; readonly stopReason: StopReason | null; readonly answer: Answer }
  /** The answer is complete, and its last part is being stored. */
  | {
      readonly phase: 'storing'
      readonly stopReason: StopReason | null
      readonly answer: Answer
      readonly result: TurnResult
    }
  | {
      readonly phase: 'ended'
      readonly outcome: TurnOutcome
      readonly firstTextMs: number | null
      /** Stored rows of the outcome's messages. */
      readonly storedRows: readonly MessageRow[]
    }
  /** The turn could not start or could not be stored. */
  | { readonly phase: 'failed' }
  /** An earlier request with the same idempotency key is being answered, and this request gets the same answer. */
  | { readonly phase: 'joined' }
  /** Another node took over the turn. */
  | { readonly phase: 'moved' }

/** A turn's output so far. */
export interface Answer {
  /** The chat's engine and state before the turn. */
  readonly baseline: { readonly engine: DialogueState['engine']; readonly state: DialogueState | null }
  readonly startedAtMs: number
  /** Position of the next stored message in the chat. */
  readonly position: number
  /** Stored messages of the turn, oldest first. */
  readonly storedRows: readonly MessageRow[]
  readonly pendingMessages: readonly PendingMessage[]
  /** Events to publish when `pendingMessages` are stored. */
  readonly pendingEvents: readonly TurnStreamEvent[]
  readonly usage: readonly (ModelUsage & { readonly model: string })[]
  readonly decisions: readonly Explanation[]
  /** New engine state. Null if the turn has not changed it. */
  readonly state: DialogueState | null
  /** Chat columns changed by the turn's handoffs. Null if there was no handoff. */
  readonly handoffColumns: HandoffColumns | null
  readonly firstTextMs: number | null
  readonly endsChat: boolean
  readonly end: TurnEnd | null
  /** Replay of an interrupted message. Null if no message is being replayed. */
  readonly replay: Replay | null
}

/** A message that gets its id when it is stored. */
export type PendingMessage = Omit<NewMessage, 'message_id'>

/** Final data of a turn. */
export interface TurnResult {
  readonly status: TurnOutcome['status']
  readonly failure: TurnOutcome['failure']
  readonly state: DialogueState | null
  readonly endsChat: boolean
}

export type AgentSwap = Extract<DialogueAction, { type: 'agent-swap' }>

export type TurnEvent =
  | { readonly type: 'placed'; readonly place: number }
  /** The turn is at the head of the queue and tries to start. */
  | { readonly type: 'start'; readonly turnId: string; readonly answer: Answer }
  | { readonly type: 'started' }
  /** Another turn of the chat started first. */
  | { readonly type: 'start-rejected' }
  /** A dead node's turn continues from its stored messages. */
  | { readonly type: 'resume'; readonly answer: Answer }
  | { readonly type: 'engine'; readonly event: DialogueEvent; readonly nowMs: number }
  | { readonly type: 'engine-ended' }
  /** The turn ends without a complete answer. */
  | { readonly type: 'interrupt' }
  | { readonly type: 'handed-over'; readonly handoffColumns: HandoffColumns }
  | { readonly type: 'committed'; readonly rows: readonly MessageRow[] }
  | { readonly type: 'stored'; readonly rows: readonly MessageRow[] }
  | { readonly type: 'stop'; readonly reason: StopReason }
  /** The turn was stopped before it could start. */
  | { readonly type: 'left-queue' }
  | { readonly type: 'join'; readonly turn: Turn }
  | { readonly type: 'moved' }
  | { readonly type: 'failed'; readonly error: AppError }

/** Immediate effects on the event stream, the model and waiting callers. */
export type RunEffect =
  | { readonly type: 'publish'; readonly events: readonly TurnStreamEvent[] }
  /** Hides further events from readers until the turn has started. */
  | { readonly type: 'hide-events' }
  | { readonly type: 'drop-hidden-events' }
  | { readonly type: 'stop-model' }
  /** Creates a new signal for the next attempt. */
  | { readonly type: 'renew-signal' }
  | { readonly type: 'follow'; readonly turn: Turn }
  | { readonly type: 'resolve'; readonly outcome: TurnOutcome }
  | { readonly type: 'reject'; readonly error: AppError }
  /** Closes readers because another node serves the remaining events. */
  | { readonly type: 'abandon' }

/** Effects that store data. The engine waits for them. */
export type StoreEffect =
  | { readonly type: 'hand-over'; readonly swap: AgentSwap }
  | { readonly type: 'commit' }
  | { readonly type: 'store-end' }

export type TurnEffect = RunEffect | StoreEffect
