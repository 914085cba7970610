import type { SpeechEvent, SpeechRequest } from '@parley/engine/voice/ports'
import type { CartesiaServerOptions } from '../../../../../../testing/cartesia-server/cartesia-reply.ts'
import { startCartesiaServer } from '../../../../../../testing/cartesia-server/cartesia-server.ts'
import { createSteppedClock } from '../../../../../../testing/tool-server/stepped-clock.ts'
import { TEST_KEY } from '../../models/model-test-kit.ts'
import { buildSpeechRequest, collectSpeech } from '../speech-test-kit.ts'
import { createLoopbackOpener } from '../vendor-socket-test-kit.ts'
import { CARTESIA_MODEL, createCartesiaSynthesizer } from './cartesia-synthesizer.ts'

/** Time without contexts after which a socket closes. */
export const IDLE_CLOSE_MS = 60_000

/** Starts a vendor on the loopback interface and creates its synthesizer. The end waits until all sockets are closed. */
export async function setUpCartesia(options: CartesiaServerOptions = {}, apiKey = TEST_KEY) {
  const server = await startCartesiaServer({ apiKey: TEST_KEY, ...options })
  const clock = createSteppedClock()
  const openSocket = createLoopbackOpener(server.port, clock)
  const { baseUrl } = server
  const synthesizer = createCartesiaSynthesizer({ openSocket, clock, baseUrl, apiKey, model: CARTESIA_MODEL })
  const read = (text: string, overrides: Partial<SpeechRequest> = {}) =>
    synthesizer.synthesize(buildSpeechRequest(text, overrides)) as AsyncIterableIterator<SpeechEvent>
  return {
    server,
    clock,
    synthesizer,
    read,
    speak: (text: string, overrides: Partial<SpeechRequest> = {}) => collectSpeech(read(text, overrides)),
    async [Symbol.asyncDispose]() {
      clock.advance(IDLE_CLOSE_MS)
      await server.allClosed()
      await server.close()
    },
  }
}
