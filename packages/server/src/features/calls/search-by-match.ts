import { CALL_STATUSES } from '@parley/contract/call'
import { type RawBuilder, sql } from 'kysely'
import type { Reader } from '../../kernel/storage/database.ts'
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

/** Kinds of facets, as the schema's triggers write them. */
const FACETS = { workspace: 16, agent: 17, version: 18, status: 19, hidden: 20 } as const

/** Keys of the index are times with this much room for each millisecond. */
const KEYS_PER_MS = 1_000_000n
const MAX_KEY = 9_223_372_036_854_775_807n

/** Which calls have any of the phrases in a text of theirs, or `text` in the name of their agent: a page, and how many. */
export async function searchByMatch(
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

/** The first key of a millisecond; of one that no call can have, the nearest that can be written. */
function keyAt(milliseconds: number): bigint {
  const key = BigInt(Math.max(0, milliseconds)) * KEYS_PER_MS
  return key < MAX_KEY ? key : MAX_KEY
}

/** The query in the language of the index. */
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

/** The token of each value, three characters each, as the triggers write them. */
function tokensOf(kind: keyof typeof FACETS, values: readonly number[]): string[] {
  return values.map((value) => {
    const digits = [0xf_0000 + Math.floor(value / 65_000), 0xf_0000 + (value % 65_000)]
    return `facets : ${quote(String.fromCodePoint(57_344 + FACETS[kind], ...digits))}`
  })
}
