import { createDeepgramSynthesizer } from '../../packages/server/src/integrations/speech/deepgram/deepgram-synthesizer.ts'
import { createDeepgramTranscriber } from '../../packages/server/src/integrations/speech/deepgram/deepgram-transcriber.ts'
import { buildHeaders } from '../../packages/server/src/integrations/speech/deepgram/deepgram-wire.ts'
import { toLinear16 } from '../../packages/server/src/integrations/speech/linear16.ts'
import { type Check, toSocketTarget, type VendorAccess, verify } from './check.ts'
import { openRawSocket, type RawSocket } from './raw-requests.ts'
import { LONG_SENTENCE, SHORT_SENTENCE } from './spoken-texts.ts'
import { createSynthesizerChecks } from './synthesizer-checks.ts'
import { createTranscriberChecks, pushPaced } from './transcriber-checks.ts'

const VOICE = 'aura-2-thalia-en'
const NOVA = 'nova-3'
const FLUX = 'flux-general-en'
/** Upper estimates: 40 characters of Aura, and 15 seconds of Nova or Flux. */
const SENTENCE_USD = 0.005
const LISTEN_USD = 0.005

const AUDIO_PARAMETERS = { encoding: 'linear16', sample_rate: 16_000, mip_opt_out: true }

/** Creates the checks of Nova, Flux and Aura. */
export function createDeepgramChecks(access: VendorAccess): readonly Check[] {
  const voice = access.voice ?? VOICE
  const createTranscriber = (model: string) => (apiKey: string) =>
    createDeepgramTranscriber({ ...toSocketTarget(access, apiKey), model })
  return [
    ...createTranscriberChecks({ ...access, label: 'Nova', sentenceUsd: LISTEN_USD, create: createTranscriber(NOVA) }),
    ...createTranscriberChecks({ ...access, label: 'Flux', sentenceUsd: LISTEN_USD, create: createTranscriber(FLUX) }),
    {
      name: 'Nova answers "Finalize" with a final text and "from_finalize"',
      costUsd: LISTEN_USD,
      run: (signal) => verifyFinalize(access, signal),
    },
    {
      name: 'Flux starts with "Connected", and each turn has "StartOfTurn" and "EndOfTurn" with words',
      costUsd: LISTEN_USD,
      run: (signal) => verifyTurns(access, signal),
    },
    ...createSynthesizerChecks({
      apiKey: access.apiKey,
      voice,
      sentenceUsd: SENTENCE_USD,
      hasWordTimes: false,
      unknownVoice: 'parley-no-such-voice',
      create: (apiKey) => createDeepgramSynthesizer(toSocketTarget(access, apiKey)),
    }),
    {
      name: 'Aura answers "Clear" with "Cleared", and "Flush" with "Flushed" after the audio',
      costUsd: 3 * SENTENCE_USD,
      run: (signal) => verifyClear(access, voice, signal),
    },
  ]
}

function openSocket(
  access: VendorAccess,
  path: string,
  parameters: Readonly<Record<string, string | number | boolean>>,
  signal: AbortSignal,
): RawSocket {
  return openRawSocket(access, {
    path,
    parameters: { ...AUDIO_PARAMETERS, ...parameters },
    headers: buildHeaders(access.apiKey),
    signal,
  })
}

async function verifyFinalize(access: VendorAccess, signal: AbortSignal): Promise<void> {
  // Without endpointing, only "Finalize" ends the text.
  const parameters = { model: NOVA, language: 'en', endpointing: false, channels: 1 }
  const speech = await access.getSpokenSentence()
  using socket = openSocket(access, '/v1/listen', parameters, signal)
  await pushPaced(access, speech, (frame) => socket.send(toLinear16(frame)), signal)
  socket.send({ type: 'Finalize' })
  const results = await socket.receive(
    ({ type, from_finalize: isFinalized }) => type === 'Results' && isFinalized === true,
  )
  verify(results.is_final === true, 'The text is not final.')
  verify(typeof results.start === 'number' && typeof results.duration === 'number', 'The text has no time.')
  socket.send({ type: 'CloseStream' })
  await socket.receive(({ type }) => type === 'Metadata')
}

async function verifyTurns(access: VendorAccess, signal: AbortSignal): Promise<void> {
  const speech = await access.getSpokenSentence()
  using socket = openSocket(access, '/v2/listen', { model: FLUX }, signal)
  const first = await socket.receive(() => true)
  verify(first.type === 'Connected', 'The first message is not "Connected".')
  // Flux ends a turn only while audio arrives.
  const speechWithSilence = new Int16Array(speech.length + 16_000 * 6)
  speechWithSilence.set(speech)
  const pushed = pushPaced(access, speechWithSilence, (frame) => socket.send(toLinear16(frame)), signal)
  await socket.receive(({ type, event }) => type === 'TurnInfo' && event === 'StartOfTurn')
  const end = await socket.receive(({ type, event }) => type === 'TurnInfo' && event === 'EndOfTurn')
  await pushed
  verify(typeof end.transcript === 'string' && end.transcript !== '', 'The turn has no text.')
  verify(Array.isArray(end.words) && end.words.length > 0, 'The turn has no words.')
  verify(typeof end.end_of_turn_confidence === 'number', 'The turn has no confidence.')
}

async function verifyClear(access: VendorAccess, voice: string, signal: AbortSignal): Promise<void> {
  using socket = openSocket(access, '/v1/speak', { model: voice }, signal)
  socket.send({ type: 'Speak', text: LONG_SENTENCE })
  socket.send({ type: 'Flush' })
  socket.send({ type: 'Clear' })
  await socket.receive(({ type }) => type === 'Cleared')
  const bytesBefore = socket.receivedBytes
  socket.send({ type: 'Speak', text: SHORT_SENTENCE })
  socket.send({ type: 'Flush' })
  // The end of the dropped text can still arrive.
  await socket.receive(({ type }) => type === 'Flushed' && socket.receivedBytes > bytesBefore)
  socket.send({ type: 'Close' })
}
