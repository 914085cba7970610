import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { NodeCommands, NodeEvent } from './node-worker.ts'

const PROGRAM = fileURLToPath(new URL('./node-worker.ts', import.meta.url))
const START_TIMEOUT_MS = 30_000
const ANSWER_TIMEOUT_MS = 30_000

type CommandArguments<Name extends keyof NodeCommands> = Parameters<NodeCommands[Name]>

/** A node without features in a separate process. */
export interface NodeProcess extends AsyncDisposable {
  readonly nodeId: string
  readonly workerId: string
  /** Messages from the process since its start. */
  readonly events: readonly NodeEvent[]
  ask<Name extends keyof NodeCommands>(
    command: Name,
    ...argument: CommandArguments<Name>
  ): ReturnType<NodeCommands[Name]>
  /** Kills the process. */
  kill(): Promise<void>
  /** Suspends the process until `resume` or the end of this process. */
  pause(): void
  resume(): void
}

/** Starts a node on the database, with connections named `name`. The node ends with this process. */
export async function startNode(
  databaseUrl: string,
  name: string,
  env: Record<string, string> = {},
): Promise<NodeProcess> {
  const { PATH = '', HOME = '', TMPDIR } = process.env
  const url = new URL(databaseUrl)
  url.searchParams.set('application_name', name)
  const child = spawn(process.execPath, [PROGRAM], {
    env: {
      PATH,
      HOME,
      ...(TMPDIR !== undefined && { TMPDIR }),
      DATABASE_URL: url.href,
      SECRET_KEY: 'secret-key-of-a-cluster-0123456789abcdef',
      ...env,
    },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const events: NodeEvent[] = []
  const calls = new Map<number, PromiseWithResolvers<unknown>>()
  const ready = Promise.withResolvers<{ nodeId: string; workerId: string }>()
  ready.promise.catch(() => undefined)
  child.on('message', (message: NodeEvent | { call: number; answer?: unknown; failure?: string }) => {
    if ('call' in message) {
      const { call, answer, failure } = message
      if (failure === undefined) calls.get(call)?.resolve(answer)
      else calls.get(call)?.reject(new Error(failure))
      return
    }
    events.push(message)
    if (message.event === 'ready') ready.resolve(message)
  })
  child.once('exit', (code, signal) => {
    const ended = new Error(`Node ${name} ended (${signal ?? code}).`)
    ready.reject(ended)
    for (const { reject } of calls.values()) reject(ended)
  })
  const { kill, pause, resume } = createControls(child)
  try {
    const { nodeId, workerId } = await withTimeout(START_TIMEOUT_MS, `start ${name}`, ready.promise)
    let asked = 0
    return {
      nodeId,
      workerId,
      events,
      async ask(command, ...[argument]) {
        asked += 1
        const call = asked
        const answer = Promise.withResolvers<unknown>()
        calls.set(call, answer)
        // A process that is gone cannot receive it; its exit is handled elsewhere.
        child.send({ call, command, argument }, () => undefined)
        try {
          return (await withTimeout(ANSWER_TIMEOUT_MS, `${command} at ${name}`, answer.promise)) as never
        } finally {
          calls.delete(call)
        }
      },
      kill,
      pause,
      resume,
      [Symbol.asyncDispose]: kill,
    } as NodeProcess
  } catch (error) {
    await kill()
    throw error
  }
}

/** A suspended process cannot notice the end of its parent, so a watchdog process resumes it. */
const RESUME_WATCHDOG_SCRIPT = 'read -r line; kill -CONT "$0"'

function createControls(child: ChildProcess): Pick<NodeProcess, 'kill' | 'pause' | 'resume'> {
  let resumeWatchdog: ChildProcess | null = null
  const resume = (): void => {
    resumeWatchdog?.stdin?.end()
    resumeWatchdog = null
  }
  return {
    pause() {
      resumeWatchdog = spawn('sh', ['-c', RESUME_WATCHDOG_SCRIPT, String(child.pid)], {
        detached: true,
        stdio: ['pipe', 'ignore', 'ignore'],
      })
      child.kill('SIGSTOP')
    },
    resume,
    async kill() {
      if (child.exitCode === null && child.signalCode === null) {
        const ended = once(child, 'exit')
        child.kill('SIGKILL')
        await ended
      }
      resume()
    },
  }
}

async function withTimeout<Result>(timeoutMs: number, what: string, work: Promise<Result>): Promise<Result> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error(`${what}: no answer within ${timeoutMs} ms`)), timeoutMs)
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
