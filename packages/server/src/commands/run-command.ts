import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Config, ConfigError, readConfig } from '../config.ts'
import { ArchiveError, explainFailure, StoppedError } from '../platform/archive/archive-error.ts'
import { type Address, parseAddress, toSqliteAddress } from '../platform/archive/connection.ts'
import type { OnProgress } from '../platform/archive/installation.ts'
import type { TableDigest } from '../platform/archive/table-digest.ts'
import { systemClock } from '../platform/system.ts'

/** Exit code after Ctrl-C. */
const STOPPED_EXIT_CODE = 130
const PROGRESS_INTERVAL_MS = 1_000

/** Command-line options of a command. */
export type Options = Readonly<Record<string, { readonly type: 'string' | 'boolean' }>>

export interface CommandInput {
  /** Option values. */
  readonly values: Readonly<Record<string, string | boolean | undefined>>
  readonly config: Config
  /** Aborts on a termination signal. The command then reverts its changes. */
  readonly signal: AbortSignal
  /** Prints progress on standard error. */
  readonly onProgress: OnProgress
}

/**
 * Runs a command and sets the exit code. Prints one sentence on standard error for errors that the operator can fix.
 */
export async function runCommand(
  usage: string,
  options: Options,
  runAction: (input: CommandInput) => Promise<void>,
): Promise<void> {
  // Lets only the operator read backups and databases.
  process.umask(0o077)
  const controller = new AbortController()
  const stop = (): void => controller.abort()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)
  try {
    const config = readConfig()
    const values = readOptions(usage, options)
    if (values.help === true) process.stdout.write(`${usage}\n`)
    else await runAction({ values, config, signal: controller.signal, onProgress: createProgress() })
  } catch (error) {
    process.exitCode = error instanceof StoppedError ? STOPPED_EXIT_CODE : 1
    process.stderr.write(`${describeError(error)}\n`)
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.off(signal, stop)
  }
}

function readOptions(usage: string, options: Options): CommandInput['values'] {
  try {
    return parseArgs({ options: { ...options, help: { type: 'boolean' } }, allowPositionals: false }).values
  } catch (error) {
    throw new ArchiveError(`${error instanceof Error ? error.message : String(error)}\n${usage}`)
  }
}

function describeError(error: unknown): string {
  if (error instanceof ConfigError) return error.message
  const message = explainFailure(error, 'The database')
  if (message !== null) return message
  // Internal errors are printed with their stack.
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

/** Creates a progress printer. Prints a line when a table ends, and otherwise at most one line per second. */
function createProgress(): OnProgress {
  let currentTable = ''
  let pendingLine = ''
  let lastPrintedAt = systemClock.now()
  return (action, table, rows) => {
    const now = systemClock.now()
    const isNewTable = `${action} ${table}` !== currentTable
    if (isNewTable && pendingLine !== '') process.stderr.write(pendingLine)
    currentTable = `${action} ${table}`
    pendingLine = `${currentTable}: ${rows} rows\n`
    if (now - lastPrintedAt < PROGRESS_INTERVAL_MS) return
    process.stderr.write(pendingLine)
    pendingLine = ''
    lastPrintedAt = now
  }
}

/** Returns the value of a required option. Throws if the option is missing. */
export function getRequiredOption({ values }: CommandInput, name: string, usage: string): string {
  const value = values[name]
  if (typeof value === 'string' && value !== '') return value
  throw new ArchiveError(`--${name} is missing.\n${usage}`)
}

/** Returns the configured database: `DATABASE_URL`, or the file in `DATA_DIR`. */
export function getConfiguredAddress({ databaseUrl, dataDir }: Config): Address {
  return databaseUrl === undefined ? toSqliteAddress(join(dataDir, 'parley.db')) : parseAddress(databaseUrl)
}

/** Returns the configured secret key. Never generates a key. */
export async function readSecretKey({ secretKey, dataDir }: Config): Promise<string> {
  if (secretKey !== undefined) return secretKey
  const file = join(dataDir, 'secret.key')
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if ((error as { code?: string }).code === 'ENOENT') return ''
    throw error
  })
  if (text.trim() !== '') return text.trim()
  throw new ArchiveError(
    `There is no secret key: set the SECRET_KEY of the installation, or copy its secret.key file to ${file}.`,
  )
}

/** Formats tables with row counts and digests, and marks mismatches. */
export function formatTables(
  tables: ReadonlyMap<string, TableDigest>,
  mismatchedTables: readonly string[] = [],
): string {
  const width = Math.max(...[...tables.keys()].map((name) => name.length), 5)
  const lines = [...tables].map(([name, { rows, sha256 }]) => {
    const mark = mismatchedTables.includes(name) ? '  DIFFERENT' : ''
    return `${name.padEnd(width)}  ${String(rows).padStart(10)}  ${sha256.slice(0, 16)}${mark}`
  })
  return [`${'table'.padEnd(width)}  ${'rows'.padStart(10)}  sha-256`, ...lines].join('\n')
}

export function countRows(tables: ReadonlyMap<string, TableDigest>): number {
  return [...tables.values()].reduce((sum, { rows }) => sum + rows, 0)
}
