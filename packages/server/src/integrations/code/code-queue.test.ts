import { readdirSync, readFileSync } from 'node:fs'
import { createManualClock, flushPromises } from '@parley/engine/testing/manual-clock'
import { describe, expect, test } from 'vitest'
import { openCodeRunner, type TestRunner } from './code-test-kit.ts'

const LOOP = 'for (;;);'
const CANCELLED = { ok: false, reason: 'cancelled', message: 'The code was cancelled.' }

/** Names of the threads of this process, as the system knows them. */
function sandboxThreads(): number {
  return readdirSync('/proc/self/task').filter((task) => nameOfThread(task).startsWith('code-sandbox')).length
}

function nameOfThread(task: string): string {
  try {
    return readFileSync(`/proc/self/task/${task}/comm`, 'utf8')
  } catch {
    // It has ended since it was listed.
    return ''
  }
}

/** Starts code that is known to run when this resolves: the one before it on the only thread has answered. */
async function startLoop(sandbox: TestRunner, signal: AbortSignal, timeoutMs = 60_000) {
  const before = sandbox.result('return 1')
  const loop = sandbox.outcome(LOOP, { signal, timeoutMs })
  await before
  await flushPromises()
  return { loop }
}

describe('deadlines in virtual time', () => {
  test('a loop ends when its time is over, and what waited gets the thread', async () => {
    const { clock, advance } = createManualClock()
    await using sandbox = openCodeRunner({ clock, threads: 1 })
    const { loop } = await startLoop(sandbox, new AbortController().signal, 30_000)
    const next = sandbox.result('return "next"', { timeoutMs: 60_000 })
    await advance(29_999)
    expect(await Promise.race([loop, 'still running'])).toBe('still running')
    await advance(1)
    expect(await loop).toEqual({ ok: false, reason: 'timeout', message: 'The code did not finish within 30000 ms.' })
    expect(await next).toBe('next')
  })

  test('a step that does not stop costs the thread, and what waited gets a new one', async () => {
    const { clock, advance } = createManualClock()
    await using sandbox = openCodeRunner({ clock, threads: 1 })
    const before = sandbox.result('return 1')
    const stuck = sandbox.outcome('return [].indexOf.call({ length: 2 ** 53 - 1 }, 1)', { timeoutMs: 5_000 })
    const next = sandbox.result('return "next"', { timeoutMs: 60_000 })
    await before
    await advance(5_000)
    expect(await stuck).toMatchObject({ reason: 'timeout' })
    await advance(250)
    expect(await next).toBe('next')
  })

  test('waiting counts against the time, and the duration tells of it', async () => {
    const { clock, advance } = createManualClock()
    await using sandbox = openCodeRunner({ clock, threads: 1 })
    const stop = new AbortController()
    const { loop } = await startLoop(sandbox, stop.signal)
    const waiting = sandbox.run('return 1', { timeoutMs: 5_000 })
    await advance(5_000)
    expect(await waiting).toEqual({
      ok: false,
      reason: 'timeout',
      message: 'The code did not start within 5000 ms because too much other code was running.',
      durationMs: 5_000,
    })
    stop.abort()
    expect(await loop).toEqual(CANCELLED)
  })

  test('no timer is left behind', async () => {
    const { clock, pendingTimers } = createManualClock()
    const sandbox = openCodeRunner({ clock })
    await sandbox.result('return 1')
    await sandbox.outcome('await new Promise(() => {})')
    await sandbox.codeRunners.close()
    expect(pendingTimers()).toBe(0)
  })
})

describe('cancelling', () => {
  test('before, while waiting and while running', async () => {
    await using sandbox = openCodeRunner({ threads: 1 })
    expect(await sandbox.outcome('return 1', { signal: AbortSignal.abort() })).toEqual(CANCELLED)
    const [running, waiting] = [new AbortController(), new AbortController()]
    const { loop } = await startLoop(sandbox, running.signal)
    const second = sandbox.outcome('return 2', { signal: waiting.signal })
    const third = sandbox.result('return 3')
    waiting.abort()
    expect(await second).toEqual(CANCELLED)
    running.abort()
    expect(await loop).toEqual(CANCELLED)
    expect(await third).toBe('3')
  })

  test('a step that nothing interrupts is answered at once all the same', async () => {
    await using sandbox = openCodeRunner({ threads: 1 })
    const stop = new AbortController()
    await sandbox.result('return 1')
    const stuck = sandbox.run('return new Array(2 ** 32 - 1).lastIndexOf(1)', { signal: stop.signal })
    const next = sandbox.result('return "next"')
    stop.abort()
    expect(await stuck).toMatchObject({ reason: 'cancelled' })
    expect(await next).toBe('next')
  })

  test('afterwards nothing happens', async () => {
    await using sandbox = openCodeRunner({ threads: 1 })
    const stop = new AbortController()
    const result = await sandbox.result('return 1', { signal: stop.signal })
    stop.abort()
    expect([result, await sandbox.result('return 2')]).toEqual(['1', '2'])
  })
})

describe('many at once', () => {
  test('all are answered, in the order of each workspace', async () => {
    await using sandbox = openCodeRunner()
    const runs = Array.from({ length: 60 }, (_, index) => {
      return sandbox.result(`return ${index}`, { workspaceId: 1 + (index % 3), timeoutMs: 60_000 })
    })
    expect(await Promise.all(runs)).toEqual(runs.map((_, index) => String(index)))
  })

  test('a workspace with much code does not hold up one with little', async () => {
    await using sandbox = openCodeRunner({ threads: 1 })
    const ended: string[] = []
    const start = async (workspaceId: number, name: string): Promise<void> => {
      await sandbox.result('return 1', { workspaceId, timeoutMs: 60_000 })
      ended.push(name)
    }
    const many = Array.from({ length: 10 }, (_, index) => start(1, `many ${index}`))
    await Promise.all([...many, start(2, 'other')])
    expect(ended.indexOf('other')).toBeLessThanOrEqual(2)
  })

  test('one workspace never has all threads', async () => {
    await using sandbox = openCodeRunner({ threads: 2 })
    const stop = new AbortController()
    const loops = Array.from({ length: 5 }, () => sandbox.outcome(LOOP, { signal: stop.signal, timeoutMs: 60_000 }))
    expect(await sandbox.result('return "other"', { workspaceId: 2 })).toBe('other')
    stop.abort()
    expect(await Promise.all(loops)).toEqual(loops.map(() => CANCELLED))
  })

  test('what does not fit into the line is refused at once', async () => {
    await using sandbox = openCodeRunner({ threads: 1, maxQueued: 3, maxQueuedPerWorkspace: 2 })
    const stop = new AbortController()
    const loop = sandbox.outcome(LOOP, { signal: stop.signal, timeoutMs: 60_000 })
    const waiting = [1, 1, 2].map((workspaceId) => sandbox.outcome('return "ran"', { workspaceId }))
    const refused = [1, 2, 3].map((workspaceId) => sandbox.outcome('return "ran"', { workspaceId }))
    expect(await Promise.all(refused)).toEqual(
      refused.map(() => ({
        ok: false,
        reason: 'unavailable',
        message: 'The code could not run because too much other code is waiting. Try again later.',
      })),
    )
    stop.abort()
    expect(await loop).toEqual(CANCELLED)
    expect(await Promise.all(waiting)).toEqual(waiting.map(() => ({ ok: true, resultText: 'ran' })))
  })
})

describe('threads', () => {
  test.skipIf(process.platform !== 'linux')('start with the first code and end when there is none', async () => {
    const others = sandboxThreads()
    const { clock, advance } = createManualClock()
    await using sandbox = openCodeRunner({ clock, idleMs: 60_000 })
    expect(sandboxThreads()).toBe(others)
    await Promise.all([1, 2].map((workspaceId) => sandbox.result('return 1', { workspaceId })))
    expect(sandboxThreads()).toBe(others + 2)
    await advance(59_999)
    // Uses one of the two.
    await sandbox.result('return 1')
    await advance(1)
    await expect.poll(sandboxThreads).toBe(others + 1)
    await advance(60_000)
    await expect.poll(sandboxThreads).toBe(others)
    expect(await sandbox.result('return "again"')).toBe('again')
  })

  test('code that comes while the only thread is being ended waits for the next one', async () => {
    const { clock, advance } = createManualClock()
    await using sandbox = openCodeRunner({ clock, threads: 1, idleMs: 60_000 })
    await sandbox.result('return 1')
    await advance(60_000)
    expect(await sandbox.result('return "next"')).toBe('next')
  })

  test('closing answers everything and refuses more', async () => {
    const sandbox = openCodeRunner({ threads: 1 })
    const runs = [LOOP, 'return 1', 'return 2'].map((code) => sandbox.outcome(code))
    await sandbox.codeRunners.close()
    const stopping = {
      ok: false,
      reason: 'unavailable',
      message: 'The code could not run because the server is stopping.',
    }
    expect(await Promise.all(runs)).toEqual([stopping, stopping, stopping])
    expect(await sandbox.outcome('return 1')).toEqual(stopping)
    await sandbox.codeRunners.close()
  })
})
