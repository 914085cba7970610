import { resolve } from 'node:path'
import type { CompiledQuery, Kysely } from 'kysely'
import type { Migration } from '../database/migrator.ts'
import { ArchiveError, addLocation } from './archive-error.ts'
import type { Cell, DescribedTable, Row, TableShape } from './table-shape.ts'

/** `read` is a read-only snapshot as of the first statement. */
export type ConnectionMode = 'read' | 'write'

/** One connection to an installation's database, the same for all kinds of databases. */
export interface Connection extends AsyncDisposable {
  /** Location shown in messages, without a password. */
  readonly location: string
  /** Compiles and runs statements on this connection. For transactions, use the methods below. */
  readonly kysely: Kysely<unknown>
  /** Migrations for this kind of database, oldest first. */
  readonly migrations: readonly Migration[]
  describeTables(): Promise<DescribedTable[]>
  /** Counts the connections of Parley servers to the same database. Always 0 for a file. */
  countServerConnections(): Promise<number>
  /** Streams the rows of a query that selects `columns`, in batches of bounded size. */
  stream(query: CompiledQuery, columns: TableShape['columns']): AsyncIterable<readonly Row[]>
  /** Inserts rows. Cells follow the column order of the shape. */
  insert(table: TableShape, rows: readonly (readonly Cell[])[]): Promise<void>
  begin(): Promise<void>
  commit(): Promise<void>
  rollback(): Promise<void>
  /** Throws if a row references a missing row. Needed for databases that do not check each row. */
  checkReferences(): Promise<void>
  /** Updates the planner statistics after a load. */
  analyze(): Promise<void>
  close(): Promise<void>
}

/** Runs `work` in one transaction. */
export async function runInTransaction<Result>(connection: Connection, work: () => Promise<Result>): Promise<Result> {
  await connection.begin()
  try {
    const result = await work()
    await connection.commit()
    return result
  } catch (error) {
    // Only the first failure is reported, because the rollback also fails on a lost connection.
    await connection.rollback().catch(() => undefined)
    throw addLocation(error, connection.location)
  }
}

/** Address of an installation's database. `location` is shown in messages and has no password. */
export type Address =
  | { readonly kind: 'postgres'; readonly url: string; readonly location: string }
  | { readonly kind: 'sqlite'; readonly file: string; readonly location: string }

const ADDRESS_FORMATS = 'postgres://user:password@host:5432/database or sqlite:<path of the file>'

/** Parses an address given on the command line. */
export function parseAddress(text: string): Address {
  if (text.startsWith('sqlite:')) {
    const path = text.slice('sqlite:'.length)
    if (path !== '') return toSqliteAddress(path)
  }
  if (/^postgres(ql)?:\/\//.test(text)) {
    const location = removePassword(text)
    if (location !== null) return { kind: 'postgres', url: text, location }
  }
  throw new ArchiveError(`The database address is not valid: use ${ADDRESS_FORMATS}.`)
}

export function toSqliteAddress(path: string): Address {
  const file = resolve(path)
  return { kind: 'sqlite', file, location: file }
}

function removePassword(text: string): string | null {
  if (!URL.canParse(text)) return null
  const url = new URL(text)
  if (url.pathname.length < 2) return null
  url.password = ''
  // Options can also contain a password.
  url.search = ''
  return url.toString()
}
