import { type ChildProcess, spawn } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { findFreePort, findServiceUser, makeServiceFolder, type ServiceUser } from './service-environment.ts'

const START_TIMEOUT_MS = 60_000
const STOP_TIMEOUT_MS = 20_000
const RETRY_DELAY_MS = 50
const MAX_OUTPUT_CHARACTERS = 20_000

/** Signals that do not terminate a process. */
const NON_TERMINATING_SIGNALS: readonly NodeJS.Signals[] = ['SIGSTOP', 'SIGCONT']

/**
 * Watchdog that outlives the test process, because it runs in its own session and reads from a pipe. When the pipe closes, it
 * ends the process with the last ID that it read and removes the folder. An empty line means that no process is running.
 */
const WATCHDOG = `
trap '' HUP INT TERM
guarded=
while read -r line; do guarded=$line; done
if [ -n "$guarded" ]; then
  kill -CONT "$guarded"; kill -"$2" "$guarded"
  tries=0
  while [ "$tries" -lt 100 ] && kill -0 "$guarded"; do sleep 0.1; tries=$((tries + 1)); done
  kill -KILL "$guarded"
fi
rm -rf -- "$1"
`

/** Description of a service that can run privately. */
export interface ServiceProgramOptions {
  readonly name: 'postgres' | 'redis'
  readonly file: string
  readonly buildArguments: (place: { readonly folder: string; readonly port: number }) => readonly string[]
  /** Output that the service writes when it accepts connections. */
  readonly ready: RegExp
  /** Output of a failed start that justifies a retry, such as leftovers of a killed process. */
  readonly transientError: RegExp
  /** Signal that shuts the service down cleanly without waiting for clients. */
  readonly stopSignal: NodeJS.Signals
  /** System users to run the service as if the current user is root, in order of preference. */
  readonly users: readonly string[]
  readonly durable: boolean
  /** Runs once, before the first start. */
  readonly prepare?: (folder: string, user: ServiceUser) => Promise<void>
}

/** Starts a private service on a free loopback port, with its data in a new folder. */
export async function startServiceProgram(options: ServiceProgramOptions): Promise<ServiceProgram> {
  const user = findServiceUser(options.users)
  const folder = await makeServiceFolder(options.name, { user, durable: options.durable })
  const program = new ServiceProgram(options, { folder, user })
  try {
    await options.prepare?.(folder, user)
    await program.start()
    return program
  } catch (error) {
    await program[Symbol.asyncDispose]()
    throw error
  }
}

/**
 * A private service that tests can kill and restart with the same data and port. It ends with the test process, even if that
 * process is killed.
 */
export class ServiceProgram implements AsyncDisposable {
  readonly folder: string
  readonly #options: ServiceProgramOptions
  readonly #user: ServiceUser
  readonly #watchdog: ChildProcess
  #child: ChildProcess | null = null
  #port = 0
  #output = ''

  constructor(options: ServiceProgramOptions, place: { readonly folder: string; readonly user: ServiceUser }) {
    this.#options = options
    this.folder = place.folder
    this.#user = place.user
    const endSignal = options.stopSignal.replace('SIG', '')
    this.#watchdog = spawn('/bin/sh', ['-c', WATCHDOG, 'watchdog', place.folder, endSignal], {
      ...place.user,
      cwd: '/',
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    // The watchdog may already have exited.
    this.#watchdog.on('error', () => undefined)
    this.#watchdog.stdin?.on('error', () => undefined)
    unrefProcess(this.#watchdog)
  }

  get port(): number {
    return this.#port
  }

  /** ID of the process, or 0 while the service is down. */
  get pid(): number {
    return this.#child?.pid ?? 0
  }

  /** The last output over all starts. */
  get output(): string {
    return this.#output
  }

  /** Starts the service if it is down, and waits until it accepts connections. The port never changes. */
  async start(): Promise<void> {
    const deadlineMs = Date.now() + START_TIMEOUT_MS
    const isFirst = this.#port === 0
    while (this.#child === null) {
      if (isFirst) this.#port = await findFreePort()
      const startOutput = await this.#launch(deadlineMs)
      if (startOutput === null) return
      const isTransient = /address already in use/i.test(startOutput) || this.#options.transientError.test(startOutput)
      if (!isTransient || Date.now() > deadlineMs)
        throw new Error(`${this.#options.name} did not start:\n${startOutput}`)
      await sleep(RETRY_DELAY_MS)
    }
  }

  /** Shuts the service down cleanly. The data is kept. */
  stop(): Promise<void> {
    return this.kill(this.#options.stopSignal)
  }

  /**
   * Sends a signal. Unless the signal only suspends or resumes the service, waits until the service and its children have
   * ended.
   */
  async kill(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child
    if (child === null) return
    child.kill(signal)
    if (!NON_TERMINATING_SIGNALS.includes(signal)) await waitForEnd(child)
  }

  /** Stops the service and removes its data. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill('SIGCONT')
    await this.stop()
    this.#watchdog.stdin?.end()
    await waitForEnd(this.#watchdog)
    await rm(this.folder, { recursive: true, force: true })
  }

  /** Resolves to null when the service is ready, or to its output if the service exits. */
  async #launch(deadlineMs: number): Promise<string | null> {
    const { file, buildArguments: argumentsFor, ready } = this.#options
    const child = spawn(file, argumentsFor({ folder: this.folder, port: this.#port }), {
      ...this.#user,
      cwd: this.folder,
      env: { PATH: process.env.PATH, LC_ALL: 'C' },
      // Ctrl-C in a terminal affects the whole process group, but tests that are ending still require the service.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#child = child
    this.#guard(child.pid)
    const outcome = Promise.withResolvers<string | null>()
    let startOutput = ''
    const collectOutput = (chunk: string): void => {
      this.#output = (this.#output + chunk).slice(-MAX_OUTPUT_CHARACTERS)
      startOutput = (startOutput + chunk).slice(-MAX_OUTPUT_CHARACTERS)
      if (ready.test(startOutput)) outcome.resolve(null)
    }
    child.stdout?.setEncoding('utf8').on('data', collectOutput)
    child.stderr?.setEncoding('utf8').on('data', collectOutput)
    child.once('error', (error) => collectOutput(`${error.message}\n`))
    child.once('close', () => {
      this.#child = null
      this.#guard(undefined)
      outcome.resolve(startOutput)
    })
    const timer = setTimeout(() => child.kill('SIGKILL'), Math.max(deadlineMs - Date.now(), 0))
    try {
      return await outcome.promise
    } finally {
      clearTimeout(timer)
      unrefProcess(child)
    }
  }

  #guard(pid: number | undefined): void {
    this.#watchdog.stdin?.write(`${pid ?? ''}\n`)
  }
}

/** Waits until a process has ended and its output is closed. Kills the process after a timeout. */
async function waitForEnd(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  const closed = Promise.withResolvers<void>()
  child.once('close', () => closed.resolve())
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS)
  await closed.promise
  clearTimeout(timer)
}

/** Lets the current process exit even if the child process and its pipes are open. */
function unrefProcess(child: ChildProcess): void {
  child.unref()
  for (const stream of child.stdio) {
    if (stream && 'unref' in stream && typeof stream.unref === 'function') stream.unref()
  }
}
