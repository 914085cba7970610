import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { buildSignatureHeader, verifySignature } from './signature.ts'

const nowMs = 1_700_000_000_000
const rawBody = '{"name":"Zoë"}'

describe('buildSignatureHeader', () => {
  test('is the HMAC-SHA256 of the raw body followed by the milliseconds', () => {
    const expected = createHmac('sha256', 'whsec_a').update(`${rawBody}${nowMs}`).digest('hex')
    expect(buildSignatureHeader(['whsec_a'], rawBody, nowMs)).toBe(`v=${nowMs},d=${expected}`)
  })

  test('is equal for bytes and text, with one digest per secret', () => {
    const header = buildSignatureHeader(['whsec_a', 'whsec_b'], Buffer.from(rawBody), nowMs)
    expect(header).toBe(buildSignatureHeader(['whsec_a', 'whsec_b'], rawBody, nowMs))
    expect(header).toMatch(/^v=\d+,d=[0-9a-f]{64},d=[0-9a-f]{64}$/)
  })
})

describe('verifySignature', () => {
  const header = buildSignatureHeader(['whsec_old', 'whsec_new'], rawBody, nowMs)

  test.each([['whsec_old'], ['whsec_new']])('accepts a header signed with %s among others', (secret) => {
    expect(verifySignature(header, { secrets: [secret], rawBody, nowMs })).toBe(true)
  })

  test.each([
    ['another secret', header, 'whsec_other', rawBody],
    ['one byte more', header, 'whsec_new', `${rawBody} `],
    ['another time', header.replace(String(nowMs), String(nowMs + 1)), 'whsec_new', rawBody],
    ['a shortened digest', header.slice(0, -2), 'whsec_new', rawBody],
    ['no digest', `v=${nowMs}`, 'whsec_new', rawBody],
    ['an empty header', '', 'whsec_new', rawBody],
    ['a non-numeric time', header.replace(/v=\d+/, 'v=x'), 'whsec_new', rawBody],
  ])('rejects %s', (_case, candidateHeader, secret, body) => {
    expect(verifySignature(candidateHeader, { secrets: [secret], rawBody: body, nowMs })).toBe(false)
  })

  test('rejects everything without a secret', () => {
    expect(verifySignature(header, { secrets: [], rawBody, nowMs })).toBe(false)
  })

  test.each([
    [300_000, true],
    [-300_000, true],
    [300_001, false],
    [-300_001, false],
  ])('returns %s at a distance of %i ms', (offsetMs, expected) => {
    expect(verifySignature(header, { secrets: ['whsec_new'], rawBody, nowMs: nowMs + offsetMs })).toBe(expected)
  })

  test('accepts another tolerance', () => {
    const check = { secrets: ['whsec_new'], rawBody, nowMs: nowMs + 2000, toleranceMs: 1000 }
    expect(verifySignature(header, check)).toBe(false)
  })
})
