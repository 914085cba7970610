import type { Clock } from '@parley/engine/ports'
import type { Changes } from './table-changes.ts'

/**
 * Units of work of this node that met a rival go on one after the other, in the order of arrival, apart for each set of tables:
 * all at once they would only meet each other again.
 */
export class ConflictQueue {
  readonly #clock: Clock
  readonly #last = new Map<string, Promise<void>>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Resolves when it is one's turn, with what lets the next one go; with `null` when that took too long. */
  async enter(
    { changed, changedAny }: Pick<Changes, 'changed' | 'changedAny'>,
    maxWaitMs: number,
  ): Promise<(() => void) | null> {
    const key = changedAny ? '*' : [...changed].toSorted().join(' ')
    const before = this.#last.get(key) ?? Promise.resolve()
    const { promise: finished, resolve: leave } = Promise.withResolvers<void>()
    const both = before.then(() => finished)
    this.#last.set(key, both)
    void both.then(() => {
      if (this.#last.get(key) === both) this.#last.delete(key)
    })
    const late = Promise.withResolvers<boolean>()
    const cancel = this.#clock.after(maxWaitMs, () => late.resolve(true))
    const isLate = await Promise.race([before.then(() => false), late.promise])
    cancel()
    if (!isLate) return leave
    leave()
    return null
  }
}
