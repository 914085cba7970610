import { afterAll, describe, expect, test } from 'vitest'
import { openCodeRunner } from './code-test-kit.ts'

const sandbox = openCodeRunner()
afterAll(() => sandbox.codeRunners.close())

/** Short, since the code never ends by itself. */
const SOON = { timeoutMs: 150 }

describe('what is not there', () => {
  test('nothing of the process or of a network', async () => {
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

  test('code of its own inside works', async () => {
    expect(await sandbox.result('return eval("1 + 1") + new Function("a", "return a * 2")(4)')).toBe('10')
    expect(await sandbox.result('return Function("return this")() === globalThis')).toBe('true')
  })

  test('leaving the function that it is the body of leads nowhere', async () => {
    expect(await sandbox.result('return typeof read })(), (async function () { return typeof render')).toBe('undefined')
  })
})

describe('tricks with what the sandbox itself uses', () => {
  test('prototypes of the inside are not those of the outside', async () => {
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

  test('an error that pretends to be one of memory is only taken at its word', async () => {
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
