import type { ChatMessage } from '@parley/contract/chat-message'
import type { TurnStatus } from '@parley/contract/events'
import { TurnLog } from './turn-log.ts'

/** How a turn ended, for those who wait for its whole answer. */
export interface TurnOutcome {
  readonly status: Exclude<TurnStatus, 'running'>
  /** New messages in order, without the input. */
  readonly messages: readonly ChatMessage[]
  /** Why it failed. */
  readonly failure: { readonly code: 'provider_error' | 'provider_timeout'; readonly message: string } | null
}

/**
 * One turn from the moment it waits in its chat's line until its last event. Clients attach to it and leave it as they like;
 * only `cancel` stops it.
 */
export class TurnRun {
  readonly turnId: string
  readonly chatId: string
  readonly log = new TurnLog()
  readonly #abort = new AbortController()
  #stoppedAs: 'cancelled' | 'interrupted' = 'cancelled'
  readonly #outcome = Promise.withResolvers<TurnOutcome>()

  constructor(turnId: string, chatId: string) {
    this.turnId = turnId
    this.chatId = chatId
    // A streamed turn may have nobody who awaits its outcome.
    this.#outcome.promise.catch(() => {})
  }

  get signal(): AbortSignal {
    return this.#abort.signal
  }

  /** Resolves when the turn has ended and is stored; rejects when it could not begin. */
  get outcome(): Promise<TurnOutcome> {
    return this.#outcome.promise
  }

  /** What became of a turn that was stopped. */
  get stoppedAs(): 'cancelled' | 'interrupted' {
    return this.#stoppedAs
  }

  /** Somebody does not want the answer any more: stops the model at once. */
  cancel(): void {
    this.#abort.abort()
  }

  /** The process stops under the turn: like a crash, its message can be answered by a retry. */
  interrupt(): void {
    this.#stoppedAs = 'interrupted'
    this.#abort.abort()
  }

  finish(outcome: TurnOutcome): void {
    this.log.append({ event: 'done', data: { turn_id: this.turnId, status: outcome.status } })
    this.log.close()
    this.#outcome.resolve(outcome)
  }

  /** The turn did not begin: the chat had ended meanwhile, or storing failed. */
  reject(error: unknown, event: { code: string; error: string }): void {
    this.log.discardHeld()
    this.log.append({ event: 'error', data: event })
    this.log.append({ event: 'done', data: { turn_id: this.turnId, status: 'failed' } })
    this.log.close()
    this.#outcome.reject(error)
  }
}
