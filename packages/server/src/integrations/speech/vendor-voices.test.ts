import { expect, test } from 'vitest'
import type { ListedVoice, VoiceOutcome } from '../../features/voices/voice-ports.ts'
import { createTestClock, TEST_KEY } from '../models/model-test-kit.ts'
import type { SpeechVendorId } from './speech-endpoints.ts'
import type { SpeechVendors } from './speech-vendors.ts'
import { createVendorVoices } from './vendor-voices.ts'

const NORA: ListedVoice = {
  ...{ accountVoiceId: 'Nora0001', name: 'nora', gender: 'female', language: 'en-GB', accent: 'British' },
  ...{ description: 'Calm.', previewUrl: 'https://example.com/nora.mp3', tags: ['calm'] },
}

function setUp(voiceVendors: readonly SpeechVendorId[]) {
  const clock = createTestClock()
  const state = {
    outcome: { ok: true, value: [NORA] } as VoiceOutcome<readonly ListedVoice[]> | null,
    reads: 0,
    isShared: false,
    warnings: 0,
  }
  const list = async (): Promise<VoiceOutcome<readonly ListedVoice[]>> => {
    state.reads += 1
    return state.outcome ?? (await new Promise(() => {}))
  }
  const voices = createVendorVoices({ forWorkspace: async () => ({ voiceVendors }) } as unknown as SpeechVendors, {
    ...{ clock, voices: ['heart'], directories: { elevenlabs: { list }, cartesia: { list } } },
    keys: { findKey: async () => ({ apiKey: TEST_KEY, baseUrl: null, isStored: true, isShared: state.isShared }) },
    logger: { warn: () => (state.warnings += 1) },
  })
  return { clock, state, voices }
}

test('lists the voices of an account with their properties, and reads them once in five minutes', async () => {
  const { voices, state, clock } = setUp(['elevenlabs'])
  expect(await voices.listKnownVoices(1)).toEqual([])
  const { accountVoiceId, name, ...properties } = NORA
  const expected = [{ provider: 'elevenlabs', name: accountVoiceId, label: name, ...properties }]
  expect(await voices.listVoices(1)).toEqual(expected)
  expect(await voices.listVoices(1)).toEqual(expected)
  expect(await voices.listKnownVoices(1)).toEqual(expected)
  expect(state.reads).toBe(1)
  clock.advance(5 * 60_000)
  await voices.listVoices(1)
  expect(state.reads).toBe(2)
})

test('a workspace with a shared key does not get the list of a workspace that stored the same key', async () => {
  const { voices, state } = setUp(['elevenlabs'])
  expect(await voices.listVoices(1)).toHaveLength(1)
  state.isShared = true
  state.outcome = { ok: true, value: [] }
  expect(await voices.listVoices(2)).toEqual([])
})

test('leaves out a vendor that fails, and keeps its last list', async () => {
  const { voices, state, clock } = setUp(['elevenlabs', 'speech'])
  state.outcome = { ok: false, reason: 'failed', message: 'It failed.' }
  expect((await voices.listVoices(1)).map(({ name }) => name)).toEqual(['heart'])
  expect(state.warnings).toBe(1)
  clock.advance(30_000)
  state.outcome = { ok: true, value: [NORA] }
  expect((await voices.listVoices(1)).map(({ name }) => name)).toEqual(['heart', 'Nora0001'])
  clock.advance(5 * 60_000)
  state.outcome = { ok: false, reason: 'failed', message: 'It failed.' }
  expect((await voices.listVoices(1)).map(({ name }) => name)).toEqual(['heart', 'Nora0001'])
})

test('waits at most four seconds for a vendor', async () => {
  const { voices, state, clock } = setUp(['speech', 'cartesia'])
  state.outcome = null
  const list = voices.listVoices(1)
  while (clock.pendingTimers === 0) await Promise.resolve()
  clock.advance(4_000)
  expect((await list).map(({ name }) => name)).toEqual(['heart'])
  expect(clock.pendingTimers).toBe(0)
})

test('has the voices of Deepgram with language, accent and gender', async () => {
  const { voices } = setUp(['deepgram'])
  const list = await voices.listVoices(1)
  expect(list.find(({ name }) => name === 'aura-2-pandora-en')).toMatchObject({
    ...{ provider: 'deepgram', label: 'pandora', language: 'en-GB', accent: 'British', gender: 'female' },
  })
})
