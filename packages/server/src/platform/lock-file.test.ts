import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, test } from 'vitest'
import { lockDataDirectory } from './lock-file.ts'

const clock = { now: () => Date.UTC(2026, 0, 2) }

async function createTemporaryFolder() {
  const path = await mkdtemp(join(tmpdir(), 'parley-lock-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

/** Another process that takes the lock, says so and lives until it is killed. */
async function startHolder(folder: string) {
  const module = new URL('./lock-file.ts', import.meta.url).href
  const program = `
    import { lockDataDirectory } from ${JSON.stringify(module)}
    try { lockDataDirectory(${JSON.stringify(folder)}, { now: () => 0 }); console.log('locked') }
    catch (error) { console.log(error.message) }
    process.stdin.resume()`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const [line] = await once(createInterface(child.stdout), 'line')
  return {
    line: String(line),
    pid: child.pid,
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}

describe('lockDataDirectory', () => {
  test('rejects a second lock and names the first process', async () => {
    await using folder = await createTemporaryFolder()
    await using holder = await startHolder(folder.path)
    expect(holder.line).toBe('locked')
    expect(() => lockDataDirectory(folder.path, clock)).toThrow(
      `Another Parley (process ${holder.pid}, started 1970-01-01T00:00:00.000Z) is already using ${folder.path}`,
    )
  })

  test('rejects another process while this one holds the lock', async () => {
    await using folder = await createTemporaryFolder()
    const lock = lockDataDirectory(folder.path, clock)
    await using holder = await startHolder(folder.path)
    expect(holder.line).toContain(`process ${process.pid}, started 2026-01-02T00:00:00.000Z`)
    lock.release()
  })

  test('ends with a killed process', async () => {
    await using folder = await createTemporaryFolder()
    const holder = await startHolder(folder.path)
    await holder[Symbol.asyncDispose]()
    lockDataDirectory(folder.path, clock).release()
  })

  test('can be acquired again after a release', async () => {
    await using folder = await createTemporaryFolder()
    const first = lockDataDirectory(folder.path, clock)
    expect(() => lockDataDirectory(folder.path, clock)).toThrow('is already using')
    first.release()
    const second = lockDataDirectory(folder.path, clock)
    first.release()
    expect(() => lockDataDirectory(folder.path, clock)).toThrow('is already using')
    second.release()
  })

  test('names a folder that cannot be locked', () => {
    expect(() => lockDataDirectory('/nowhere/at/all', clock)).toThrow()
  })
})
