import { afterAll, describe, expect, test } from 'vitest'
import { startSpeechServer } from '../../../../../testing/speech-server/speech-server.ts'
import { readWav } from '../../../../../testing/speech-server/wav-audio.ts'
import type { Preview, ResolvedVoice, VoiceDirectories } from '../../features/voices/voice-ports.ts'
import { createModelDispatcher } from '../models/model-dispatcher.ts'
import { createTestClock } from '../models/model-test-kit.ts'
import { createFliteSynthesizer } from './flite/flite-synthesizer.ts'
import { createPreviewSpeaker } from './preview-speech.ts'
import { createHttpNetwork, failOnError } from './speech-test-kit.ts'
import { createSpeechVendors } from './speech-vendors.ts'
import { createVendorVoices } from './vendor-voices.ts'

const builtIn = createFliteSynthesizer({ clock: createTestClock(), logError: failOnError, threads: 1 })
afterAll(() => builtIn.close())

/** Vendor accounts, which the tests of previews do not use. */
const NO_ACCOUNTS = {
  keys: { findKey: async () => null },
  directories: {} as VoiceDirectories,
  logger: { warn: failOnError },
}

async function setUp({ isConnected = true } = {}) {
  const server = await startSpeechServer()
  const http = createModelDispatcher()
  const clock = createTestClock()
  const synthesis = { baseUrl: server.baseUrl, apiKey: undefined, model: 'kokoro' }
  const settings = { synthesis: isConnected ? synthesis : null, voices: ['af_heart'], transcription: null }
  const speech = createSpeechVendors({
    ...{ settings, clock, builtIn, builtInTranscriber: null },
    ...{ direct: createHttpNetwork(http), guarded: createHttpNetwork(http) },
    keys: { findKey: async () => null },
  })
  const speaker = createPreviewSpeaker(speech, clock)
  return {
    server,
    clock,
    voices: createVendorVoices(speech, { ...settings, ...NO_ACCOUNTS, clock }),
    preview: (voice: ResolvedVoice, overrides: Partial<Preview> = {}) =>
      speaker.preview(1, {
        ...{ voice, text: 'Good morning', language: 'en-US', model: null, speed: 1, temperature: 1, emotion: null },
        ...overrides,
      }),
    async [Symbol.asyncDispose]() {
      await http.destroy()
      await server.close()
    },
  }
}

const HEART: ResolvedVoice = { provider: 'speech', vendorVoice: 'af_heart', gender: null }
const SLT: ResolvedVoice = { provider: 'builtin', vendorVoice: 'slt', gender: 'female' }

describe('previews', () => {
  test.each([
    ['a built-in voice', SLT, 0.6],
    ['a voice of a speech server', HEART, 0.7],
  ])('returns a WAV file for %s', async (_name, voice, seconds) => {
    await using setup = await setUp()
    const outcome = await setup.preview(voice)
    const recording = outcome.ok ? readWav(outcome.wav) : outcome.message
    if (typeof recording === 'string') throw new Error(recording)
    expect(recording.rateHz).toBe(16_000)
    expect(recording.samples.length / 16_000).toBeGreaterThan(seconds - 0.2)
    expect(recording.samples.length / 16_000).toBeLessThan(seconds + 0.5)
    expect(setup.clock.pendingTimers).toBe(0)
  })

  test('uses no fallback for a voice that is not connected', async () => {
    await using setup = await setUp({ isConnected: false })
    for (const language of ['en-US', 'de-DE']) {
      expect(await setup.preview(HEART, { language })).toEqual({
        ok: false,
        reason: 'not-connected',
        message: 'The voice "af_heart" of "speech" is not available: the provider is not connected.',
      })
    }
    expect(await setup.voices.listVoices(1)).toEqual([])
  })

  test("reports the vendor's errors", async () => {
    await using setup = await setUp()
    setup.server.script({ kind: 'wrong-key' }, { kind: 'json', status: 500, body: {} })
    expect(await setup.preview(HEART)).toMatchObject({ ok: false, reason: 'key-unusable' })
    expect(await setup.preview(HEART)).toMatchObject({ ok: false, reason: 'failed' })
    expect((await setup.voices.listVoices(1)).map(({ name }) => name)).toEqual(['af_heart'])
  })

  test('times out after 15 seconds', async () => {
    await using setup = await setUp()
    setup.server.setReply({ kind: 'hang' })
    const outcome = setup.preview(HEART)
    await setup.server.received(1)
    setup.clock.advance(15_000)
    expect(await outcome).toMatchObject({ ok: false, reason: 'timeout' })
    await setup.server.abandoned()
    expect(setup.clock.pendingTimers).toBe(0)
  })
})
