import { type RawBuilder, sql } from 'kysely'
import type { Reader } from '../../kernel/storage/database.ts'
import { likePattern } from '../../kernel/storage/text.ts'
import {
  agentNumbersOf,
  agentsNamed,
  type CallAgent,
  readCallAgents,
  readReach,
  type WorkspaceReach,
} from './call-agents.ts'
import { type CallFilter, type CallPageIds, inWorkspaces, offsetOf, type PageNumber } from './call-filter.ts'
import type { IndexedTerm } from './search-term.ts'

/** What is found is counted by days since the Unix epoch, so that a page is looked for in its own days only. */
const DAY_MS = 86_400_000

interface DayCount {
  readonly day: number
  readonly calls: number
}

/** Which calls have any of the phrases in a text of theirs, or `text` in the name of their agent: a page, and how many. */
export async function searchByPattern(
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
  /** How many calls of these days come before the page. */
  readonly offset: number
}

/** The days, newest first, that the page lies in; null when it lies behind all of them. */
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

/** As the index of texts has it: workspaces as they are, agents as negative numbers. */
const ownedBy = (owners: readonly number[]): RawBuilder<unknown> =>
  sql`array[workspace_id, - agent_number] && ${`{${owners.join(',')}}`}::integer[]`
