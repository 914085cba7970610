import { AsyncLocalStorage } from 'node:async_hooks'
import type { DatabaseConnection, Driver } from 'kysely'

/** A unit of work as the driver of the writing handle sees it. */
export interface Unit extends DatabaseConnection {
  readonly isOpen: boolean
  begin(): Promise<void>
  commit(): Promise<void>
  rollback(): Promise<void>
}

/** Which unit of work the code runs in that asks: the writing handle belongs to it, all other handles do not. */
export class OpenUnits<Kind extends Unit> {
  readonly #units = new AsyncLocalStorage<Kind>()

  run<Result>(unit: Kind, work: () => Promise<Result>): Promise<Result> {
    return this.#units.run(unit, work)
  }

  /** Throws inside an open unit: what is used there would wait for it for ever, or would not belong to it. */
  assertOutside(what: string): void {
    if (this.#units.getStore()?.isOpen !== true) return
    throw new Error(
      `${what} of the database was used inside an open transaction: use the transaction handed to the work.`,
    )
  }

  /** For the writing handle: each transaction is the unit that it was opened in. */
  createDriver(): Driver {
    const current = (): Kind => {
      const unit = this.#units.getStore()
      if (unit === undefined) throw new Error('The writing handle was used outside of a unit of work.')
      return unit
    }
    return {
      init: () => Promise.resolve(),
      acquireConnection: async () => current(),
      beginTransaction: () => current().begin(),
      commitTransaction: () => current().commit(),
      rollbackTransaction: () => current().rollback(),
      releaseConnection: () => Promise.resolve(),
      destroy: () => Promise.resolve(),
    }
  }
}
