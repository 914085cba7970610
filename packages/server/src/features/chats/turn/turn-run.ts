import { AppError } from '../../../kernel/errors.ts'
import { TurnLog } from '../journal/turn-log.ts'
import { advanceTurn, QUEUED } from './advance-turn.ts'
import type {
  RunEffect,
  StopReason,
  StoreEffect,
  Turn,
  TurnEffect,
  TurnEvent,
  TurnOutcome,
  TurnState,
} from './turn-state.ts'

/**
 * One turn on this node, from the queue until its last event. Holds its state, and performs at once what concerns the event
 * stream, the model and those who wait; clients attach and leave as they like.
 */
export class TurnRun {
  readonly turnId: string
  readonly chatId: string
  readonly log = new TurnLog()
  #state: TurnState = QUEUED
  #abort = new AbortController()
  readonly #outcome = Promise.withResolvers<TurnOutcome>()

  constructor(turnId: string, chatId: string) {
    this.turnId = turnId
    this.chatId = chatId
    // A streamed turn may have nobody who awaits its outcome.
    this.#outcome.promise.catch(() => {})
  }

  get state(): TurnState {
    return this.#state
  }

  /** Why it was asked to stop; null while it was not. */
  get stop(): StopReason | null {
    return 'stop' in this.#state ? this.#state.stop : null
  }

  /** Aborts what the turn does now. */
  get signal(): AbortSignal {
    return this.#abort.signal
  }

  /** Resolves when the turn has ended and is stored; rejects when it could not start. */
  get outcome(): Promise<TurnOutcome> {
    return this.#outcome.promise
  }

  /** Takes an event, performs what can be done at once, and returns what is to be stored. */
  dispatch(event: TurnEvent): readonly StoreEffect[] {
    const { state, effects } = advanceTurn(this.#state, event)
    this.#state = state
    let toStore: StoreEffect[] | null = null
    for (const effect of effects) {
      if (isStoreEffect(effect)) toStore = [...(toStore ?? []), effect]
      else this.#perform(effect)
    }
    return toStore ?? NOTHING
  }

  /** Stops the model at once; what was said so far is kept. */
  cancel(): void {
    this.dispatch({ type: 'stop', reason: 'cancelled' })
  }

  /** The process stops under the turn: like a crash, its message can be answered by a retry. */
  interrupt(): void {
    this.dispatch({ type: 'stop', reason: 'interrupted' })
  }

  #perform(effect: RunEffect): void {
    const { log } = this
    switch (effect.type) {
      case 'publish':
        for (const event of effect.events) log.append(event)
        break
      case 'hold-events':
        log.holdEvents()
        break
      case 'drop-held-events':
        log.discardHeld()
        break
      case 'stop-model':
        this.#abort.abort()
        break
      case 'renew-signal':
        this.#abort = new AbortController()
        break
      case 'follow':
        this.#follow(effect.turn)
        break
      case 'settle':
        this.#finish(effect.outcome.status)
        this.#outcome.resolve(effect.outcome)
        break
      case 'reject':
        log.append({ event: 'error', data: { code: effect.error.code, error: effect.error.message } })
        this.#finish('failed')
        this.#outcome.reject(effect.error)
        break
      case 'abandon':
        log.abandon()
        this.#outcome.reject(turnTakenOver())
    }
  }

  #finish(status: TurnOutcome['status']): void {
    this.log.append({ event: 'done', data: { turn_id: this.turnId, status } })
    this.log.close()
  }

  #follow(turn: Turn): void {
    const { log } = this
    turn.log.read(
      {
        send: (frames) => log.feed(frames),
        end: (frames = []) => {
          log.feed(frames)
          log.close()
        },
      },
      0,
    )
    this.#outcome.resolve(turn.outcome)
  }
}

const NOTHING: readonly StoreEffect[] = []

function isStoreEffect(effect: TurnEffect): effect is StoreEffect {
  return effect.type === 'commit' || effect.type === 'hand-over' || effect.type === 'store-end'
}

function turnTakenOver(): AppError {
  return new AppError('unavailable', 'Another node goes on with this turn; follow it, or send the message again.', {
    retryAfterMs: 1000,
  })
}
