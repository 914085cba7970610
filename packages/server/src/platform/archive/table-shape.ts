import type { Tables } from '../../tables/tables.ts'
import { ArchiveError } from './archive-error.ts'

/** `data` is copied and backed up. `derived` is maintained by triggers. `runtime` describes running processes. */
type TableRole = 'data' | 'derived' | 'runtime'

/** Role of every table. The code does not compile until a new table has a role. */
const TABLE_ROLES: Readonly<Record<keyof Tables, TableRole>> = {
  installation: 'data',
  providers: 'data',
  tenants: 'data',
  workspaces: 'data',
  users: 'data',
  members: 'data',
  invitations: 'data',
  sessions: 'data',
  password_links: 'data',
  api_tokens: 'data',
  signing_secrets: 'data',
  workspace_secrets: 'data',
  brandings: 'data',
  provider_keys: 'data',
  audit_entries: 'data',
  counters: 'data',
  resources: 'data',
  resource_versions: 'data',
  flow_components: 'data',
  flow_version_components: 'data',
  phone_numbers: 'data',
  number_agents: 'data',
  number_counter: 'data',
  voices: 'data',
  test_cases: 'data',
  chats: 'data',
  messages: 'data',
  turns: 'data',
  calls: 'data',
  call_counts: 'derived',
  call_count_sums: 'derived',
  call_count_changes: 'derived',
  webhooks: 'data',
  webhook_events: 'data',
  webhook_deliveries: 'data',
  webhook_attempts: 'data',
  call_events: 'data',
  knowledge_bases: 'data',
  knowledge_sources: 'data',
  knowledge_originals: 'data',
  knowledge_chunks: 'data',
  knowledge_index_parts: 'data',
  knowledge_vectors: 'data',
  jobs: 'data',
  idempotency_keys: 'data',
  nodes: 'runtime',
  leases: 'runtime',
  waiting_turns: 'runtime',
  turn_events: 'runtime',
}

/** Returns the role of a table, or null if the table does not belong to Parley. */
export function getTableRole(table: string): TableRole | null {
  return Object.hasOwn(TABLE_ROLES, table) ? TABLE_ROLES[table as keyof Tables] : null
}

/** A value that both kinds of databases support. */
export type Cell = string | number | null

/** Values in the column order of the shape. */
export type Row = readonly Cell[]

export interface Column {
  readonly name: string
  readonly kind: 'text' | 'integer' | 'real'
}

/** The part of a table's structure that is the same in every kind of database. */
export interface TableShape {
  readonly name: string
  /** Stored columns, sorted by name. */
  readonly columns: readonly Column[]
  /** Columns of the primary key, in key order. */
  readonly key: readonly string[]
}

/** A table as described by a database. */
export interface DescribedTable {
  readonly name: string
  readonly columns: readonly { readonly name: string; readonly type: string }[]
  readonly key: readonly string[]
  /** Names of the tables that this table's rows reference. */
  readonly references: readonly string[]
}

const KINDS: Readonly<Record<string, Column['kind']>> = {
  text: 'text',
  integer: 'integer',
  bigint: 'integer',
  real: 'real',
  'double precision': 'real',
}

/** Returns the shapes of the data tables. Each table follows the tables that it references. */
export function buildShapes(tables: readonly DescribedTable[]): TableShape[] {
  const dataTables = tables
    .filter(({ name }) => getTableRole(name) === 'data')
    .sort((a, b) => compareNames(a.name, b.name))
  const placedNames = new Set<string>()
  const orderedTables: DescribedTable[] = []
  while (orderedTables.length < dataTables.length) {
    const previousCount = orderedTables.length
    for (const table of dataTables) {
      const hasUnplacedReference = table.references.some(
        (name) =>
          name !== table.name && !placedNames.has(name) && dataTables.some((candidate) => candidate.name === name),
      )
      if (placedNames.has(table.name) || hasUnplacedReference) continue
      placedNames.add(table.name)
      orderedTables.push(table)
    }
    if (orderedTables.length === previousCount) throw new Error('Tables reference each other in a cycle.')
  }
  return orderedTables.map(toShape)
}

function toShape({ name, columns, key }: DescribedTable): TableShape {
  if (key.length === 0) throw new Error(`The table ${name} has no primary key.`)
  const typedColumns = columns.map((column) => {
    const kind = KINDS[column.type.toLowerCase()]
    if (kind === undefined) throw new Error(`The column ${name}.${column.name} has the unknown type ${column.type}.`)
    return { name: column.name, kind }
  })
  return { name, key, columns: typedColumns.sort((a, b) => compareNames(a.name, b.name)) }
}

/** Throws if the tables of two databases with the same migrations differ. */
export function assertSameShapes(source: readonly TableShape[], target: readonly TableShape[]): void {
  const serializeShape = ({ columns, key }: TableShape): string =>
    JSON.stringify([key, columns.map(({ name, kind }) => [name, kind])])
  const targetShapes = new Map(target.map((shape) => [shape.name, serializeShape(shape)]))
  const differingShape = source.find((shape) => targetShapes.get(shape.name) !== serializeShape(shape))
  if (differingShape === undefined) return
  throw new ArchiveError(
    `The table ${differingShape.name} differs between source and target: undo manual changes to its columns or key.`,
  )
}

/** Returns the positions of the key columns in a row. */
export function getKeyIndexes({ columns, key }: TableShape): number[] {
  return key.map((name) => columns.findIndex((column) => column.name === name))
}

function compareNames(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
