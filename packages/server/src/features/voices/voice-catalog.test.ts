import { VOICE_PROVIDERS, Voice } from '@parley/contract/voice'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { temporaryDatabase } from '../../../../../testing/temporary-database.ts'
import { setUpVoices } from '../../integrations/voices/voice-test-kit.ts'
import { BUILT_IN_VOICES, createVoiceCatalog, isBuiltInVoiceId, listSharedVoicesAfter } from './voice-catalog.ts'
import { openVoices } from './voice-test-kit.ts'

const idsOf = (voices: readonly Pick<Voice, 'voiceId'>[]): readonly string[] => voices.map(({ voiceId }) => voiceId)

test('every workspace has the built-in voices', async () => {
  await using database = await temporaryDatabase()
  const catalog = createVoiceCatalog(database)
  const all = await catalog.list(1, { limit: 1000, after: null })
  expect(all).toEqual({ items: BUILT_IN_VOICES, next: null })
  for (const voice of all.items) {
    expect(Voice.parse({ ...voice, previewUrl: 'https://parley.example' })).toMatchObject({
      ...voice,
      previewUrl: expect.any(String),
    })
    expect(isBuiltInVoiceId(voice.voiceId)).toBe(true)
    expect(await catalog.has(7, voice.voiceId)).toBe(true)
    expect(await catalog.get(7, voice.voiceId)).toEqual(voice)
  }
  expect(await catalog.has(1, 'voice_unknown')).toBe(false)
  await expect(catalog.get(1, 'voice_unknown')).rejects.toMatchObject({ code: 'not_found' })
})

describe('the list of built-in and added voices', () => {
  test('starts with the built-in ones, followed by the added ones, newest first', async () => {
    await using voices = await openVoices()
    const first = await voices.addVoice('a')
    const second = await voices.addVoice('b')
    await voices.time.advance(1)
    const third = await voices.addVoice('c')
    await voices.addVoice('d', 2)
    const { body } = await voices.send('GET /api/voices?workspaceId=1')
    expect(idsOf(body)).toEqual([...idsOf(BUILT_IN_VOICES), third, second, first])
  })

  test('pages to its end without loss or repetition at any page size', async () => {
    await using voices = await openVoices()
    for (let index = 0; index < 9; index += 1) {
      await voices.addVoice(`voice${index}`)
      // Some voices share a creation time, and some are older than the built-in voices.
      if (index % 3 === 2) await voices.time.advance(90 * 24 * 60 * 60 * 1000)
    }
    const { body: all } = await voices.send('GET /api/voices?workspaceId=1')
    expect(all).toHaveLength(13)
    for (let limit = 1; limit <= 14; limit += 1) {
      const seen: Voice[] = []
      let key: string | undefined = ''
      while (key !== undefined) {
        const from: string = key === '' ? '' : `&paginationKey=${key}`
        const page = await voices.send(`GET /api/voices?workspaceId=1&limit=${limit}${from}`)
        expect(page.body.length).toBeGreaterThan(0)
        expect(page.body.length).toBeLessThanOrEqual(limit)
        seen.push(...page.body)
        key = page.next === undefined ? undefined : String(page.next)
      }
      expect(seen).toEqual(all)
    }
  })

  test('continues after a built-in voice that this version lacks', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 0, max: 2 ** 45 }), (name, at) => {
        const rest = listSharedVoicesAfter(BUILT_IN_VOICES, { sortValue: at, id: `voice_builtin_${name}` })
        expect(BUILT_IN_VOICES.slice(BUILT_IN_VOICES.length - rest.length)).toEqual(rest)
      }),
    )
  })
})

test.each(VOICE_PROVIDERS)('searches, adds, lists and removes a voice of %s', async (voiceProvider) => {
  await using providers = await setUpVoices()
  await using voices = await openVoices(providers.directories)
  voices.state.key = providers.key
  const query = { workspaceId: 1, voiceProvider, searchQuery: 'calm british' }
  const { body } = await voices.send('POST /api/voices/search', query)
  expect(body.voices).toMatchObject([{ name: 'Nora', voiceProvider }])
  const { providerVoiceId, publicUserId } = body.voices[0]
  const wanted = { voiceProvider, providerVoiceId, publicUserId, name: 'Desk' }
  const created = await voices.send('POST /api/voices', { workspaceId: 1, ...wanted })
  expect(created).toMatchObject({ status: 201, body: { name: 'Desk', gender: 'female', provider: voiceProvider } })
  // The account already has the voice. Another workspace with the same key can still add the voice.
  expect((await voices.send('POST /api/voices', { workspaceId: 2, ...wanted })).status).toBe(201)
  const { voiceId } = created.body
  expect(await voices.catalog.has(1, voiceId)).toBe(true)
  expect((await voices.send(`DELETE /api/voices/${voiceId}?workspaceId=1`)).status).toBe(204)
  expect(await voices.catalog.has(1, voiceId)).toBe(false)
})

test('reports a key rejected by the vendor as a client error', async () => {
  await using providers = await setUpVoices()
  await using voices = await openVoices(providers.directories)
  voices.state.key = { ...providers.key, apiKey: 'sk_wrong_0123456789' }
  const query = { workspaceId: 1, voiceProvider: 'elevenlabs', searchQuery: 'calm' }
  const answer = await voices.send('POST /api/voices/search', query)
  expect(answer).toMatchObject({ status: 422, body: { code: 'provider_not_configured' } })
  expect(answer.body.error).toBe(
    'ElevenLabs refused the key (status 401): Invalid API key. ' +
      'Store another key at /api/provider-keys, or set ELEVENLABS_API_KEY on the server.',
  )
})
