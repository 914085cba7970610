import { CALL_STATUSES } from '@parley/contract/call'
import { type RawBuilder, sql } from 'kysely'
import type { Capabilities, Reader } from '../../kernel/storage/database.ts'
import { buildLikePattern } from '../../kernel/storage/text.ts'
import type { IndexedTerm } from './call-filter.ts'
import {
  buildWorkspaceCondition,
  type CallFilter,
  type CallPageIds,
  getPageOffset,
  MAX_LISTED_WORKSPACES,
  type PageNumber,
} from './call-filter.ts'
import { scanCalls } from './call-pages.ts'

/** An agent with one of the names recorded in its calls. */
interface CallAgent {
  readonly agent_number: number
  readonly agent_id: string
  readonly agent_name: string
}

/** Reads the agents that have calls, once for each recorded name. They are few enough to filter without an index. */
async function readCallAgents(reader: Reader, { workspaceIds, agentId }: CallFilter): Promise<readonly CallAgent[]> {
  if (workspaceIds.length === 0) return []
  const agentCondition = agentId === undefined ? sql`` : sql`and agent_id = ${agentId}`
  const { rows } = await sql<CallAgent>`
    select agent_number, agent_id, agent_name from call_agents
    where ${buildWorkspaceCondition(sql`workspace_id`, workspaceIds)} ${agentCondition}`.execute(reader)
  return rows
}

/** Returns the agents whose name contains the text, ignoring case. */
function filterAgentsByName(agents: readonly CallAgent[], text: string): readonly CallAgent[] {
  const lowercased = text.toLowerCase()
  return agents.filter((agent) => agent.agent_name.toLowerCase().includes(lowercased))
}

const getAgentNumbers = (agents: readonly CallAgent[]): number[] => agents.map((agent) => agent.agent_number)

/**
 * How a search filters by workspace. `everything` needs no filter. `few` filters in the index query. `many` filters the
 * results because the index query would be too long.
 */
type WorkspaceCoverage = 'everything' | 'few' | 'many'

async function readWorkspaceCoverage(reader: Reader, workspaceIds: readonly number[]): Promise<WorkspaceCoverage> {
  if (workspaceIds.length === 1) return 'few'
  const otherAgentsQuery = sql`select 1 from call_agents where not (${buildWorkspaceCondition(sql`workspace_id`, workspaceIds)}) limit 1`
  const { rows } = await otherAgentsQuery.execute(reader)
  if (rows.length === 0) return 'everything'
  return workspaceIds.length > MAX_LISTED_WORKSPACES ? 'many' : 'few'
}

/** Matches are counted per day so that the query for a page reads only the days of that page. */
const DAY_MS = 86_400_000

interface DayCount {
  readonly day: number
  readonly calls: number
}

/** Searches calls with trigram operators. Returns a page and the total. */
async function searchByPattern(
  reader: Reader,
  filter: CallFilter,
  term: IndexedTerm,
  page: PageNumber,
): Promise<CallPageIds> {
  const agents = await readCallAgents(reader, filter)
  if (agents.length === 0) return { ids: [], total: 0 }
  const coverage = await readWorkspaceCoverage(reader, filter.workspaceIds)
  const matches = sql`from call_search_entries where ${sql.join(buildConditions(filter, { agents, coverage, term }), sql` and `)}`
  const countQuery = sql<DayCount>`select day, count(*) as calls ${matches} group by day order by day desc`
  const days = (await countQuery.execute(reader)).rows
  const total = days.reduce((sum, { calls }) => sum + calls, 0)
  const dayRange = findDayRange(days, getPageOffset(page), page.limit)
  if (dayRange === null) return { ids: [], total }
  const pageQuery = sql<{ call_id: string }>`
    select call_id ${matches}
    and created_at >= ${dayRange.first * DAY_MS} and created_at < ${(dayRange.last + 1) * DAY_MS}
    order by created_at desc, call_id desc limit ${page.limit} offset ${dayRange.offset}`
  const { rows } = await pageQuery.execute(reader)
  return { ids: rows.map((row) => row.call_id), total }
}

interface DayRange {
  readonly first: number
  readonly last: number
  /** Number of calls in these days that precede the page. */
  readonly offset: number
}

/** Finds the days that contain the page. `days` is sorted newest first. Returns null if the page is past the end. */
export function findDayRange(days: readonly DayCount[], offset: number, limit: number): DayRange | null {
  let precedingCalls = 0
  let start: { readonly last: number; readonly offset: number } | null = null
  for (const { day, calls } of days) {
    if (start === null && precedingCalls + calls > offset) start = { last: day, offset: offset - precedingCalls }
    precedingCalls += calls
    if (start !== null && precedingCalls >= offset + limit) return { first: day, ...start }
  }
  const oldestDay = days.at(-1)
  return start === null || oldestDay === undefined ? null : { first: oldestDay.day, ...start }
}

interface SearchContext {
  readonly agents: readonly CallAgent[]
  readonly coverage: WorkspaceCoverage
  readonly term: IndexedTerm
}

function buildConditions(filter: CallFilter, { agents, coverage, term }: SearchContext): RawBuilder<unknown>[] {
  const { agentId, agentVersion, status, createdFrom, createdTo, hidden, workspaceIds } = filter
  const matchingAgents = filterAgentsByName(agents, term.text)
  const alternatives = term.phrases.map((phrase) => sql`words like call_search_fold(${buildLikePattern(phrase)})`)
  if (matchingAgents.length > 0) alternatives.push(buildOwnerCondition(toAgentOwnerKeys(matchingAgents)))
  const conditions = [sql`(${sql.join(alternatives, sql` or `)})`]
  if (agentId !== undefined) conditions.push(buildOwnerCondition(toAgentOwnerKeys(agents)))
  else if (coverage === 'few') conditions.push(buildOwnerCondition(workspaceIds))
  else if (coverage === 'many') conditions.push(buildWorkspaceCondition(sql`workspace_id`, workspaceIds))
  conditions.push(sql`hidden in (${sql.join(hidden)})`)
  if (agentVersion !== undefined) conditions.push(sql`agent_version = ${agentVersion}`)
  if (status !== undefined) conditions.push(sql`status = ${status}`)
  if (createdFrom !== undefined) conditions.push(sql`created_at >= ${createdFrom}`)
  if (createdTo !== undefined) conditions.push(sql`created_at <= ${createdTo}`)
  return conditions
}

const toAgentOwnerKeys = (agents: readonly CallAgent[]): number[] => getAgentNumbers(agents).map((number) => -number)

/** Builds a condition on workspaces and agents. The index stores both in one array, with negated agent numbers. */
const buildOwnerCondition = (ownerKeys: readonly number[]): RawBuilder<unknown> =>
  sql`array[workspace_id, - agent_number] && ${`{${ownerKeys.join(',')}}`}::integer[]`

/** Facet kinds, as written by the schema's triggers. */
const FACETS = { workspace: 16, agent: 17, version: 18, status: 19, hidden: 20 } as const

/** Number of index keys per millisecond. A key is derived from the call's creation time. */
const KEYS_PER_MS = 1_000_000n
const MAX_KEY = 9_223_372_036_854_775_807n

/** Searches calls with the FTS5 index. Returns a page and the total. */
async function searchByMatch(
  reader: Reader,
  filter: CallFilter,
  term: IndexedTerm,
  page: PageNumber,
): Promise<CallPageIds> {
  const agents = await readCallAgents(reader, filter)
  if (agents.length === 0) return { ids: [], total: 0 }
  const coverage = await readWorkspaceCoverage(reader, filter.workspaceIds)
  const query = buildMatchQuery(filter, { agents, coverage }, term)
  const matches = sql`from call_search where call_search match ${query} and ${buildKeyCondition(filter)}`
  const total = await countMatches(reader, { filter, coverage, matches })
  const offset = getPageOffset(page)
  if (offset >= total) return { ids: [], total }
  const window = sql`limit ${page.limit} offset ${offset}`
  const hasManyWorkspaces = coverage === 'many'
  const pageQuery = sql<{ call_id: string }>`
    select call_id from (select rowid as search_key ${matches} order by rowid desc ${hasManyWorkspaces ? sql`` : window}) as found
    cross join call_search_entries using (search_key)
    ${hasManyWorkspaces ? sql`where ${buildAccessCondition(filter)}` : sql``} order by search_key desc ${hasManyWorkspaces ? window : sql``}`
  const { rows } = await pageQuery.execute(reader)
  return { ids: rows.map((row) => row.call_id), total }
}

const buildAccessCondition = (filter: CallFilter) =>
  buildWorkspaceCondition(sql`call_search_entries.workspace_id`, filter.workspaceIds)

interface Matches {
  readonly filter: CallFilter
  readonly coverage: WorkspaceCoverage
  readonly matches: RawBuilder<unknown>
}

async function countMatches(reader: Reader, { filter, coverage, matches }: Matches): Promise<number> {
  const countQuery =
    coverage === 'many'
      ? sql<{ total: number }>`
          select count(*) as total from (select rowid as search_key ${matches}) as found
          cross join call_search_entries using (search_key) where ${buildAccessCondition(filter)}`
      : sql<{ total: number }>`select count(*) as total ${matches}`
  const { rows } = await countQuery.execute(reader)
  return rows[0]?.total ?? 0
}

function buildKeyCondition({ createdFrom, createdTo }: CallFilter): RawBuilder<boolean> {
  const first = createdFrom === undefined ? 0n : getFirstKey(createdFrom)
  const last = createdTo === undefined ? MAX_KEY : getFirstKey(createdTo + 1) - 1n
  return sql<boolean>`rowid between ${first} and ${last}`
}

/** Returns the first key of a millisecond, limited to the valid range. */
function getFirstKey(milliseconds: number): bigint {
  const key = BigInt(Math.max(0, milliseconds)) * KEYS_PER_MS
  return key < MAX_KEY ? key : MAX_KEY
}

/** Builds an FTS5 query. */
function buildMatchQuery(
  filter: CallFilter,
  { agents, coverage }: { readonly agents: readonly CallAgent[]; readonly coverage: WorkspaceCoverage },
  term: IndexedTerm,
): string {
  const matchingAgents = filterAgentsByName(agents, term.text)
  const conditions = [
    joinAlternatives([
      ...term.phrases.map((phrase) => `words : ${quotePhrase(phrase)}`),
      ...buildFacetTerms('agent', getAgentNumbers(matchingAgents)),
    ]),
    joinAlternatives(buildFacetTerms('hidden', filter.hidden)),
  ]
  if (coverage === 'few') conditions.push(joinAlternatives(buildFacetTerms('workspace', filter.workspaceIds)))
  if (filter.agentId !== undefined) conditions.push(joinAlternatives(buildFacetTerms('agent', getAgentNumbers(agents))))
  if (filter.agentVersion !== undefined)
    conditions.push(joinAlternatives(buildFacetTerms('version', [filter.agentVersion])))
  if (filter.status !== undefined) {
    conditions.push(
      joinAlternatives(buildFacetTerms('status', [(CALL_STATUSES as readonly string[]).indexOf(filter.status)])),
    )
  }
  return conditions.join(' AND ')
}

const joinAlternatives = (alternatives: readonly string[]): string => `(${alternatives.join(' OR ')})`

const quotePhrase = (phrase: string): string => `"${phrase.replaceAll('"', '""')}"`

/** Builds a search term for each value. The schema's triggers index each value as a three-character token. */
function buildFacetTerms(kind: keyof typeof FACETS, values: readonly number[]): string[] {
  return values.map((value) => {
    const digits = [0xf_0000 + Math.floor(value / 65_000), 0xf_0000 + (value % 65_000)]
    return `facets : ${quotePhrase(String.fromCodePoint(57_344 + FACETS[kind], ...digits))}`
  })
}

/** Finds calls that match the term. Returns a page, newest first, and the total. */
type SearchCalls = (reader: Reader, filter: CallFilter, term: IndexedTerm, page: PageNumber) => Promise<CallPageIds>

/** Selects the best search that the database supports. Without an index, the search covers only the newest calls. */
export function selectSearch({
  trigramIndex,
  trigramOperators,
}: Pick<Capabilities, 'trigramIndex' | 'trigramOperators'>): SearchCalls {
  if (trigramIndex) return searchByMatch
  if (trigramOperators) return searchByPattern
  return (reader, filter, { text }, page) => scanCalls(reader, filter, { text }, page)
}
