import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sanitizeVendorText } from './wire-failure.ts'

const CASES: readonly (readonly [string, string])[] = [
  ["Unsupported parameter: 'max_tokens' is not supported.", "Unsupported parameter: 'max_tokens' is not supported."],
  ["The model's context is 1048576 tokens, not 2000000.", "The model's context is 1048576 tokens, not 2000000."],
  ['Incorrect API key provided: sk-proj-AbC***xyz.', 'Incorrect API key provided: [key]'],
  ['Rate limit for org-A1b2C3d4E5 on tokens', 'Rate limit for [account] on tokens'],
  ['Bearer abc.def.ghi is wrong', '[key] is wrong'],
  ["input_value='call Ann on +44 20 7946 0958'", "input_value='…'"],
  ['call +44 20 7946 0958 or ann@example.org', 'call [number] or [e-mail]'],
  ['line one\r\nline\ttwo\u0000', 'line one line two'],
  ['<!DOCTYPE html><p>Oops</p>', ''],
]

test.each(CASES)('sanitizes %j to %j', (text, expected) => {
  expect(sanitizeVendorText(text, undefined)).toBe(expected)
})

test('shortens any text to one line without the key', () => {
  const key = fc.string({ minLength: 12, maxLength: 40 })
  fc.assert(
    fc.property(key, fc.array(fc.string({ unit: 'binary' })), (secret, parts) => {
      const clean = sanitizeVendorText(parts.join(secret), secret)
      expect(clean.length).toBeLessThanOrEqual(240)
      expect(clean).not.toMatch(/[\r\n]/)
    }),
  )
})

test('handles hostile text quickly', () => {
  for (const token of ['"', "'", '`', '1 ', 'a@', 'sk-', '-1', 'Bearer ']) {
    expect(sanitizeVendorText(token.repeat(1_000_000), undefined).length).toBeLessThanOrEqual(240)
  }
})
