import { buildAuthHeaders } from '../../packages/server/src/integrations/speech/elevenlabs/elevenlabs-api.ts'
import {
  createElevenLabsSynthesizer,
  DEFAULT_ELEVENLABS_MODEL,
} from '../../packages/server/src/integrations/speech/elevenlabs/elevenlabs-synthesizer.ts'
import { createElevenLabsTranscriber } from '../../packages/server/src/integrations/speech/elevenlabs/elevenlabs-transcriber.ts'
import {
  buildContextMessages,
  buildSpeechUrl,
} from '../../packages/server/src/integrations/speech/elevenlabs/speech-messages.ts'
import { type Check, toSocketTarget, type VendorAccess, verify } from './check.ts'
import { openRawSocket, type RawMessage, type RawSocket } from './raw-requests.ts'
import { LONG_SENTENCE, SENTENCE, SHORT_SENTENCE } from './spoken-texts.ts'
import { createSynthesizerChecks } from './synthesizer-checks.ts'
import { createTranscriberChecks } from './transcriber-checks.ts'

/** A voice in the examples of ElevenLabs' documentation. */
const VOICE = 'JBFqnCBsd6RMkjVDRZzb'
/** Estimates for 40 characters of a flash model, and for 15 seconds of Scribe. */
const SENTENCE_USD = 0.006
const SCRIBE_USD = 0.005

/** Creates the checks of the sockets for speech and of Scribe. */
export function createElevenLabsChecks(access: VendorAccess): readonly Check[] {
  const voice = access.voice ?? VOICE
  const model = access.model ?? DEFAULT_ELEVENLABS_MODEL
  const open = (signal: AbortSignal): RawSocket => openSpeechSocket(access, { voice, model }, signal)
  return [
    ...createSynthesizerChecks({
      apiKey: access.apiKey,
      voice,
      sentenceUsd: SENTENCE_USD,
      hasWordTimes: true,
      unknownVoice: 'parleynosuchvoice000',
      create: (apiKey) => createElevenLabsSynthesizer({ ...toSocketTarget(access, apiKey), model }),
    }),
    {
      name: 'two contexts of one socket end with "isFinal" and their own IDs after "close_context"',
      costUsd: 2 * SENTENCE_USD,
      run: (signal) => verifyTwoContexts(open(signal)),
    },
    {
      name: 'alignments have one start and one duration per item, and their times are relative to the chunk',
      costUsd: 3 * SENTENCE_USD,
      run: (signal) => verifyAlignments(open(signal)),
    },
    ...createTranscriberChecks({
      ...access,
      label: 'Scribe',
      sentenceUsd: SCRIBE_USD,
      create: (apiKey) => createElevenLabsTranscriber(toSocketTarget(access, apiKey)),
    }),
  ]
}

function openSpeechSocket(
  access: VendorAccess,
  { voice, model }: { readonly voice: string; readonly model: string },
  signal: AbortSignal,
): RawSocket {
  const url = buildSpeechUrl(access.baseUrl, { voice, model, rateHz: 16_000, language: 'en' }, 'multi')
  const basePath = new URL(access.baseUrl).pathname.replace(/(?<!\/)\/+$/, '')
  return openRawSocket(access, {
    path: url.pathname.slice(basePath.length),
    parameters: Object.fromEntries(url.searchParams),
    headers: buildAuthHeaders(access.apiKey),
    signal,
  })
}

function speak(socket: RawSocket, contextId: string, text: string): void {
  for (const message of buildContextMessages('multi', contextId, { text, settings: null })) socket.send(message)
}

/** The names of fields differ between builds of the API. */
function getContextId({ contextId, context_id: otherId }: RawMessage): unknown {
  return contextId ?? otherId
}

function isEnd({ isFinal, is_final: otherFinal, error }: RawMessage): boolean {
  return isFinal === true || otherFinal === true || error !== undefined
}

async function verifyTwoContexts(socket: RawSocket): Promise<void> {
  using openedSocket = socket
  speak(openedSocket, 'one', SENTENCE)
  speak(openedSocket, 'two', SHORT_SENTENCE)
  const ends = [await openedSocket.receive(isEnd), await openedSocket.receive(isEnd)]
  verify(
    ends.every(({ error }) => error === undefined),
    'A context failed.',
  )
  verify(ends.map(getContextId).sort().join() === 'one,two', 'The contexts did not end with their own IDs.')
}

interface Alignment {
  readonly chars?: readonly string[]
  readonly charStartTimesMs?: readonly number[]
  readonly charDurationsMs?: readonly number[]
  readonly charsDurationsMs?: readonly number[]
}

async function verifyAlignments(socket: RawSocket): Promise<void> {
  using openedSocket = socket
  speak(openedSocket, 'one', LONG_SENTENCE)
  let text = ''
  let previousEndMs = 0
  let chunkCount = 0
  await openedSocket.receive((message) => {
    const { chars = [], charStartTimesMs: starts = [], ...rest } = toAlignment(message)
    const durations = rest.charDurationsMs ?? rest.charsDurationsMs ?? []
    if (chars.length > 0) {
      verify(starts.length === chars.length && durations.length === chars.length, 'An alignment has missing times.')
      // A chunk that follows seconds of audio would otherwise start after them.
      const startMs = starts[0] ?? 0
      verify(chunkCount === 0 || startMs < previousEndMs, 'The times continue after the previous chunk.')
      previousEndMs += (starts.at(-1) ?? 0) + (durations.at(-1) ?? 0)
      chunkCount += 1
      text += chars.join('')
    }
    return isEnd(message)
  })
  const toLetters = (value: string): string => value.replace(/\P{L}/gu, '')
  verify(toLetters(text) === toLetters(LONG_SENTENCE), 'The aligned characters do not join to the text.')
}

function toAlignment({ alignment }: RawMessage): Alignment {
  return typeof alignment === 'object' && alignment !== null ? (alignment as Alignment) : {}
}
