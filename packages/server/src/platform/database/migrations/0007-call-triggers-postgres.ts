import { listFoldedLetters } from './0007-calls.ts'

/**
 * Triggers that keep exact counts and search texts of calls in the same transaction. They run once per statement,
 * which makes bulk writes cheap.
 */

/** Weeks are few enough to sum, and short enough to count the calls within a partial week. */
const PERIOD_MS = 604_800_000
const DAY_MS = 86_400_000

const quoteLiteral = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** Builds the folding function, which uses the faster folding for ASCII, because most texts are ASCII. */
const buildFoldFunction = (): string => {
  const { from, to } = listFoldedLetters()
  return `create function call_search_fold(given text) returns text language sql immutable parallel safe as $$
    select case when octet_length(given) = char_length(given) then lower(given collate "C")
      else translate(lower(given collate "C"), ${quoteLiteral(from)}, ${quoteLiteral(to)}) end
  $$`
}

/** Removes the common id prefix, so that a search does not match every id. Separators keep adjacent texts apart. */
const words = [
  "U&'\\E001\\E001' || call_search_fold(substr(rows.call_id, 6))",
  "call_search_fold(coalesce(rows.call_sid, ''))",
  "call_search_fold(coalesce(rows.from_number, ''))",
  "call_search_fold(coalesce(rows.to_number, ''))",
  "call_search_fold(coalesce(rows.customer_name, ''))",
].join(" || U&'\\001F' || ")

const kinds = 'workspace_id, period, agent_id, agent_version, status, hidden'

const buildCountTable = (name: string, end = ''): string => `create table ${name} (
  workspace_id integer not null,
  period integer not null,
  agent_id text collate "C" not null,
  agent_version integer not null,
  status text collate "C" not null,
  hidden integer not null,
  calls integer not null${end}
)`

const buildCountChanges = (rows: string, calls: string): string => `
  insert into call_count_changes (${kinds}, calls)
  select workspace_id, created_at / ${PERIOD_MS}, agent_id, agent_version, status, hidden, ${calls} from ${rows}
  group by 1, 2, 3, 4, 5, 6;`

/** Deleting a workspace also deletes its counts. */
const EXISTING_WORKSPACES = `(
    select removed.* from removed where exists (
      select 1 from workspaces where workspaces.workspace_id = removed.workspace_id
    )
  ) as removed`

/** Skips existing rows, because an insert that conflicts would still consume a number. */
const buildAgentInsert = (rows: string): string => `
  insert into call_agents (workspace_id, agent_id, agent_name)
  select distinct workspace_id, agent_id, agent_name from ${rows} as rows
  where not exists (
    select 1 from call_agents
    where (workspace_id, agent_id, agent_name) = (rows.workspace_id, rows.agent_id, rows.agent_name)
  )
  order by workspace_id, agent_id, agent_name
  on conflict do nothing;`

const buildTrigger = (name: string, when: string, body: string): readonly string[] => [
  `create function ${name}() returns trigger language plpgsql as $$ begin ${body} return null; end $$`,
  `create trigger ${name} after ${when} execute function ${name}()`,
]

/**
 * Counts are appended as changes and added to the sums later, because writers of one workspace would otherwise wait for its
 * rows or fail. A view combines both. Deleting a workspace also deletes its counts.
 */
const counts: readonly string[] = [
  buildCountTable(
    'call_count_sums',
    `,\n  primary key (workspace_id, hidden, period, agent_id, agent_version, status) include (calls)`,
  ),
  buildCountTable('call_count_changes'),
  'create index call_count_changes_of_workspace on call_count_changes (workspace_id)',
  `create view call_counts as
    select ${kinds}, calls from call_count_sums union all select ${kinds}, calls from call_count_changes`,
  ...buildTrigger(
    'workspaces_counts_removed',
    'delete on workspaces for each row',
    `delete from call_count_changes where workspace_id = old.workspace_id;
    delete from call_count_sums where workspace_id = old.workspace_id;`,
  ),
]

/** SQL that creates the tables first, then their triggers. */
export const callSideTables: readonly string[] = [
  buildFoldFunction(),
  ...counts,
  `create table call_agents (
    agent_number integer generated always as identity unique,
    workspace_id integer not null references workspaces (workspace_id) on delete cascade,
    agent_id text collate "C" not null,
    agent_name text collate "C" not null,
    primary key (workspace_id, agent_id, agent_name)
  )`,
  // Leaves free space on each page: the status changes most often, and no index here contains it. The day is a stored column,
  // so that the planner knows how few days there are.
  `create table call_search_entries (
    created_at bigint not null,
    day integer not null generated always as (created_at / ${DAY_MS}) stored,
    workspace_id integer not null,
    agent_number integer not null,
    agent_version integer not null,
    hidden integer not null,
    call_id text collate "C" primary key,
    status text collate "C" not null,
    words text collate "C" not null
  ) with (fillfactor = 80)`,
  'create index call_search_entries_by_time on call_search_entries (created_at)',
  ...buildTrigger(
    'calls_added',
    'insert on calls referencing new table as added for each statement',
    `${buildAgentInsert('added')}
    insert into call_search_entries
      (call_id, workspace_id, agent_number, agent_version, hidden, created_at, status, words)
    select rows.call_id, rows.workspace_id, call_agents.agent_number, rows.agent_version, rows.hidden, rows.created_at,
      rows.status, ${words}
    from added as rows join call_agents using (workspace_id, agent_id, agent_name);
    ${buildCountChanges('added', 'count(*)')}`,
  ),
  ...buildTrigger(
    'calls_removed',
    'delete on calls referencing old table as removed for each statement',
    `delete from call_search_entries using removed where call_search_entries.call_id = removed.call_id;
    ${buildCountChanges(EXISTING_WORKSPACES, '- count(*)')}`,
  ),
  // The workspace and creation time of a call never change.
  ...buildTrigger(
    'calls_changed',
    `update of status, archived_at, parent_call_id, agent_id, agent_version, agent_name, call_sid, from_number, to_number,
    customer_name on calls for each row`,
    `${buildAgentInsert('(select new.workspace_id, new.agent_id, new.agent_name)')}
    update call_search_entries as entries
    set agent_number = call_agents.agent_number, agent_version = rows.agent_version, hidden = rows.hidden,
      status = rows.status, words = ${words}
    from (select new.*) as rows join call_agents using (workspace_id, agent_id, agent_name)
    where entries.call_id = rows.call_id;
    if (old.agent_id, old.agent_version, old.status, old.hidden) <>
      (new.agent_id, new.agent_version, new.status, new.hidden) then
      ${buildCountChanges('(select old.*) as before', '-1')}
      ${buildCountChanges('(select new.*) as after', '1')}
    end if;`,
  ),
]

/**
 * Builds SQL that indexes texts by trigrams, together with workspaces and agents, if the server provides the extension. The
 * extension can be in any schema. Agent numbers are stored as negative values.
 */
export const buildTextIndex = (name: string): string => `do $$
  declare place text;
  begin
    create extension if not exists pg_trgm;
    select quote_ident(nspname) into strict place
    from pg_opclass join pg_namespace on pg_namespace.oid = opcnamespace where opcname = 'gin_trgm_ops';
    execute 'create index ${name} on call_search_entries using gin '
      '(words ' || place || '.gin_trgm_ops, (array[workspace_id, - agent_number]))';
  exception when insufficient_privilege or undefined_file or feature_not_supported or undefined_object then null;
  end $$`
