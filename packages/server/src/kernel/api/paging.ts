import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { invalidField } from '../errors.ts'

/** A page of a list sorted by time and id, newest first. */
export interface PageRequest {
  readonly limit: number
  readonly after: PagePosition | null
}

export interface PagePosition {
  readonly at: number
  readonly id: string
}

export interface Page<Item> {
  readonly items: readonly Item[]
  /** Position of the last item when there are more. */
  readonly next: PagePosition | null
}

/** Encodes a position as an opaque key. */
export function printPosition(position: PagePosition): string {
  return Buffer.from(`${position.at}:${position.id}`).toString('base64url')
}

/** Reads the query of a paged list. */
export function readPage(query: { readonly limit: number; readonly paginationKey?: string | undefined }): PageRequest {
  if (query.paginationKey === undefined) return { limit: query.limit, after: null }
  const match = /^(\d{1,15}):([\w-]{1,200})$/.exec(Buffer.from(query.paginationKey, 'base64url').toString())
  if (match === null)
    throw invalidField('paginationKey', 'must be the value of X-Next-Pagination-Key of an earlier answer')
  return { limit: query.limit, after: { at: Number(match[1]), id: match[2] ?? '' } }
}

/**
 * SQL condition for rows after a position, newest first; all rows for null. Compares the pair as a row value, which
 * an index supports.
 */
export function isAfterPosition(after: PagePosition | null, atColumn: string, idColumn: string): RawBuilder<SqlBool> {
  if (after === null) return sql<SqlBool>`1 = 1`
  return sql<SqlBool>`(${sql.ref(atColumn)}, ${sql.ref(idColumn)}) < (${after.at}, ${after.id})`
}

/** Turns rows, one more than requested, into a page. */
export function toPage<Row, Item>(
  rows: readonly Row[],
  limit: number,
  toItem: (row: Row) => Item,
  positionOf: (row: Row) => PagePosition,
): Page<Item> {
  const last = rows.length > limit ? rows[limit - 1] : undefined
  return { items: rows.slice(0, limit).map(toItem), next: last === undefined ? null : positionOf(last) }
}

/** Pages over all versions of a resource, newest first. The position is the version. */
export function pageVersions<Version extends { readonly id: string; readonly version: number }>(
  versions: readonly Version[],
  { limit, after }: PageRequest,
): Page<Version> {
  const rest = after === null ? versions : versions.filter(({ version }) => version < after.at)
  return toPage(
    rest,
    limit,
    (version) => version,
    ({ id, version }) => ({ at: version, id }),
  )
}
