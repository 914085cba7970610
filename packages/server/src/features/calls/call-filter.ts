import { type RawBuilder, sql } from 'kysely'

/** Prefix of every call id; see `contract/ids.ts`. */
const ID_PREFIX = 'call_'

/** Replaces the id prefix in the indexed text. */
const ID_MARKER = '\u{e001}\u{e001}'

/** Separates the texts of one call in the index. */
const SEPARATOR = '\u{1f}'

/** Minimum length of a text that the index can find. */
const MIN_INDEXED_LENGTH = 3

/** A term for the index. Matches calls with one of the phrases in texts or ids, or `text` in the agent's name. */
export interface IndexedTerm {
  readonly kind: 'indexed'
  readonly text: string
  readonly phrases: readonly string[]
}

type SearchTerm =
  | { readonly kind: 'everything' }
  | { readonly kind: 'nothing' }
  /** Text that is too short for the index. */
  | { readonly kind: 'short'; readonly text: string }
  | IndexedTerm

/** Parses a search text. Ignores case and surrounding whitespace. */
export function parseSearchTerm(input: string): SearchTerm {
  const text = input.trim()
  const lowercased = text.toLowerCase()
  if (text === '') return { kind: 'everything' }
  if (text.includes(SEPARATOR)) return { kind: 'nothing' }
  if ([...text].length < MIN_INDEXED_LENGTH) return { kind: 'short', text }
  const underscoreIndex = lowercased.indexOf('_')
  const isTrailingUnderscore = underscoreIndex === lowercased.length - 1
  const isIdPrefix =
    underscoreIndex >= 0 && !isTrailingUnderscore && ID_PREFIX.endsWith(lowercased.slice(0, underscoreIndex + 1))
  const phrases = isIdPrefix ? [text, ID_MARKER + lowercased.slice(underscoreIndex + 1)] : [text]
  return { kind: 'indexed', text, phrases }
}

/** Whether the text is part of every id. A search for such a text, for example "al", ignores call ids. */
export function isInEveryId(text: string): boolean {
  return ID_PREFIX.includes(text.toLowerCase())
}

/** Criteria that select the calls of a list. */
export interface CallFilter {
  /** Workspaces of the calls. An empty list selects no calls. */
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

/** A page of a list. `page` counts from 1. */
export interface PageNumber {
  readonly page: number
  readonly limit: number
}

/** The ids on one page in list order, and the total over all pages. */
export interface CallPageIds {
  readonly ids: readonly string[]
  readonly total: number
}

export const getPageOffset = ({ page, limit }: PageNumber): number => (page - 1) * limit

/** Returns the values of `hidden` that a list includes. The column is a bit mask of archived and child calls. */
export function listHiddenValues(included: {
  readonly archived: boolean
  readonly children: boolean
}): readonly number[] {
  return [0, 1, 2, 3].filter(
    (value) => (included.archived || (value & 1) === 0) && (included.children || (value & 2) === 0),
  )
}

/** Maximum number of workspaces that a query lists individually. */
export const MAX_LISTED_WORKSPACES = 100
/** Maximum number of ids in a list. Databases limit the number of bound values and the nesting depth of conditions. */
const MAX_LISTED_IDS = 20_000
const GROUP_SIZE = 100

/** Builds a condition on a workspace id column. An SQL expression as the column can prevent the use of an index. */
export function buildWorkspaceCondition(
  column: RawBuilder<unknown>,
  workspaceIds: readonly number[],
): RawBuilder<boolean> {
  const listCondition = sql<boolean>`${column} in (${sql.join(workspaceIds)})`
  if (workspaceIds.length <= MAX_LISTED_WORKSPACES) return listCondition
  // Many workspace ids usually form a few ranges. With many ranges, a list is faster.
  const ranges = toRanges(workspaceIds).map(([first, last]) => sql`${column} between ${first} and ${last}`)
  if (ranges.length > GROUP_SIZE && workspaceIds.length <= MAX_LISTED_IDS) return listCondition
  const groups = Array.from({ length: Math.ceil(ranges.length / GROUP_SIZE) }, (_, index) => {
    const group = ranges.slice(index * GROUP_SIZE, (index + 1) * GROUP_SIZE)
    return sql`(${sql.join(group, sql` or `)})`
  })
  return sql<boolean>`(${sql.join(groups, sql` or `)})`
}

/** Groups ids into ranges of consecutive ids, each with its first and last id. */
function toRanges(ids: readonly number[]): readonly (readonly [number, number])[] {
  const ranges: [number, number][] = []
  for (const id of ids.toSorted((a, b) => a - b)) {
    const lastRange = ranges.at(-1)
    if (lastRange !== undefined && id <= lastRange[1] + 1) lastRange[1] = id
    else ranges.push([id, id])
  }
  return ranges
}
