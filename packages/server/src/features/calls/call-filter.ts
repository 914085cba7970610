import { type RawBuilder, sql } from 'kysely'

/** Prefix of every call id; see `contract/ids.ts`. */
const ID_PREFIX = 'call_'

/** Replaces the id prefix in the indexed text. */
const ID_MARK = '\u{e001}\u{e001}'

/** Separates the texts of one call in the index. */
const SEPARATOR = '\u{1f}'

/** Shortest text that the index can find. */
const MIN_INDEXED_LENGTH = 3

/** Matches any of the phrases, which are equivalent in texts and ids, or the text itself in agent names. */
export interface IndexedTerm {
  readonly kind: 'indexed'
  readonly text: string
  readonly phrases: readonly string[]
}

type SearchTerm =
  | { readonly kind: 'everything' }
  | { readonly kind: 'nothing' }
  /** Too short for the index. */
  | { readonly kind: 'short'; readonly text: string }
  | IndexedTerm

/** Decides how to search for a text. Case and surrounding blanks do not matter. */
export function readSearchTerm(given: string): SearchTerm {
  const text = given.trim()
  const folded = text.toLowerCase()
  if (text === '') return { kind: 'everything' }
  if (text.includes(SEPARATOR)) return { kind: 'nothing' }
  if ([...text].length < MIN_INDEXED_LENGTH) return { kind: 'short', text }
  const underscore = folded.indexOf('_')
  const isLast = underscore === folded.length - 1
  const isIdPrefix = underscore >= 0 && !isLast && ID_PREFIX.endsWith(folded.slice(0, underscore + 1))
  const phrases = isIdPrefix ? [text, ID_MARK + folded.slice(underscore + 1)] : [text]
  return { kind: 'indexed', text, phrases }
}

/** Whether the text is part of every id: "Al" is more likely a name. */
export function isInEveryId(text: string): boolean {
  return ID_PREFIX.includes(text.toLowerCase())
}

/** Which calls a list contains. */
export interface CallFilter {
  /** Without any there are no calls. */
  readonly workspaceIds: readonly number[]
  readonly agentId?: string | undefined
  readonly agentVersion?: number | undefined
  readonly status?: string | undefined
  /** First and last millisecond of creation, inclusive. */
  readonly createdFrom?: number | undefined
  readonly createdTo?: number | undefined
  /** Values of `hidden` to include. */
  readonly hidden: readonly number[]
}

/** `page` counts from 1. */
export interface PageNumber {
  readonly page: number
  readonly limit: number
}

/** Ids of one page in list order, and the total over all pages. */
export interface CallPageIds {
  readonly ids: readonly string[]
  readonly total: number
}

export const offsetOf = ({ page, limit }: PageNumber): number => (page - 1) * limit

/** The values of `hidden` that a list includes; see the column. */
export function shownValues(shown: { readonly archived: boolean; readonly children: boolean }): readonly number[] {
  return [0, 1, 2, 3].filter((value) => (shown.archived || (value & 1) === 0) && (shown.children || (value & 2) === 0))
}

/** Up to this many workspaces, each has its own part in the query. */
export const MAX_LISTED_WORKSPACES = 100
/** Statements limit their bound values and the nesting of conditions. */
const MAX_LISTED_IDS = 20_000
const GROUP_SIZE = 100

/** A condition on a column of workspace ids. The column is SQL, so that an index can be ruled out. */
export function inWorkspaces(column: RawBuilder<unknown>, workspaceIds: readonly number[]): RawBuilder<boolean> {
  const listed = sql<boolean>`${column} in (${sql.join(workspaceIds)})`
  if (workspaceIds.length <= MAX_LISTED_WORKSPACES) return listed
  // An actor with that many workspaces usually reaches all of them, in few ranges. With many ranges, a list is faster.
  const ranges = toRanges(workspaceIds).map(([first, last]) => sql`${column} between ${first} and ${last}`)
  if (ranges.length > GROUP_SIZE && workspaceIds.length <= MAX_LISTED_IDS) return listed
  const groups = Array.from({ length: Math.ceil(ranges.length / GROUP_SIZE) }, (_, index) => {
    const group = ranges.slice(index * GROUP_SIZE, (index + 1) * GROUP_SIZE)
    return sql`(${sql.join(group, sql` or `)})`
  })
  return sql<boolean>`(${sql.join(groups, sql` or `)})`
}

/** Runs of consecutive ids, as first and last. */
function toRanges(ids: readonly number[]): readonly (readonly [number, number])[] {
  const ranges: [number, number][] = []
  for (const id of ids.toSorted((a, b) => a - b)) {
    const last = ranges.at(-1)
    if (last !== undefined && id <= last[1] + 1) last[1] = id
    else ranges.push([id, id])
  }
  return ranges
}
