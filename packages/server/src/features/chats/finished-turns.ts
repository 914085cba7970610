import type { TurnRun } from './turn/turn-run.ts'

/** So many finished turns can be followed with their deltas; older ones are told from their rows. */
const MAX_TURNS = 200
/** Results of tools may be megabytes each: what all logs hold together, in characters. */
const MAX_CHARACTERS = 16 * 1024 * 1024

type FinishedTurn = Pick<TurnRun, 'turnId'> & { readonly log: Pick<TurnRun['log'], 'characters'> }

/** The newest finished turns, bounded in number and size: the oldest goes first. */
export class FinishedTurns<Turn extends FinishedTurn = TurnRun> {
  readonly #turns = new Map<string, Turn>()
  readonly #limits: { readonly turns: number; readonly characters: number }
  #characters = 0

  constructor(limits = { turns: MAX_TURNS, characters: MAX_CHARACTERS }) {
    this.#limits = limits
  }

  get(turnId: string): Turn | undefined {
    return this.#turns.get(turnId)
  }

  keep(turn: Turn): void {
    this.#turns.set(turn.turnId, turn)
    this.#characters += turn.log.characters
    for (const oldest of this.#turns.values()) {
      if (this.#turns.size <= this.#limits.turns && this.#characters <= this.#limits.characters) break
      this.#turns.delete(oldest.turnId)
      this.#characters -= oldest.log.characters
    }
  }
}
