import { afterAll, describe, expect, test } from 'vitest'
import { openCodeRunner } from './code-test-kit.ts'

const sandbox = openCodeRunner()
afterAll(() => sandbox.codeRunners.close())

const MEMORY = {
  ok: false,
  reason: 'memory',
  message: 'The code used more memory than the 32 MiB that it may use.',
}

describe('memory', () => {
  test.each([
    ['arrays', 'const a = []; for (;;) a.push(new Array(1000).fill(1))'],
    ['a buffer at once', 'return new ArrayBuffer(2 ** 30).byteLength'],
    ['buffers', 'const a = []; for (;;) a.push(new ArrayBuffer(2 ** 20))'],
    ['a buffer that grows', 'const b = new ArrayBuffer(8, { maxByteLength: 2 ** 30 }); b.resize(2 ** 29); return 1'],
    ['a shared buffer', 'const a = []; for (;;) a.push(new SharedArrayBuffer(2 ** 20))'],
    ['filled typed arrays', 'const a = []; for (;;) a.push(new Float64Array(1e5).fill(7))'],
    ['promises', 'const go = () => Promise.resolve().then(go); await go()'],
    ['so many pieces that no error fits beside them', 'return "x".repeat(1e7).split("").length'],
    ['kept where nothing forgets it', 'globalThis.a = []; for (;;) a.push(new Uint8Array(1000))'],
  ])('%s', async (_name, code) => {
    expect(await sandbox.outcome(code)).toEqual(MEMORY)
  })

  test('code may go on when it catches the error', async () => {
    const code = 'let a = []; try { for (;;) a.push(new Uint8Array(1e6)) } catch { a = null } return "survived"'
    expect(await sandbox.result(code)).toBe('survived')
  })

  test('25 MiB are there to be used', async () => {
    expect(await sandbox.result('return new Uint8Array(25 * 2 ** 20).fill(1).at(-1)')).toBe('1')
  })
})

describe('depth', () => {
  test.each([
    ['recursion', 'const f = () => f() + 1; return f()', 'InternalError: stack overflow (line 1)'],
    ['nested JSON', 'return JSON.parse("[".repeat(1e5))', 'SyntaxError: stack overflow (line 1)'],
    ['nested code', 'return eval("(".repeat(1e5))', 'InternalError: stack overflow'],
    [
      'a result without end',
      'const o = { toJSON: () => JSON.stringify(o) }; return o',
      'InternalError: stack overflow (line 1)',
    ],
    [
      'a nested pattern',
      'return new RegExp("(?:".repeat(1e5) + ")".repeat(1e5))',
      'SyntaxError: stack overflow (line 1)',
    ],
    [
      'recursion in toString',
      'const o = { toString: () => `${o}` }; return `${o}`',
      'InternalError: stack overflow (line 1)',
    ],
  ])('%s', async (_name, code, message) => {
    expect(await sandbox.outcome(code)).toEqual({ ok: false, reason: 'error', message })
  })
})

test('memory is given back after a series of bombs', async () => {
  const bomb = 'const a = []; for (;;) a.push(new Uint8Array(1e6).fill(1))'
  await Promise.all([1, 2].map((workspaceId) => sandbox.result('return 1', { workspaceId })))
  const before = process.memoryUsage.rss()
  for (let round = 0; round < 2; round += 1) {
    const outcomes = await Promise.all([1, 2].map((workspaceId) => sandbox.outcome(bomb, { workspaceId })))
    expect(outcomes).toEqual([MEMORY, MEMORY])
  }
  await sandbox.result('return 1')
  // Four bombs of 48 MiB each: were they kept, it would be 192 MiB.
  expect(process.memoryUsage.rss() - before).toBeLessThan(120 * 2 ** 20)
})
