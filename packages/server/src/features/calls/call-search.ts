import { CALL_STATUSES } from '@parley/contract/call'
import { type RawBuilder, sql } from 'kysely'
import type { Capabilities, Reader } from '../../kernel/storage/database.ts'
import { likePattern } from '../../kernel/storage/text.ts'
import type { IndexedTerm } from './call-filter.ts'
import {
  type CallFilter,
  type CallPageIds,
  inWorkspaces,
  MAX_LISTED_WORKSPACES,
  offsetOf,
  type PageNumber,
} from './call-filter.ts'
import { scanCalls } from './call-pages.ts'

/** An agent under one of the names it had in calls. */
interface CallAgent {
  readonly agent_number: number
  readonly agent_id: string
  readonly agent_name: string
}

/** Agents of calls under each of their names: few enough to compare without an index. */
async function readCallAgents(reader: Reader, { workspaceIds, agentId }: CallFilter): Promise<readonly CallAgent[]> {
  if (workspaceIds.length === 0) return []
  const ofAgent = agentId === undefined ? sql`` : sql`and agent_id = ${agentId}`
  const { rows } = await sql<CallAgent>`
    select agent_number, agent_id, agent_name from call_agents
    where ${inWorkspaces(sql`workspace_id`, workspaceIds)} ${ofAgent}`.execute(reader)
  return rows
}

/** Agents whose name contains the text, in any case. */
function agentsNamed(agents: readonly CallAgent[], text: string): readonly CallAgent[] {
  const lowercased = text.toLowerCase()
  return agents.filter((agent) => agent.agent_name.toLowerCase().includes(lowercased))
}

const agentNumbersOf = (agents: readonly CallAgent[]): number[] => agents.map((agent) => agent.agent_number)

/**
 * How the search filters workspaces: not at all when all calls are visible, in the index, or after it when a list would
 * make the index query too long.
 */
type WorkspaceReach = 'everything' | 'few' | 'many'

async function readReach(reader: Reader, workspaceIds: readonly number[]): Promise<WorkspaceReach> {
  if (workspaceIds.length === 1) return 'few'
  const others = sql`select 1 from call_agents where not (${inWorkspaces(sql`workspace_id`, workspaceIds)}) limit 1`
  const { rows } = await others.execute(reader)
  if (rows.length === 0) return 'everything'
  return workspaceIds.length > MAX_LISTED_WORKSPACES ? 'many' : 'few'
}

/** Hits are counted by days since the Unix epoch, so that a page is read only from its own days. */
const DAY_MS = 86_400_000

interface DayCount {
  readonly day: number
  readonly calls: number
}

/** Finds calls with any of the phrases in their texts or `text` in the agent's name; returns a page and the total. */
async function searchByPattern(
  reader: Reader,
  filter: CallFilter,
  term: IndexedTerm,
  page: PageNumber,
): Promise<CallPageIds> {
  const agents = await readCallAgents(reader, filter)
  if (agents.length === 0) return { ids: [], total: 0 }
  const reach = await readReach(reader, filter.workspaceIds)
  const matches = sql`from call_search_entries where ${sql.join(conditions(filter, { agents, reach, term }), sql` and `)}`
  const counted = sql<DayCount>`select day, count(*) as calls ${matches} group by day order by day desc`
  const days = (await counted.execute(reader)).rows
  const total = days.reduce((sum, { calls }) => sum + calls, 0)
  const place = findDays(days, offsetOf(page), page.limit)
  if (place === null) return { ids: [], total }
  const found = sql<{ call_id: string }>`
    select call_id ${matches}
    and created_at >= ${place.first * DAY_MS} and created_at < ${(place.last + 1) * DAY_MS}
    order by created_at desc, call_id desc limit ${page.limit} offset ${place.offset}`
  const { rows } = await found.execute(reader)
  return { ids: rows.map((row) => row.call_id), total }
}

interface DayRange {
  readonly first: number
  readonly last: number
  /** Calls of these days before the page. */
  readonly offset: number
}

/** The days, newest first, that contain the page; null when the page is past the end. */
export function findDays(days: readonly DayCount[], offset: number, limit: number): DayRange | null {
  let before = 0
  let start: { readonly last: number; readonly offset: number } | null = null
  for (const { day, calls } of days) {
    if (start === null && before + calls > offset) start = { last: day, offset: offset - before }
    before += calls
    if (start !== null && before >= offset + limit) return { first: day, ...start }
  }
  const oldest = days.at(-1)
  return start === null || oldest === undefined ? null : { first: oldest.day, ...start }
}

interface Search {
  readonly agents: readonly CallAgent[]
  readonly reach: WorkspaceReach
  readonly term: IndexedTerm
}

function conditions(filter: CallFilter, { agents, reach, term }: Search): RawBuilder<unknown>[] {
  const { agentId, agentVersion, status, createdFrom, createdTo, hidden, workspaceIds } = filter
  const named = agentsNamed(agents, term.text)
  const alternatives = term.phrases.map((phrase) => sql`words like call_search_fold(${likePattern(phrase)})`)
  if (named.length > 0) alternatives.push(ownedBy(agentOwners(named)))
  const all = [sql`(${sql.join(alternatives, sql` or `)})`]
  if (agentId !== undefined) all.push(ownedBy(agentOwners(agents)))
  else if (reach === 'few') all.push(ownedBy(workspaceIds))
  else if (reach === 'many') all.push(inWorkspaces(sql`workspace_id`, workspaceIds))
  all.push(sql`hidden in (${sql.join(hidden)})`)
  if (agentVersion !== undefined) all.push(sql`agent_version = ${agentVersion}`)
  if (status !== undefined) all.push(sql`status = ${status}`)
  if (createdFrom !== undefined) all.push(sql`created_at >= ${createdFrom}`)
  if (createdTo !== undefined) all.push(sql`created_at <= ${createdTo}`)
  return all
}

const agentOwners = (agents: readonly CallAgent[]): number[] => agentNumbersOf(agents).map((number) => -number)

/** The text index stores workspaces as they are and agents as negative numbers. */
const ownedBy = (owners: readonly number[]): RawBuilder<unknown> =>
  sql`array[workspace_id, - agent_number] && ${`{${owners.join(',')}}`}::integer[]`

/** Kinds of facets as the schema's triggers write them. */
const FACETS = { workspace: 16, agent: 17, version: 18, status: 19, hidden: 20 } as const

/** Index keys are times with this many values per millisecond. */
const KEYS_PER_MS = 1_000_000n
const MAX_KEY = 9_223_372_036_854_775_807n

/** Finds calls with any of the phrases in their texts or `text` in the agent's name; returns a page and the total. */
async function searchByMatch(
  reader: Reader,
  filter: CallFilter,
  term: IndexedTerm,
  page: PageNumber,
): Promise<CallPageIds> {
  const agents = await readCallAgents(reader, filter)
  if (agents.length === 0) return { ids: [], total: 0 }
  const reach = await readReach(reader, filter.workspaceIds)
  const query = matchQuery(filter, { agents, reach }, term)
  const matches = sql`from call_search where call_search match ${query} and ${keyRange(filter)}`
  const total = await countMatches(reader, { filter, reach, matches })
  const offset = offsetOf(page)
  if (offset >= total) return { ids: [], total }
  const window = sql`limit ${page.limit} offset ${offset}`
  const hasManyWorkspaces = reach === 'many'
  const found = sql<{ call_id: string }>`
    select call_id from (select rowid as search_key ${matches} order by rowid desc ${hasManyWorkspaces ? sql`` : window}) as found
    cross join call_search_entries using (search_key)
    ${hasManyWorkspaces ? sql`where ${isReachable(filter)}` : sql``} order by search_key desc ${hasManyWorkspaces ? window : sql``}`
  const { rows } = await found.execute(reader)
  return { ids: rows.map((row) => row.call_id), total }
}

const isReachable = (filter: CallFilter) => inWorkspaces(sql`call_search_entries.workspace_id`, filter.workspaceIds)

interface Matches {
  readonly filter: CallFilter
  readonly reach: WorkspaceReach
  readonly matches: RawBuilder<unknown>
}

async function countMatches(reader: Reader, { filter, reach, matches }: Matches): Promise<number> {
  const counted =
    reach === 'many'
      ? sql<{ total: number }>`
          select count(*) as total from (select rowid as search_key ${matches}) as found
          cross join call_search_entries using (search_key) where ${isReachable(filter)}`
      : sql<{ total: number }>`select count(*) as total ${matches}`
  const { rows } = await counted.execute(reader)
  return rows[0]?.total ?? 0
}

function keyRange({ createdFrom, createdTo }: CallFilter): RawBuilder<boolean> {
  const first = createdFrom === undefined ? 0n : keyAt(createdFrom)
  const last = createdTo === undefined ? MAX_KEY : keyAt(createdTo + 1) - 1n
  return sql<boolean>`rowid between ${first} and ${last}`
}

/** The first key of a millisecond, or the nearest representable key. */
function keyAt(milliseconds: number): bigint {
  const key = BigInt(Math.max(0, milliseconds)) * KEYS_PER_MS
  return key < MAX_KEY ? key : MAX_KEY
}

/** Builds the query in the FTS5 language. */
function matchQuery(
  filter: CallFilter,
  { agents, reach }: { readonly agents: readonly CallAgent[]; readonly reach: WorkspaceReach },
  term: IndexedTerm,
): string {
  const named = agentsNamed(agents, term.text)
  const conditions = [
    anyOf([...term.phrases.map((phrase) => `words : ${quote(phrase)}`), ...tokensOf('agent', agentNumbersOf(named))]),
    anyOf(tokensOf('hidden', filter.hidden)),
  ]
  if (reach === 'few') conditions.push(anyOf(tokensOf('workspace', filter.workspaceIds)))
  if (filter.agentId !== undefined) conditions.push(anyOf(tokensOf('agent', agentNumbersOf(agents))))
  if (filter.agentVersion !== undefined) conditions.push(anyOf(tokensOf('version', [filter.agentVersion])))
  if (filter.status !== undefined) {
    conditions.push(anyOf(tokensOf('status', [(CALL_STATUSES as readonly string[]).indexOf(filter.status)])))
  }
  return conditions.join(' AND ')
}

const anyOf = (alternatives: readonly string[]): string => `(${alternatives.join(' OR ')})`

const quote = (phrase: string): string => `"${phrase.replaceAll('"', '""')}"`

/** The tokens of each value, three characters each, as the triggers write them. */
function tokensOf(kind: keyof typeof FACETS, values: readonly number[]): string[] {
  return values.map((value) => {
    const digits = [0xf_0000 + Math.floor(value / 65_000), 0xf_0000 + (value % 65_000)]
    return `facets : ${quote(String.fromCodePoint(57_344 + FACETS[kind], ...digits))}`
  })
}

/** Finds calls by three or more characters: a page, newest first, and the total. */
type SearchCalls = (reader: Reader, filter: CallFilter, term: IndexedTerm, page: PageNumber) => Promise<CallPageIds>

/** Chooses the best search of the database; without an index only the newest calls are searched. */
export function chooseSearch({
  trigramIndex,
  trigramOperators,
}: Pick<Capabilities, 'trigramIndex' | 'trigramOperators'>): SearchCalls {
  if (trigramIndex) return searchByMatch
  if (trigramOperators) return searchByPattern
  return (reader, filter, { text }, page) => scanCalls(reader, filter, text, page)
}
