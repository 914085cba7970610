import type { SpeechRequest } from '@parley/engine/voice/ports'
import type { Dispatcher } from 'undici'
import { describe, expect, test } from 'vitest'
import { startSpeechServer } from '../../../../../testing/speech-server/speech-server.ts'
import type { KeyedVendor, VendorKey } from '../../features/vendor-keys/vendor-key-store.ts'
import type { ResolvedVoice } from '../../features/voices/voice-ports.ts'
import { AppError } from '../../kernel/errors.ts'
import { createModelDispatcher } from '../models/model-dispatcher.ts'
import { createTestClock, TEST_KEY } from '../models/model-test-kit.ts'
import { buildSpeechRequest, collectSpeech, createHttpNetwork } from './speech-test-kit.ts'
import { type BuiltInTranscriber, createSpeechVendors, type SpeechSettings } from './speech-vendors.ts'

const NO_SETTINGS: SpeechSettings = { synthesis: null, voices: [], transcription: null }
const ALLOY: ResolvedVoice = { provider: 'openai', vendorVoice: 'alloy', gender: 'neutral' }
const ONYX: ResolvedVoice = { provider: 'openai', vendorVoice: 'onyx', gender: 'male' }
const HEART: ResolvedVoice = { provider: 'speech', vendorVoice: 'af_heart', gender: 'female' }
const KAL: ResolvedVoice = { provider: 'builtin', vendorVoice: 'kal', gender: 'male' }
const ENGLISH = { model: null, language: 'en-US' }

function setUp(
  options: {
    readonly settings?: Partial<SpeechSettings>
    /** Key for OpenAI. */
    readonly key?: VendorKey | AppError | null
    /** Keys for other vendors. */
    readonly keys?: Readonly<Partial<Record<KeyedVendor, VendorKey>>>
    readonly builtInTranscriber?: BuiltInTranscriber
  } = {},
) {
  const http = createModelDispatcher()
  const guardedHttp: Dispatcher = createModelDispatcher((_target, callback) => {
    callback(Object.assign(new Error('guarded'), { name: 'BlockedTargetError', code: 'BlockedTargetError' }), null)
  })
  const clock = createTestClock()
  const vendors = createSpeechVendors({
    settings: { ...NO_SETTINGS, ...options.settings },
    keys: {
      findKey: async (_workspaceId, service) => {
        if (service !== 'openai') return options.keys?.[service] ?? null
        if (options.key instanceof AppError) throw options.key
        return options.key ?? null
      },
    },
    builtInTranscriber: options.builtInTranscriber ?? null,
    direct: createHttpNetwork(http),
    guarded: createHttpNetwork(guardedHttp),
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
    expect(speech.voiceVendors).toEqual([])
    const { voices, standIns } = speech.selectVoices([ONYX], ENGLISH)
    expect(describeVoices(voices)).toEqual(['builtin/flite: rms'])
    expect(standIns).toEqual(['The voice "onyx" of "openai" is not available: the provider is not connected.'])
    expect(speech.selectTranscribers({ mode: 'fast', provider: null, language: 'en-US' })).toEqual({
      transcribers: [],
      standIns: [],
    })
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
  const key: VendorKey = { apiKey: TEST_KEY, baseUrl: null, isStored: false, isShared: true }

  test('returns voices in the requested order, followed by a built-in voice', async () => {
    await using setup = setUp({ settings, key })
    const speech = await setup.getSpeech()
    expect(speech.voiceVendors).toEqual(['openai', 'speech'])
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
      speech.selectTranscribers({ mode, provider, language: 'en-US' }).transcribers.map(({ name }) => name)
    expect(getTranscriberNames('fast')).toEqual(['openai/gpt-4o-mini-transcribe', 'speech/whisper-large'])
    expect(getTranscriberNames('accurate')).toEqual(['openai/gpt-4o-transcribe', 'speech/whisper-large'])
    expect(getTranscriberNames('custom', 'speech')).toEqual(['speech/whisper-large', 'openai/gpt-4o-mini-transcribe'])
    expect(speech.selectTranscribers({ mode: 'custom', provider: 'elsewhere', language: 'en-US' }).standIns).toEqual([
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
    expect((await setup.getSpeech()).voiceVendors).toEqual([])
  })

  test('reports an unusable stored key and uses no other key instead', async () => {
    await using setup = setUp({ key: new AppError('provider_not_configured', 'The stored key cannot be read.') })
    const speech = await setup.getSpeech()
    expect(speech.selectVoices([ALLOY], ENGLISH).standIns[0]).toContain('The stored key cannot be read.')
    expect(speech.selectTranscribers({ mode: 'fast', provider: null, language: 'en-US' }).standIns[0]).toBe(
      'The stored key cannot be read.',
    )
  })

  test('reaches a stored address only through the guarded client', async () => {
    await using server = await startSpeechServer()
    const { baseUrl } = server
    await using setup = setUp({ key: { apiKey: TEST_KEY, baseUrl, isStored: true, isShared: false } })
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

describe('with keys of several vendors', () => {
  const key: VendorKey = { apiKey: TEST_KEY, baseUrl: null, isStored: true, isShared: false }
  const voices = {
    elevenlabs: { provider: 'elevenlabs', vendorVoice: 'Nora0001', gender: 'female' },
    cartesia: { provider: 'cartesia', vendorVoice: 'a0e99841-438c-4a64-b679-ae501e7d6091', gender: 'male' },
  } as const

  test('voices speak through the client of their vendor, and the voice model is passed on', async () => {
    await using setup = setUp({ key, keys: { elevenlabs: key, cartesia: key } })
    const speech = await setup.getSpeech()
    expect(speech.voiceVendors).toEqual(['elevenlabs', 'cartesia', 'openai'])
    const requested = [voices.elevenlabs, voices.cartesia, ALLOY]
    expect(describeVoices(speech.selectVoices(requested, ENGLISH).voices)).toEqual([
      'elevenlabs/eleven_flash_v2_5: Nora0001',
      `cartesia/sonic-3: ${voices.cartesia.vendorVoice}`,
      'openai/gpt-4o-mini-tts: alloy',
      'builtin/flite: slt',
    ])
    const [mainVoice] = speech.selectVoices(requested, { ...ENGLISH, model: 'eleven_multilingual_v2' }).voices
    expect(mainVoice).toMatchObject({ model: 'eleven_multilingual_v2' })
    expect(mainVoice.synthesizer.name).toBe('elevenlabs/eleven_multilingual_v2')
  })

  test('streaming transcribers come first, and the requested vendor before all others', async () => {
    const server = { baseUrl: 'http://127.0.0.1:1/v1', apiKey: undefined, model: 'whisper-large' }
    await using setup = setUp({ key, keys: { deepgram: key }, settings: { transcription: server } })
    const speech = await setup.getSpeech()
    const getNames = (mode: 'fast' | 'accurate' | 'custom', provider: string | null, language: string) =>
      speech.selectTranscribers({ mode, provider, language }).transcribers.map(({ name }) => name)
    expect(getNames('fast', null, 'en-GB')).toEqual([
      ...['deepgram/flux-general-en', 'openai/gpt-4o-mini-transcribe', 'speech/whisper-large'],
    ])
    expect(getNames('fast', null, 'de-DE')[0]).toBe('deepgram/nova-3')
    expect(getNames('accurate', null, 'en-US')[0]).toBe('deepgram/nova-3')
    expect(getNames('custom', 'openai', 'de-DE')).toEqual([
      ...['openai/gpt-4o-mini-transcribe', 'deepgram/nova-3', 'speech/whisper-large'],
    ])
  })
})

describe('with the built-in recognizer', () => {
  function createRecognizer() {
    const state = { warmUps: 0 }
    const recognizer: BuiltInTranscriber = {
      name: 'builtin/test',
      finalP99Ms: 500,
      supports: (language) => language.startsWith('en'),
      warmUp: () => {
        state.warmUps += 1
      },
      open: () => {
        throw new Error('not opened')
      },
    }
    return { recognizer, state }
  }
  const key: VendorKey = { apiKey: TEST_KEY, baseUrl: null, isStored: true, isShared: false }

  test.each([
    ['English', {}, 'fast', null, 'en-GB', ['builtin/test'], 1],
    ['other languages', {}, 'fast', null, 'de-DE', [], 0],
    ['a workspace with a vendor', { key }, 'fast', null, 'en-US', ['openai/gpt-4o-mini-transcribe'], 0],
    [
      'an agent that requests it',
      { key },
      'custom',
      'builtin',
      'en-US',
      ['builtin/test', 'openai/gpt-4o-mini-transcribe'],
      1,
    ],
  ] as const)('%s', async (_name, keys, mode, provider, language, names, warmUps) => {
    const { recognizer, state } = createRecognizer()
    await using setup = setUp({ ...keys, builtInTranscriber: recognizer })
    const speech = await setup.getSpeech()
    const request = { mode, provider, language }
    expect(speech.selectTranscribers(request).transcribers.map(({ name }) => name)).toEqual(names)
    speech.warmUpTranscriber(request)
    expect(state.warmUps).toBe(warmUps)
  })
})
