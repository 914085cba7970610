import { AppError } from '../../../kernel/errors.ts'
import { TurnLog } from '../journal/turn-log.ts'
import { advanceTurn, INITIAL_STATE } from './advance-turn.ts'
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

/** A turn on this node. Holds the turn's state and performs effects on the event stream, the model and waiting callers. */
export class TurnRun {
  readonly turnId: string
  readonly chatId: string
  readonly log = new TurnLog()
  #state: TurnState = INITIAL_STATE
  #abort = new AbortController()
  readonly #outcome = Promise.withResolvers<TurnOutcome>()

  constructor(turnId: string, chatId: string) {
    this.turnId = turnId
    this.chatId = chatId
    // A streamed turn may have no consumer of its outcome.
    this.#outcome.promise.catch(() => {})
  }

  get state(): TurnState {
    return this.#state
  }

  /** Why the turn is being stopped. Null if no stop was requested. */
  get stopReason(): StopReason | null {
    return 'stopReason' in this.#state ? this.#state.stopReason : null
  }

  /** Signal that aborts the turn's current work. */
  get signal(): AbortSignal {
    return this.#abort.signal
  }

  /** Resolves when the turn has ended and is stored. Rejects if the turn could not start. */
  get outcome(): Promise<TurnOutcome> {
    return this.#outcome.promise
  }

  /** Applies an event, performs immediate effects and returns the effects that store data. */
  dispatch(event: TurnEvent): readonly StoreEffect[] {
    const { state, effects } = advanceTurn(this.#state, event)
    this.#state = state
    let storeEffects: StoreEffect[] | null = null
    for (const effect of effects) {
      if (isStoreEffect(effect)) storeEffects = [...(storeEffects ?? []), effect]
      else this.#perform(effect)
    }
    return storeEffects ?? NO_EFFECTS
  }

  /** Stops the model immediately and keeps the text generated so far. */
  cancel(): void {
    this.dispatch({ type: 'stop', reason: 'cancelled' })
  }

  /** Stops the turn on shutdown. A retry can answer its message. */
  interrupt(): void {
    this.dispatch({ type: 'stop', reason: 'interrupted' })
  }

  #perform(effect: RunEffect): void {
    const { log } = this
    switch (effect.type) {
      case 'publish':
        for (const event of effect.events) log.append(event)
        break
      case 'hide-events':
        log.hideEvents()
        break
      case 'drop-hidden-events':
        log.discardHiddenEvents()
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
      case 'resolve':
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
        this.#outcome.reject(createTurnTakenOverError())
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
        send: (frames) => log.appendFrames(frames),
        end: (frames = []) => {
          log.appendFrames(frames)
          log.close()
        },
      },
      0,
    )
    this.#outcome.resolve(turn.outcome)
  }
}

const NO_EFFECTS: readonly StoreEffect[] = []

function isStoreEffect(effect: TurnEffect): effect is StoreEffect {
  return effect.type === 'commit' || effect.type === 'hand-over' || effect.type === 'store-end'
}

function createTurnTakenOverError(): AppError {
  return new AppError('unavailable', 'Another node continues this turn. Follow it, or send the message again.', {
    retryAfterMs: 1000,
  })
}
