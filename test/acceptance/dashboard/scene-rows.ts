import type { NodeDatabase } from '../../../packages/server/src/platform/database/node-database.ts'
import type { SeededCall } from '../../../testing/seed-calls.ts'
import { findRows, insertRows } from '../../../testing/server-database.ts'
import { callIdOf } from '../../full/dashboard/scene-conversations.ts'

/** Rows written directly to the database, because creating them would take thousands of requests. */

export type Row = Readonly<Record<string, unknown>>

/** The smallest flow that can run. */
export const FLOW = {
  start_node_id: 'end',
  nodes: [{ id: 'end', type: 'end', name: 'Goodbye', instruction: { type: 'prompt', text: 'Say goodbye.' } }],
}

/** Builds an id in the server's format that sorts by its index. */
export const idOf = (prefix: string, index: number): string => `${prefix}_${String(index).padStart(26, '0')}`

export interface Copies {
  readonly table: string
  readonly count: number
  /** Id of the copied row. */
  readonly like: Row
  /** Column that sorts the list. */
  readonly age?: string
}

/** Copies the first matching row, each copy a millisecond older than the previous one. */
export async function copyRows(
  database: NodeDatabase,
  { table, count, like, age = 'created_at' }: Copies,
  change: (row: Row, index: number) => Row,
): Promise<void> {
  const [row] = await findRows(database, table, like)
  if (row === undefined) throw new Error(`There is no such row in ${table} yet.`)
  const newest = Number(row[age])
  const copies = Array.from({ length: count }, (_, index) => ({
    ...row,
    [age]: newest - index - 1,
    ...change(row, index),
  }))
  await insertRows(database, table, copies)
}

/** Copies the first resource of a kind in the first workspace, with its first version. */
export async function copyResource(database: NodeDatabase, kind: string, count: number): Promise<void> {
  const [resource] = await findRows(database, 'resources', { kind, workspace_id: 1 })
  const like = { resource_id: resource?.['resource_id'] }
  const renamed = (_row: Row, index: number): Row => ({ resource_id: idOf(kind, index) })
  await copyRows(database, { table: 'resources', count, like }, renamed)
  await copyRows(database, { table: 'resource_versions', count, like }, renamed)
}

/** Adds older versions to a resource. Its own version becomes the latest. */
export async function addVersions(database: NodeDatabase, resourceId: string, count: number): Promise<void> {
  const like = { resource_id: resourceId }
  const [resource] = await findRows(database, 'resources', like)
  await copyRows(database, { table: 'resource_versions', count, like }, ({ created_at: at }, index) => ({
    version: index + 2,
    // The latest version is a draft; all others are published.
    frozen_at: index === count - 1 ? null : at,
    published_at: index === count - 1 ? null : at,
    version_title: `Version of day ${index}`,
  }))
  await database.transaction((transaction) =>
    transaction
      .updateTable('resources')
      .set({ newest_version: count + 1, updated_at: Number(resource?.['updated_at']) })
      .where('resource_id', '=', resourceId)
      .execute(),
  )
}

const MINUTE_MS = 60_000

/** Returns a call of one minute that starts `index` minutes ago. */
export function callAt(index: number): SeededCall {
  const startedAt = Date.now() - index * MINUTE_MS
  return {
    call_id: callIdOf(1_000 + index),
    created_at: startedAt,
    started_at: startedAt,
    ended_at: startedAt + MINUTE_MS,
    updated_at: startedAt + MINUTE_MS,
  }
}
