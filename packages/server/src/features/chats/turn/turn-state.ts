import type { ChatMessage } from '@parley/contract/chat-message'
import type { TurnStatus, TurnStreamEvent } from '@parley/contract/events'
import type { DialogueAction, DialogueEvent, DialogueState, TurnEnd } from '@parley/engine/dialogue/conversation'
import type { Explanation } from '@parley/engine/dialogue/explanation'
import type { ModelUsage } from '@parley/engine/ports'
import type { AppError } from '../../../kernel/errors.ts'
import type { MessageRow } from '../../../tables/chat-tables.ts'
import type { Replay } from '../failover/replay.ts'
import type { TurnEvents } from '../journal/turn-log.ts'
import type { HandOverColumns } from './hand-overs.ts'
import type { NewMessage } from './turn-writes.ts'

/** How a turn ended, for those who wait for its whole answer. */
export interface TurnOutcome {
  readonly status: Exclude<TurnStatus, 'running'>
  /** New messages in order, without the input. */
  readonly messages: readonly ChatMessage[]
  /** Why it failed. */
  readonly failure: { readonly code: 'provider_error' | 'provider_timeout'; readonly message: string } | null
}

/** A turn to wait for or to follow; `replayed` when it started with an earlier request of the same key. */
export interface Turn {
  readonly log: TurnEvents
  readonly outcome: Promise<TurnOutcome>
  readonly replayed: boolean
}

/** Why a turn was stopped: somebody does not want the answer any more, or the process ends. */
export type StopReason = 'cancelled' | 'interrupted'

/** How far a turn has come on this node. */
export type TurnState =
  /** Waits for earlier turns. `place` is its number in the queue that all nodes share; null until it needs one. */
  | { readonly phase: 'queued'; readonly place: number | null; readonly stop: StopReason | null }
  /** The model is asked while the user's message is being stored; until then nothing is shown or stored. */
  | {
      readonly phase: 'starting'
      readonly place: number | null
      readonly stop: StopReason | null
      readonly answer: Answer
    }
  | { readonly phase: 'answering'; readonly stop: StopReason | null; readonly answer: Answer }
  /** The answer is complete and its last part is being stored. */
  | {
      readonly phase: 'storing'
      readonly stop: StopReason | null
      readonly answer: Answer
      readonly ending: TurnEnding
    }
  | {
      readonly phase: 'ended'
      readonly outcome: TurnOutcome
      readonly firstTextMs: number | null
      /** The messages of `outcome` as they are in the database. */
      readonly stored: readonly MessageRow[]
    }
  /** It could not start, or could not be stored. */
  | { readonly phase: 'failed' }
  /** An earlier request with the same idempotency key is being answered; this one gets that answer. */
  | { readonly phase: 'joined' }
  /** Another node took it over. */
  | { readonly phase: 'moved' }

/** What a turn has produced so far. */
export interface Answer {
  /** What the chat remembered before the turn. */
  readonly before: { readonly engine: DialogueState['engine']; readonly state: DialogueState | null }
  readonly startedAtMs: number
  /** Position in the chat of the next message to be stored. */
  readonly position: number
  /** Messages that the turn has stored, oldest first. */
  readonly stored: readonly MessageRow[]
  readonly pending: readonly PendingMessage[]
  /** Published once `pending` is stored. */
  readonly pendingEvents: readonly TurnStreamEvent[]
  readonly usage: readonly (ModelUsage & { readonly model: string })[]
  readonly decisions: readonly Explanation[]
  /** The engine's memory; null while the turn has not changed it. */
  readonly state: DialogueState | null
  /** Columns of the chat that hand-overs of this turn change; null without any. */
  readonly handOverColumns: HandOverColumns | null
  readonly firstTextMs: number | null
  readonly endsChat: boolean
  readonly end: TurnEnd | null
  /** The message that broke off on another node, while its repeated text is compared with what readers have. */
  readonly replay: Replay | null
}

/** A message without its id, which it gets when it is stored. */
export type PendingMessage = Omit<NewMessage, 'message_id'>

/** What the last commit of a turn stores. */
export interface TurnEnding {
  readonly status: TurnOutcome['status']
  readonly failure: TurnOutcome['failure']
  readonly state: DialogueState | null
  readonly endsChat: boolean
}

export type AgentSwap = Extract<DialogueAction, { type: 'agent-swap' }>

export type TurnEvent =
  | { readonly type: 'placed'; readonly place: number }
  /** The head of the queue: the turn tries to start. */
  | { readonly type: 'start'; readonly turnId: string; readonly answer: Answer }
  | { readonly type: 'started' }
  /** Another turn of the chat started first. */
  | { readonly type: 'start-refused' }
  /** A turn of a dead node goes on from what is stored of it. */
  | { readonly type: 'resume'; readonly answer: Answer }
  | { readonly type: 'engine'; readonly event: DialogueEvent; readonly nowMs: number }
  | { readonly type: 'engine-ended' }
  /** The rest of the answer is not asked for. */
  | { readonly type: 'give-up' }
  | { readonly type: 'handed-over'; readonly handOverColumns: HandOverColumns }
  | { readonly type: 'committed'; readonly rows: readonly MessageRow[] }
  | { readonly type: 'stored'; readonly rows: readonly MessageRow[] }
  | { readonly type: 'stop'; readonly reason: StopReason }
  /** Stopped before its turn came. */
  | { readonly type: 'left-queue' }
  | { readonly type: 'join'; readonly turn: Turn }
  | { readonly type: 'moved' }
  | { readonly type: 'failed'; readonly error: AppError }

/** What a turn does to its event stream, its model and those who wait for it; performed at once. */
export type RunEffect =
  | { readonly type: 'publish'; readonly events: readonly TurnStreamEvent[] }
  /** Events from here on are kept from readers until the turn has started. */
  | { readonly type: 'hold-events' }
  | { readonly type: 'drop-held-events' }
  | { readonly type: 'stop-model' }
  /** A new attempt gets a new signal. */
  | { readonly type: 'renew-signal' }
  | { readonly type: 'follow'; readonly turn: Turn }
  | { readonly type: 'settle'; readonly outcome: TurnOutcome }
  | { readonly type: 'reject'; readonly error: AppError }
  /** Readers are sent away: another node serves the rest. */
  | { readonly type: 'abandon' }

/** What a turn stores; the engine waits for it. */
export type StoreEffect =
  | { readonly type: 'hand-over'; readonly swap: AgentSwap }
  | { readonly type: 'commit' }
  | { readonly type: 'store-end' }

export type TurnEffect = RunEffect | StoreEffect
