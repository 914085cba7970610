import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { request } from 'undici'

/** Root folder of the repository. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url))

const START_TIMEOUT_MS = 30_000
const STOP_TIMEOUT_MS = 15_000
const MAX_OUTPUT_CHARACTERS = 4_000

export interface RunningProcess extends AsyncDisposable {
  readonly pid: number
  /** Rejects with the last output if the process exits before `stop`. Never resolves. */
  readonly failure: Promise<never>
  /** Resolves to the first line of its standard output. */
  readonly firstLine: Promise<string>
  /** Asks the process to exit and waits until it has exited. */
  stop(): Promise<void>
}

export interface ProcessSettings {
  readonly nodeFlags?: readonly string[]
  readonly programArguments?: readonly string[]
  /** Environment of the program. It inherits only variables that locate files. */
  readonly environment?: Readonly<Record<string, string>>
  readonly workingDirectory?: string
}

/** Starts a program as a separate process on the current Node version. */
export function startProcess(file: string, settings: ProcessSettings = {}): RunningProcess {
  const { PATH = '', HOME = '', TMPDIR } = process.env
  const environment = { PATH, HOME, ...(TMPDIR !== undefined && { TMPDIR }), ...settings.environment }
  const child = spawn(process.execPath, [...(settings.nodeFlags ?? []), file, ...(settings.programArguments ?? [])], {
    cwd: settings.workingDirectory ?? ROOT,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return observeProcess(child, file)
}

function observeProcess(child: ChildProcess, file: string): RunningProcess {
  let output = ''
  let stopping = false
  const firstLine = Promise.withResolvers<string>()
  const failure = Promise.withResolvers<never>()
  const closed = once(child, 'close')
  failure.promise.catch(() => {})
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      output = (output + chunk).slice(-MAX_OUTPUT_CHARACTERS)
    })
  }
  let line = ''
  child.stdout?.on('data', function collect(chunk: string) {
    line += chunk
    if (!line.includes('\n')) return
    child.stdout?.off('data', collect)
    firstLine.resolve(line.slice(0, line.indexOf('\n')))
  })
  child.on('error', failure.reject)
  child.on('exit', (code, signal) => {
    if (!stopping) failure.reject(new Error(`${file} ended (${signal ?? code}):\n${output}`))
  })
  const stop = async (): Promise<void> => {
    stopping = true
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGTERM')
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS)
    await closed
    clearTimeout(timer)
  }
  return {
    pid: child.pid ?? 0,
    failure: failure.promise,
    firstLine: firstLine.promise,
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

/** Resolves when `url` responds with 200. Rejects if the process exits or the time limit is exceeded. */
export async function waitUntilReady(url: string, child: RunningProcess, timeoutMs = START_TIMEOUT_MS): Promise<void> {
  const deadline = performance.now() + timeoutMs
  while (performance.now() < deadline) {
    if (await Promise.race([isReady(url), child.failure])) return
    await delay(4)
  }
  throw new Error(`${url} was not ready after ${timeoutMs} ms.`)
}

async function isReady(url: string): Promise<boolean> {
  try {
    const { statusCode, body } = await request(url)
    await body.dump()
    return statusCode === 200
  } catch {
    return false
  }
}

/** Returns a loopback port that was free at the time of the check. */
export async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('No free port was found.')
  return address.port
}
