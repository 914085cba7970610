import { ArchiveError } from './archive-error.ts'
import { roleOf } from './table-roles.ts'

/** A value as both databases have it. */
export type Cell = string | number | null

/** Values in the order of the columns of the shape. */
export type Row = readonly Cell[]

export interface Column {
  readonly name: string
  readonly kind: 'text' | 'integer' | 'real'
}

/** What of a table is the same in every database. */
export interface TableShape {
  readonly name: string
  /** Those that are stored, in the order of their names. */
  readonly columns: readonly Column[]
  /** Names of the columns of the primary key, in its order. */
  readonly key: readonly string[]
}

/** A table as a database describes it. */
export interface DescribedTable {
  readonly name: string
  readonly columns: readonly { readonly name: string; readonly type: string }[]
  readonly key: readonly string[]
  /** Names of the tables that its rows refer to. */
  readonly references: readonly string[]
}

const KINDS: Readonly<Record<string, Column['kind']>> = {
  text: 'text',
  integer: 'integer',
  bigint: 'integer',
  real: 'real',
  'double precision': 'real',
}

/** The shapes of the tables with data, each after those that it refers to. */
export function shapesOf(tables: readonly DescribedTable[]): TableShape[] {
  const data = tables.filter(({ name }) => roleOf(name) === 'data').sort((a, b) => compare(a.name, b.name))
  const placed = new Set<string>()
  const ordered: DescribedTable[] = []
  while (ordered.length < data.length) {
    const before = ordered.length
    for (const table of data) {
      const waits = table.references.some(
        (name) => name !== table.name && !placed.has(name) && data.some((other) => other.name === name),
      )
      if (placed.has(table.name) || waits) continue
      placed.add(table.name)
      ordered.push(table)
    }
    if (ordered.length === before) throw new Error('Tables refer to each other in a circle.')
  }
  return ordered.map(shapeOf)
}

function shapeOf({ name, columns, key }: DescribedTable): TableShape {
  if (key.length === 0) throw new Error(`The table ${name} has no primary key.`)
  const shaped = columns.map((column) => {
    const kind = KINDS[column.type.toLowerCase()]
    if (kind === undefined) throw new Error(`The column ${name}.${column.name} has the unknown type ${column.type}.`)
    return { name: column.name, kind }
  })
  return { name, key, columns: shaped.sort((a, b) => compare(a.name, b.name)) }
}

/** Throws when the tables of two databases at the same steps of the schema are not the same. */
export function assertSameShapes(source: readonly TableShape[], target: readonly TableShape[]): void {
  const text = ({ columns, key }: TableShape): string =>
    JSON.stringify([key, columns.map(({ name, kind }) => [name, kind])])
  const targets = new Map(target.map((shape) => [shape.name, text(shape)]))
  const differs = source.find((shape) => targets.get(shape.name) !== text(shape))
  if (differs === undefined) return
  throw new ArchiveError(
    `The table ${differs.name} is not the same in source and target: was one of them changed by hand?`,
  )
}

/** Where the columns of the key stand in a row. */
export function keyIndexes({ columns, key }: TableShape): number[] {
  return key.map((name) => columns.findIndex((column) => column.name === name))
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
