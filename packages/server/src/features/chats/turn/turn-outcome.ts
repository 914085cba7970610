import type { ChatMessage } from '@parley/contract/chat-message'
import type { TurnStatus } from '@parley/contract/events'
import type { TurnEvents } from '../journal/turn-log.ts'

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
