import { VOICE_PROVIDERS } from '@parley/contract/voice'
import { describe, expect, test } from 'vitest'
import { createSteppedClock } from '../../../../../testing/tool-server/stepped-clock.ts'
import type { ToolReply } from '../../../../../testing/tool-server/tool-reply.ts'
import { VOICE_KEY } from '../../../../../testing/voice-server/voice-server.ts'
import type { VoiceOutcome } from '../../features/voices/voice-ports.ts'
import type { OutboundOutcome } from '../../platform/outbound/outbound-request.ts'
import { createVoiceDirectories } from './voice-directories.ts'
import { setUpVoices, type VoiceSetup } from './voice-test-kit.ts'

const NORA = { providerVoiceId: 'Nora7calmBritish0001', publicUserId: 'owner0001', name: 'Desk' }
const MARA = { providerVoiceId: 'Mara5liveGerman00003', publicUserId: 'owner0001', name: 'Guide' }

describe('elevenlabs', () => {
  test('search returns shared voices with their owners', async () => {
    await using setup = await setUpVoices()
    const noResults = await setup.directories.elevenlabs.search(setup.key, 'warm&page_size=1')
    expect(noResults).toEqual({ ok: true, value: [] })
    const searchResult = await setup.directories.elevenlabs.search(setup.key, 'British')
    expect(searchResult).toEqual({
      ok: true,
      value: [
        {
          providerVoiceId: 'Nora7calmBritish0001',
          name: 'Nora',
          description: 'Calm British narrator.',
          publicUserId: 'owner0001',
        },
        {
          providerVoiceId: 'Theo3warmBritish0002',
          name: 'Theo',
          description: 'Warm British host.',
          publicUserId: 'owner0002',
        },
      ],
    })
    expect(setup.server.requests[1]).toBe('GET /v1/shared-voices?search=British&page_size=100')
  })

  test('add saves the voice to the account under its name and returns its details', async () => {
    await using setup = await setUpVoices()
    expect(await setup.directories.elevenlabs.add(setup.key, NORA)).toEqual({
      ok: true,
      value: {
        accountVoiceId: 'Nora7calmBritish0001',
        gender: 'female',
        language: 'en',
        accent: 'british',
        description: 'Calm British narrator.',
        previewUrl: 'https://samples.example/nora.mp3',
        tags: ['middle_aged', 'calm', 'conversational', 'professional'],
      },
    })
    expect(setup.server.state.added).toEqual(new Map([['Nora7calmBritish0001', 'Desk']]))
    const detailsOfMara = await setup.directories.elevenlabs.add(setup.key, MARA)
    expect(detailsOfMara).toMatchObject({ value: { gender: null, language: 'de', accent: null, previewUrl: null } })
  })

  test('list has the voices of the account', async () => {
    await using setup = await setUpVoices()
    await setup.directories.elevenlabs.add(setup.key, NORA)
    const outcome = await setup.directories.elevenlabs.list({ ...setup.key, isShared: false })
    expect(outcome).toMatchObject({ value: [{ name: 'Desk', accent: 'british' }] })
  })

  test('add succeeds for a voice that is already in the account', async () => {
    await using setup = await setUpVoices()
    const firstResult = await setup.directories.elevenlabs.add(setup.key, NORA)
    expect(await setup.directories.elevenlabs.add(setup.key, { ...NORA, name: 'Other' })).toEqual(firstResult)
    expect(setup.server.state.added.get(NORA.providerVoiceId)).toBe('Desk')
  })

  test('add reports a voice that is not shared', async () => {
    await using setup = await setUpVoices()
    const outcome = await setup.directories.elevenlabs.add(setup.key, { ...NORA, publicUserId: 'owner0009' })
    expect(outcome).toMatchObject({ ok: false, reason: 'unknown-voice' })
    expect(outcome.ok ? '' : outcome.message).toContain(NORA.providerVoiceId)
  })

  test("add reports a full account with the vendor's message", async () => {
    await using setup = await setUpVoices()
    const detail = {
      status: 'voice_limit_reached',
      message: 'You have reached your maximum amount of voices (10 / 10).',
    }
    setup.server.script({ kind: 'json', status: 400, body: { detail } })
    expect(await setup.directories.elevenlabs.add(setup.key, NORA)).toEqual({
      ok: false,
      reason: 'failed',
      message: `ElevenLabs responded with status 400: ${detail.message}`,
    })
  })

  test('limits and sanitizes untrusted responses', async () => {
    await using setup = await setUpVoices()
    const untrustedVoice = {
      voice_id: NORA.providerVoiceId,
      labels: { gender: 7, accent: 'a'.repeat(500), age: '\ud800\0 x', use_case: ['x'] },
      description: null,
      preview_url: 'javascript:alert(1)',
      category: 'a\0b',
    }
    setup.server.script(null, { kind: 'json', body: untrustedVoice })
    expect(await setup.directories.elevenlabs.add(setup.key, NORA)).toEqual({
      ok: true,
      value: {
        accountVoiceId: NORA.providerVoiceId,
        gender: null,
        language: null,
        accent: 'a'.repeat(100),
        description: '',
        previewUrl: null,
        tags: ['\ufffd x', 'ab'],
      },
    })
    const voices = [null, 'x', { voice_id: '../v1/user' }, { voice_id: 'ok', public_owner_id: 5 }]
    setup.server.script({ kind: 'json', body: { voices } }, { kind: 'json', body: { voice_id: '../user' } })
    expect(await setup.directories.elevenlabs.search(setup.key, 'x')).toEqual({
      ok: true,
      value: [{ providerVoiceId: 'ok', name: '', description: '', publicUserId: null }],
    })
    expect(await setup.directories.elevenlabs.add(setup.key, NORA)).toMatchObject({ ok: false, reason: 'failed' })
  })
})

describe('cartesia', () => {
  test('search returns public voices without an owner', async () => {
    await using setup = await setUpVoices()
    const searchResult = await setup.directories.cartesia.search(setup.key, 'calm british')
    const nora = { providerVoiceId: 'Nora7calmBritish0001', name: 'Nora', description: 'Calm British narrator.' }
    expect(searchResult).toEqual({ ok: true, value: [{ ...nora, publicUserId: null }] })
    expect(setup.server.requests).toEqual(['GET /voices?q=calm+british&limit=100'])
  })

  test('list of a shared account has only voices that are public', async () => {
    await using setup = await setUpVoices()
    const createVoice = (id: string, access?: string) => ({ id, name: id, ...(access !== undefined && { access }) })
    const data = [createVoice('open', 'public'), createVoice('own', 'private'), createVoice('unclear')]
    setup.server.script({ kind: 'json', body: { data } })
    const outcome = await setup.directories.cartesia.list(setup.key)
    expect(outcome.ok ? outcome.value.map(({ name }) => name) : outcome.message).toEqual(['open'])
  })

  test('add checks that the voice exists and returns its details', async () => {
    await using setup = await setUpVoices()
    expect(await setup.directories.cartesia.add(setup.key, NORA)).toEqual({
      ok: true,
      value: {
        accountVoiceId: 'Nora7calmBritish0001',
        gender: 'female',
        language: 'en',
        accent: null,
        description: 'Calm British narrator.',
        previewUrl: null,
        tags: [],
      },
    })
    expect(setup.server.requests).toEqual(['GET /voices/Nora7calmBritish0001'])
    expect(setup.server.state.added.size).toBe(0)
  })

  test('add reports an unknown voice', async () => {
    await using setup = await setUpVoices()
    const outcome = await setup.directories.cartesia.add(setup.key, { ...NORA, providerVoiceId: 'nobody' })
    const message = 'Cartesia has no voice "nobody".'
    expect(outcome).toEqual({ ok: false, reason: 'unknown-voice', message })
  })
})

test.each(VOICE_PROVIDERS)('with a shared key, the list of %s has no voices of other workspaces', async (provider) => {
  const voices = [{ name: 'Common' }, { name: 'Secret project' }].map((voice, index) => ({
    ...{ ...voice, id: `Voice${index}`, voice_id: `Voice${index}` },
    ...{ access: index === 0 ? 'public' : 'private', category: index === 0 ? 'premade' : 'cloned' },
  }))
  const body = Buffer.from(JSON.stringify({ data: voices, voices }))
  const send = async (): Promise<OutboundOutcome> => ({ ok: true, status: 200, headers: {}, body }) as OutboundOutcome
  const clock = createSteppedClock()
  const directories = createVoiceDirectories({ sendDirect: send, sendGuarded: send, clock, version: '1.2.3' })
  const listNames = async (isShared: boolean) => {
    const outcome = await directories[provider].list({ apiKey: VOICE_KEY, baseUrl: null, isStored: true, isShared })
    return outcome.ok ? outcome.value.map(({ name }) => name) : outcome.message
  }
  expect(await listNames(true)).toEqual(['Common'])
  expect(await listNames(false)).toEqual(['Common', 'Secret project'])
})

describe.each(VOICE_PROVIDERS)('keys of %s', (provider) => {
  test('send stored base URLs through the guarded client', async () => {
    const createStoredKey = (url: string) => ({
      apiKey: VOICE_KEY,
      baseUrl: `${url}/`,
      isStored: true,
      isShared: false,
    })
    await using blockedSetup = await setUpVoices()
    const outcome = await blockedSetup.directories[provider].search(createStoredKey(blockedSetup.server.url), 'nora')
    expect(outcome).toMatchObject({
      ok: false,
      reason: 'key-unusable',
      message: expect.stringMatching(/Only public addresses can be called/),
    })
    expect(blockedSetup.server.requests).toEqual([])
    await using allowedSetup = await setUpVoices({ allowStored: true })
    expect(
      await allowedSetup.directories[provider].search(createStoredKey(allowedSetup.server.url), 'nora'),
    ).toMatchObject({ ok: true })
  })

  test("use the vendor's default base URL if none is set", async () => {
    const urls: string[] = []
    const directories = createVoiceDirectories({
      sendDirect: async ({ url }) => {
        urls.push(new URL(url).origin)
        return { ok: false, reason: 'invalid-request', message: 'Nothing leaves the test.', status: null }
      },
      sendGuarded: () => Promise.reject(new Error('not meant for the guard')),
      clock: createSteppedClock(),
      version: '1.2.3',
    })
    for (const isStored of [true, false]) {
      await directories[provider].search({ apiKey: VOICE_KEY, baseUrl: null, isStored, isShared: !isStored }, 'nora')
    }
    const defaultOrigin = { elevenlabs: 'https://api.elevenlabs.io', cartesia: 'https://api.cartesia.ai' }[provider]
    expect(urls).toEqual([defaultOrigin, defaultOrigin])
  })

  test('are reported as rejected but never quoted', async () => {
    await using setup = await setUpVoices()
    const wrongKey = { ...setup.key, apiKey: 'sk_wrong_0123456789' }
    const outcome = await setup.directories[provider].search(wrongKey, 'nora')
    expect(outcome).toMatchObject({ ok: false, reason: 'key-unusable' })
    expect(outcome.ok ? '' : outcome.message).toMatch(/refused the key \(status 401\): Invalid API key\.$/)
    setup.server.script({ kind: 'json', status: 403, body: { detail: `Key ${setup.key.apiKey} is closed` } })
    const echoedOutcome = await setup.directories[provider].search(setup.key, 'nora')
    expect(echoedOutcome).toMatchObject({ ok: false, reason: 'key-unusable' })
    expect(JSON.stringify(echoedOutcome)).not.toContain(setup.key.apiKey)
    const invalidKey = { ...setup.key, apiKey: 'line\r\nbreak: 1' }
    const unsentOutcome = await setup.directories[provider].search(invalidKey, 'nora')
    expect(unsentOutcome).toMatchObject({ ok: false, reason: 'key-unusable' })
    expect(JSON.stringify(unsentOutcome)).not.toContain('break: 1')
    expect(setup.server.requests).toHaveLength(2)
  })
})

/** Advances the clock through the pause before the second attempt. */
async function skipPause(setup: VoiceSetup, pauseMs = 500): Promise<void> {
  await setup.clock.waitForTimer(pauseMs)
  setup.clock.advance(pauseMs)
}

function getErrorMessage(outcome: VoiceOutcome<unknown>): string {
  return outcome.ok ? 'no failure' : outcome.message
}

describe.each(VOICE_PROVIDERS)('a search at %s', (provider) => {
  const retryableFaults: readonly [string, ToolReply][] = [
    ['429', { kind: 'json', status: 429, body: {} }],
    ['500', { kind: 'json', status: 500, body: {} }],
    ['a dropped connection', { kind: 'refuse' }],
    ['a response that is cut off', { kind: 'cut' }],
    ['a response that is not HTTP', { kind: 'garbage' }],
  ]
  test.each(retryableFaults)('is retried once after %s', async (_name, fault) => {
    await using setup = await setUpVoices()
    setup.server.script(fault)
    const recovered = setup.directories[provider].search(setup.key, 'nora')
    await skipPause(setup)
    expect(await recovered).toMatchObject({ ok: true, value: [{ name: 'Nora' }] })
    setup.server.script(fault, fault)
    const failed = setup.directories[provider].search(setup.key, 'nora')
    await skipPause(setup)
    expect(await failed).toMatchObject({ ok: false, reason: 'failed' })
    expect(setup.server.requests).toHaveLength(4)
    expect(setup.clock.timerCount).toBe(0)
  })

  const permanentFaults: readonly [string, ToolReply, RegExp][] = [
    ['a web page', { kind: 'html' }, /did not return JSON\.$/],
    [
      'truncated JSON',
      { kind: 'raw', body: '{"voices": [', contentType: 'application/json' },
      /did not return JSON\.$/,
    ],
    ['an array', { kind: 'json', body: [] }, /JSON without voices\.$/],
    ['voices that are not an array', { kind: 'json', body: { voices: 'many', data: {} } }, /JSON without voices\.$/],
    ['more than 2 MiB', { kind: 'flood', sizeBytes: 3_000_000 }, /larger than 2097152 bytes/],
    ['a rejection', { kind: 'json', status: 402, body: { detail: 'Pay first' } }, /status 402: Pay first\.$/],
  ]
  test.each(permanentFaults)('fails immediately after %s', async (_name, fault, message) => {
    await using setup = await setUpVoices()
    setup.server.script(fault)
    const outcome = await setup.directories[provider].search(setup.key, 'nora')
    expect(outcome).toMatchObject({ ok: false, reason: 'failed' })
    expect(getErrorMessage(outcome)).toMatch(message)
    expect(setup.server.requests).toHaveLength(1)
  })

  test('times out after ten seconds', async () => {
    await using setup = await setUpVoices()
    setup.server.script({ kind: 'hang' })
    const outcome = setup.directories[provider].search(setup.key, 'nora')
    await setup.server.received(1)
    setup.clock.advance(10_000)
    expect(await outcome).toMatchObject({
      ok: false,
      reason: 'timeout',
      message: expect.stringMatching(/did not respond within 10 seconds/),
    })
    expect(setup.server.requests).toHaveLength(1)
  })

  test('has a deadline of ten seconds for both attempts together', async () => {
    await using setup = await setUpVoices()
    setup.server.script({ kind: 'json', status: 429, body: {}, headers: { 'retry-after': '4' } }, { kind: 'drip' })
    const outcome = setup.directories[provider].search(setup.key, 'nora')
    await skipPause(setup, 4000)
    await setup.server.received(2)
    setup.clock.advance(6000)
    expect(await outcome).toMatchObject({ ok: false, reason: 'timeout' })
  })

  test('is not retried if the vendor asks to wait beyond the deadline', async () => {
    await using setup = await setUpVoices()
    setup.server.script({ kind: 'json', status: 429, body: {}, headers: { 'retry-after': '10' } })
    expect(await setup.directories[provider].search(setup.key, 'nora')).toMatchObject({
      ok: false,
      reason: 'failed',
    })
    expect(setup.server.requests).toHaveLength(1)
  })
})

describe('adding', () => {
  test.each(['refuse', 'cut'] as const)('is not sent twice if its response is lost (%s)', async (kind) => {
    await using setup = await setUpVoices()
    setup.server.script({ kind })
    expect(await setup.directories.elevenlabs.add(setup.key, NORA)).toMatchObject({ ok: false, reason: 'failed' })
    expect(setup.server.requests).toEqual(['POST /v1/voices/add/owner0001/Nora7calmBritish0001'])
  })

  test("shares its deadline with the request for the voice's details", async () => {
    await using setup = await setUpVoices()
    setup.server.script({ kind: 'hang' })
    const lostOutcome = setup.directories.elevenlabs.add(setup.key, NORA)
    await setup.server.received(1)
    setup.clock.advance(10_000)
    expect(await lostOutcome).toMatchObject({ ok: false, reason: 'timeout' })

    setup.server.script(null, { kind: 'json', status: 503, body: {} }, { kind: 'hang' })
    const lateOutcome = setup.directories.elevenlabs.add(setup.key, NORA)
    await skipPause(setup)
    await setup.server.received(4)
    setup.clock.advance(9500)
    expect(await lateOutcome).toMatchObject({ ok: false, reason: 'timeout' })
    expect(await setup.directories.elevenlabs.add(setup.key, NORA)).toMatchObject({ ok: true })
  })
})
