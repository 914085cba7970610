import { afterAll, describe, expect, test } from 'vitest'
import { openCodeRunner } from './code-test-kit.ts'

const sandbox = openCodeRunner()
afterAll(() => sandbox.codeRunners.close())

/** A short timeout, because the code never ends. */
const SHORT_TIMEOUT = { timeoutMs: 150 }

describe('unavailable globals', () => {
  test('provides nothing of the process or the network', async () => {
    const names = [
      'process require module exports Buffer global fetch WebSocket XMLHttpRequest setTimeout setInterval setImmediate',
      'queueMicrotask structuredClone navigator window self document WebAssembly Deno Bun std os scriptArgs print args',
      'Worker MessageChannel parentPort workerData __dirname __filename import_meta performance crypto Intl',
    ].flatMap((line) => line.split(' '))
    const code = `return ${JSON.stringify(names)}.filter((name) => name in globalThis || eval('typeof ' + name) !== 'undefined')`
    expect(await sandbox.getResult(code)).toBe('[]')
  })

  test('provides only the language and the console as globals', async () => {
    const names = JSON.parse(await sandbox.getResult('return Object.getOwnPropertyNames(globalThis)')) as string[]
    const hostNames = new Set(Object.getOwnPropertyNames(globalThis))
    // `InternalError` is the only global that this interpreter adds.
    const interpreterNames = names.filter((name) => !hostNames.has(name))
    expect(interpreterNames.toSorted()).toEqual(['InternalError'])
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
    const outcome = await sandbox.getOutcome(code)
    expect(outcome).toMatchObject({
      ok: false,
      reason: 'error',
      message: typeof message === 'string' ? message : expect.stringMatching(message),
    })
  })

  test('supports dynamically created code', async () => {
    expect(await sandbox.getResult('return eval("1 + 1") + new Function("a", "return a * 2")(4)')).toBe('10')
    expect(await sandbox.getResult('return Function("return this")() === globalThis')).toBe('true')
  })

  test('does not let code break out of its wrapper function', async () => {
    expect(await sandbox.getResult('return typeof read })(), (async function () { return typeof render')).toBe(
      'undefined',
    )
  })
})

describe('tampering with built-ins', () => {
  test('isolates prototypes from the host', async () => {
    await sandbox.getResult('Object.prototype.polluted = 1; ({}).__proto__.alsoPolluted = 1; return { a: 1 }')
    await sandbox.getResult(
      'return JSON.parse(\'{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"p": 1}}}\')',
    )
    expect('polluted' in {}).toBe(false)
    expect('alsoPolluted' in {}).toBe(false)
    expect('p' in {}).toBe(false)
  })

  test.each([
    ['a toJSON method on every object', 'Object.prototype.toJSON = () => "own"; return { a: 1 }', '"own"'],
    [
      'a replaced JSON object',
      'JSON.stringify = () => ({ length: -1 }); globalThis.JSON = null; return { a: 1 }',
      '{"a":1}',
    ],
    [
      'changed string and array methods',
      'String.prototype.split = null; Array.prototype.join = () => 5; return "a"',
      'a',
    ],
    ['a then method that never calls back', 'Promise.prototype.then = () => {}; return 3', '3'],
    ['a missing Promise constructor', 'globalThis.Promise = undefined; await 1; return 4', '4'],
    ['a thenable', 'return { then(resolve) { resolve(5) } }', '5'],
    [
      'changed function methods',
      'Function.prototype.call = () => 9; Function.prototype.bind = null; return { b: 2 }',
      '{"b":2}',
    ],
    ['frozen built-ins', 'for (const x of [Object, Array, JSON]) Object.freeze(x.prototype ?? x); return [1]', '[1]'],
  ])('%s', async (_name, code, resultText) => {
    expect(await sandbox.getOutcome(code)).toEqual({ ok: true, resultText })
  })

  test('describes errors despite changed prototypes', async () => {
    const code = 'Object.prototype.toJSON = () => 5; Array.prototype.toJSON = () => 6; JSON.stringify = null; null.x'
    expect(await sandbox.getOutcome(code)).toMatchObject({
      message: "TypeError: cannot read property 'x' of null (line 1)",
    })
  })

  test('treats a forged out-of-memory error as a memory error', async () => {
    const code = 'const e = new Error("out of memory"); e.name = "InternalError"; throw e'
    expect(await sandbox.getOutcome(code)).toMatchObject({ ok: false, reason: 'memory' })
    expect(await sandbox.getResult('return 1')).toBe('1')
  })

  test('reports an error thrown while the result is read', async () => {
    const code = 'return { get a() { throw new Error("no") } }'
    expect(await sandbox.getOutcome(code)).toEqual({ ok: false, reason: 'error', message: 'Error: no (line 1)' })
    const proxy = 'return new Proxy({}, { ownKeys() { throw new TypeError("hidden") } })'
    expect(await sandbox.getOutcome(proxy)).toMatchObject({ reason: 'error', message: 'TypeError: hidden (line 1)' })
  })

  test.each([
    ['getter of a result', 'return { get a() { for (;;); } }'],
    ['toJSON of a result', 'return { toJSON() { for (;;); } }'],
    ['proxy as a result', 'return new Proxy([], { get() { for (;;); } })'],
    ['message getter of an error', 'throw { get message() { for (;;); } }'],
    ['toString of a thrown value', 'throw { name: "x", message: { toString() { for (;;); } } }'],
  ])('stops an endless %s', async (_name, code) => {
    expect(await sandbox.getOutcome(code, SHORT_TIMEOUT)).toMatchObject({ ok: false, reason: 'timeout' })
  })
})
