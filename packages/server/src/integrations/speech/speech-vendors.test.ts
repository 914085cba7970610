import type { SpeechRequest } from '@parley/engine/voice/ports'
import type { Dispatcher } from 'undici'
import { describe, expect, test } from 'vitest'
import { startSpeechServer } from '../../../../../testing/speech-server/speech-server.ts'
import type { VendorKey } from '../../features/vendor-keys/vendor-key-store.ts'
import type { ResolvedVoice } from '../../features/voices/voice-ports.ts'
import { AppError } from '../../kernel/errors.ts'
import { createModelDispatcher } from '../models/model-dispatcher.ts'
import { createTestClock, TEST_KEY } from '../models/model-test-kit.ts'
import { buildSpeechRequest, collectSpeech } from './speech-test-kit.ts'
import { createSpeechVendors, type SpeechSettings } from './speech-vendors.ts'

const NO_SETTINGS: SpeechSettings = { synthesis: null, voices: [], transcription: null }
const ALLOY: ResolvedVoice = { provider: 'openai', vendorVoice: 'alloy', gender: 'neutral' }
const ONYX: ResolvedVoice = { provider: 'openai', vendorVoice: 'onyx', gender: 'male' }
const HEART: ResolvedVoice = { provider: 'speech', vendorVoice: 'af_heart', gender: 'female' }
const KAL: ResolvedVoice = { provider: 'builtin', vendorVoice: 'kal', gender: 'male' }
const ENGLISH = { model: null, language: 'en-US' }

function setUp(
  options: { readonly settings?: Partial<SpeechSettings>; readonly key?: VendorKey | AppError | null } = {},
) {
  const http = createModelDispatcher()
  const guardedHttp: Dispatcher = createModelDispatcher((_target, callback) => {
    callback(Object.assign(new Error('guarded'), { name: 'BlockedTargetError', code: 'BlockedTargetError' }), null)
  })
  const clock = createTestClock()
  const vendors = createSpeechVendors({
    settings: { ...NO_SETTINGS, ...options.settings },
    keys: {
      findKey: async () => {
        if (options.key instanceof AppError) throw options.key
        return options.key ?? null
      },
    },
    http,
    guardedHttp,
    clock,
    builtIn: {
      name: 'builtin/flite',
      supports: (language) => language.startsWith('en'),
      synthesize: async function* (_request: SpeechRequest) {
        yield { type: 'end' as const }
      },
    },
  })
  return {
    getSpeech: () => vendors.forWorkspace(1),
    async [Symbol.asyncDispose]() {
      await Promise.all([http.destroy(), guardedHttp.destroy()])
    },
  }
}

const describeVoices = (
  voices: readonly { readonly synthesizer: { readonly name: string }; readonly voice: string }[],
) => voices.map(({ synthesizer, voice }) => `${synthesizer.name}: ${voice}`)

describe('without vendors', () => {
  test('uses a built-in voice, reports it, and has no transcriber', async () => {
    await using setup = setUp()
    const speech = await setup.getSpeech()
    expect(speech.providers).toEqual([])
    const { voices, standIns } = speech.selectVoices([ONYX], ENGLISH)
    expect(describeVoices(voices)).toEqual(['builtin/flite: rms'])
    expect(standIns).toEqual(['The voice "onyx" of "openai" is not available: the provider is not connected.'])
    expect(speech.selectTranscribers({ mode: 'fast', provider: null })).toEqual({ transcribers: [], standIns: [] })
  })

  test('does not report a chosen built-in voice unless it lacks the language', async () => {
    await using setup = setUp()
    const speech = await setup.getSpeech()
    expect(describeVoices(speech.selectVoices([KAL], ENGLISH).voices)).toEqual(['builtin/flite: kal'])
    expect(speech.selectVoices([KAL], ENGLISH).standIns).toEqual([])
    expect(speech.selectVoices([KAL], { model: null, language: 'de-DE' }).standIns).toHaveLength(1)
    expect(describeVoices(speech.selectVoices([], ENGLISH).voices)).toEqual(['builtin/flite: slt'])
  })
})

describe('with vendors', () => {
  const server = { baseUrl: 'http://127.0.0.1:1/v1', apiKey: undefined }
  const settings = { synthesis: { ...server, model: 'kokoro' }, transcription: { ...server, model: 'whisper-large' } }
  const key: VendorKey = { apiKey: TEST_KEY, baseUrl: null, isStored: false }

  test('returns voices in the requested order, followed by a built-in voice', async () => {
    await using setup = setUp({ settings, key })
    const speech = await setup.getSpeech()
    expect(speech.providers).toEqual(['openai', 'speech'])
    expect(describeVoices(speech.selectVoices([HEART, ALLOY], ENGLISH).voices)).toEqual([
      'speech/kokoro: af_heart',
      'openai/gpt-4o-mini-tts: alloy',
      'builtin/flite: slt',
    ])
    expect(describeVoices(speech.selectVoices([ALLOY, KAL], ENGLISH).voices)).toEqual([
      'openai/gpt-4o-mini-tts: alloy',
      'builtin/flite: kal',
    ])
    const { voices } = speech.selectVoices([ALLOY, HEART], { model: 'tts-1', language: 'en-US' })
    expect(voices.map(({ model }) => model)).toEqual(['tts-1', null, null])
    expect(voices[0].synthesizer.name).toBe('openai/tts-1')
  })

  test("orders transcribers by the agent's settings", async () => {
    await using setup = setUp({ settings, key })
    const speech = await setup.getSpeech()
    const getTranscriberNames = (mode: 'fast' | 'accurate' | 'custom', provider: string | null = null) =>
      speech.selectTranscribers({ mode, provider }).transcribers.map(({ name }) => name)
    expect(getTranscriberNames('fast')).toEqual(['openai/gpt-4o-mini-transcribe', 'speech/whisper-large'])
    expect(getTranscriberNames('accurate')).toEqual(['openai/gpt-4o-transcribe', 'speech/whisper-large'])
    expect(getTranscriberNames('custom', 'speech')).toEqual(['speech/whisper-large', 'openai/gpt-4o-mini-transcribe'])
    expect(speech.selectTranscribers({ mode: 'custom', provider: 'elsewhere' }).standIns).toEqual([
      'Speech recognition of "elsewhere" is not configured: "openai" is used instead.',
    ])
  })

  test('reuses clients between calls', async () => {
    await using setup = setUp({ settings, key })
    const [firstSpeech, secondSpeech] = [await setup.getSpeech(), await setup.getSpeech()]
    expect(firstSpeech.selectVoices([HEART], ENGLISH).voices[0].synthesizer).toBe(
      secondSpeech.selectVoices([HEART], ENGLISH).voices[0].synthesizer,
    )
  })

  test("does not use an operator's model server for speech", async () => {
    await using setup = setUp({ key: { ...key, baseUrl: 'http://127.0.0.1:1/v1' } })
    expect((await setup.getSpeech()).providers).toEqual([])
  })

  test('reports an unusable stored key and uses no other key instead', async () => {
    await using setup = setUp({ key: new AppError('provider_not_configured', 'The stored key cannot be read.') })
    const speech = await setup.getSpeech()
    expect(speech.selectVoices([ALLOY], ENGLISH).standIns[0]).toContain('The stored key cannot be read.')
    expect(speech.selectTranscribers({ mode: 'fast', provider: null }).standIns[0]).toBe(
      'The stored key cannot be read.',
    )
  })

  test('reaches a stored address only through the guarded client', async () => {
    await using server = await startSpeechServer()
    const { baseUrl } = server
    await using setup = setUp({ key: { apiKey: TEST_KEY, baseUrl, isStored: true } })
    const [voice] = (await setup.getSpeech()).selectVoices([ALLOY], ENGLISH).voices
    const speechResult = await collectSpeech(
      voice.synthesizer.synthesize(buildSpeechRequest('Hi', { voice: voice.voice })),
    )
    expect(speechResult.outcome).toMatchObject({
      kind: 'rejected',
      message: 'The address of the provider is not public.',
    })
    expect(server.requests).toEqual([])
  })
})
