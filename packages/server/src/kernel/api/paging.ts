import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { invalidField } from '../errors.ts'

/** One page of a list that is sorted by time and id, newest first. */
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
  /** The last item's position when there is more. */
  readonly next: PagePosition | null
}

/** The opaque key of a position. */
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
 * The condition of rows behind a position in a list that is sorted by both columns, newest first; of all rows for null. Pairs
 * are compared as a whole, which an index over both answers.
 */
export function isAfterPosition(after: PagePosition | null, atColumn: string, idColumn: string): RawBuilder<SqlBool> {
  if (after === null) return sql<SqlBool>`1 = 1`
  return sql<SqlBool>`(${sql.ref(atColumn)}, ${sql.ref(idColumn)}) < (${after.at}, ${after.id})`
}

/** Cuts one row more than asked for into a page. */
export function toPage<Row, Item>(
  rows: readonly Row[],
  limit: number,
  toItem: (row: Row) => Item,
  positionOf: (row: Row) => PagePosition,
): Page<Item> {
  const last = rows.length > limit ? rows[limit - 1] : undefined
  return { items: rows.slice(0, limit).map(toItem), next: last === undefined ? null : positionOf(last) }
}

/** One page of the versions of a resource, of which all are at hand, newest first. The position is the version. */
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
