import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { findPulseAudio } from '../../scripts/service-programs.cjs'

/** A sound server with a loudspeaker that plays nothing, for browsers without an audio device. */
export interface SilentSpeaker extends AsyncDisposable {
  /** Environment of programs that use the loudspeaker. */
  readonly env: Readonly<Record<string, string>>
}

const START_TIMEOUT_MS = 10_000
const POLL_MS = 20

/** Starts a private PulseAudio. Tests are skipped if `findPulseAudio` finds none. */
export async function startSilentSpeaker(): Promise<SilentSpeaker> {
  const program = findPulseAudio()
  if (program === null) throw new Error('No PulseAudio was found.')
  const folder = await mkdtemp(join(tmpdir(), 'parley-speaker-'))
  const socket = join(folder, 'socket')
  const modules = ['module-null-sink', `module-native-protocol-unix socket=${socket} auth-anonymous=1`]
  const server = spawn(
    program.file,
    ['-n', '--daemonize=no', '--exit-idle-time=-1', ...modules.flatMap((module) => ['-L', module])],
    { env: { PATH: process.env.PATH, HOME: folder, XDG_RUNTIME_DIR: folder }, stdio: 'ignore' },
  )
  const exit = once(server, 'exit').catch(() => undefined)
  const speaker: SilentSpeaker = {
    env: { PULSE_SERVER: `unix:${socket}` },
    async [Symbol.asyncDispose]() {
      server.kill('SIGKILL')
      await exit
      await rm(folder, { recursive: true, force: true })
    },
  }
  const deadlineMs = performance.now() + START_TIMEOUT_MS
  while (!existsSync(socket) && server.exitCode === null && performance.now() < deadlineMs) await setTimeout(POLL_MS)
  if (existsSync(socket)) return speaker
  await speaker[Symbol.asyncDispose]()
  throw new Error('PulseAudio did not start.')
}
