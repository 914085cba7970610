import type { ChatMessage } from '@parley/contract/chat-message'
import type { TurnStatus } from '@parley/contract/events'
import { AppError } from '../../../kernel/errors.ts'
import { type TurnEvents, TurnLog } from '../journal/turn-log.ts'

/** How a turn ended, for those who wait for its whole answer. */
export interface TurnOutcome {
  readonly status: Exclude<TurnStatus, 'running'>
  /** New messages in order, without the input. */
  readonly messages: readonly ChatMessage[]
  /** Why it failed. */
  readonly failure: { readonly code: 'provider_error' | 'provider_timeout'; readonly message: string } | null
}

/** A turn to wait for or to follow; `replayed` when it began with an earlier request of the same key. */
export interface Turn {
  readonly log: TurnEvents
  readonly outcome: Promise<TurnOutcome>
  readonly replayed: boolean
}

/**
 * One turn from the moment it waits in its chat's line until its last event. Clients attach to it and leave it as they like;
 * only `cancel` stops it.
 */
export class TurnRun {
  readonly turnId: string
  readonly chatId: string
  readonly log = new TurnLog()
  #abort = new AbortController()
  #stoppedAs: 'cancelled' | 'interrupted' = 'cancelled'
  #isStopped = false
  #isLost = false
  #isMirror = false
  readonly #outcome = Promise.withResolvers<TurnOutcome>()

  constructor(turnId: string, chatId: string) {
    this.turnId = turnId
    this.chatId = chatId
    // A streamed turn may have nobody who awaits its outcome.
    this.#outcome.promise.catch(() => {})
  }

  /** Aborts what the turn does now. */
  get signal(): AbortSignal {
    return this.#abort.signal
  }

  /** Resolves when the turn has ended and is stored; rejects when it could not begin. */
  get outcome(): Promise<TurnOutcome> {
    return this.#outcome.promise
  }

  get isStopped(): boolean {
    return this.#isStopped
  }

  /** Another node goes on with the turn. */
  get isLost(): boolean {
    return this.#isLost
  }

  /** It turned out to be a turn that another request of the same key began. */
  get isMirror(): boolean {
    return this.#isMirror
  }

  /** What became of a turn that was stopped. */
  get stoppedAs(): 'cancelled' | 'interrupted' {
    return this.#stoppedAs
  }

  /** Somebody does not want the answer any more: stops the model at once. */
  cancel(): void {
    this.#isStopped = true
    this.#abort.abort()
  }

  /** The process stops under the turn: like a crash, its message can be answered by a retry. */
  interrupt(): void {
    this.#stoppedAs = 'interrupted'
    this.cancel()
  }

  /** The turn did not begin after all: stops what was tried, so that it can be tried again. */
  startAnew(): void {
    this.#abort.abort()
    if (!this.#isStopped) this.#abort = new AbortController()
    this.log.discardHeld()
  }

  /** Tells what another turn tells and ends as it does. */
  mirror(turn: Turn): void {
    this.#isMirror = true
    const feed = this.log.feed.bind(this.log)
    const end = (frames: Parameters<typeof feed>[0] = []): void => {
      feed(frames)
      this.log.close()
    }
    turn.log.read({ send: feed, end }, 0)
    this.#outcome.resolve(turn.outcome)
  }

  finish(outcome: TurnOutcome): void {
    this.log.append({ event: 'done', data: { turn_id: this.turnId, status: outcome.status } })
    this.log.close()
    this.#outcome.resolve(outcome)
  }

  /** The turn did not begin: the chat had ended meanwhile, or storing failed. */
  reject(error: unknown, event: { code: string; error: string }): void {
    this.log.discardHeld()
    this.log.release()
    this.log.append({ event: 'error', data: event })
    this.log.append({ event: 'done', data: { turn_id: this.turnId, status: 'failed' } })
    this.log.close()
    this.#outcome.reject(error)
  }

  /** Another node took the turn over: readers are sent away and find it there. */
  lose(): void {
    if (this.#isLost) return
    this.#isLost = true
    this.interrupt()
    this.log.abandon()
    this.#outcome.reject(takenOver())
  }
}

function takenOver(): AppError {
  return new AppError('unavailable', 'Another node goes on with this turn; follow it, or send the message again.', {
    retryAfterMs: 1000,
  })
}
