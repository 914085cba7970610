import { afterAll, describe, expect, test } from 'vitest'
import { openCodeRunner } from './code-test-kit.ts'

const sandbox = openCodeRunner()
afterAll(() => sandbox.codeRunners.close())

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

  test('a settled result does not wait for what else goes on', async () => {
    expect(await sandbox.result('const more = () => Promise.resolve().then(more); more(); return "done"')).toBe('done')
  })

  test('a value that JSON cannot say is an error of the code', async () => {
    expect(await sandbox.outcome('const a = []; a.push(a); return a')).toEqual({
      ok: false,
      reason: 'error',
      message: 'TypeError: circular reference',
    })
    expect(await sandbox.outcome('return 10n')).toMatchObject({ reason: 'error', message: /BigInt/ })
  })

  test('up to 1 MiB, counted in bytes', async () => {
    expect(await sandbox.result('return "x".repeat(2 ** 20)')).toHaveLength(2 ** 20)
    const tooLarge = {
      ok: false,
      reason: 'too-large',
      message: 'The result of the code is larger than the 1 MiB that it may be.',
    }
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

  test('variables whose names mean something to JavaScript are data', async () => {
    const variables = JSON.parse('{"__proto__": "p", "constructor": "c", "toString": "t"}') as Record<string, string>
    const code = 'return [dv.__proto__, dv.constructor, `${dv.toString}`, {}.toString()]'
    expect(JSON.parse(await sandbox.result(code, { variables }))).toEqual(['p', 'c', 't', '[object Object]'])
  })

  test('a console that keeps nothing', async () => {
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

  test('nothing that an earlier run left', async () => {
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
    expect(await sandbox.outcome(code)).toEqual({ ok: false, reason: 'error', message })
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
    const message = 'The code threw something that cannot be described.'
    expect(await sandbox.outcome(code)).toEqual({ ok: false, reason: 'error', message })
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
