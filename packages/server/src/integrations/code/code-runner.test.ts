import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import { openCodeRunner } from './code-test-kit.ts'

const sandbox = openCodeRunner()
afterAll(() => sandbox.codeRunners.close())

const createFailedOutcome = (message: string) => ({ ok: false, reason: 'error', message })

describe('results', () => {
  test.each([
    ['a text as it is', 'return "plain \\"text\\""', 'plain "text"'],
    ['an empty text', 'return ""', ''],
    ['a number', 'return 41 + 1', '42'],
    ['a truth value', 'return false', 'false'],
    ['an object', 'return { a: [1, null, "é"], b: { c: undefined } }', '{"a":[1,null,"é"],"b":{}}'],
    ['a date', 'return new Date(0)', '"1970-01-01T00:00:00.000Z"'],
    ['nothing', 'const x = 1', ''],
    ['undefined', 'return undefined', ''],
    ['null', 'return null', ''],
    ['a function, which JSON leaves out', 'return () => 1', ''],
    ['no code at all', '', ''],
    ['a comment at the end', 'return 1 // done', '1'],
    ['not a number, as JSON has it', 'return NaN', 'null'],
    ['a text with U+0000, which databases refuse', 'return "a\\0b"', 'a\ufffdb'],
    ['half a character pair', 'return "a\\ud800"', 'a\ufffd\ufffd\ufffd'],
    ['a key that looks like a prototype', 'return JSON.parse(\'{"__proto__": {"a": 1}}\')', '{"__proto__":{"a":1}}'],
  ])('%s', async (_name, code, resultText) => {
    expect(await sandbox.outcome(code)).toEqual({ ok: true, resultText })
  })

  test('awaits promises, also those that it returns', async () => {
    expect(await sandbox.result('const a = await Promise.all([1, 2].map(async (x) => x * 2)); return a')).toBe('[2,4]')
    expect(await sandbox.result('return new Promise((resolve) => resolve("later"))')).toBe('later')
    expect(await sandbox.result('for await (const x of (async function* () { yield 7 })()) return x')).toBe('7')
  })

  test('a settled result does not wait for pending work', async () => {
    expect(await sandbox.result('const more = () => Promise.resolve().then(more); more(); return "done"')).toBe('done')
  })

  test('a value without a JSON form is an error of the code', async () => {
    const circular = 'const a = []; a.push(a); return a'
    expect(await sandbox.outcome(circular)).toEqual(createFailedOutcome('TypeError: circular reference'))
    expect(await sandbox.outcome('return 10n')).toMatchObject({ reason: 'error', message: /BigInt/ })
  })

  test('up to 1 MiB, counted in bytes', async () => {
    expect(await sandbox.result('return "x".repeat(2 ** 20)')).toHaveLength(2 ** 20)
    const message = 'The result of the code exceeds the limit of 1 MiB.'
    const tooLarge = { ok: false, reason: 'too-large', message }
    expect(await sandbox.outcome('return "x".repeat(2 ** 20 + 1)')).toEqual(tooLarge)
    expect(await sandbox.outcome('return "é".repeat(2 ** 19 + 1)')).toEqual(tooLarge)
    expect(await sandbox.outcome('return Array.from({ length: 300_000 }, () => 1000)')).toEqual(tooLarge)
  })
})

describe('what code sees', () => {
  test('variables as dv and what was stored as metadata', async () => {
    const given = {
      variables: { name: 'Ann "the" Ünlü\u0000', __proto__x: '1', 'with space': '2' },
      metadata: { order: { id: 7, tags: ['a', null, true] } },
    }
    const code = 'return [dv.name, dv["with space"], dv.missing === undefined, metadata.order]'
    expect(JSON.parse(await sandbox.result(code, given))).toEqual([
      given.variables.name,
      '2',
      true,
      given.metadata.order,
    ])
  })

  test('variables named like JavaScript properties are data', async () => {
    const variables = JSON.parse('{"__proto__": "p", "constructor": "c", "toString": "t"}') as Record<string, string>
    const code = 'return [dv.__proto__, dv.constructor, `${dv.toString}`, {}.toString()]'
    expect(JSON.parse(await sandbox.result(code, { variables }))).toEqual(['p', 'c', 't', '[object Object]'])
  })

  test('a console without output', async () => {
    const code =
      'for (let i = 0; i < 10000; i++) console.log("x".repeat(100), i); console.error(1); return console.info()'
    expect(await sandbox.result(code)).toBe('')
  })

  test('the time, and the built-in parts of the language', async () => {
    const before = Date.now()
    const seen = Number(await sandbox.result('return Date.now()'))
    expect(seen).toBeGreaterThanOrEqual(before)
    expect(seen).toBeLessThanOrEqual(Date.now())
    const code = 'return [...new Map([[1, 2]])].concat([/(?<y>\\d+)/.exec("a12").groups.y], [..."ab"].toReversed())'
    expect(await sandbox.result(code)).toBe('[[1,2],"12","b","a"]')
  })

  test('nothing from an earlier run', async () => {
    await sandbox.result(
      'globalThis.kept = 1; Object.prototype.polluted = 2; Array.prototype.map = null; delete globalThis.Map; return 1',
    )
    const code = 'return [typeof kept, {}.polluted, typeof [].map, typeof Map]'
    expect(await sandbox.result(code)).toBe('["undefined",null,"function","function"]')
  })
})

describe('errors', () => {
  test.each([
    ['in the line where it happened', '\n\nnull.x', "TypeError: cannot read property 'x' of null (line 3)"],
    ['in the first line', 'dv.x()', 'TypeError: not a function (line 1)'],
    ['after a wait', 'await null\nthrow new RangeError("far")', 'RangeError: far (line 2)'],
    ['in a function of its own', 'function f() {\n  throw new Error("in f")\n}\nf()', 'Error: in f (line 2)'],
    ['of a class of its own', 'throw new (class extends Error { name = "Mine" })("hi")', 'Mine: hi (line 1)'],
    ['of the syntax', '\nreturn "abc', 'SyntaxError: unexpected end of string (line 2)'],
    ['of code that ends too early', 'if (1) {', "SyntaxError: unexpected token in expression: ')' (line 1)"],
    ['a text', 'throw "no stock"', 'The code threw: no stock'],
    ['an object without a message', 'throw { code: 7 }', 'The code threw: {"code":7}'],
    ['null', 'throw null', 'The code threw: null'],
    ['a rejection', 'await Promise.reject(new Error("late"))', 'Error: late (line 1)'],
  ])('%s', async (_name, code, message) => {
    expect(await sandbox.outcome(code)).toEqual(createFailedOutcome(message))
  })

  test('are cut and cleaned', async () => {
    const outcome = await sandbox.run('throw new Error("\\0\\ud800" + "x".repeat(1e6))')
    if (outcome.ok) throw new Error('It should have failed.')
    expect(outcome.message).toMatch(/^Error: \ufffd\ufffdx+ \(line 1\)$/)
    expect(outcome.message.length).toBeLessThan(1100)
  })

  test.each([
    ['getters that throw', 'throw { get message() { throw 1 }, get name() { throw 2 }, get stack() { throw 3 } }'],
    ['a proxy that throws', 'throw new Proxy(new Error("x"), { get() { throw 1 } })'],
    ['an empty text', 'throw ""'],
  ])('that cannot be described: %s', async (_name, code) => {
    const message = 'The code threw a value that cannot be described.'
    expect(await sandbox.outcome(code)).toEqual(createFailedOutcome(message))
  })

  test('whose parts are not texts, or pretend to be from elsewhere', async () => {
    expect(await sandbox.outcome('throw { name: 5, message: {}, stack: "code:999999" }')).toMatchObject({
      reason: 'error',
      message: '5: [object Object] (line 1)',
    })
  })
})

test('input that is too large or too deep to be handed over is refused', async () => {
  const tooLarge = { ok: false, reason: 'too-large' }
  expect(await sandbox.outcome('return 1', { variables: { a: 'x'.repeat(2 ** 21) } })).toMatchObject(tooLarge)
  let metadata = {}
  for (let depth = 0; depth < 20_000; depth += 1) metadata = { metadata }
  expect(await sandbox.outcome('return 1', { metadata })).toMatchObject(tooLarge)
  expect(await sandbox.result('return 1')).toBe('1')
})

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
      message: 'The code never finished: it waits for a promise that never settles.',
    })
    expect(outcome.durationMs).toBeLessThan(15_000)
  })
})

test('two endless loops do not block the main thread', async () => {
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

const MEMORY = { ok: false, reason: 'memory', message: 'The code exceeded its memory limit of 32 MiB.' }

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

  test('code may continue after catching the error', async () => {
    const code = 'let a = []; try { for (;;) a.push(new Uint8Array(1e6)) } catch { a = null } return "survived"'
    expect(await sandbox.result(code)).toBe('survived')
  })

  test('25 MiB can be used', async () => {
    expect(await sandbox.result('return new Uint8Array(25 * 2 ** 20).fill(1).at(-1)')).toBe('1')
  })
})

describe('depth', () => {
  const overflow = 'InternalError: stack overflow (line 1)'
  test.each([
    ['recursion', 'const f = () => f() + 1; return f()', overflow],
    ['nested JSON', 'return JSON.parse("[".repeat(1e5))', 'SyntaxError: stack overflow (line 1)'],
    ['nested code', 'return eval("(".repeat(1e5))', 'InternalError: stack overflow'],
    ['a result without end', 'const o = { toJSON: () => JSON.stringify(o) }; return o', overflow],
    ['a nested pattern', 'return RegExp("(?:".repeat(1e5) + ")".repeat(1e5))', 'SyntaxError: stack overflow (line 1)'],
    ['recursion in toString', 'const o = { toString: () => `${o}` }; return `${o}`', overflow],
  ])('%s', async (_name, code, message) => {
    expect(await sandbox.outcome(code)).toEqual(createFailedOutcome(message))
  })
})

test('memory is freed after repeated memory bombs', async () => {
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

/** Short, since the code never ends. */
const SOON = { timeoutMs: 150 }

describe('what is not there', () => {
  test('nothing of the process or the network', async () => {
    const names = [
      'process require module exports Buffer global fetch WebSocket XMLHttpRequest setTimeout setInterval setImmediate',
      'queueMicrotask structuredClone navigator window self document WebAssembly Deno Bun std os scriptArgs print args',
      'Worker MessageChannel parentPort workerData __dirname __filename import_meta performance crypto Intl',
    ].flatMap((line) => line.split(' '))
    const code = `return ${JSON.stringify(names)}.filter((name) => name in globalThis || eval('typeof ' + name) !== 'undefined')`
    expect(await sandbox.result(code)).toBe('[]')
  })

  test('the global object holds the language and the console', async () => {
    const names = JSON.parse(await sandbox.result('return Object.getOwnPropertyNames(globalThis)')) as string[]
    const ours = new Set(Object.getOwnPropertyNames(globalThis))
    // What this interpreter has of its own is the language's as well.
    const others = names.filter((name) => !ours.has(name))
    expect(others.toSorted()).toEqual(['InternalError'])
    expect(names.filter((name) => /^[a-z]/.test(name)).toSorted()).toEqual(
      [
        ...['console', 'decodeURI', 'decodeURIComponent', 'encodeURI', 'encodeURIComponent', 'escape', 'eval'],
        ...['globalThis', 'isFinite', 'isNaN', 'parseFloat', 'parseInt', 'undefined', 'unescape'],
      ].toSorted(),
    )
  })

  test.each([
    ['import()', 'return Object.keys(await import("node:fs"))', "ReferenceError: could not load module 'node:fs'"],
    ['import', 'import fs from "node:fs"\nreturn 1', /^SyntaxError/],
    ['import.meta', 'return import.meta.url', /^SyntaxError/],
    ['Function', 'return Function("return process")()', "ReferenceError: 'process' is not defined (line 1)"],
    [
      'the constructor of the constructor of this',
      'return this.constructor.constructor("return process")().exit(1)',
      "ReferenceError: 'process' is not defined (line 1)",
    ],
    [
      'the constructor of async functions',
      'return await (async () => {}).constructor("return require(\'fs\')")()',
      /^ReferenceError: '?require'? is not defined/,
    ],
    ['eval', 'return (0, eval)("process.env")', /^ReferenceError: 'process' is not defined/],
    ['the caller', 'return (function f() { return f.caller })() ?? missing', /^(TypeError|ReferenceError)/],
  ])('through %s', async (_name, code, message) => {
    const outcome = await sandbox.outcome(code)
    expect(outcome).toMatchObject({
      ok: false,
      reason: 'error',
      message: typeof message === 'string' ? message : expect.stringMatching(message),
    })
  })

  test('dynamically created code works', async () => {
    expect(await sandbox.result('return eval("1 + 1") + new Function("a", "return a * 2")(4)')).toBe('10')
    expect(await sandbox.result('return Function("return this")() === globalThis')).toBe('true')
  })

  test('code cannot break out of its wrapping function', async () => {
    expect(await sandbox.result('return typeof read })(), (async function () { return typeof render')).toBe('undefined')
  })
})

describe('tricks with what the sandbox itself uses', () => {
  test('prototypes inside are separate from those outside', async () => {
    await sandbox.result('Object.prototype.polluted = 1; ({}).__proto__.alsoPolluted = 1; return { a: 1 }')
    await sandbox.result(
      'return JSON.parse(\'{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"p": 1}}}\')',
    )
    expect('polluted' in {}).toBe(false)
    expect('alsoPolluted' in {}).toBe(false)
    expect('p' in {}).toBe(false)
  })

  test.each([
    ['toJSON for everything', 'Object.prototype.toJSON = () => "own"; return { a: 1 }', '"own"'],
    ['another JSON', 'JSON.stringify = () => ({ length: -1 }); globalThis.JSON = null; return { a: 1 }', '{"a":1}'],
    ['other texts', 'String.prototype.split = null; Array.prototype.join = () => 5; return "a"', 'a'],
    ['promises that never call back', 'Promise.prototype.then = () => {}; return 3', '3'],
    ['no promises at all', 'globalThis.Promise = undefined; await 1; return 4', '4'],
    ['a thenable', 'return { then(resolve) { resolve(5) } }', '5'],
    [
      'other functions',
      'Function.prototype.call = () => 9; Function.prototype.bind = null; return { b: 2 }',
      '{"b":2}',
    ],
    ['a frozen world', 'for (const x of [Object, Array, JSON]) Object.freeze(x.prototype ?? x); return [1]', '[1]'],
  ])('%s', async (_name, code, resultText) => {
    expect(await sandbox.outcome(code)).toEqual({ ok: true, resultText })
  })

  test('errors with changed prototypes are still described', async () => {
    const code = 'Object.prototype.toJSON = () => 5; Array.prototype.toJSON = () => 6; JSON.stringify = null; null.x'
    expect(await sandbox.outcome(code)).toMatchObject({
      message: "TypeError: cannot read property 'x' of null (line 1)",
    })
  })

  test('an error that claims to be a memory error counts as one', async () => {
    const code = 'const e = new Error("out of memory"); e.name = "InternalError"; throw e'
    expect(await sandbox.outcome(code)).toMatchObject({ ok: false, reason: 'memory' })
    expect(await sandbox.result('return 1')).toBe('1')
  })

  test('a result that throws while it is read', async () => {
    const code = 'return { get a() { throw new Error("no") } }'
    expect(await sandbox.outcome(code)).toEqual({ ok: false, reason: 'error', message: 'Error: no (line 1)' })
    const proxy = 'return new Proxy({}, { ownKeys() { throw new TypeError("hidden") } })'
    expect(await sandbox.outcome(proxy)).toMatchObject({ reason: 'error', message: 'TypeError: hidden (line 1)' })
  })

  test.each([
    ['a getter of a result', 'return { get a() { for (;;); } }'],
    ['toJSON of a result', 'return { toJSON() { for (;;); } }'],
    ['a proxy as a result', 'return new Proxy([], { get() { for (;;); } })'],
    ['the message of an error', 'throw { get message() { for (;;); } }'],
    ['the text of a thrown value', 'throw { name: "x", message: { toString() { for (;;); } } }'],
  ])('that never ends in %s', async (_name, code) => {
    expect(await sandbox.outcome(code, SOON)).toMatchObject({ ok: false, reason: 'timeout' })
  })
})
