import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { findServerFile } from '../scripts/bootstrap.cjs'
import {
  type ApiClient,
  type ApiResponse,
  type CallOptions,
  createApiClient,
  type StreamedResponse,
} from './api-client.ts'

const PROGRAM = findServerFile()
const READY = /^Parley is ready at (http:\/\/\S+)$/
const START_TIMEOUT_MS = 30_000
const STOP_TIMEOUT_MS = 20_000
const MAX_OUTPUT_CHARACTERS = 20_000

/** Token of the first owner in tests. */
export const OWNER_TOKEN = 'owner-token-for-tests-0123456789'

/** Exit status of a process. */
export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

type Environment = Readonly<Record<string, string>>

/** A running server, accessed as the first owner in one workspace, for tests that neither start nor stop the server. */
export interface ServerClient extends ApiClient {
  readonly url: string
  readonly workspaceId: number
  readonly dataDirectory: string
  /** URL of the database, or null for an embedded database. */
  readonly databaseUrl: string | null
}

export interface RunServerOptions {
  /** Additional settings. An empty value removes a setting. */
  readonly env?: Environment
  /** Data folder that the caller removes. */
  readonly dataDirectory?: string
  /** Whether to use SQLite even in runs on PostgreSQL, for tests of database files. */
  readonly embedded?: boolean
}

/** URL of a PostgreSQL server on which tests can create databases. If it is not set, tests use SQLite. */
const DATABASE_SERVER = process.env.TEST_DATABASE_URL
const SECRET_KEY = 'secret-key-of-tests-0123456789abcdef'

const TEST_SETTINGS: Environment = {
  PORT: '0',
  BOOTSTRAP_TOKEN: OWNER_TOKEN,
  LOG_LEVEL: 'warn',
  CHECK_ANSWERS: '1',
  RATE_LIMIT_PER_SECOND: '0',
  DEMO: '0',
  // Tests choose their recognizer, because the built-in model takes seconds and memory to load.
  BUILT_IN_TRANSCRIPTION: '0',
}

/** Starts the server in a new process and waits until it is ready. Disposing the server removes its data. */
export async function runServer(options: RunServerOptions = {}): Promise<RunningServer> {
  const dataDirectory = options.dataDirectory ?? (await mkdtemp(join(tmpdir(), 'parley-server-')))
  const env = options.env ?? {}
  const isEmbedded = options.embedded === true || options.dataDirectory !== undefined || 'DATABASE_URL' in env
  const database = isEmbedded ? null : await createServerDatabase()
  const server = new RunningServer(dataDirectory, {
    env: { ...database?.env, ...env },
    ownsData: options.dataDirectory === undefined,
    removeDatabase: database?.remove ?? (async () => undefined),
  })
  try {
    await server.start()
    return server
  } catch (error) {
    await server[Symbol.asyncDispose]()
    throw error
  }
}

/** Creates a database for the server if the tests run on PostgreSQL. */
async function createServerDatabase(): Promise<{ readonly env: Environment; remove(): Promise<void> } | null> {
  if (DATABASE_SERVER === undefined) return null
  const { createTemporaryDatabase, dropTemporaryDatabase } = await import('./temporary-postgres-database.ts')
  const url = await createTemporaryDatabase(DATABASE_SERVER)
  return {
    env: { DATABASE_URL: url, DATABASE_CONNECTIONS: '10', SECRET_KEY },
    remove: () => dropTemporaryDatabase(DATABASE_SERVER, url),
  }
}

/** Runs the program until it exits, for settings that the program rejects. */
export async function runToExit(
  env: Environment,
): Promise<Exit & { readonly stdout: string; readonly stderr: string }> {
  const child = spawnServer(env)
  let stdout = ''
  let stderr = ''
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk
  })
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk
  })
  const exit = await waitForExit(child, START_TIMEOUT_MS)
  return { ...exit, stdout, stderr }
}

interface ServerResources {
  readonly env: Environment
  readonly ownsData: boolean
  readonly removeDatabase: () => Promise<void>
}

/** The real server over real HTTP, which tests can kill and restart on the same data. */
export class RunningServer implements ServerClient, AsyncDisposable {
  readonly dataDirectory: string
  readonly #ownsData: boolean
  readonly #removeDatabase: () => Promise<void>
  #env: Environment
  #child: ChildProcess | null = null
  #client: ApiClient | null = null
  #url = ''
  #output = ''
  #startOutput = ''
  #lineListeners: (() => void)[] = []
  #workspaceId = 0

  constructor(dataDirectory: string, resources: ServerResources) {
    this.dataDirectory = dataDirectory
    this.#env = resources.env
    this.#ownsData = resources.ownsData
    this.#removeDatabase = resources.removeDatabase
  }

  /** URL of the server, which changes on each start. */
  get url(): string {
    return this.#url
  }

  /** First workspace, which belongs to the test token; 0 if the server uses a different token. */
  get workspaceId(): number {
    return this.#workspaceId
  }

  /** The last output over all starts. */
  get output(): string {
    return this.#output
  }

  /** Standard output since the last start. */
  get startOutput(): string {
    return this.#startOutput
  }

  /** Resolves to the output of the current start when it contains `text`. */
  async waitForOutput(text: string): Promise<string> {
    await new Promise<void>((resolve) => {
      const check = (): void => {
        if (this.#startOutput.includes(text)) resolve()
      }
      this.#lineListeners.push(check)
      check()
    })
    return this.#startOutput
  }

  /** URL of the PostgreSQL database, or null for an embedded database. */
  get databaseUrl(): string | null {
    return this.#env.DATABASE_URL ?? null
  }

  get pid(): number {
    return this.#child?.pid ?? 0
  }

  call<Body = Record<string, unknown>>(
    method: string,
    path: string,
    options?: CallOptions,
  ): Promise<ApiResponse<Body>> {
    return this.#getClient().call<Body>(method, path, options)
  }

  stream(method: string, path: string, options?: CallOptions): Promise<StreamedResponse> {
    return this.#getClient().stream(method, path, options)
  }

  /** Starts the process. Rejects with its output if the process exits instead. */
  async start(): Promise<void> {
    const child = spawnServer({ ...TEST_SETTINGS, DATA_DIR: this.dataDirectory, ...this.#env })
    this.#child = child
    this.#startOutput = ''
    const ready = Promise.withResolvers<string>()
    const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })
    lines.on('line', (line) => {
      this.#startOutput += `${line}\n`
      this.#appendOutput(`${line}\n`)
      for (const check of this.#lineListeners) check()
      const url = READY.exec(line)?.[1]
      if (url !== undefined) ready.resolve(url)
    })
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => this.#appendOutput(chunk))
    child.once('exit', () => ready.reject(new Error(`The server exited before it was ready:\n${this.#output}`)))
    const timer = setTimeout(
      () => ready.reject(new Error(`The server was not ready in time:\n${this.#output}`)),
      START_TIMEOUT_MS,
    )
    try {
      this.#url = await ready.promise
    } finally {
      clearTimeout(timer)
    }
    const token = this.#env.BOOTSTRAP_TOKEN || OWNER_TOKEN
    this.#client = createApiClient(this.#url, { token, explain: () => this.#output })
    const response = await this.call<{ workspaces?: { id: number }[] }>('GET', '/api/workspaces')
    this.#workspaceId = response.body.workspaces?.[0]?.id ?? 0
  }

  /** Sends a signal and waits until the process exits. */
  async kill(signal: NodeJS.Signals): Promise<Exit> {
    const child = this.#child
    if (child === null) return { code: null, signal: null }
    child.kill(signal)
    const exit = await waitForExit(child, STOP_TIMEOUT_MS)
    this.#child = null
    return exit
  }

  /** Requests a shutdown, as service managers do. */
  stop(): Promise<Exit> {
    return this.kill('SIGTERM')
  }

  /** Stops the server if it is running, and restarts it on the same data. */
  async restart(env: Environment = this.#env): Promise<void> {
    await this.stop()
    this.#env = { ...this.#env, ...env }
    await this.start()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill('SIGKILL')
    await this.#removeDatabase()
    if (this.#ownsData) await rm(this.dataDirectory, { recursive: true, force: true })
  }

  #getClient(): ApiClient {
    if (this.#client === null) throw new Error('The server has not been started.')
    return this.#client
  }

  #appendOutput(text: string): void {
    this.#output = (this.#output + text).slice(-MAX_OUTPUT_CHARACTERS)
  }
}

/** Starts the server. It inherits only environment variables that locate files. */
function spawnServer(settings: Environment): ChildProcess {
  const { PATH = '', HOME = '', TMPDIR } = process.env
  return spawn(process.execPath, [PROGRAM], {
    env: { PATH, HOME, ...(TMPDIR !== undefined && { TMPDIR }), ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/** Waits until a process and its output end, and kills the process after a timeout. */
async function waitForExit(child: ChildProcess, timeoutMs: number): Promise<Exit> {
  const hasExited = child.exitCode !== null || child.signalCode !== null
  if (!hasExited) {
    const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs)
    await once(child, 'close')
    clearTimeout(timer)
  }
  return { code: child.exitCode, signal: child.signalCode }
}
