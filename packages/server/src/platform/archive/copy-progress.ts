import { sql } from 'kysely'
import { UNFINISHED_COPY } from '../database/migrator.ts'
import type { Connection } from './connection.ts'
import type { TableDigest } from './table-digest.ts'
import type { Cell } from './table-shape.ts'

/** How far the copy of a table is, recorded in the target with each portion. */
export interface TableProgress {
  /** What the source had when the copy began. */
  readonly source: TableDigest
  readonly copiedRows: number
  /** Key of the last row that was copied; null before the first. */
  readonly lastKey: readonly Cell[] | null
}

/** A copy that has begun. */
export interface CopyProgress {
  /** Rows are those of an installation that stopped then. */
  readonly settledAt: number
  readonly tables: ReadonlyMap<string, TableProgress>
}

interface ProgressRow {
  readonly table_name: string
  readonly settled_at: number
  readonly source_rows: number
  readonly source_sha256: string
  readonly copied_rows: number
  readonly last_key: string | null
}

/** What an interrupted copy has left in the target; null when it holds none. */
export async function readProgress(target: Connection): Promise<CopyProgress | null> {
  const tables = await target.describeTables()
  if (!tables.some(({ name }) => name === 'copy_progress')) return null
  const { rows } = await sql<ProgressRow>`select * from copy_progress`.execute(target.kysely)
  const progress = rows.map(
    ({ table_name, source_rows, source_sha256, copied_rows, last_key }): [string, TableProgress] => [
      table_name,
      {
        source: { rows: Number(source_rows), sha256: source_sha256 },
        copiedRows: Number(copied_rows),
        lastKey: last_key === null ? null : (JSON.parse(last_key) as Cell[]),
      },
    ],
  )
  return { settledAt: Number(rows[0]?.settled_at ?? 0), tables: new Map(progress) }
}

/** Records that a copy begins, and keeps servers from starting on what is not yet whole. */
export async function startProgress(
  target: Connection,
  settledAt: number,
  source: ReadonlyMap<string, TableDigest>,
): Promise<void> {
  const { kysely } = target
  await kysely.schema
    .createTable('copy_progress')
    .addColumn('table_name', 'text', (column) => column.notNull().primaryKey())
    .addColumn('settled_at', 'bigint', (column) => column.notNull())
    .addColumn('source_rows', 'bigint', (column) => column.notNull())
    .addColumn('source_sha256', 'text', (column) => column.notNull())
    .addColumn('copied_rows', 'bigint', (column) => column.notNull())
    .addColumn('last_key', 'text')
    .execute()
  for (const [name, { rows, sha256 }] of source) {
    await sql`
      insert into copy_progress (table_name, settled_at, source_rows, source_sha256, copied_rows)
      values (${name}, ${settledAt}, ${rows}, ${sha256}, 0)
    `.execute(kysely)
  }
  await sql`insert into migrations (name, applied_at) values (${UNFINISHED_COPY}, ${settledAt})`.execute(kysely)
}

/** Records a portion, in the transaction that writes it. */
export async function recordBatch(
  { kysely }: Connection,
  table: string,
  { copiedRows, lastKey }: { readonly copiedRows: number; readonly lastKey: readonly Cell[] },
): Promise<void> {
  await sql`
    update copy_progress set copied_rows = ${copiedRows}, last_key = ${JSON.stringify(lastKey)}
    where table_name = ${table}
  `.execute(kysely)
}

/** Takes the records away: from here on servers start. */
export async function endProgress({ kysely }: Connection): Promise<void> {
  await sql`delete from migrations where name = ${UNFINISHED_COPY}`.execute(kysely)
  await kysely.schema.dropTable('copy_progress').execute()
}
