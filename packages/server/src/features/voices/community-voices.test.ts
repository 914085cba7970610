import { VOICE_PROVIDERS } from '@parley/contract/voice'
import { expect, test } from 'vitest'
import { setUpVoices } from '../../integrations/voices/voice-test-kit.ts'
import { openVoices } from './voice-test-kit.ts'

test.each(VOICE_PROVIDERS)('a voice of %s from the search to an agent’s catalogue and away', async (voiceProvider) => {
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
  // The account has the voice already: another workspace with the same key still gets it.
  expect((await voices.send('POST /api/voices', { workspaceId: 2, ...wanted })).status).toBe(201)
  const { voiceId } = created.body
  expect(await voices.catalog.has(1, voiceId)).toBe(true)
  expect((await voices.send(`DELETE /api/voices/${voiceId}?workspaceId=1`)).status).toBe(204)
  expect(await voices.catalog.has(1, voiceId)).toBe(false)
})

test('a key that the provider refuses is no fault of the server', async () => {
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
