import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { MIGRATIONS, type Migration } from '../database/migrator.ts'
import { openDatabase } from '../database/sqlite-database.ts'
import { systemClock } from '../system.ts'
import { toSqliteAddress } from './connection.ts'
import { openConnection, type ProgressOptions } from './installation.ts'
import { buildShapes } from './table-shape.ts'

/** Secret key of the installations in these tests. */
export const SECRET_KEY = 'a-secret-key-for-the-tests-of-archives'

/** Texts in several scripts, with every UTF-8 length and with special characters of the formats. */
const TEXTS = [
  '',
  'plain',
  'Straße 東京 🚲',
  '"quoted", {braces} \\ back',
  'NULL',
  '\u0001\t\r\n\u2028',
  '\uffee𐀀',
  "it's",
]

/** Columns with long texts. Other columns are part of indexes. */
const LONG_TEXT_COLUMNS = new Set(['content', 'definition', 'metadata', 'payload', 'settings', 'transcript'])

/** 2026-11-21, in milliseconds. */
const BASE_TIME_MS = 1_795_219_200_000

/** A folder for an installation's file, removed at the end of the block. */
export interface TemporaryFolder extends AsyncDisposable {
  readonly path: string
  /** Returns the path of a file in the folder. */
  file(name: string): string
}

export async function createTemporaryFolder(): Promise<TemporaryFolder> {
  const path = await mkdtemp(join(tmpdir(), 'parley-archive-'))
  return {
    path,
    file: (name) => join(path, name),
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  }
}

/** Options without cancellation and progress. */
export const QUIET: ProgressOptions = { signal: new AbortController().signal, onProgress: () => undefined }

export interface InstallationOptions {
  readonly rowsPerTable?: number
  readonly migrations?: readonly Migration[]
}

/** Creates a database file with rows in every data table. */
export async function createInstallation(
  file: string,
  { rowsPerTable = 12, migrations = MIGRATIONS }: InstallationOptions = {},
): Promise<void> {
  const database = await openDatabase({ file, clock: systemClock, migrations })
  await database.close()
  await fillTables(file, rowsPerTable)
}

/** Adds rows with every kind of value to all tables. References point to existing rows. */
async function fillTables(file: string, rowsPerTable: number): Promise<void> {
  await using connection = await openConnection(toSqliteAddress(file), 'read')
  const tableNames = buildShapes(await connection.describeTables()).map(({ name }) => name)
  await connection.close()
  const database = new DatabaseSync(file)
  try {
    database.exec('begin')
    for (const table of tableNames) fillTable(database, table, rowsPerTable)
    database.exec('commit')
  } finally {
    database.close()
  }
}

interface TestColumn {
  readonly name: string
  readonly type: string
  readonly required: boolean
  readonly parents: readonly (string | number)[] | null
}

function fillTable(database: DatabaseSync, table: string, rows: number): void {
  const columns = database
    .prepare('select name, type, "notnull" as required from pragma_table_xinfo(?) where hidden = 0')
    .all(table)
  const parents = database
    .prepare('select "from" as child, "table" as parent, "to" as key from pragma_foreign_key_list(?)')
    .all(table)
  const testColumns = columns.map((column): TestColumn => {
    const foreignKey = parents.find(({ child }) => child === column.name)
    const parentRows =
      foreignKey && database.prepare(`select "${foreignKey.key}" as value from "${foreignKey.parent}"`).all()
    return {
      name: String(column.name),
      type: String(column.type).toLowerCase(),
      required: column.required === 1,
      parents: parentRows ? parentRows.map(({ value }) => value as string | number) : null,
    }
  })
  const names = testColumns.map(({ name }) => `"${name}"`).join(', ')
  const insert = database.prepare(`insert into "${table}" (${names}) values (${testColumns.map(() => '?').join(', ')})`)
  for (let row = 1; row <= rows; row += 1)
    insert.run(...testColumns.map((column, index) => buildCell(column, row, index)))
}

function buildCell({ name, type, required, parents }: TestColumn, row: number, column: number): string | number | null {
  if (!required && (row + column) % 4 === 0) return null
  if (parents !== null) return parents[(row * 7) % parents.length] ?? null
  if (name.endsWith('_at') || name === 'at') return BASE_TIME_MS + row * 3_600_000
  if (type === 'bigint') return row % 2 === 0 ? Number.MAX_SAFE_INTEGER - row : -row
  if (type === 'real' || type === 'double precision') return row / 7
  if (type === 'integer') return row + 1
  if (name === 'status') return row % 3 === 0 ? 'running' : 'ended'
  const padding = LONG_TEXT_COLUMNS.has(name) && row % 11 === 5 ? 'é'.repeat(20_000) : ''
  return `${TEXTS[(row + column) % TEXTS.length]}${row}${padding}`
}

/** Returns all rows of all data tables, read from SQLite directly. */
export async function readAllRows(file: string): Promise<Record<string, unknown[]>> {
  await using connection = await openConnection(toSqliteAddress(file), 'read')
  const shapes = buildShapes(await connection.describeTables())
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    return Object.fromEntries(
      shapes.map(({ name, key }) => [
        name,
        database.prepare(`select * from "${name}" order by ${key.join(', ')}`).all(),
      ]),
    )
  } finally {
    database.close()
  }
}
