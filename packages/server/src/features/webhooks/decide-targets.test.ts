import { expect, test } from 'vitest'
import { decideAudience, decideOutcome, decideTargets, evaluateAnswer } from './decide-targets.ts'
import type { WebhookAnswer } from './webhook-ports.ts'

const ENDPOINTS = { url: null, events: [], timeoutMs: 10_000 }
const own = (url: string, timeoutMs = 5_000) => ({ url, events: ['chat_ended' as const], timeoutMs })

test.each([
  ['nobody in particular: the endpoints', [], { addresses: [], endpoints: true }],
  ['an agent without an address: the endpoints', [ENDPOINTS], { addresses: [], endpoints: true }],
  [
    'an agent with an address: only there',
    [own('https://a.test')],
    { addresses: [{ url: 'https://a.test', timeoutMs: 5_000 }], endpoints: false },
  ],
  [
    'an address that is not told of this event: nobody, not the endpoints either',
    [{ ...own('https://a.test'), events: ['chat_started' as const] }],
    { addresses: [], endpoints: false },
  ],
  [
    'two agents with one address: once, with the longer patience',
    [own('https://a.test', 2_000), own('https://a.test', 9_000)],
    { addresses: [{ url: 'https://a.test', timeoutMs: 9_000 }], endpoints: false },
  ],
  [
    'one with and one without: both',
    [own('https://a.test'), ENDPOINTS],
    { addresses: [{ url: 'https://a.test', timeoutMs: 5_000 }], endpoints: true },
  ],
])('%s', (_case, agents, audience) => {
  expect(decideAudience({ event: 'chat_ended', agents })).toEqual(audience)
})

test('a URL that is also an endpoint gets one delivery', () => {
  const addresses = [
    { url: 'https://a.test', timeoutMs: 1 },
    { url: 'https://b.test', timeoutMs: 2 },
  ]
  const targets = decideTargets(1, { addresses }, [{ webhookId: 'webhook_1', url: 'https://a.test' }])
  expect(targets).toEqual([
    { target: 'webhook_1', webhookId: 'webhook_1', url: 'https://a.test', timeoutMs: 10_000 },
    { target: expect.stringMatching(/^address_/), webhookId: null, url: 'https://b.test', timeoutMs: 2 },
  ])
})

test('the same URL is a different target in another workspace', () => {
  const addresses = [{ url: `https://a.test/${'x'.repeat(4_000)}`, timeoutMs: 1 }]
  const targetIn = (workspaceId: number) => decideTargets(workspaceId, { addresses }, [])[0]?.target
  expect(targetIn(1)).toBe(targetIn(1))
  expect(targetIn(1)).not.toBe(targetIn(2))
  expect(targetIn(1)?.length).toBeLessThan(100)
})

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
])('keeps the start of a response: %s', (_case, body, expected) => {
  expect(evaluateAnswer(answered(200, body)).responseBody).toBe(expected)
  expect(evaluateAnswer(answered(500, body)).responseBody).toBe(expected)
})

test('makes six attempts with growing pauses; after the third failure later deliveries no longer wait', () => {
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
