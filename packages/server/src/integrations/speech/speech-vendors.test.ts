import type { SpeechRequest } from '@parley/engine/voice/ports'
import type { Dispatcher } from 'undici'
import { describe, expect, test } from 'vitest'
import { startSpeechServer } from '../../../../../testing/speech-server/speech-server.ts'
import type { VendorKey } from '../../features/vendor-keys/vendor-key-store.ts'
import type { ResolvedVoice } from '../../features/voices/voice-ports.ts'
import { AppError } from '../../kernel/errors.ts'
import { createModelDispatcher } from '../models/model-dispatcher.ts'
import { createTestClock, TEST_KEY } from '../models/model-test-kit.ts'
import { buildSpeechRequest, listenTo } from './speech-test-kit.ts'
import { createSpeechVendors, type SpeechSettings } from './speech-vendors.ts'

const NOTHING: SpeechSettings = { synthesis: null, voices: [], transcription: null }
const ALLOY: ResolvedVoice = { provider: 'openai', vendorVoice: 'alloy', gender: 'neutral' }
const ONYX: ResolvedVoice = { provider: 'openai', vendorVoice: 'onyx', gender: 'male' }
const HEART: ResolvedVoice = { provider: 'speech', vendorVoice: 'af_heart', gender: 'female' }
const KAL: ResolvedVoice = { provider: 'builtin', vendorVoice: 'kal', gender: 'male' }
const ENGLISH = { model: null, language: 'en-US' }

function setUp(
  given: { readonly settings?: Partial<SpeechSettings>; readonly key?: VendorKey | AppError | null } = {},
) {
  const http = createModelDispatcher()
  const guardedHttp: Dispatcher = createModelDispatcher((_target, callback) => {
    callback(Object.assign(new Error('guarded'), { name: 'BlockedTargetError', code: 'BlockedTargetError' }), null)
  })
  const clock = createTestClock()
  const providers = createSpeechVendors({
    settings: { ...NOTHING, ...given.settings },
    keys: {
      keyFor: async () => {
        if (given.key instanceof AppError) throw given.key
        return given.key ?? null
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
    speech: () => providers.forWorkspace(1),
    async [Symbol.asyncDispose]() {
      await Promise.all([http.destroy(), guardedHttp.destroy()])
    },
  }
}

const named = (voices: readonly { readonly synthesizer: { readonly name: string }; readonly voice: string }[]) =>
  voices.map(({ synthesizer, voice }) => `${synthesizer.name}: ${voice}`)

describe('without any provider', () => {
  test('speaks with a built-in voice, reports it, and transcribes nothing', async () => {
    await using setup = setUp()
    const speech = await setup.speech()
    expect(speech.providers).toEqual([])
    const { voices, standIns } = speech.selectVoices([ONYX], ENGLISH)
    expect(named(voices)).toEqual(['builtin/flite: rms'])
    expect(standIns).toEqual(['The voice "onyx" of "openai" is not available: the provider is not connected.'])
    expect(speech.selectTranscribers({ mode: 'fast', provider: null })).toEqual({ transcribers: [], standIns: [] })
  })

  test('a chosen built-in voice is no fallback unless the language differs', async () => {
    await using setup = setUp()
    const speech = await setup.speech()
    expect(named(speech.selectVoices([KAL], ENGLISH).voices)).toEqual(['builtin/flite: kal'])
    expect(speech.selectVoices([KAL], ENGLISH).standIns).toEqual([])
    expect(speech.selectVoices([KAL], { model: null, language: 'de-DE' }).standIns).toHaveLength(1)
    expect(named(speech.selectVoices([], ENGLISH).voices)).toEqual(['builtin/flite: slt'])
  })
})

describe('with providers', () => {
  const server = { baseUrl: 'http://127.0.0.1:1/v1', apiKey: undefined }
  const settings = { synthesis: { ...server, model: 'kokoro' }, transcription: { ...server, model: 'whisper-large' } }
  const key: VendorKey = { apiKey: TEST_KEY, baseUrl: null, isStored: false }

  test('voices come in their order, the built-in one last', async () => {
    await using setup = setUp({ settings, key })
    const speech = await setup.speech()
    expect(speech.providers).toEqual(['openai', 'speech'])
    expect(named(speech.selectVoices([HEART, ALLOY], ENGLISH).voices)).toEqual([
      'speech/kokoro: af_heart',
      'openai/gpt-4o-mini-tts: alloy',
      'builtin/flite: slt',
    ])
    expect(named(speech.selectVoices([ALLOY, KAL], ENGLISH).voices)).toEqual([
      'openai/gpt-4o-mini-tts: alloy',
      'builtin/flite: kal',
    ])
    const { voices } = speech.selectVoices([ALLOY, HEART], { model: 'tts-1', language: 'en-US' })
    expect(voices.map(({ model }) => model)).toEqual(['tts-1', null, null])
    expect(voices[0].synthesizer.name).toBe('openai/tts-1')
  })

  test('recognisers come by what the agent asks for', async () => {
    await using setup = setUp({ settings, key })
    const speech = await setup.speech()
    const transcriber = (mode: 'fast' | 'accurate' | 'custom', provider: string | null = null) =>
      speech.selectTranscribers({ mode, provider }).transcribers.map(({ name }) => name)
    expect(transcriber('fast')).toEqual(['openai/gpt-4o-mini-transcribe', 'speech/whisper-large'])
    expect(transcriber('accurate')).toEqual(['openai/gpt-4o-transcribe', 'speech/whisper-large'])
    expect(transcriber('custom', 'speech')).toEqual(['speech/whisper-large', 'openai/gpt-4o-mini-transcribe'])
    expect(speech.selectTranscribers({ mode: 'custom', provider: 'elsewhere' }).standIns).toEqual([
      'Speech recognition of "elsewhere" is not configured: "openai" is used instead.',
    ])
  })

  test('clients are kept from call to call', async () => {
    await using setup = setUp({ settings, key })
    const [first, second] = [await setup.speech(), await setup.speech()]
    expect(first.selectVoices([HEART], ENGLISH).voices[0].synthesizer).toBe(
      second.selectVoices([HEART], ENGLISH).voices[0].synthesizer,
    )
  })

  test('an operator’s server of models is not asked for speech', async () => {
    await using setup = setUp({ key: { ...key, baseUrl: 'http://127.0.0.1:1/v1' } })
    expect((await setup.speech()).providers).toEqual([])
  })

  test('reports an unusable stored key and uses no other key instead', async () => {
    await using setup = setUp({ key: new AppError('provider_not_configured', 'The stored key cannot be read.') })
    const speech = await setup.speech()
    expect(speech.selectVoices([ALLOY], ENGLISH).standIns[0]).toContain('The stored key cannot be read.')
    expect(speech.selectTranscribers({ mode: 'fast', provider: null }).standIns[0]).toBe(
      'The stored key cannot be read.',
    )
  })

  test('an address that a customer stored is reached within the guard only', async () => {
    await using server = await startSpeechServer()
    const { baseUrl } = server
    await using setup = setUp({ key: { apiKey: TEST_KEY, baseUrl, isStored: true } })
    const [voice] = (await setup.speech()).selectVoices([ALLOY], ENGLISH).voices
    const spoken = await listenTo(voice.synthesizer.synthesize(buildSpeechRequest('Hi', { voice: voice.voice })))
    expect(spoken.last).toMatchObject({ kind: 'rejected', message: 'The address of the provider is not public.' })
    expect(server.requests).toEqual([])
  })
})
