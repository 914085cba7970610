import type { CompiledQuery, Kysely } from 'kysely'
import type { Migration } from '../database/migrator.ts'
import { withLocation } from './archive-error.ts'
import type { Cell, DescribedTable, Row, TableShape } from './table-shape.ts'

/** `read`: one snapshot from the first statement to the end, which nothing can be written through. */
export type ConnectionMode = 'read' | 'write'

/** One connection to an installation's database, in the form that all databases share. */
export interface Connection extends AsyncDisposable {
  /** For people; without a password. */
  readonly place: string
  /** Compiles and runs statements on this connection; transactions are those below. */
  readonly kysely: Kysely<unknown>
  /** The steps of the schema for this kind of database, oldest first. */
  readonly migrations: readonly Migration[]
  describeTables(): Promise<DescribedTable[]>
  /** Connections of servers to the same database, as far as it tells; a file tells nothing. */
  countServerConnections(): Promise<number>
  /** Rows of a query that selects `columns`, in portions of bounded size. */
  stream(query: CompiledQuery, columns: TableShape['columns']): AsyncIterable<readonly Row[]>
  /** Writes rows with `cells` in the order of the columns of the shape. */
  insert(table: TableShape, rows: readonly (readonly Cell[])[]): Promise<void>
  begin(): Promise<void>
  commit(): Promise<void>
  rollback(): Promise<void>
  /** Throws when a row refers to one that does not exist; for databases that have not looked at each row. */
  checkReferences(): Promise<void>
  /** After a load: lets the database learn what it holds. */
  analyze(): Promise<void>
  close(): Promise<void>
}

/** All that `work` does, or nothing. */
export async function inTransaction<Result>(connection: Connection, work: () => Promise<Result>): Promise<Result> {
  await connection.begin()
  try {
    const result = await work()
    await connection.commit()
    return result
  } catch (error) {
    // The first failure is the one to tell: with a lost connection this fails as well.
    await connection.rollback().catch(() => undefined)
    throw withLocation(error, connection.place)
  }
}
