import { randomUUID } from 'node:crypto'
import type { NodeDatabase } from '../../../packages/server/src/platform/database/node-database.ts'
import type { RunningServer } from '../../../testing/running-server.ts'
import { type SeededCall, seedCalls } from '../../../testing/seed-calls.ts'
import { findRows, insertRows, withDatabase } from '../../../testing/server-database.ts'
import { callIdOf } from './scene-conversations.ts'
import { senderOf, VOICE } from './scene-records.ts'

type Row = Readonly<Record<string, unknown>>

/** A list of the dashboard and how it gets its rows. */
export interface ListKind {
  readonly path: string
  /** Is there before anybody has made anything. */
  readonly neverEmpty?: boolean
  /** Rows lead to a page of their own. */
  readonly opens?: boolean
  /** Has a button to the next page instead of an end that is scrolled to. */
  readonly pages?: boolean
  /** Makes one row as people do, where a request can. */
  makeOne(server: RunningServer): Promise<unknown>
  /** Puts rows beside that one. */
  addRows(database: NodeDatabase, count: number): Promise<void>
}

const IN_WORKSPACE = { workspace_id: 1 }

/** One list of each kind of paging, and of each kind of rows that become many. */
export const LISTS: readonly ListKind[] = [
  {
    path: '/1/llms',
    opens: true,
    makeOne: (server) => senderOf(server)('POST', '/api/v1/llms', { display_name: 'Front desk' }),
    addRows: (database, count) => copyResource(database, 'llm', count),
  },
  {
    path: '/1/agents',
    opens: true,
    async makeOne(server) {
      const send = senderOf(server)
      const { llm_id } = await send('POST', '/api/v1/llms', { display_name: 'Engine' })
      const engine = { type: 'llm', llm_id }
      await send('POST', '/api/agents', { agent_name: 'Front desk', voice_id: VOICE, response_engine: engine })
    },
    addRows: (database, count) => copyResource(database, 'agent', count),
  },
  {
    path: '/1/numbers',
    opens: true,
    makeOne: (server) => senderOf(server)('POST', '/api/numbers', { number: '+4942155500011' }),
    addRows: (database, count) =>
      copyRows(database, { table: 'phone_numbers', count, like: IN_WORKSPACE }, (_row, index) => ({
        number_id: 1_000 + index,
        number: `+4930${5_000_000 + index}`,
        base_number: `4930${5_000_000 + index}`,
      })),
  },
  {
    path: '/1/chats',
    opens: true,
    async makeOne(server) {
      const { body: agents } = await server.call<{ agent_id: string }[]>('GET', '/api/agents', {
        query: { workspaceId: server.workspaceId },
      })
      await senderOf(server)('POST', '/api/chats', { agentId: agents[0]?.agent_id })
    },
    addRows: (database, count) =>
      copyRows(database, { table: 'chats', count, like: IN_WORKSPACE, age: 'started_at' }, (_row, index) => ({
        chat_id: idOf('chat', index),
      })),
  },
  {
    path: '/1/calls',
    opens: true,
    pages: true,
    makeOne: (server) => withDatabase(server, (database) => seedCalls(database, [callAt(0)])),
    addRows: (database, count) =>
      seedCalls(
        database,
        Array.from({ length: count }, (_, index) => callAt(index + 1)),
      ),
  },
  {
    path: '/1/tokens',
    neverEmpty: true,
    makeOne: (server) => senderOf(server)('POST', '/api/tokens', { name: 'Diary', scopes: ['read'] }),
    addRows: (database, count) =>
      copyRows(database, { table: 'api_tokens', count, like: { name: 'Diary' } }, (_row, index) => ({
        token_id: idOf('token', index),
        token_hash: randomUUID(),
      })),
  },
]

const idOf = (prefix: string, index: number): string => `${prefix}_${String(index).padStart(26, '0')}`

/** A minute older than the one before. */
function callAt(index: number): SeededCall {
  const startedAt = Date.now() - index * MINUTE_MS
  return {
    call_id: callIdOf(1_000 + index),
    created_at: startedAt,
    started_at: startedAt,
    ended_at: startedAt + MINUTE_MS,
    updated_at: startedAt + MINUTE_MS,
  }
}

const MINUTE_MS = 60_000

interface Copies {
  readonly table: string
  readonly count: number
  readonly like: Row
  /** By which the list is sorted. */
  readonly age?: string
}

/** Copies of the first row of a table, each a millisecond older than the one before, with what must differ. */
async function copyRows(
  database: NodeDatabase,
  { table, count, like, age = 'created_at' }: Copies,
  change: (row: Row, index: number) => Row,
): Promise<void> {
  const [row] = await findRows(database, table, like)
  if (row === undefined) throw new Error(`There is no row in ${table} yet.`)
  const newest = Number(row[age])
  const copies = Array.from({ length: count }, (_, index) => ({
    ...row,
    [age]: newest - index - 1,
    ...change(row, index),
  }))
  await insertRows(database, table, copies)
}

async function copyResource(database: NodeDatabase, kind: string, count: number): Promise<void> {
  const [resource] = await findRows(database, 'resources', { kind })
  const like = { resource_id: resource?.['resource_id'] }
  const renamed = (_row: Row, index: number): Row => ({ resource_id: idOf(kind, index) })
  await copyRows(database, { table: 'resources', count, like }, renamed)
  await copyRows(database, { table: 'resource_versions', count, like }, renamed)
}
