import { type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely'
import { invalidField } from '../errors.ts'

/** A request for one page of a list, sorted from newest to oldest by time and id. */
export interface PageRequest {
  readonly limit: number
  readonly after: PagePosition | null
}

export interface PagePosition {
  readonly sortValue: number
  readonly id: string
}

export interface Page<Item> {
  readonly items: readonly Item[]
  /** Position of the last item, or null if this is the last page. */
  readonly next: PagePosition | null
}

/** Encodes a position as an opaque pagination key. */
export function encodePosition(position: PagePosition): string {
  return Buffer.from(`${position.sortValue}:${position.id}`).toString('base64url')
}

/** Reads the pagination parameters of a query. */
export function parsePageRequest(query: {
  readonly limit: number
  readonly paginationKey?: string | undefined
}): PageRequest {
  if (query.paginationKey === undefined) return { limit: query.limit, after: null }
  const match = /^(\d{1,15}):([\w-]{1,200})$/.exec(Buffer.from(query.paginationKey, 'base64url').toString())
  if (match === null)
    throw invalidField('paginationKey', 'must be the X-Next-Pagination-Key header of an earlier response')
  return { limit: query.limit, after: { sortValue: Number(match[1]), id: match[2] ?? '' } }
}

/** Names of the position columns, qualified with their table if the query joins several tables. */
type PositionColumns<Row> = readonly [at: ColumnOf<Row>, id: ColumnOf<Row>]
type ColumnOf<Row> = (keyof Row & string) | `${string}.${keyof Row & string}`

/**
 * Narrows a query to the rows of one page, newest first, plus one row that reveals whether another page follows.
 * Compares positions as row values, which an index supports.
 */
export function selectNewest<Tables, Selected extends keyof Tables, Row>(
  query: SelectQueryBuilder<Tables, Selected, Row>,
  { limit, after }: PageRequest,
  columns: readonly [at: string, id: string],
): SelectQueryBuilder<Tables, Selected, Row> {
  const [at, id] = columns.map((column) => sql.ref(column)) as [RawBuilder<unknown>, RawBuilder<unknown>]
  const remainingQuery =
    after === null ? query : query.where(sql<SqlBool>`(${at}, ${id}) < (${after.sortValue}, ${after.id})`)
  return remainingQuery
    .orderBy(at, 'desc')
    .orderBy(id, 'desc')
    .limit(limit + 1)
}

/** Reads one page of a query, newest first. */
export async function readNewest<Tables, Selected extends keyof Tables, Row, Item>(
  query: SelectQueryBuilder<Tables, Selected, Row>,
  page: PageRequest,
  columns: PositionColumns<Row>,
  toItem: (row: Row) => Item,
): Promise<Page<Item>> {
  const [at, id] = columns.map((column) => column.slice(column.indexOf('.') + 1) as keyof Row) as [keyof Row, keyof Row]
  const rows = (await selectNewest(query, page, columns).execute()) as Row[]
  return toPage(rows, page.limit, toItem, (row) => ({ sortValue: row[at] as number, id: row[id] as string }))
}

/** Converts rows into a page. Expects one row more than requested if another page follows. */
export function toPage<Row, Item>(
  rows: readonly Row[],
  limit: number,
  toItem: (row: Row) => Item,
  getPosition: (row: Row) => PagePosition,
): Page<Item> {
  const lastRow = rows.length > limit ? rows[limit - 1] : undefined
  return { items: rows.slice(0, limit).map(toItem), next: lastRow === undefined ? null : getPosition(lastRow) }
}

/** Returns a page of a resource's versions, newest first. The version number is the position. */
export function paginateVersions<Version extends { readonly id: string; readonly version: number }>(
  versions: readonly Version[],
  { limit, after }: PageRequest,
): Page<Version> {
  const remainingVersions = after === null ? versions : versions.filter(({ version }) => version < after.sortValue)
  return toPage(
    remainingVersions,
    limit,
    (version) => version,
    ({ id, version }) => ({ sortValue: version, id }),
  )
}
