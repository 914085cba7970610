import type { TurnRun } from '../turn/turn-run.ts'

/** So many finished turns can be followed word by word; older ones are read from their messages. */
const MAX_FINISHED = 200
/** What their logs hold together: results of tools may be megabytes each. */
const MAX_CHARACTERS = 16 * 1024 * 1024

interface KeyedRun {
  readonly run: TurnRun
  readonly content: string
}

/** The turns that wait or run on this node, and those that ended last. A turn that another node took over is not among them. */
export class TurnRegistry {
  readonly #runs = new Map<string, TurnRun>()
  /** By idempotency hash, with their input. */
  readonly #byKey = new Map<string, KeyedRun>()
  /** Oldest first. */
  readonly #finished = new Map<string, TurnRun>()
  readonly #limits: { readonly turns: number; readonly characters: number }
  #characters = 0

  constructor(limits = { turns: MAX_FINISHED, characters: MAX_CHARACTERS }) {
    this.#limits = limits
  }

  get count(): number {
    return this.#runs.size
  }

  add(run: TurnRun): void {
    this.#runs.set(run.turnId, run)
  }

  /** A retry with the same key finds the turn. */
  addKey(hash: string, run: TurnRun, content: string): void {
    this.#byKey.set(hash, { run, content })
  }

  /** The turn has ended here; one that ended as itself can still be followed. */
  remove(run: TurnRun, hash: string | null): void {
    // A turn that this node lost and took over again has another run by now.
    if (this.#runs.get(run.turnId) === run) this.#runs.delete(run.turnId)
    if (hash !== null && this.#byKey.get(hash)?.run === run) this.#byKey.delete(hash)
    const { phase } = run.state
    if (phase === 'ended' || phase === 'failed') this.#keepFinished(run)
  }

  get(turnId: string): TurnRun | undefined {
    const run = this.#runs.get(turnId)
    return run?.state.phase === 'moved' ? undefined : run
  }

  findByKey(hash: string): KeyedRun | undefined {
    const found = this.#byKey.get(hash)
    return found?.run.state.phase === 'moved' ? undefined : found
  }

  /** A turn that waits, runs or ended a short while ago. */
  find(chatId: string, turnId: string): TurnRun | null {
    const run = this.get(turnId) ?? this.#finished.get(turnId)
    return run?.chatId === chatId ? run : null
  }

  all(): TurnRun[] {
    return [...this.#runs.values()]
  }

  ofChat(chatId: string): TurnRun[] {
    return this.all().filter((run) => run.chatId === chatId)
  }

  #keepFinished(run: TurnRun): void {
    this.#finished.set(run.turnId, run)
    this.#characters += run.log.characters
    for (const oldest of this.#finished.values()) {
      if (this.#finished.size <= this.#limits.turns && this.#characters <= this.#limits.characters) break
      this.#finished.delete(oldest.turnId)
      this.#characters -= oldest.log.characters
    }
  }
}
