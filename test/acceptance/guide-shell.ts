import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const packages = fileURLToPath(new URL('../../node_modules', import.meta.url))
const END_OF_STEP = '\u001e'

type Environment = Readonly<Record<string, string>>

/** A shell in a folder that runs the commands of a guide in order. */
export interface GuideShell extends AsyncDisposable {
  /** Runs commands and resolves with what they print, errors included. */
  run(commands: string): Promise<string>
  /** Saves a program in the folder and starts it; resolves when it prints its first line. */
  startProgram(file: string, code: string, env: Environment): Promise<void>
}

export async function startGuideShell(env: Environment = {}): Promise<GuideShell> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-guide-'))
  await symlink(packages, join(folder, 'node_modules'))
  const { PATH = '', HOME = '' } = process.env
  const shell = spawn('bash', { cwd: folder, env: { PATH, HOME, ...env } })
  const children: ChildProcess[] = [shell]
  let output = ''
  let finish: () => void = () => undefined
  shell.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk
    if (output.endsWith(END_OF_STEP)) finish()
  })
  shell.stdin.write('exec 2>&1\n')
  return {
    async run(commands) {
      const { promise, resolve } = Promise.withResolvers<void>()
      output = ''
      finish = resolve
      shell.stdin.write(`${commands}\nprintf '${END_OF_STEP}'\n`)
      await promise
      return output.slice(0, -END_OF_STEP.length)
    },
    async startProgram(file, code, programEnv) {
      await writeFile(join(folder, file), code)
      const stdio = ['ignore', 'pipe', 'inherit'] as const
      const program = spawn(process.execPath, [file], { cwd: folder, env: { PATH, ...programEnv }, stdio: [...stdio] })
      children.push(program)
      if (program.stdout !== null) await once(createInterface({ input: program.stdout }), 'line')
    },
    async [Symbol.asyncDispose]() {
      for (const child of children) {
        const ended = once(child, 'exit')
        child.kill('SIGKILL')
        await ended
      }
      await rm(folder, { recursive: true, force: true })
    },
  }
}
