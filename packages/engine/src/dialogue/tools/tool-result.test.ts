import { expect, test } from 'vitest'
import { readResponseVariables } from './response-variables.ts'
import { describeOutcome, truncateContent } from './tool-result.ts'

test('truncates a result of 2 MB for the model and keeps the whole one', () => {
  const bodyText = '😀'.repeat(500_000)
  const result = describeOutcome({ ok: true, status: 200, bodyText, durationMs: 3 }, {})
  expect(result.fullContent).toBe(bodyText)
  expect(result.content.length).toBeLessThanOrEqual(15_000)
  expect(result.content).toMatch(/\[cut: the result has 1000000 characters\]$/)
  expect(result.content.isWellFormed()).toBe(true)
})

test('keeps short text and HTML and describes empty bodies', () => {
  expect(truncateContent('x'.repeat(15_000))).toHaveLength(15_000)
  const html = '<html><script>alert(1)</script></html>'
  expect(describeOutcome({ ok: true, status: 200, bodyText: html, durationMs: 1 }, {}).content).toBe(html)
  expect(describeOutcome({ ok: true, status: 204, bodyText: '', durationMs: 1 }, {}).content).toBe(
    'Status 204, no content.',
  )
})

test('describes failures', () => {
  const outcome = {
    ok: false,
    reason: 'timeout',
    status: null,
    message: 'No answer in 2 s.',
    durationMs: 2_000,
  } as const
  expect(describeOutcome(outcome, {})).toMatchObject({
    ok: false,
    content: 'The tool failed (timeout): No answer in 2 s.',
  })
})

test('converts variables to strings; null clears, missing values and non-JSON change nothing', () => {
  const body = JSON.stringify({
    a: { b: [{ c: 'deep' }] },
    n: 5,
    t: true,
    o: { x: 1 },
    nil: null,
    long: 'y'.repeat(20_000),
  })
  const paths = {
    c: '$.a.b[0].c',
    n: 'n',
    t: 't',
    o: '$.o',
    nil: 'nil',
    gone: '$.gone',
    broken: '$..x',
    __proto__x: 'n',
    long: 'long',
  }
  const variables = readResponseVariables(body, paths)
  expect(variables).toEqual({
    c: 'deep',
    n: '5',
    t: 'true',
    o: '{"x":1}',
    nil: null,
    __proto__x: '5',
    long: 'y'.repeat(15_000),
  })
  expect(readResponseVariables('<html>', paths)).toEqual({})
  expect(readResponseVariables(body, undefined)).toEqual({})
})
