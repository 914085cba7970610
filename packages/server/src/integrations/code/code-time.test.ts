import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import { openCodeRunner } from './code-test-kit.ts'

const sandbox = openCodeRunner()
afterAll(() => sandbox.codeRunners.close())

const TIMEOUT_MS = { ok: false, reason: 'timeout', message: 'The code did not finish within 150 ms.' }

describe('time', () => {
  test.each([
    ['a loop', 'for (;;);'],
    ['a loop that catches everything', 'for (;;) { try { for (;;); } catch {} finally { continue } }'],
    ['a loop behind a wait', 'await null; for (;;);'],
    ['promises without end', 'for (;;) await null'],
    [
      'async functions that loop, one after another',
      'const f = async () => { for (;;); }; for (;;) try { await f() } catch {}',
    ],
    ['a generator without end', 'const g = (function* () { for (;;) yield 1 })(); for (const x of g);'],
    ['a regular expression that tries everything', 'return /^(a+)+$/.test("a".repeat(60) + "b")'],
    ['another one, in a replacement', 'return "a".repeat(1e5).replace(/(a*)*b/g, "")'],
    ['recursion without depth', 'const f = () => { try { f() } finally { f() } }; f()'],
    ['sorting with a comparison that loops', 'return [1, 2].sort(() => { for (;;); })'],
    ['a step that nothing interrupts: searching a huge array', 'return new Array(2 ** 32 - 1).lastIndexOf(1)'],
    ['a step that nothing interrupts: endless length', 'return [].indexOf.call({ length: 2 ** 53 - 1 }, 1)'],
    ['a step that nothing interrupts: searching a text', 'return "a".repeat(1e7).lastIndexOf("a".repeat(5e6) + "b")'],
  ])('%s', async (_name, code) => {
    // A thread stands ready, so that the time is that of the code.
    await sandbox.result('return 1')
    expect(await sandbox.outcome(code, { timeoutMs: 150 })).toEqual(TIMEOUT_MS)
    expect(await sandbox.result('return "next"')).toBe('next')
  })

  test.each([
    ['a promise that nothing settles', 'await new Promise(() => {})'],
    ['a thenable that does not call back', 'return { then() {} }'],
    [
      'two that wait for each other',
      'const a = (async () => { await null; await b })(); const b = (async () => await a)(); await a',
    ],
  ])('%s is noticed at once', async (_name, code) => {
    const outcome = await sandbox.run(code, { timeoutMs: 60_000 })
    expect(outcome).toMatchObject({
      ok: false,
      reason: 'timeout',
      message: 'The code never finished: it waits for a promise that nothing settles.',
    })
    expect(outcome.durationMs).toBeLessThan(15_000)
  })
})

test('two endless loops leave the main thread to others', async () => {
  let turns = 0
  const loops = Promise.all([1, 2].map((workspaceId) => sandbox.run('for (;;);', { workspaceId, timeoutMs: 500 })))
  let isRunning = true
  void loops.then(() => {
    isRunning = false
  })
  const startedAtMs = Date.now()
  let longestMs = 0
  for (let lastMs = startedAtMs; isRunning; turns += 1) {
    await nextTurn()
    longestMs = Math.max(longestMs, Date.now() - lastMs)
    lastMs = Date.now()
  }
  expect(await loops).toMatchObject([{ reason: 'timeout' }, { reason: 'timeout' }])
  expect(turns).toBeGreaterThan(1000)
  expect(longestMs).toBeLessThan(400)
})
