import type { FlowPlace } from '../conversation.ts'
import type { Turn } from '../turn.ts'
import { placeKey } from './flow-graph.ts'

/** Transitions that cost nothing are bounded as well: nested components can have very many places. */
const MAX_FREE_HOPS = 500

/**
 * Counts the transitions that a flow makes without the user in one turn. Those that cost a model call or a tool are limited.
 * Those that cost nothing end when the conversation would come to a place again and nothing has changed since.
 */
export class HopBudget {
  readonly #turn: Turn
  readonly #maxHops: number
  readonly #entered = new Set<string>()
  #hops = 0
  #freeHops = 0
  #costBefore = 0
  #costWhenEntered = 0
  #variables: Turn['collectedVariables']

  constructor(turn: Turn, maxHops: number) {
    this.#turn = turn
    this.#maxHops = maxHops
    this.#variables = turn.collectedVariables
  }

  /** Costly transitions so far. */
  get hops(): number {
    return this.#hops
  }

  /** Whether leaving now would be one transition too many; `asks`: a model would have to be asked for it. */
  isSpent(asks: boolean): boolean {
    if (this.#freeHops >= MAX_FREE_HOPS) return true
    return this.#hops >= this.#maxHops && (asks || this.#cost > this.#costBefore)
  }

  /** Counts a transition: one that the user's words led to is free. */
  count(isUserTriggered: boolean): void {
    if (isUserTriggered) this.#costBefore = this.#cost
    else if (this.#cost > this.#costBefore) this.#hops += 1
    else this.#freeHops += 1
    this.#costBefore = this.#cost
  }

  /** Notes that a place was entered. */
  enter(place: FlowPlace): void {
    this.#resetAfterChange()
    this.#entered.add(placeKey(place))
  }

  /** Whether the place was entered in this turn and neither a model, a tool nor a variable has changed anything since. */
  isRepeated(place: FlowPlace): boolean {
    this.#resetAfterChange()
    return this.#entered.has(placeKey(place))
  }

  #resetAfterChange(): void {
    if (this.#costWhenEntered === this.#cost && this.#variables === this.#turn.collectedVariables) return
    this.#costWhenEntered = this.#cost
    this.#variables = this.#turn.collectedVariables
    this.#entered.clear()
  }

  get #cost(): number {
    return this.#turn.modelCalls + this.#turn.toolSteps
  }
}
