import { expect, test } from 'vitest'
import { decideAudience, decideTargets } from './decide-targets.ts'

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
