import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Config, ConfigError, readConfig } from '../config.ts'
import { ArchiveError, explainFailure, StoppedError } from '../platform/archive/archive-error.ts'
import type { OnProgress } from '../platform/archive/installation.ts'
import { type Address, readAddress, sqliteAddress } from '../platform/archive/installation-address.ts'
import type { TableDigest } from '../platform/archive/table-digest.ts'
import { systemClock } from '../platform/system.ts'

/** Exit code of a program that was asked to end by Ctrl-C. */
const STOPPED_EXIT_CODE = 130
const PROGRESS_INTERVAL_MS = 1_000

/** An option that a command takes: with a value, or a switch. */
export type Options = Readonly<Record<string, { readonly type: 'string' | 'boolean' }>>

export interface Given {
  /** Values of the options that were given. */
  readonly values: Readonly<Record<string, string | boolean | undefined>>
  readonly config: Config
  /** Aborts when the program is asked to end: what was begun is undone. */
  readonly signal: AbortSignal
  /** Prints how far it is, on standard error. */
  readonly onProgress: OnProgress
}

/** Runs a command to its end and sets the exit code. What the operator can mend is one sentence on standard error. */
export async function runCommand(
  usage: string,
  options: Options,
  work: (given: Given) => Promise<void>,
): Promise<void> {
  // Backups and databases are for the operator only, whatever the shell says.
  process.umask(0o077)
  const controller = new AbortController()
  const stop = (): void => controller.abort()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)
  try {
    const config = readConfig()
    const values = readOptions(usage, options)
    if (values.help === true) process.stdout.write(`${usage}\n`)
    else await work({ values, config, signal: controller.signal, onProgress: createProgress() })
  } catch (error) {
    process.exitCode = error instanceof StoppedError ? STOPPED_EXIT_CODE : 1
    process.stderr.write(`${errorSentence(error)}\n`)
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.off(signal, stop)
  }
}

function readOptions(usage: string, options: Options): Given['values'] {
  try {
    return parseArgs({ options: { ...options, help: { type: 'boolean' } }, allowPositionals: false }).values
  } catch (error) {
    throw new ArchiveError(`${error instanceof Error ? error.message : String(error)}\n${usage}`)
  }
}

function errorSentence(error: unknown): string {
  if (error instanceof ConfigError) return error.message
  const sentence = explainFailure(error, 'The database')
  if (sentence !== null) return sentence
  // A fault of ours: whoever mends it needs the place.
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

/** A line for each table at its end, and one a second meanwhile. */
function createProgress(): OnProgress {
  let current = ''
  let rest = ''
  let lastPrintedAt = systemClock.now()
  return (work, table, rows) => {
    const now = systemClock.now()
    const isNext = `${work} ${table}` !== current
    if (isNext && rest !== '') process.stderr.write(rest)
    current = `${work} ${table}`
    rest = `${current}: ${rows} rows\n`
    if (now - lastPrintedAt < PROGRESS_INTERVAL_MS) return
    process.stderr.write(rest)
    rest = ''
    lastPrintedAt = now
  }
}

/** The value of an option that must be given. */
export function required({ values }: Given, name: string, usage: string): string {
  const value = values[name]
  if (typeof value === 'string' && value !== '') return value
  throw new ArchiveError(`--${name} is missing.\n${usage}`)
}

/** The database of the configuration: that of DATABASE_URL, or the file in DATA_DIR. */
export function configuredAddress({ databaseUrl, dataDir }: Config): Address {
  return databaseUrl === undefined ? sqliteAddress(join(dataDir, 'parley.db')) : readAddress(databaseUrl)
}

/** The secret key of the configuration. Unlike a start this never makes one. */
export async function readSecretKey({ secretKey, dataDir }: Config): Promise<string> {
  if (secretKey !== undefined) return secretKey
  const file = join(dataDir, 'secret.key')
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if ((error as { code?: string }).code === 'ENOENT') return ''
    throw error
  })
  if (text.trim() !== '') return text.trim()
  throw new ArchiveError(
    `There is no secret key: set the SECRET_KEY of the installation, or put its secret.key file at ${file}.`,
  )
}

/** Tables with their rows, for standard output; those that are not the same on both sides are marked. */
export function printTables(
  tables: ReadonlyMap<string, TableDigest>,
  mismatchedTables: readonly string[] = [],
): string {
  const width = Math.max(...[...tables.keys()].map((name) => name.length), 5)
  const lines = [...tables].map(([name, { rows, sha256 }]) => {
    const mark = mismatchedTables.includes(name) ? '  NOT THE SAME' : ''
    return `${name.padEnd(width)}  ${String(rows).padStart(10)}  ${sha256.slice(0, 16)}${mark}`
  })
  return [`${'table'.padEnd(width)}  ${'rows'.padStart(10)}  sha-256`, ...lines].join('\n')
}

/** All rows of these tables. */
export function countRows(tables: ReadonlyMap<string, TableDigest>): number {
  return [...tables.values()].reduce((sum, { rows }) => sum + rows, 0)
}
