import type { SpeechRequest } from '@parley/engine/voice/ports'
import {
  type ElevenLabsServerOptions,
  startElevenLabsServer,
} from '../../../../../../testing/elevenlabs-server/elevenlabs-server.ts'
import { createSteppedClock } from '../../../../../../testing/tool-server/stepped-clock.ts'
import { buildSpeechRequest, collectSpeech } from '../speech-test-kit.ts'
import { createLoopbackOpener } from '../vendor-socket-test-kit.ts'
import { createElevenLabsSynthesizer } from './elevenlabs-synthesizer.ts'

export const ELEVENLABS_TEST_KEY = 'xi-0123456789abcdef'

/** Starts a vendor on the loopback interface and creates the target that reaches it. */
export async function setUpElevenLabs(options: ElevenLabsServerOptions = {}) {
  const server = await startElevenLabsServer({ apiKey: ELEVENLABS_TEST_KEY, ...options })
  const clock = createSteppedClock()
  const openSocket = createLoopbackOpener(server.port, clock)
  return {
    server,
    clock,
    target: { openSocket, clock, baseUrl: server.url, apiKey: ELEVENLABS_TEST_KEY },
    [Symbol.asyncDispose]: () => server.close(),
  }
}

/** Creates a synthesizer for a local vendor. */
export async function setUpVoice(options: ElevenLabsServerOptions & { readonly apiKey?: string } = {}) {
  const setup = await setUpElevenLabs(options)
  const synthesizer = createElevenLabsSynthesizer({ ...setup.target, model: 'eleven_flash_v2_5' })
  return {
    ...setup,
    synthesizer,
    speak: (text: string, overrides: Partial<SpeechRequest> = {}) =>
      collectSpeech(synthesizer.synthesize(buildSpeechRequest(text, overrides))),
    /** Number of texts that the server received. */
    countTexts: () =>
      setup.server.connections.flatMap(({ messages }) => messages.filter(({ flush }) => flush === true)).length,
  }
}
