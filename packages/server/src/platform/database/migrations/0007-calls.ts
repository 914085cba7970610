import { type Kysely, sql } from 'kysely'
import { callTriggers } from './0007-call-triggers.ts'
import { childOf, key, required } from './columns.ts'

/** Calls, their exact totals, and the index that finds text in them. */
export async function calls(database: Kysely<unknown>): Promise<void> {
  await createCalls(database)
  await createIndexes(database)
  await createCounts(database)
  for (const statement of callTriggers) await sql.raw(statement).execute(database)
}

/** The table alone: what keeps its totals and finds its texts differs between databases. */
export async function createCalls({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('calls')
    .addColumn('call_id', 'text', key)
    .addColumn('workspace_id', 'integer', childOf('workspaces.workspace_id'))
    .addColumn('call_type', 'text', required)
    .addColumn('status', 'text', required)
    .addColumn('direction', 'text')
    // No references: a call outlives its agent, and a child its parent.
    .addColumn('agent_id', 'text', required)
    .addColumn('agent_version', 'integer', required)
    .addColumn('agent_name', 'text', required)
    .addColumn('from_number', 'text')
    .addColumn('to_number', 'text')
    .addColumn('call_sid', 'text')
    .addColumn('customer_name', 'text')
    .addColumn('parent_call_id', 'text')
    .addColumn('created_at', 'bigint', required)
    .addColumn('expires_at', 'bigint')
    .addColumn('started_at', 'bigint')
    .addColumn('ended_at', 'bigint')
    .addColumn('archived_at', 'bigint')
    .addColumn('updated_at', 'bigint', required)
    .addColumn('hidden', 'integer', (column) =>
      column
        .generatedAlwaysAs(
          sql`(case when archived_at is null then 0 else 1 end + case when parent_call_id is null then 0 else 2 end)`,
        )
        .stored(),
    )
    .addColumn('duration_ms', 'integer')
    .addColumn('disconnection_reason', 'text')
    .addColumn('opt_out_storage', 'integer', required)
    .addColumn('sentiment', 'text')
    .addColumn('successful', 'integer')
    .addColumn('summary', 'text')
    .addColumn('recording_url', 'text')
    .addColumn('cost_voice', 'bigint')
    .addColumn('cost_llm', 'bigint')
    .addColumn('cost_gross', 'bigint')
    .addColumn('cost_total', 'bigint')
    .addColumn('cost_breakdown', 'text', required)
    .addColumn('agent_path', 'text', required)
    .addColumn('metadata', 'text', required)
    .addColumn('custom_attributes', 'text', required)
    .addColumn('given_variables', 'text', required)
    .addColumn('collected_variables', 'text', required)
    .addColumn('transcript', 'text', required)
    .execute()
}

/** Each begins with what a list is filtered by and goes on in the order of lists. What follows spares a look at the row. */
export async function createIndexes({ schema }: Kysely<unknown>): Promise<void> {
  const order = ['created_at desc', 'call_id desc']
  const usage = ['agent_id', 'agent_version', 'status', 'duration_ms', 'cost_total', 'successful']
  const indexes = {
    calls_of_workspace: ['workspace_id', 'hidden', ...order, ...usage],
    calls_by_status: ['workspace_id', 'status', 'hidden', ...order, 'agent_version'],
    calls_of_agent: ['agent_id', 'hidden', ...order, 'workspace_id', 'status', 'agent_version'],
    calls_by_time: [...order, 'workspace_id', 'hidden', 'status'],
  }
  for (const [name, columns] of Object.entries(indexes)) {
    await schema.createIndex(name).on('calls').columns(columns).execute()
  }
}

async function createCounts({ schema }: Kysely<unknown>): Promise<void> {
  const kinds = ['workspace_id', 'hidden', 'period', 'agent_id', 'agent_version', 'status'] as const
  await schema
    .createTable('call_counts')
    .addColumn('workspace_id', 'integer', required)
    .addColumn('period', 'integer', required)
    .addColumn('agent_id', 'text', required)
    .addColumn('agent_version', 'integer', required)
    .addColumn('status', 'text', required)
    .addColumn('hidden', 'integer', required)
    .addColumn('calls', 'integer', required)
    .addPrimaryKeyConstraint('call_counts_key', [...kinds])
    .modifyEnd(sql`without rowid`)
    .execute()
}
