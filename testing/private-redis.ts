import { findRedis } from '../scripts/service-programs.cjs'
import { startServiceProgram } from './service-program.ts'

export { findRedis }

/** A private Redis server without a password. */
export interface PrivateRedis extends AsyncDisposable {
  readonly url: string
  readonly port: number
  /** ID of the process, or 0 while the server is down. */
  readonly pid: number
  /** Working folder. */
  readonly folder: string
  /** Stops the server and disconnects its clients. No data is kept. */
  stop(): Promise<void>
  /** Stops the server with a signal, or suspends and resumes it with SIGSTOP and SIGCONT. */
  kill(signal: NodeJS.Signals): Promise<void>
  /** Restarts the server on the same port and waits until it accepts connections. */
  start(): Promise<void>
}

/** Starts a private Redis server. Requires version 6 or later on the machine (see `findRedis`). */
export async function startPrivateRedis(): Promise<PrivateRedis> {
  const redis = findRedis()
  if (redis === null) throw new Error('No Redis 6 or newer was found. On Debian: apt-get install redis-server')
  const program = await startServiceProgram({
    name: 'redis',
    file: redis.file,
    buildArguments: ({ folder, port }) => [
      ...['--port', String(port), '--bind', '127.0.0.1', '--dir', folder],
      ...['--save', '', '--appendonly', 'no', '--daemonize', 'no'],
    ],
    ready: /Ready to accept connections/,
    transientError: /Failed listening on port/,
    stopSignal: 'SIGTERM',
    users: ['redis', 'nobody'],
    durable: false,
  })
  return {
    url: `redis://127.0.0.1:${program.port}`,
    port: program.port,
    get pid() {
      return program.pid
    },
    folder: program.folder,
    stop: () => program.stop(),
    kill: (signal) => program.kill(signal),
    start: () => program.start(),
    [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
  }
}
