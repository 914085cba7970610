import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

type Environment = Readonly<Record<string, string>>

/** A running command. */
export interface RunningCommand {
  readonly child: ChildProcess
  /** Resolves once standard error contains the text. Rejects if the command exits first. */
  waitForOutput(text: string): Promise<void>
  /** Resolves with the outputs and exit code, which is null if a signal ended the command. */
  ended(): Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>
}

/** Starts a command with only these environment variables. */
export function startCommand(
  name: 'backup' | 'restore' | 'db-copy',
  env: Environment,
  ...given: string[]
): RunningCommand {
  const file = fileURLToPath(new URL('../../scripts/server-command.cjs', import.meta.url))
  const { PATH = '', HOME = '' } = process.env
  const child = spawn(process.execPath, [file, name, ...given], {
    env: { PATH, HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk
  })
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk
  })
  const closing = once(child, 'close')
  return {
    child,
    async waitForOutput(text) {
      const waitForOutput = Promise.withResolvers<void>()
      const check = (): void => {
        if (stderr.includes(text)) waitForOutput.resolve()
      }
      child.stderr.on('data', check)
      check()
      const closed = closing.then(() =>
        waitForOutput.reject(new Error(`It ended before it told of "${text}":\n${stderr}`)),
      )
      await Promise.race([waitForOutput.promise, closed])
    },
    async ended() {
      await closing
      return { code: child.exitCode, stdout, stderr }
    },
  }
}
