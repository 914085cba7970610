import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { findPostgres } from '../scripts/service-programs.cjs'
import type { ServiceUser } from './service-environment.ts'
import { type ServiceProgram, startServiceProgram } from './service-program.ts'

export { findPostgres }

const runFile = promisify(execFile)
const INIT_TIMEOUT_MS = 60_000
const QUERY_TIMEOUT_MS = 30_000
const SUPERUSER = 'postgres'

type Settings = Readonly<Record<string, string>>

/**
 * Settings without waits for the disk. Commits are still passed to the system individually (`synchronous_commit`), since tests
 * kill the server and look for acknowledged commits. Shared memory is in the folder, so that a kill leaves nothing behind.
 */
const NON_DURABLE_SETTINGS: Settings = {
  fsync: 'off',
  full_page_writes: 'off',
  dynamic_shared_memory_type: 'mmap',
}

export interface PrivatePostgresOptions {
  /**
   * Whether to use a real disk, for which every commit waits as on a customer's server (for benchmarks). If false, committed
   * data survives a crash of the server, but not of the machine.
   */
  readonly durable?: boolean
  /** Additional server settings. */
  readonly settings?: Settings
}

/** A private PostgreSQL server. Its clients are superusers and require no password. */
export interface PrivatePostgres extends AsyncDisposable {
  /** URL of the database `postgres`. */
  readonly url: string
  readonly port: number
  /** ID of the main process, or 0 while the server is down. */
  readonly pid: number
  /** Data folder. */
  readonly folder: string
  /** The last log output. */
  readonly output: string
  /** Shuts the server down cleanly and disconnects its clients. The data is kept. */
  stop(): Promise<void>
  /** Stops the server with a signal, or suspends and resumes its main process with SIGSTOP and SIGCONT. */
  kill(signal: NodeJS.Signals): Promise<void>
  /** Restarts the server with the same data and port, and waits until it accepts connections. */
  start(): Promise<void>
  /** Creates an empty database, or a copy of a database without connections, and returns its URL. */
  createDatabase(name?: string, template?: string): Promise<string>
}

/** Starts a private PostgreSQL server. Requires version 15 or later on the machine (see `findPostgres`). */
export async function startPrivatePostgres(options: PrivatePostgresOptions = {}): Promise<PrivatePostgres> {
  const programs = findPostgres()
  if (programs === null) throw new Error('No PostgreSQL 15 or newer was found. On Debian: apt-get install postgresql')
  const durable = options.durable ?? false
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '200',
    ...(durable ? {} : NON_DURABLE_SETTINGS),
    ...options.settings,
  }
  const settingArguments = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const program = await startServiceProgram({
    name: 'postgres',
    file: join(programs.folder, 'postgres'),
    buildArguments: ({ folder, port }) => ['-D', join(folder, 'data'), '-p', String(port), ...settingArguments],
    ready: /database system is ready to accept connections/,
    // Connection processes end a moment after their main process is killed.
    transientError: /pre-existing shared memory block|lock file "postmaster.pid" already exists/,
    stopSignal: 'SIGINT',
    users: [SUPERUSER, 'nobody'],
    durable,
    prepare: (folder, user) => initialize(join(programs.folder, 'initdb'), join(folder, 'data'), user),
  })
  return wrapProgram(program)
}

/**
 * Initializes a data folder. The default collation depends on the language, as on most servers, so that queries without a
 * collation fail their tests.
 */
async function initialize(initdb: string, data: string, user: ServiceUser): Promise<void> {
  const texts = ['--encoding=UTF8', '--locale=C', '--locale-provider=icu', '--icu-locale=en-US']
  await runFile(initdb, ['-D', data, '-U', SUPERUSER, '--auth=trust', '--no-sync', ...texts], {
    ...user,
    cwd: '/',
    env: { PATH: process.env.PATH, LC_ALL: 'C' },
    timeout: INIT_TIMEOUT_MS,
  })
}

function wrapProgram(program: ServiceProgram): PrivatePostgres {
  const buildUrl = (database: string): string => `postgres://${SUPERUSER}@127.0.0.1:${program.port}/${database}`
  let createdCount = 0
  return {
    url: buildUrl('postgres'),
    port: program.port,
    get pid() {
      return program.pid
    },
    folder: program.folder,
    get output() {
      return program.output
    },
    stop: () => program.stop(),
    kill: (signal) => program.kill(signal),
    start: () => program.start(),
    async createDatabase(name, template = 'template1') {
      createdCount += 1
      const databaseName = name ?? `database_${createdCount}`
      const client = new pg.Client({ connectionString: buildUrl('postgres'), query_timeout: QUERY_TIMEOUT_MS })
      await client.connect()
      try {
        const copy = `${client.escapeIdentifier(databaseName)} template ${client.escapeIdentifier(template)}`
        // Copying files takes half the time of the default strategy, which writes each page to the log.
        await client.query(`create database ${copy} strategy file_copy`)
      } finally {
        await client.end()
      }
      return buildUrl(encodeURIComponent(databaseName))
    },
    [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
  }
}
