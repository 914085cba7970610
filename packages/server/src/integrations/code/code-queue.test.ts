import { readdirSync, readFileSync } from 'node:fs'
import { createManualClock, flushPromises } from '@parley/engine/testing/manual-clock'
import { describe, expect, test } from 'vitest'
import { openCodeRunner, type TestRunner } from './code-test-kit.ts'

const LOOP = 'for (;;);'
const CANCELLED = { ok: false, reason: 'cancelled', message: 'The code was cancelled.' }

/** Counts this process's sandbox threads, as listed by the operating system. */
function countSandboxThreads(): number {
  return readdirSync('/proc/self/task').filter((task) => readThreadName(task).startsWith('code-sandbox')).length
}

function readThreadName(task: string): string {
  try {
    return readFileSync(`/proc/self/task/${task}/comm`, 'utf8')
  } catch {
    // The thread has ended since it was listed.
    return ''
  }
}

/**
 * Starts an endless loop and resolves when it runs. A run before it shows that the only thread has reached the loop.
 */
async function startLoop(sandbox: TestRunner, signal: AbortSignal, timeoutMs = 60_000) {
  const previousRun = sandbox.getResult('return 1')
  const loop = sandbox.getOutcome(LOOP, { signal, timeoutMs })
  await previousRun
  await flushPromises()
  return { loop }
}

describe('deadlines in virtual time', () => {
  test('stops a loop at its deadline and runs the waiting code on the same thread', async () => {
    const { clock, advance } = createManualClock()
    await using sandbox = openCodeRunner({ clock, threads: 1 })
    const { loop } = await startLoop(sandbox, new AbortController().signal, 30_000)
    const nextRun = sandbox.getResult('return "next"', { timeoutMs: 60_000 })
    await advance(29_999)
    expect(await Promise.race([loop, 'still running'])).toBe('still running')
    await advance(1)
    expect(await loop).toEqual({ ok: false, reason: 'timeout', message: 'The code did not finish within 30000 ms.' })
    expect(await nextRun).toBe('next')
  })

  test('replaces the thread if a step does not stop at the deadline', async () => {
    const { clock, advance } = createManualClock()
    await using sandbox = openCodeRunner({ clock, threads: 1 })
    const previousRun = sandbox.getResult('return 1')
    const stuckRun = sandbox.getOutcome('return [].indexOf.call({ length: 2 ** 53 - 1 }, 1)', { timeoutMs: 5_000 })
    const nextRun = sandbox.getResult('return "next"', { timeoutMs: 60_000 })
    await previousRun
    await advance(5_000)
    expect(await stuckRun).toMatchObject({ reason: 'timeout' })
    await advance(250)
    expect(await nextRun).toBe('next')
  })

  test('counts the waiting time towards the time limit and the duration', async () => {
    const { clock, advance } = createManualClock()
    await using sandbox = openCodeRunner({ clock, threads: 1 })
    const controller = new AbortController()
    const { loop } = await startLoop(sandbox, controller.signal)
    const waiting = sandbox.run('return 1', { timeoutMs: 5_000 })
    await advance(5_000)
    expect(await waiting).toEqual({
      ok: false,
      reason: 'timeout',
      message: 'The code did not start within 5000 ms because too much other code was running.',
      durationMs: 5_000,
    })
    controller.abort()
    expect(await loop).toEqual(CANCELLED)
  })

  test('leaves no timer behind', async () => {
    const { clock, countPendingTimers: pendingTimers } = createManualClock()
    const sandbox = openCodeRunner({ clock })
    await sandbox.getResult('return 1')
    await sandbox.getOutcome('await new Promise(() => {})')
    await sandbox.codeRunners.close()
    expect(pendingTimers()).toBe(0)
  })
})

describe('cancelling', () => {
  test('cancels code before it starts, while it waits and while it runs', async () => {
    await using sandbox = openCodeRunner({ threads: 1 })
    expect(await sandbox.getOutcome('return 1', { signal: AbortSignal.abort() })).toEqual(CANCELLED)
    const [running, waiting] = [new AbortController(), new AbortController()]
    const { loop } = await startLoop(sandbox, running.signal)
    const secondRun = sandbox.getOutcome('return 2', { signal: waiting.signal })
    const thirdRun = sandbox.getResult('return 3')
    waiting.abort()
    expect(await secondRun).toEqual(CANCELLED)
    running.abort()
    expect(await loop).toEqual(CANCELLED)
    expect(await thirdRun).toBe('3')
  })

  test('resolves immediately even if the running step cannot be interrupted', async () => {
    await using sandbox = openCodeRunner({ threads: 1 })
    const controller = new AbortController()
    await sandbox.getResult('return 1')
    const stuckRun = sandbox.run('return new Array(2 ** 32 - 1).lastIndexOf(1)', { signal: controller.signal })
    const nextRun = sandbox.getResult('return "next"')
    controller.abort()
    expect(await stuckRun).toMatchObject({ reason: 'cancelled' })
    expect(await nextRun).toBe('next')
  })

  test('has no effect after the run has finished', async () => {
    await using sandbox = openCodeRunner({ threads: 1 })
    const controller = new AbortController()
    const result = await sandbox.getResult('return 1', { signal: controller.signal })
    controller.abort()
    expect([result, await sandbox.getResult('return 2')]).toEqual(['1', '2'])
  })
})

describe('concurrent runs', () => {
  test('returns the results of all runs in order', async () => {
    await using sandbox = openCodeRunner()
    const runs = Array.from({ length: 60 }, (_, index) => {
      return sandbox.getResult(`return ${index}`, { workspaceId: 1 + (index % 3), timeoutMs: 60_000 })
    })
    expect(await Promise.all(runs)).toEqual(runs.map((_, index) => String(index)))
  })

  test('does not delay a workspace with little code behind a workspace with much code', async () => {
    await using sandbox = openCodeRunner({ threads: 1 })
    const endedRuns: string[] = []
    const start = async (workspaceId: number, name: string): Promise<void> => {
      await sandbox.getResult('return 1', { workspaceId, timeoutMs: 60_000 })
      endedRuns.push(name)
    }
    const busyRuns = Array.from({ length: 10 }, (_, index) => start(1, `many ${index}`))
    await Promise.all([...busyRuns, start(2, 'other')])
    expect(endedRuns.indexOf('other')).toBeLessThanOrEqual(2)
  })

  test('never gives all threads to one workspace', async () => {
    await using sandbox = openCodeRunner({ threads: 2 })
    const controller = new AbortController()
    const loops = Array.from({ length: 5 }, () =>
      sandbox.getOutcome(LOOP, { signal: controller.signal, timeoutMs: 60_000 }),
    )
    expect(await sandbox.getResult('return "other"', { workspaceId: 2 })).toBe('other')
    controller.abort()
    expect(await Promise.all(loops)).toEqual(loops.map(() => CANCELLED))
  })

  test('rejects runs immediately when the queue is full', async () => {
    await using sandbox = openCodeRunner({ threads: 1, maxQueued: 3, maxQueuedPerWorkspace: 2 })
    const controller = new AbortController()
    const loop = sandbox.getOutcome(LOOP, { signal: controller.signal, timeoutMs: 60_000 })
    const waiting = [1, 1, 2].map((workspaceId) => sandbox.getOutcome('return "ran"', { workspaceId }))
    const rejectedRuns = [1, 2, 3].map((workspaceId) => sandbox.getOutcome('return "ran"', { workspaceId }))
    expect(await Promise.all(rejectedRuns)).toEqual(
      rejectedRuns.map(() => ({
        ok: false,
        reason: 'unavailable',
        message: 'The code could not run because too much other code is waiting. Try again later.',
      })),
    )
    controller.abort()
    expect(await loop).toEqual(CANCELLED)
    expect(await Promise.all(waiting)).toEqual(waiting.map(() => ({ ok: true, resultText: 'ran' })))
  })
})

describe('threads', () => {
  test.skipIf(process.platform !== 'linux')('start with the first run and end when idle', async () => {
    const initialCount = countSandboxThreads()
    const { clock, advance } = createManualClock()
    await using sandbox = openCodeRunner({ clock, idleMs: 60_000 })
    expect(countSandboxThreads()).toBe(initialCount)
    await Promise.all([1, 2].map((workspaceId) => sandbox.getResult('return 1', { workspaceId })))
    expect(countSandboxThreads()).toBe(initialCount + 2)
    await advance(59_999)
    // Uses one of the two threads.
    await sandbox.getResult('return 1')
    await advance(1)
    await expect.poll(countSandboxThreads).toBe(initialCount + 1)
    await advance(60_000)
    await expect.poll(countSandboxThreads).toBe(initialCount)
    expect(await sandbox.getResult('return "again"')).toBe('again')
  })

  test('runs code that arrives while the only thread is being terminated', async () => {
    const { clock, advance } = createManualClock()
    await using sandbox = openCodeRunner({ clock, threads: 1, idleMs: 60_000 })
    await sandbox.getResult('return 1')
    await advance(60_000)
    expect(await sandbox.getResult('return "next"')).toBe('next')
  })

  test('fails waiting and later runs when it closes', async () => {
    const sandbox = openCodeRunner({ threads: 1 })
    const runs = [LOOP, 'return 1', 'return 2'].map((code) => sandbox.getOutcome(code))
    await sandbox.codeRunners.close()
    const stopping = {
      ok: false,
      reason: 'unavailable',
      message: 'The code could not run because the server is stopping.',
    }
    expect(await Promise.all(runs)).toEqual([stopping, stopping, stopping])
    expect(await sandbox.getOutcome('return 1')).toEqual(stopping)
    await sandbox.codeRunners.close()
  })
})
