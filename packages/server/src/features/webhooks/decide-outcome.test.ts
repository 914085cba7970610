import { expect, test } from 'vitest'
import { decideOutcome, evaluateAnswer } from './decide-outcome.ts'
import type { WebhookAnswer } from './webhook-ports.ts'

const answered = (status: number, body = ''): WebhookAnswer => ({ ok: true, status, body: Buffer.from(body) })
const failed = (reason: string, status: number | null = null): WebhookAnswer => ({
  ok: false,
  reason,
  message: `It was ${reason}.`,
  status,
})

test.each([
  ['any 2xx is success', answered(204), { isDelivered: true, error: null, status: 204 }],
  ['so is one whose body is too large', failed('too-large', 200), { isDelivered: true, error: null, status: 200 }],
  ['or breaks off', failed('network', 201), { isDelivered: true, error: null, status: 201 }],
  [
    'a redirect is not followed',
    answered(302, 'Moved'),
    { isDelivered: false, isPermanentFailure: false, error: expect.stringContaining('redirect (status 302)') },
  ],
  [
    'an error',
    answered(500),
    { isDelivered: false, isPermanentFailure: false, error: expect.stringContaining('status 500') },
  ],
  [
    'too large an error',
    failed('too-large', 500),
    { isDelivered: false, error: expect.stringContaining('status 500') },
  ],
  [
    'gone for good',
    answered(410),
    { isDelivered: false, isPermanentFailure: true, error: expect.stringContaining('410') },
  ],
  ['gone, at length', failed('too-large', 410), { isDelivered: false, isPermanentFailure: true }],
  [
    'no answer',
    failed('timeout'),
    { isDelivered: false, isPermanentFailure: false, status: null, error: 'It was timeout.' },
  ],
  ['a refused address', failed('blocked-target'), { isDelivered: false, isPermanentFailure: true }],
  ['what is no address', failed('invalid-request'), { isDelivered: false, isPermanentFailure: true }],
])('%s', (_case, answer, result) => {
  expect(evaluateAnswer(answer)).toMatchObject(result)
})

test.each([
  ['short', 'thanks', 'thanks'],
  ['long', 'x'.repeat(5_000), 'x'.repeat(1_000)],
  ['cut within a character', `${'x'.repeat(999)}😀`, `${'x'.repeat(999)}\ufffd`],
  ['with a zero', 'a\0b', 'ab'],
])('the beginning of an answer is kept: %s', (_case, body, expected) => {
  expect(evaluateAnswer(answered(200, body)).responseBody).toBe(expected)
  expect(evaluateAnswer(answered(500, body)).responseBody).toBe(expected)
})

test('six attempts with growing pauses; from the third failure on nothing waits behind it', () => {
  const result = evaluateAnswer(answered(500))
  expect([1, 2, 3, 4, 5, 6].map((tries) => decideOutcome(result, tries))).toEqual([
    { kind: 'retry', afterMs: 10_000, isBlocking: true },
    { kind: 'retry', afterMs: 60_000, isBlocking: true },
    { kind: 'retry', afterMs: 300_000, isBlocking: false },
    { kind: 'retry', afterMs: 1_800_000, isBlocking: false },
    { kind: 'retry', afterMs: 7_200_000, isBlocking: false },
    { kind: 'failed' },
  ])
  expect(decideOutcome(evaluateAnswer(answered(410)), 1)).toEqual({ kind: 'failed' })
  expect(decideOutcome(evaluateAnswer(answered(200)), 6)).toEqual({ kind: 'delivered' })
})
