import { createHash } from 'node:crypto'
import type { NodeDatabase } from '../../../packages/server/src/platform/database/node-database.ts'
import { findRows, insertRows } from '../../../testing/server-database.ts'

type Row = Readonly<Record<string, string | number>>

/** Enough for three pages of the maximum size. */
export const CLONES = 2_500
/** Rows per millisecond. No page size in the tests is a multiple of it. */
const SAME_MILLISECOND = 7
/** Recent time, since some rows expire. */
const FIRST_MS = Date.now() - 3_600_000

/** Returns the creation time of a clone. */
export const cloneTime = (index: number): number => FIRST_MS + Math.floor(index / SAME_MILLISECOND)

/** Returns an ID whose sort order is unrelated to the index. */
export function cloneId(prefix: string, index: number): string {
  const digits = createHash('sha256').update(`${prefix} ${index}`).digest('hex').slice(0, 26)
  return `${prefix}_${digits}`
}

/** Returns a deterministic UUID for an index. */
export function cloneUuid(kind: string, index: number): string {
  const digits = createHash('sha256').update(`${kind} ${index}`).digest('hex')
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(13, 16)}-8${digits.slice(17, 20)}-${digits.slice(20, 32)}`
}

/** Returns IDs in list order, newest first and then by descending ID. */
export function newestFirst(idOf: (index: number) => string): string[] {
  const clones = Array.from({ length: CLONES }, (_, index) => ({ at: cloneTime(index), id: idOf(index) }))
  return clones.sort((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1)).map(({ id }) => id)
}

/** Copies a matching row. `change` returns the values that differ in each copy. */
export async function cloneRows(
  database: NodeDatabase,
  { table, match }: { readonly table: string; readonly match: Row },
  change: (index: number) => Row,
): Promise<void> {
  const [template] = await findRows(database, table, match)
  if (template === undefined) throw new Error(`No row of ${table} matches ${JSON.stringify(match)}`)
  const copies = Array.from({ length: CLONES }, (_, index) => ({ ...template, ...change(index) }))
  await insertRows(database, table, copies)
}
