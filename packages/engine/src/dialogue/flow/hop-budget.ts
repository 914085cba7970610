import type { FlowPlace } from '../conversation.ts'
import type { Turn } from '../turn.ts'
import { toPlaceKey } from './flow-graph.ts'

/** Maximum number of free transitions per turn. Nested components can have many places. */
const MAX_FREE_HOPS = 500

/**
 * Counts the transitions without user input in one turn. Transitions that require a model or tool call are limited. Free
 * transitions stop at a place that was already entered without any change since then.
 */
export class HopBudget {
  readonly #turn: Turn
  readonly #maxHops: number
  readonly #enteredPlaceKeys = new Set<string>()
  #hops = 0
  #freeHops = 0
  #lastCost = 0
  #costAtLastEntry = 0
  #variables: Turn['collectedVariables']

  constructor(turn: Turn, maxHops: number) {
    this.#turn = turn
    this.#maxHops = maxHops
    this.#variables = turn.collectedVariables
  }

  /** Number of transitions that required a model or tool call. */
  get hops(): number {
    return this.#hops
  }

  /** Whether another transition exceeds the limit. `callsModel`: the transition requires a model call. */
  isExhausted(callsModel: boolean): boolean {
    if (this.#freeHops >= MAX_FREE_HOPS) return true
    return this.#hops >= this.#maxHops && (callsModel || this.#cost > this.#lastCost)
  }

  /** Counts a transition. Transitions that the user triggers are free. */
  countTransition(isUserTriggered: boolean): void {
    if (isUserTriggered) this.#lastCost = this.#cost
    else if (this.#cost > this.#lastCost) this.#hops += 1
    else this.#freeHops += 1
    this.#lastCost = this.#cost
  }

  /** Records that a place was entered. */
  recordEntry(place: FlowPlace): void {
    this.#resetAfterChange()
    this.#enteredPlaceKeys.add(toPlaceKey(place))
  }

  /** Whether the turn has already entered the place and no model, tool or variable has changed anything since then. */
  isRepeated(place: FlowPlace): boolean {
    this.#resetAfterChange()
    return this.#enteredPlaceKeys.has(toPlaceKey(place))
  }

  #resetAfterChange(): void {
    if (this.#costAtLastEntry === this.#cost && this.#variables === this.#turn.collectedVariables) return
    this.#costAtLastEntry = this.#cost
    this.#variables = this.#turn.collectedVariables
    this.#enteredPlaceKeys.clear()
  }

  get #cost(): number {
    return this.#turn.modelCalls + this.#turn.toolSteps
  }
}
