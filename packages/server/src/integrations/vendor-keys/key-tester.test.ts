import { describe, expect, test } from 'vitest'
import type { OutboundOutcome, OutboundRequest } from '../../platform/outbound/outbound-request.ts'
import { createTestClock, TEST_KEY } from '../models/model-test-kit.ts'
import { createKeyTester } from './key-tester.ts'

const KEY = { apiKey: TEST_KEY, baseUrl: null, isStored: true, isShared: false }

function setUp(reply: { readonly status: number; readonly body: unknown } | Extract<OutboundOutcome, { ok: false }>) {
  const requests: (OutboundRequest & { readonly isGuarded: boolean })[] = []
  const createSender =
    (isGuarded: boolean) =>
    async (request: OutboundRequest): Promise<OutboundOutcome> => {
      requests.push({ ...request, isGuarded })
      if ('ok' in reply) return reply
      return {
        ok: true,
        status: reply.status,
        headers: {},
        body: Buffer.from(JSON.stringify(reply.body)),
      } as OutboundOutcome
    }
  const network = { sendDirect: createSender(false), sendGuarded: createSender(true) }
  return { requests, tester: createKeyTester({ ...network, clock: createTestClock(), version: '1.0.0' }) }
}

const CARTESIA_HEADERS = { authorization: `Bearer ${TEST_KEY}`, 'cartesia-version': '2026-08-14' }

describe('key test', () => {
  test.each([
    ['openai', 'https://api.openai.com/v1/models', { authorization: `Bearer ${TEST_KEY}` }],
    ['anthropic', 'https://api.anthropic.com/v1/models?limit=1', { 'x-api-key': TEST_KEY }],
    ['deepgram', 'https://api.deepgram.com/v1/projects', { authorization: `Token ${TEST_KEY}` }],
    ['elevenlabs', 'https://api.elevenlabs.io/v1/user', { 'xi-api-key': TEST_KEY }],
    ['cartesia', 'https://api.cartesia.ai/voices?limit=1', CARTESIA_HEADERS],
  ] as const)('asks %s once, without a guard', async (vendor, url, headers) => {
    const { tester, requests } = setUp({ status: 200, body: {} })
    expect(await tester.test(vendor, KEY)).toMatchObject({ ok: true })
    expect(requests).toMatchObject([{ url, method: 'GET', headers, isGuarded: false }])
  })

  test('sends a customer address through the guard', async () => {
    const { tester, requests } = setUp({ status: 200, body: {} })
    await tester.test('openai', { ...KEY, baseUrl: 'https://models.example.com/v1' })
    expect(requests).toMatchObject([{ url: 'https://models.example.com/v1/models', isGuarded: true }])
  })

  test('returns the reason without the key', async () => {
    const error = { message: `Incorrect API key provided: ${TEST_KEY}` }
    const { tester } = setUp({ status: 401, body: { error } })
    const { ok, message } = await tester.test('openai', KEY)
    expect(ok).toBe(false)
    expect(message).toMatch(/^OpenAI refused the key \(status 401\): Incorrect API key/)
    expect(message).not.toContain(TEST_KEY)
  })

  test('accepts a restricted key of ElevenLabs', async () => {
    const detail = { status: 'missing_permissions', message: 'The API key misses the permission user_read.' }
    const { tester } = setUp({ status: 401, body: { detail } })
    expect(await tester.test('elevenlabs', KEY)).toMatchObject({ ok: true })
  })

  test('returns a sentence for an address that is not public', async () => {
    const { tester } = setUp({
      ok: false,
      reason: 'blocked-target',
      message: 'The address is not public.',
      status: null,
    })
    expect(await tester.test('deepgram', { ...KEY, baseUrl: 'http://10.0.0.1' })).toEqual({
      ok: false,
      message: 'The key for Deepgram or its address cannot be used. The address is not public.',
    })
  })
})
