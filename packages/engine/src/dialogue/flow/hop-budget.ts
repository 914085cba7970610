import type { FlowPlace } from '../conversation.ts'
import type { Turn } from '../turn.ts'
import { placeKey } from './flow-graph.ts'

/** Limit of free transitions, since nested components can have many places. */
const MAX_FREE_HOPS = 500

/**
 * Counts the transitions without the user in one turn. Transitions that cost a model call or a tool are limited; free ones stop
 * when a place would be entered again although nothing has changed.
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

  /** Number of costly transitions. */
  get hops(): number {
    return this.#hops
  }

  /** Whether another transition exceeds the limit; `asks`: it needs a model call. */
  isSpent(asks: boolean): boolean {
    if (this.#freeHops >= MAX_FREE_HOPS) return true
    return this.#hops >= this.#maxHops && (asks || this.#cost > this.#costBefore)
  }

  /** Counts a transition; those that the user's words trigger are free. */
  count(isUserTriggered: boolean): void {
    if (isUserTriggered) this.#costBefore = this.#cost
    else if (this.#cost > this.#costBefore) this.#hops += 1
    else this.#freeHops += 1
    this.#costBefore = this.#cost
  }

  /** Records that a place was entered. */
  enter(place: FlowPlace): void {
    this.#resetAfterChange()
    this.#entered.add(placeKey(place))
  }

  /** Whether the place was entered in this turn and no model, tool or variable has changed anything since. */
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
