import { type Kysely, sql } from 'kysely'
import { callTriggers } from './0007-call-triggers.ts'
import { key, referenceTo, required } from './columns.ts'

/**
 * Case folding of SQLite's text index, so that a search returns the same results in every database. Lists ranges of hexadecimal
 * code points (every second one with `/2`) and the distance to the folded letter.
 */
const RUNS = `
  b5+775 c0-d6+32 d8-de+32 100-12e/2+1 132-136/2+1 139-147/2+1 14a-176/2+1 178-121 179-17d/2+1 17f-268 181+210
  182-184/2+1 186+206 187+1 189-18a+205 18b+1 18e+79 18f+202 190+203 191+1 193+205 194+207 196+211 197+209 198+1
  19c+211 19d+213 19f+214 1a0-1a4/2+1 1a6+218 1a7+1 1a9+218 1ac+1 1ae+218 1af+1 1b1-1b2+217 1b3-1b5/2+1 1b7+219
  1b8+1 1bc+1 1c4+2 1c5+1 1c7+2 1c8+1 1ca+2 1cb-1db/2+1 1de-1ee/2+1 1f1+2 1f2-1f4/2+1 1f6-97 1f7-56 1f8-21e/2+1
  220-130 222-232/2+1 23a+10795 23b+1 23d-163 23e+10792 241+1 243-195 244+69 245+71 246-24e/2+1 345+116
  370-372/2+1 376+1 386+38 388-38a+37 38c+64 38e-38f+63 391-3a1+32 3a3-3ab+32 3c2+1 3cf+8 3d0-30 3d1-25 3d5-15
  3d6-22 3d8-3ee/2+1 3f0-54 3f1-48 3f4-60 3f5-64 3f7+1 3f9-7 3fa+1 3fd-3ff-130 400-40f+80 410-42f+32 460-480/2+1
  48a-4be/2+1 4c0+15 4c1-4cd/2+1 4d0-526/2+1 531-556+48 10a0-10c5+7264 10c7+7264 10cd+7264 1e00-1e94/2+1 1e9b-58
  1e9e-7615 1ea0-1efe/2+1 1f08-1f0f-8 1f18-1f1d-8 1f28-1f2f-8 1f38-1f3f-8 1f48-1f4d-8 1f59-1f5f/2-8 1f68-1f6f-8
  1f88-1f8f-8 1f98-1f9f-8 1fa8-1faf-8 1fb8-1fb9-8 1fba-1fbb-74 1fbc-9 1fbe-7173 1fc8-1fcb-86 1fcc-9 1fd8-1fd9-8
  1fda-1fdb-100 1fe8-1fe9-8 1fea-1feb-112 1fec-7 1ff8-1ff9-128 1ffa-1ffb-126 1ffc-9 2126-7517 212a-8383 212b-8262
  2132+28 2160-216f+16 2183+1 24b6-24cf+26 2c00-2c2e+48 2c60+1 2c62-10743 2c63-3814 2c64-10727 2c67-2c6b/2+1
  2c6d-10780 2c6e-10749 2c6f-10783 2c70-10782 2c72+1 2c75+1 2c7e-2c7f-10815 2c80-2ce2/2+1 2ceb-2ced/2+1 2cf2+1
  a640-a66c/2+1 a680-a696/2+1 a722-a72e/2+1 a732-a76e/2+1 a779-a77b/2+1 a77d-35332 a77e-a786/2+1 a78b+1 a78d-42280
  a790-a792/2+1 a7a0-a7a8/2+1 a7aa-42308 ff21-ff3a+32 10400-10427+40
`

/** Returns two texts of equal length: each letter in `from` folds to the letter at the same position in `to`. Omits ASCII. */
export function listFoldedLetters(): { readonly from: string; readonly to: string } {
  let from = ''
  let to = ''
  for (const run of RUNS.trim().split(/\s+/)) {
    const [, first = '', last = first, step = '1', distance = ''] =
      /^([\da-f]+)(?:-([\da-f]+))?(?:\/(\d))?([+-]\d+)$/.exec(run) ?? []
    for (let point = Number.parseInt(first, 16); point <= Number.parseInt(last, 16); point += Number(step)) {
      from += String.fromCodePoint(point)
      to += String.fromCodePoint(point + Number(distance))
    }
  }
  return { from, to }
}

/** Creates calls, their exact totals and their text index. */
export async function addCalls(database: Kysely<unknown>): Promise<void> {
  await createCalls(database)
  await createIndexes(database)
  await createCounts(database)
  for (const statement of callTriggers) await sql.raw(statement).execute(database)
}

/** Creates the calls table. Totals and text search differ between databases. */
export async function createCalls({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('calls')
    .addColumn('call_id', 'text', key)
    .addColumn('workspace_id', 'integer', referenceTo('workspaces.workspace_id'))
    .addColumn('call_type', 'text', required)
    .addColumn('status', 'text', required)
    .addColumn('direction', 'text')
    // Not references, because a call outlives its agent, and a child call outlives its parent.
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

/**
 * Creates the indexes. Each index starts with the filters of a list, followed by the list's order. Additional columns allow
 * index-only reads.
 */
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
