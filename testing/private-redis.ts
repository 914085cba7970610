import { findRedis } from '../scripts/service-programs.cjs'
import { startServiceProgram } from './service-program.ts'

export { findRedis }

/** A Redis for us alone, without a password. */
export interface PrivateRedis extends AsyncDisposable {
  readonly url: string
  readonly port: number
  /** Id of its process; 0 while it is down. */
  readonly pid: number
  /** Where it runs. */
  readonly folder: string
  /** Ends it and cuts its clients. It keeps nothing. */
  stop(): Promise<void>
  /** Ends it by a signal, or suspends and resumes it by SIGSTOP and SIGCONT. */
  kill(signal: NodeJS.Signals): Promise<void>
  /** Starts it again on the same port, and waits until it takes connections. */
  start(): Promise<void>
}

/** Starts a Redis for us alone; asks the machine for one of version 6 or newer (`findRedis`). */
export async function startPrivateRedis(): Promise<PrivateRedis> {
  const found = findRedis()
  if (found === null) throw new Error('No Redis 6 or newer was found. On Debian: apt-get install redis-server')
  const program = await startServiceProgram({
    name: 'redis',
    file: found.file,
    argumentsFor: ({ folder, port }) => [
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
