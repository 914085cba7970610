import {
  type CompiledQuery,
  InsertQueryNode,
  type OperationNode,
  SelectQueryNode,
  TableNode,
  UpdateQueryNode,
} from 'kysely'
import type { Tables } from '../../tables/tables.ts'

/** The tables that the statements of one commit may have changed. */
export class Changes {
  readonly #inserted = new Set<string>()
  readonly #changed = new Set<string>()
  #changedAny = false

  /** Tables with inserted rows. */
  get inserted(): ReadonlySet<string> {
    return this.#inserted
  }

  /** Tables with inserted or updated rows. */
  get changed(): ReadonlySet<string> {
    return this.#changed
  }

  /** True if any table may have changed, because of a raw statement or a delete, which cascades. */
  get changedAny(): boolean {
    return this.#changedAny
  }

  add({ query }: Pick<CompiledQuery, 'query'>): void {
    if (SelectQueryNode.is(query)) {
      if (query.with !== undefined) this.#changedAny = true
    } else if (InsertQueryNode.is(query)) {
      const table = readTableName(query.into)
      if (table !== null) this.#inserted.add(table)
      // A replace deletes first.
      const replaces = query.replace === true || query.orAction !== undefined
      this.#addChanged(replaces || query.with !== undefined ? null : table)
    } else {
      this.#addChanged(UpdateQueryNode.is(query) && query.with === undefined ? readTableName(query.table) : null)
    }
  }

  #addChanged(table: string | null): void {
    if (table === null) this.#changedAny = true
    else this.#changed.add(table)
  }
}

/** Counts the changes of each table since the process started. */
export class ChangeCounts {
  readonly #counts = new Map<string, number>()
  #anyTable = 0

  add({ changed, changedAny }: Changes): void {
    if (changedAny) this.#anyTable += 1
    for (const table of changed) this.#counts.set(table, (this.#counts.get(table) ?? 0) + 1)
  }

  /** Returns a number that increases with every change to one of the tables. */
  sum(tables: readonly (keyof Tables)[]): number {
    let sum = this.#anyTable
    for (const table of tables) sum += this.#counts.get(table) ?? 0
    return sum
  }
}

function readTableName(node: OperationNode | undefined): string | null {
  return node !== undefined && TableNode.is(node) ? node.table.identifier.name : null
}
