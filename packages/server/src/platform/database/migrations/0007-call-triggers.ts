/**
 * Triggers that keep exact counts and the text index of calls in the same transaction. `words` holds searchable
 * texts, `facets` a token per filter value, so the index alone answers filtered searches. Keys sort by creation time,
 * so key ranges are time ranges.
 */

/** Number of keys per millisecond, which exceeds the number of calls created in one millisecond. */
const KEYS_PER_MS = 1_000_000

/** Weeks are few enough to sum, and short enough to count the calls within a partial week. */
const PERIOD_MS = 604_800_000

/** Encodes a number as one trigram: its kind, and its value as two digits of base 65,000. */
const buildToken = (kind: number, value: string): string =>
  `char(${57_344 + kind}, ${0xf_0000} + (${value}) / 65000, ${0xf_0000} + (${value}) % 65000)`

const agentNumber = `(
  select agent_number from call_agents
  where workspace_id = new.workspace_id and agent_id = new.agent_id and agent_name = new.agent_name
)`

const statusNumber = `case new.status
  when 'registered' then 0 when 'ongoing' then 1 when 'ended' then 2 when 'not_connected' then 3 else 4 end`

const facets = [
  buildToken(16, 'new.workspace_id'),
  buildToken(17, agentNumber),
  buildToken(18, 'new.agent_version'),
  buildToken(19, statusNumber),
  buildToken(20, 'new.hidden'),
].join(' || ')

/** Removes the common id prefix, so that it does not fill the index. Separators keep adjacent texts apart. */
const words = [
  'char(57345, 57345) || substr(new.call_id, 6)',
  "coalesce(new.call_sid, '')",
  "coalesce(new.from_number, '')",
  "coalesce(new.to_number, '')",
  "coalesce(new.customer_name, '')",
].join(' || char(31) || ')

const recordAgent = `
  insert or ignore into call_agents (workspace_id, agent_id, agent_name)
  values (new.workspace_id, new.agent_id, new.agent_name);`

const incrementCounts = `
  insert into call_counts (workspace_id, period, agent_id, agent_version, status, hidden, calls)
  values (new.workspace_id, new.created_at / ${PERIOD_MS}, new.agent_id, new.agent_version, new.status, new.hidden, 1)
  on conflict (workspace_id, period, agent_id, agent_version, status, hidden) do update set calls = calls + 1;`

const oldCountCondition = `workspace_id = old.workspace_id and period = old.created_at / ${PERIOD_MS} and agent_id = old.agent_id
    and agent_version = old.agent_version and status = old.status and hidden = old.hidden`

const decrementCounts = `
  update call_counts set calls = calls - 1 where ${oldCountCondition};
  delete from call_counts where ${oldCountCondition} and calls = 0;`

const oldEntryCondition = `search_key >= old.created_at * ${KEYS_PER_MS} and search_key < (old.created_at + 1) * ${KEYS_PER_MS}
    and call_id = old.call_id`

const addToIndex = 'insert into call_search (rowid, words, facets) values (new.search_key, new.words, new.facets);'
const removeFromIndex = `insert into call_search (call_search, rowid, words, facets)
  values ('delete', old.search_key, old.words, old.facets);`

/** SQL that creates the tables first, then their triggers. */
export const callTriggers: readonly string[] = [
  `create table call_agents (
    agent_number integer primary key,
    workspace_id integer not null references workspaces (workspace_id) on delete cascade,
    agent_id text not null,
    agent_name text not null,
    unique (workspace_id, agent_id, agent_name)
  )`,
  `create table call_search_entries (
    search_key integer primary key,
    call_id text not null,
    workspace_id integer not null,
    words text not null,
    facets text not null
  )`,
  `create virtual table call_search using fts5 (
    words, facets, content = 'call_search_entries', content_rowid = 'search_key', columnsize = 0, tokenize = 'trigram'
  )`,
  `create trigger call_search_insert after insert on call_search_entries begin ${addToIndex} end`,
  `create trigger call_search_delete after delete on call_search_entries begin ${removeFromIndex} end`,
  `create trigger call_search_update after update on call_search_entries
  when old.words <> new.words or old.facets <> new.facets begin ${removeFromIndex} ${addToIndex} end`,
  `create trigger calls_insert after insert on calls begin
    ${recordAgent}
    insert into call_search_entries (search_key, call_id, workspace_id, words, facets)
    values (
      max(new.created_at * ${KEYS_PER_MS}, coalesce(
        (select max(search_key) + 1 from call_search_entries where search_key < (new.created_at + 1) * ${KEYS_PER_MS}), 0
      )),
      new.call_id, new.workspace_id, ${words}, ${facets}
    );
    ${incrementCounts}
  end`,
  `create trigger calls_delete after delete on calls begin
    delete from call_search_entries where ${oldEntryCondition};
    ${decrementCounts}
  end`,
  // The workspace and creation time of a call never change.
  `create trigger calls_update after update of status, archived_at, parent_call_id, agent_id, agent_version, agent_name,
    call_sid, from_number, to_number, customer_name on calls begin
    ${recordAgent}
    update call_search_entries set words = ${words}, facets = ${facets} where ${oldEntryCondition};
    ${decrementCounts}
    ${incrementCounts}
  end`,
]
