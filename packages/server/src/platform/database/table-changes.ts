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
  readonly #insertedTables = new Set<string>()
  readonly #changedTables = new Set<string>()
  #hasUnknownChanges = false

  /** Tables with inserted rows. */
  get insertedTables(): ReadonlySet<string> {
    return this.#insertedTables
  }

  /** Tables with inserted or updated rows. */
  get changedTables(): ReadonlySet<string> {
    return this.#changedTables
  }

  /** True if any table may have changed, because of a raw statement or a delete, which cascades. */
  get hasUnknownChanges(): boolean {
    return this.#hasUnknownChanges
  }

  add({ query }: Pick<CompiledQuery, 'query'>): void {
    if (SelectQueryNode.is(query)) {
      if (query.with !== undefined) this.#hasUnknownChanges = true
    } else if (InsertQueryNode.is(query)) {
      const table = readTableName(query.into)
      if (table !== null) this.#insertedTables.add(table)
      // A replacement first deletes conflicting rows.
      const isReplacement = query.replace === true || query.orAction !== undefined
      this.#addChanged(isReplacement || query.with !== undefined ? null : table)
    } else {
      this.#addChanged(UpdateQueryNode.is(query) && query.with === undefined ? readTableName(query.table) : null)
    }
  }

  #addChanged(table: string | null): void {
    if (table === null) this.#hasUnknownChanges = true
    else this.#changedTables.add(table)
  }
}

/** Counts the changes of each table since the process started. */
export class ChangeCounts {
  readonly #counts = new Map<string, number>()
  #anyTable = 0

  add({ changedTables, hasUnknownChanges }: Changes): void {
    if (hasUnknownChanges) this.#anyTable += 1
    for (const table of changedTables) this.#counts.set(table, (this.#counts.get(table) ?? 0) + 1)
  }

  /** Returns a number that increases with every change to one of the tables. */
  sum(tables: readonly (keyof Tables)[]): number {
    let total = this.#anyTable
    for (const table of tables) total += this.#counts.get(table) ?? 0
    return total
  }
}

function readTableName(node: OperationNode | undefined): string | null {
  return node !== undefined && TableNode.is(node) ? node.table.identifier.name : null
}
