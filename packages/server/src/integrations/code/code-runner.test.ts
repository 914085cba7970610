import { setImmediate as waitForNextTurn } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import { openCodeRunner } from './code-test-kit.ts'

const sandbox = openCodeRunner()
afterAll(() => sandbox.codeRunners.close())

const createFailedOutcome = (message: string) => ({ ok: false, reason: 'error', message })

describe('results', () => {
  test.each([
    ['a string unchanged', 'return "plain \\"text\\""', 'plain "text"'],
    ['an empty string', 'return ""', ''],
    ['a number', 'return 41 + 1', '42'],
    ['a boolean', 'return false', 'false'],
    ['an object', 'return { a: [1, null, "é"], b: { c: undefined } }', '{"a":[1,null,"é"],"b":{}}'],
    ['a date', 'return new Date(0)', '"1970-01-01T00:00:00.000Z"'],
    ['no return value', 'const x = 1', ''],
    ['undefined', 'return undefined', ''],
    ['null', 'return null', ''],
    ['a function, which JSON omits', 'return () => 1', ''],
    ['empty code', '', ''],
    ['a comment at the end', 'return 1 // done', '1'],
    ['NaN, which JSON turns into null', 'return NaN', 'null'],
    ['a string with U+0000, which databases reject', 'return "a\\0b"', 'a\ufffdb'],
    ['an unpaired surrogate', 'return "a\\ud800"', 'a\ufffd\ufffd\ufffd'],
    ['an object with a "__proto__" key', 'return JSON.parse(\'{"__proto__": {"a": 1}}\')', '{"__proto__":{"a":1}}'],
  ])('%s', async (_name, code, resultText) => {
    expect(await sandbox.getOutcome(code)).toEqual({ ok: true, resultText })
  })

  test('awaits promises, including returned promises', async () => {
    expect(await sandbox.getResult('const a = await Promise.all([1, 2].map(async (x) => x * 2)); return a')).toBe(
      '[2,4]',
    )
    expect(await sandbox.getResult('return new Promise((resolve) => resolve("later"))')).toBe('later')
    expect(await sandbox.getResult('for await (const x of (async function* () { yield 7 })()) return x')).toBe('7')
  })

  test('returns a result without waiting for pending promise jobs', async () => {
    expect(await sandbox.getResult('const more = () => Promise.resolve().then(more); more(); return "done"')).toBe(
      'done',
    )
  })

  test('fails for a value that JSON cannot represent', async () => {
    const circular = 'const a = []; a.push(a); return a'
    expect(await sandbox.getOutcome(circular)).toEqual(createFailedOutcome('TypeError: circular reference'))
    expect(await sandbox.getOutcome('return 10n')).toMatchObject({ reason: 'error', message: /BigInt/ })
  })

  test('allows results up to 1 MiB, counted in bytes', async () => {
    expect(await sandbox.getResult('return "x".repeat(2 ** 20)')).toHaveLength(2 ** 20)
    const message = 'The result of the code exceeds the limit of 1 MiB.'
    const tooLarge = { ok: false, reason: 'too-large', message }
    expect(await sandbox.getOutcome('return "x".repeat(2 ** 20 + 1)')).toEqual(tooLarge)
    expect(await sandbox.getOutcome('return "é".repeat(2 ** 19 + 1)')).toEqual(tooLarge)
    expect(await sandbox.getOutcome('return Array.from({ length: 300_000 }, () => 1000)')).toEqual(tooLarge)
  })
})

describe('inputs and globals', () => {
  test('passes variables as dv and stored metadata as metadata', async () => {
    const inputs = {
      variables: { name: 'Ann "the" Ünlü\u0000', __proto__x: '1', 'with space': '2' },
      metadata: { order: { id: 7, tags: ['a', null, true] } },
    }
    const code = 'return [dv.name, dv["with space"], dv.missing === undefined, metadata.order]'
    expect(JSON.parse(await sandbox.getResult(code, inputs))).toEqual([
      inputs.variables.name,
      '2',
      true,
      inputs.metadata.order,
    ])
  })

  test('treats variables named like JavaScript properties as data', async () => {
    const variables = JSON.parse('{"__proto__": "p", "constructor": "c", "toString": "t"}') as Record<string, string>
    const code = 'return [dv.__proto__, dv.constructor, `${dv.toString}`, {}.toString()]'
    expect(JSON.parse(await sandbox.getResult(code, { variables }))).toEqual(['p', 'c', 't', '[object Object]'])
  })

  test('provides a console without output', async () => {
    const code =
      'for (let i = 0; i < 10000; i++) console.log("x".repeat(100), i); console.error(1); return console.info()'
    expect(await sandbox.getResult(code)).toBe('')
  })

  test('provides the current time and the built-ins of the language', async () => {
    const startMs = Date.now()
    const reportedMs = Number(await sandbox.getResult('return Date.now()'))
    expect(reportedMs).toBeGreaterThanOrEqual(startMs)
    expect(reportedMs).toBeLessThanOrEqual(Date.now())
    const code = 'return [...new Map([[1, 2]])].concat([/(?<y>\\d+)/.exec("a12").groups.y], [..."ab"].toReversed())'
    expect(await sandbox.getResult(code)).toBe('[[1,2],"12","b","a"]')
  })

  test('keeps no state of an earlier run', async () => {
    await sandbox.getResult(
      'globalThis.kept = 1; Object.prototype.polluted = 2; Array.prototype.map = null; delete globalThis.Map; return 1',
    )
    const code = 'return [typeof kept, {}.polluted, typeof [].map, typeof Map]'
    expect(await sandbox.getResult(code)).toBe('["undefined",null,"function","function"]')
  })
})

describe('errors', () => {
  test.each([
    ['in the reported line', '\n\nnull.x', "TypeError: cannot read property 'x' of null (line 3)"],
    ['in the first line', 'dv.x()', 'TypeError: not a function (line 1)'],
    ['after an await', 'await null\nthrow new RangeError("far")', 'RangeError: far (line 2)'],
    ['in a nested function', 'function f() {\n  throw new Error("in f")\n}\nf()', 'Error: in f (line 2)'],
    ['of a custom class', 'throw new (class extends Error { name = "Mine" })("hi")', 'Mine: hi (line 1)'],
    ['in the syntax', '\nreturn "abc', 'SyntaxError: unexpected end of string (line 2)'],
    ['in incomplete code', 'if (1) {', "SyntaxError: unexpected token in expression: ')' (line 1)"],
    ['a thrown string', 'throw "no stock"', 'The code threw: no stock'],
    ['a thrown object without a message', 'throw { code: 7 }', 'The code threw: {"code":7}'],
    ['a thrown null', 'throw null', 'The code threw: null'],
    ['a rejected promise', 'await Promise.reject(new Error("late"))', 'Error: late (line 1)'],
  ])('%s', async (_name, code, message) => {
    expect(await sandbox.getOutcome(code)).toEqual(createFailedOutcome(message))
  })

  test('are truncated and sanitized', async () => {
    const outcome = await sandbox.run('throw new Error("\\0\\ud800" + "x".repeat(1e6))')
    if (outcome.ok) throw new Error('The code should have failed.')
    expect(outcome.message).toMatch(/^Error: \ufffd\ufffdx+ \(line 1\)$/)
    expect(outcome.message.length).toBeLessThan(1100)
  })

  test.each([
    ['getters that throw', 'throw { get message() { throw 1 }, get name() { throw 2 }, get stack() { throw 3 } }'],
    ['a proxy that throws', 'throw new Proxy(new Error("x"), { get() { throw 1 } })'],
    ['an empty string', 'throw ""'],
  ])('that cannot be described: %s', async (_name, code) => {
    const message = 'The code threw a value that cannot be described.'
    expect(await sandbox.getOutcome(code)).toEqual(createFailedOutcome(message))
  })

  test('with parts that are not strings or with a forged stack are described', async () => {
    expect(await sandbox.getOutcome('throw { name: 5, message: {}, stack: "code:999999" }')).toMatchObject({
      reason: 'error',
      message: '5: [object Object] (line 1)',
    })
  })
})

test('rejects input that is too large or too deeply nested', async () => {
  const tooLarge = { ok: false, reason: 'too-large' }
  expect(await sandbox.getOutcome('return 1', { variables: { a: 'x'.repeat(2 ** 21) } })).toMatchObject(tooLarge)
  let metadata = {}
  for (let depth = 0; depth < 20_000; depth += 1) metadata = { metadata }
  expect(await sandbox.getOutcome('return 1', { metadata })).toMatchObject(tooLarge)
  expect(await sandbox.getResult('return 1')).toBe('1')
})

const TIMEOUT_OUTCOME = { ok: false, reason: 'timeout', message: 'The code did not finish within 150 ms.' }

describe('time limit', () => {
  test.each([
    ['a loop', 'for (;;);'],
    ['a loop that catches everything', 'for (;;) { try { for (;;); } catch {} finally { continue } }'],
    ['a loop after an await', 'await null; for (;;);'],
    ['an endless chain of promises', 'for (;;) await null'],
    [
      'async functions that loop one after another',
      'const f = async () => { for (;;); }; for (;;) try { await f() } catch {}',
    ],
    ['an endless generator', 'const g = (function* () { for (;;) yield 1 })(); for (const x of g);'],
    ['a regular expression with exponential backtracking', 'return /^(a+)+$/.test("a".repeat(60) + "b")'],
    ['a replacement with exponential backtracking', 'return "a".repeat(1e5).replace(/(a*)*b/g, "")'],
    ['endless recursion with caught errors', 'const f = () => { try { f() } finally { f() } }; f()'],
    ['sorting with a comparison that loops', 'return [1, 2].sort(() => { for (;;); })'],
    ['an uninterruptible search in a huge array', 'return new Array(2 ** 32 - 1).lastIndexOf(1)'],
    ['an uninterruptible search with a huge length', 'return [].indexOf.call({ length: 2 ** 53 - 1 }, 1)'],
    ['an uninterruptible search in a long string', 'return "a".repeat(1e7).lastIndexOf("a".repeat(5e6) + "b")'],
  ])('%s', async (_name, code) => {
    // Runs code first, so that the start of a thread does not count.
    await sandbox.getResult('return 1')
    expect(await sandbox.getOutcome(code, { timeoutMs: 150 })).toEqual(TIMEOUT_OUTCOME)
    expect(await sandbox.getResult('return "next"')).toBe('next')
  })

  test.each([
    ['a promise that never settles', 'await new Promise(() => {})'],
    ['a thenable that does not call back', 'return { then() {} }'],
    [
      'two promises that wait for each other',
      'const a = (async () => { await null; await b })(); const b = (async () => await a)(); await a',
    ],
  ])('detects %s immediately', async (_name, code) => {
    const outcome = await sandbox.run(code, { timeoutMs: 60_000 })
    expect(outcome).toMatchObject({
      ok: false,
      reason: 'timeout',
      message: 'The code never finished because it waits for a promise that never settles.',
    })
    expect(outcome.durationMs).toBeLessThan(15_000)
  })
})

test('does not block the main thread during two endless loops', async () => {
  let turnCount = 0
  const loops = Promise.all([1, 2].map((workspaceId) => sandbox.run('for (;;);', { workspaceId, timeoutMs: 500 })))
  let isRunning = true
  void loops.then(() => {
    isRunning = false
  })
  const startedAtMs = Date.now()
  let longestMs = 0
  for (let lastMs = startedAtMs; isRunning; turnCount += 1) {
    await waitForNextTurn()
    longestMs = Math.max(longestMs, Date.now() - lastMs)
    lastMs = Date.now()
  }
  expect(await loops).toMatchObject([{ reason: 'timeout' }, { reason: 'timeout' }])
  expect(turnCount).toBeGreaterThan(1000)
  expect(longestMs).toBeLessThan(400)
})

const MEMORY = { ok: false, reason: 'memory', message: 'The code exceeded its memory limit of 32 MiB.' }

describe('memory', () => {
  test.each([
    ['arrays', 'const a = []; for (;;) a.push(new Array(1000).fill(1))'],
    ['one large buffer', 'return new ArrayBuffer(2 ** 30).byteLength'],
    ['buffers', 'const a = []; for (;;) a.push(new ArrayBuffer(2 ** 20))'],
    ['a resizable buffer', 'const b = new ArrayBuffer(8, { maxByteLength: 2 ** 30 }); b.resize(2 ** 29); return 1'],
    ['a shared buffer', 'const a = []; for (;;) a.push(new SharedArrayBuffer(2 ** 20))'],
    ['filled typed arrays', 'const a = []; for (;;) a.push(new Float64Array(1e5).fill(7))'],
    ['promises', 'const go = () => Promise.resolve().then(go); await go()'],
    ['so many strings that the error object does not fit into memory', 'return "x".repeat(1e7).split("").length'],
    ['values referenced by a global', 'globalThis.a = []; for (;;) a.push(new Uint8Array(1000))'],
  ])('%s', async (_name, code) => {
    expect(await sandbox.getOutcome(code)).toEqual(MEMORY)
  })

  test('allows code to continue after catching the error', async () => {
    const code = 'let a = []; try { for (;;) a.push(new Uint8Array(1e6)) } catch { a = null } return "survived"'
    expect(await sandbox.getResult(code)).toBe('survived')
  })

  test('allows code to use 25 MiB', async () => {
    expect(await sandbox.getResult('return new Uint8Array(25 * 2 ** 20).fill(1).at(-1)')).toBe('1')
  })
})

describe('nesting depth', () => {
  const overflow = 'InternalError: stack overflow (line 1)'
  test.each([
    ['recursion', 'const f = () => f() + 1; return f()', overflow],
    ['nested JSON', 'return JSON.parse("[".repeat(1e5))', 'SyntaxError: stack overflow (line 1)'],
    ['nested code', 'return eval("(".repeat(1e5))', 'InternalError: stack overflow'],
    ['an endless result', 'const o = { toJSON: () => JSON.stringify(o) }; return o', overflow],
    [
      'a nested regular expression',
      'return RegExp("(?:".repeat(1e5) + ")".repeat(1e5))',
      'SyntaxError: stack overflow (line 1)',
    ],
    ['recursion in toString', 'const o = { toString: () => `${o}` }; return `${o}`', overflow],
  ])('%s', async (_name, code, message) => {
    expect(await sandbox.getOutcome(code)).toEqual(createFailedOutcome(message))
  })
})

test('frees memory after repeated memory bombs', async () => {
  const bombCode = 'const a = []; for (;;) a.push(new Uint8Array(1e6).fill(1))'
  await Promise.all([1, 2].map((workspaceId) => sandbox.getResult('return 1', { workspaceId })))
  const initialBytes = process.memoryUsage.rss()
  for (let round = 0; round < 2; round += 1) {
    const outcomes = await Promise.all([1, 2].map((workspaceId) => sandbox.getOutcome(bombCode, { workspaceId })))
    expect(outcomes).toEqual([MEMORY, MEMORY])
  }
  await sandbox.getResult('return 1')
  // Four bombs of 48 MiB each would add up to 192 MiB if their memory were not freed.
  expect(process.memoryUsage.rss() - initialBytes).toBeLessThan(120 * 2 ** 20)
})
