import { expect, test } from 'vitest'
import { decideAudience, decideOutcome, decideTargets, evaluateResponse } from './decide-targets.ts'
import type { WebhookResponse } from './webhook-ports.ts'

const ENDPOINTS = { url: null, events: [], timeoutMs: 10_000 }
const own = (url: string, timeoutMs = 5_000) => ({ url, events: ['chat_ended' as const], timeoutMs })

test.each([
  ['no agents: the endpoints', [], { addresses: [], endpoints: true }],
  ['an agent without a URL: the endpoints', [ENDPOINTS], { addresses: [], endpoints: true }],
  [
    'an agent with a URL: only that URL',
    [own('https://a.test')],
    { addresses: [{ url: 'https://a.test', timeoutMs: 5_000 }], endpoints: false },
  ],
  [
    'a URL without this event: no receiver, not even the endpoints',
    [{ ...own('https://a.test'), events: ['chat_started' as const] }],
    { addresses: [], endpoints: false },
  ],
  [
    'two agents with the same URL: once, with the longer timeout',
    [own('https://a.test', 2_000), own('https://a.test', 9_000)],
    { addresses: [{ url: 'https://a.test', timeoutMs: 9_000 }], endpoints: false },
  ],
  [
    'one agent with a URL and one without: both',
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

const answered = (status: number, body = ''): WebhookResponse => ({ ok: true, status, body: Buffer.from(body) })
const failed = (reason: string, status: number | null = null): WebhookResponse => ({
  ok: false,
  reason,
  message: `It was ${reason}.`,
  status,
})

test.each([
  ['any 2xx is success', answered(204), { isDelivered: true, error: null, status: 204 }],
  [
    'a 2xx with a body that is too large is success',
    failed('too-large', 200),
    { isDelivered: true, error: null, status: 200 },
  ],
  ['a 2xx that breaks off is success', failed('network', 201), { isDelivered: true, error: null, status: 201 }],
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
    'an error with a body that is too large',
    failed('too-large', 500),
    { isDelivered: false, error: expect.stringContaining('status 500') },
  ],
  [
    'status 410',
    answered(410),
    { isDelivered: false, isPermanentFailure: true, error: expect.stringContaining('410') },
  ],
  [
    'status 410 with a body that is too large',
    failed('too-large', 410),
    { isDelivered: false, isPermanentFailure: true },
  ],
  [
    'no answer',
    failed('timeout'),
    { isDelivered: false, isPermanentFailure: false, status: null, error: 'It was timeout.' },
  ],
  ['a refused address', failed('blocked-target'), { isDelivered: false, isPermanentFailure: true }],
  ['an invalid URL', failed('invalid-request'), { isDelivered: false, isPermanentFailure: true }],
])('%s', (_case, answer, result) => {
  expect(evaluateResponse(answer)).toMatchObject(result)
})

test.each([
  ['short', 'thanks', 'thanks'],
  ['long', 'x'.repeat(5_000), 'x'.repeat(1_000)],
  ['cut within a character', `${'x'.repeat(999)}😀`, `${'x'.repeat(999)}\ufffd`],
  ['with a NUL character', 'a\0b', 'ab'],
])('keeps the start of a response: %s', (_case, body, expected) => {
  expect(evaluateResponse(answered(200, body)).responseBody).toBe(expected)
  expect(evaluateResponse(answered(500, body)).responseBody).toBe(expected)
})

test('makes six attempts with growing pauses; after the third failure later deliveries no longer wait', () => {
  const result = evaluateResponse(answered(500))
  expect([1, 2, 3, 4, 5, 6].map((tries) => decideOutcome(result, tries))).toEqual([
    { kind: 'retry', afterMs: 10_000, isBlocking: true },
    { kind: 'retry', afterMs: 60_000, isBlocking: true },
    { kind: 'retry', afterMs: 300_000, isBlocking: false },
    { kind: 'retry', afterMs: 1_800_000, isBlocking: false },
    { kind: 'retry', afterMs: 7_200_000, isBlocking: false },
    { kind: 'failed' },
  ])
  expect(decideOutcome(evaluateResponse(answered(410)), 1)).toEqual({ kind: 'failed' })
  expect(decideOutcome(evaluateResponse(answered(200)), 6)).toEqual({ kind: 'delivered' })
})
