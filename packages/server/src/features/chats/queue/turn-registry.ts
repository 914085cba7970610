import type { TurnRun } from '../turn/turn-run.ts'

/** The turns that wait or run on this node. Who asks for one that another node took over does not find it here any more. */
export class RunningTurns {
  readonly #runs = new Map<string, TurnRun>()
  /** By idempotency hash, with their input. */
  readonly #byKey = new Map<string, { readonly run: TurnRun; readonly content: string }>()

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

  remove(run: TurnRun, hash: string | null): void {
    // A turn that this node lost and took over again has another run by now.
    if (this.#runs.get(run.turnId) === run) this.#runs.delete(run.turnId)
    if (hash !== null && this.#byKey.get(hash)?.run === run) this.#byKey.delete(hash)
  }

  get(turnId: string): TurnRun | undefined {
    const run = this.#runs.get(turnId)
    return run?.isLost === true ? undefined : run
  }

  findByKey(hash: string): { readonly run: TurnRun; readonly content: string } | undefined {
    const found = this.#byKey.get(hash)
    return found?.run.isLost === true ? undefined : found
  }

  all(): TurnRun[] {
    return [...this.#runs.values()]
  }

  ofChat(chatId: string): TurnRun[] {
    return this.all().filter((run) => run.chatId === chatId)
  }
}
