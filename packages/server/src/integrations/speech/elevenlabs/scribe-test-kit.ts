import type { TranscriberEvent } from '@parley/engine/voice/ports'
import type { ElevenLabsServerOptions } from '../../../../../../testing/elevenlabs-server/elevenlabs-server.ts'
import { nextTurn } from '../../../../../../testing/next-turn.ts'
import { synthesizeTones } from '../../../../../../testing/speech-server/speech-server.ts'
import { openTranscription } from '../speech-test-kit.ts'
import { setUpElevenLabs } from './elevenlabs-test-kit.ts'
import { createElevenLabsTranscriber } from './elevenlabs-transcriber.ts'

export type ScribeSetup = Awaited<ReturnType<typeof setUpScribe>>

export const SENTENCE = 'I need a table'
/** Four words of 350 ms, of which the last 100 ms are silent. */
export const SPEECH = synthesizeTones(SENTENCE, 16_000)
/** Times of the words if they start with the speech. The server divides the audible part equally. */
export const SPEECH_WORDS = [
  { text: 'I', startMs: 0, endMs: 325 },
  { text: 'need', startMs: 325, endMs: 650 },
  { text: 'a', startMs: 650, endMs: 975 },
  { text: 'table', startMs: 975, endMs: 1_300 },
]
/** Audio of `SPEECH` that a caller has sent when the voice is detected: 120 ms. */
const UNDETECTED_SAMPLES = 1_920

/** Opens a session with a local vendor, which recognizes `SENTENCE` in all audio. */
export async function setUpScribe(options: ElevenLabsServerOptions & { readonly keywords?: readonly string[] } = {}) {
  const setup = await setUpElevenLabs({ recognize: () => SENTENCE, ...options })
  const transcriber = createElevenLabsTranscriber(setup.target)
  const transcription = openTranscription(transcriber, options.keywords)
  const { server } = setup
  const getChunks = (index = 0) => server.connections[index]?.messages ?? []
  const countCommits = (index = 0) => getChunks(index).filter(({ commit }) => commit === true).length
  return {
    ...setup,
    transcriber,
    transcription,
    getChunks,
    /** Says an utterance: speech, which is detected after 120 ms, and the 200 ms of silence that end it. */
    speak(): void {
      transcription.push(SPEECH.subarray(0, UNDETECTED_SAMPLES))
      transcription.session.voiceStarted()
      transcription.push(SPEECH.subarray(UNDETECTED_SAMPLES))
      transcription.pushSilence(200)
      transcription.session.voiceEnded()
    },
    getAudio(index = 0): Int16Array {
      const bytes = Buffer.concat(getChunks(index).map((chunk) => Buffer.from(String(chunk.audio_base_64), 'base64')))
      return new Int16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))
    },
    countSeconds: (index = 0) =>
      getChunks(index).reduce((sum, chunk) => sum + Buffer.byteLength(String(chunk.audio_base_64), 'base64'), 0) /
      32_000,
    countCommits,
    /** Resolves when the server has received everything that was sent before. */
    waitForCommits: (count: number) => server.waitFor(() => countCommits() >= count),
    async [Symbol.asyncDispose]() {
      transcription.session.close()
      await server.close()
    },
  }
}

/** Returns the words of a final text. */
export const getWords = (event: TranscriberEvent | undefined) => (event?.type === 'final' ? event.words : [])

/** Describes events by their type and text, or the kind of their failure. */
export const getTexts = (events: readonly TranscriberEvent[]) =>
  events.map((event) => (event.type === 'failed' ? event.failure.kind : `${event.type} ${event.text}`))

/** Advances time until the session fails. */
export async function waitUntilFailed({ transcription, clock }: ScribeSetup): Promise<TranscriberEvent | undefined> {
  while (transcription.events.at(-1)?.type !== 'failed') {
    await nextTurn()
    clock.advance(10)
  }
  return transcription.events.at(-1)
}

/** Resolves when only the keepalive timer is left: the session has started, and no commit is pending. */
export async function waitUntilSettled({ clock }: ScribeSetup): Promise<void> {
  while (clock.timerCount !== 1) await nextTurn()
}

/** Advances to the attempt to reconnect and waits for the connection. */
export async function reconnect({ clock, server }: ScribeSetup, delayMs: number, count: number): Promise<void> {
  await clock.waitForTimer(delayMs)
  clock.advance(delayMs)
  await server.waitFor(() => server.connections.length === count)
}
