import { type RawBuilder, sql } from 'kysely'

/** Which calls a list is about. */
export interface CallFilter {
  /** Without any there are no calls. */
  readonly workspaceIds: readonly number[]
  readonly agentId?: string | undefined
  readonly agentVersion?: number | undefined
  readonly status?: string | undefined
  /** First and last millisecond of creation that count. */
  readonly createdFrom?: number | undefined
  readonly createdTo?: number | undefined
  /** Values of `hidden` that are shown. */
  readonly hidden: readonly number[]
}

/** A part of a list: `page` counts from 1. */
export interface PageNumber {
  readonly page: number
  readonly limit: number
}

/** Ids of one page, in the order of the list, and how many calls there are on all pages. */
export interface CallPageIds {
  readonly ids: readonly string[]
  readonly total: number
}

export const offsetOf = ({ page, limit }: PageNumber): number => (page - 1) * limit

/** The values of `hidden` that a list shows; see the column. */
export function shownValues(shown: { readonly archived: boolean; readonly children: boolean }): readonly number[] {
  return [0, 1, 2, 3].filter((value) => (shown.archived || (value & 1) === 0) && (shown.children || (value & 2) === 0))
}

/** Up to here each workspace has a part of its own in a query. */
export const MAX_LISTED_WORKSPACES = 100
/** What a statement can bind is limited, and so is how deep a condition may nest. */
const MAX_LISTED_IDS = 20_000
const GROUP_SIZE = 100

/** A condition on a column that holds workspace ids. The column is SQL, so that it can be kept from an index. */
export function inWorkspaces(column: RawBuilder<unknown>, workspaceIds: readonly number[]): RawBuilder<boolean> {
  const listed = sql<boolean>`${column} in (${sql.join(workspaceIds)})`
  if (workspaceIds.length <= MAX_LISTED_WORKSPACES) return listed
  // One who reaches that many mostly reaches all: few ranges. Where there are many, a list is faster.
  const ranges = toRanges(workspaceIds).map(([first, last]) => sql`${column} between ${first} and ${last}`)
  if (ranges.length > GROUP_SIZE && workspaceIds.length <= MAX_LISTED_IDS) return listed
  const groups = Array.from({ length: Math.ceil(ranges.length / GROUP_SIZE) }, (_, index) => {
    const group = ranges.slice(index * GROUP_SIZE, (index + 1) * GROUP_SIZE)
    return sql`(${sql.join(group, sql` or `)})`
  })
  return sql<boolean>`(${sql.join(groups, sql` or `)})`
}

/** Runs of ids that follow each other, as first and last. */
function toRanges(ids: readonly number[]): readonly (readonly [number, number])[] {
  const ranges: [number, number][] = []
  for (const id of ids.toSorted((a, b) => a - b)) {
    const last = ranges.at(-1)
    if (last !== undefined && id <= last[1] + 1) last[1] = id
    else ranges.push([id, id])
  }
  return ranges
}
