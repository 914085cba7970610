import { CARTESIA_VERSION } from '../../packages/server/src/integrations/cartesia-api.ts'
import {
  CARTESIA_MODEL,
  createCartesiaSynthesizer,
} from '../../packages/server/src/integrations/speech/cartesia/cartesia-synthesizer.ts'
import { buildContextRequest } from '../../packages/server/src/integrations/speech/cartesia/cartesia-wire.ts'
import { type Check, toSocketTarget, type VendorAccess, verify } from './check.ts'
import { openRawSocket, type RawMessage, type RawSocket } from './raw-requests.ts'
import { CHINESE_SENTENCE, LONG_SENTENCE, SENTENCE, SHORT_SENTENCE } from './spoken-texts.ts'
import { buildSpeechRequest, createSynthesizerChecks, readFailure, readSpeech } from './synthesizer-checks.ts'

/** A public voice in the examples of Cartesia's documentation. */
const VOICE = '6ccbfb76-1fc6-48f7-b71d-91ac6298247b'
/** Estimate for 40 characters. */
const SENTENCE_USD = 0.006
const MAX_FIRST_AUDIO_MS = 2_500
/** Time in which a cancelled context can still send audio. */
const LATE_AUDIO_MS = 3_000

/** Creates the checks of the socket for synthesis. */
export function createCartesiaChecks(access: VendorAccess): readonly Check[] {
  const voice = access.voice ?? VOICE
  const model = access.model ?? CARTESIA_MODEL
  const create = (apiKey: string) => createCartesiaSynthesizer({ ...toSocketTarget(access, apiKey), model })
  const speechChecks = createSynthesizerChecks({
    apiKey: access.apiKey,
    voice,
    sentenceUsd: SENTENCE_USD,
    hasWordTimes: true,
    unknownVoice: '00000000-0000-4000-8000-000000000000',
    create,
  })
  const raw = new CartesiaProbe(access, voice, model)
  return [
    ...speechChecks,
    {
      name: 'words of Chinese are characters, which join without spaces to the text',
      costUsd: SENTENCE_USD,
      run: async (signal) => {
        const request = buildSpeechRequest(CHINESE_SENTENCE, voice, signal, { language: 'zh-CN' })
        const { words } = await readSpeech(create(access.apiKey).synthesize(request))
        const text = words.map((word) => word.text).join('')
        const normalize = (value: string): string => value.replace(/[^\p{L}]/gu, '')
        verify(normalize(text) === normalize(CHINESE_SENTENCE), 'The words do not join to the text.')
        verify(words.length > 3, `There are only ${words.length} words.`)
      },
    },
    {
      name: 'an error concerns one context, and the socket still serves others',
      costUsd: SENTENCE_USD,
      run: async (signal) => {
        const synthesizer = create(access.apiKey)
        await readFailure(synthesizer.synthesize(buildSpeechRequest(SHORT_SENTENCE, 'no-such-voice', signal)))
        await readSpeech(synthesizer.synthesize(buildSpeechRequest(SHORT_SENTENCE, voice, signal)))
      },
    },
    ...raw.createChecks(),
  ]
}

/** Checks what the adapter does not show, on a socket of their own. */
class CartesiaProbe {
  readonly #access: VendorAccess
  readonly #voice: string
  readonly #model: string

  constructor(access: VendorAccess, voice: string, model: string) {
    this.#access = access
    this.#voice = voice
    this.#model = model
  }

  createChecks(): readonly Check[] {
    return [
      {
        name: `the first audio arrives within ${MAX_FIRST_AUDIO_MS} ms, although the text is short`,
        costUsd: SENTENCE_USD,
        run: (signal) => this.#verifyDelay(signal),
      },
      {
        name: 'two contexts of one socket are answered with their own IDs',
        costUsd: 2 * SENTENCE_USD,
        run: (signal) => this.#verifyTwoContexts(signal),
      },
      {
        name: 'a finished context cannot be continued: the error has its ID, "status_code" and "error_code"',
        costUsd: 2 * SENTENCE_USD,
        run: (signal) => this.#verifyFinishedContext(signal),
      },
      {
        name: `a cancelled context sends no audio after ${LATE_AUDIO_MS} ms`,
        costUsd: 2 * SENTENCE_USD,
        run: (signal) => this.#verifyCancel(signal),
      },
    ]
  }

  #open(signal: AbortSignal): RawSocket {
    return openRawSocket(this.#access, {
      path: '/tts/websocket',
      parameters: { cartesia_version: CARTESIA_VERSION },
      headers: { authorization: `Bearer ${this.#access.apiKey}` },
      signal,
    })
  }

  #buildRequest(contextId: string, text: string, signal: AbortSignal): object {
    return buildContextRequest(contextId, this.#model, buildSpeechRequest(text, this.#voice, signal))
  }

  async #verifyDelay(signal: AbortSignal): Promise<void> {
    using socket = this.#open(signal)
    socket.send(this.#buildRequest('first', SHORT_SENTENCE, signal))
    await socket.receive(isEnd)
    const startMs = performance.now()
    socket.send(this.#buildRequest('second', SHORT_SENTENCE, signal))
    await socket.receive(({ type, context_id: id }) => type === 'chunk' && id === 'second')
    const delayMs = Math.round(performance.now() - startMs)
    verify(delayMs <= MAX_FIRST_AUDIO_MS, `The first audio arrived after ${delayMs} ms.`)
  }

  async #verifyTwoContexts(signal: AbortSignal): Promise<void> {
    using socket = this.#open(signal)
    socket.send(this.#buildRequest('one', SENTENCE, signal))
    socket.send(this.#buildRequest('two', SHORT_SENTENCE, signal))
    const ends = [await socket.receive(isEnd), await socket.receive(isEnd)]
    verify(
      ends.every(({ type }) => type === 'done'),
      'A context failed.',
    )
    const ids = ends.map(({ context_id: id }) => String(id)).sort()
    verify(ids.join() === 'one,two', 'The contexts did not end with their own IDs.')
  }

  async #verifyFinishedContext(signal: AbortSignal): Promise<void> {
    using socket = this.#open(signal)
    const request = this.#buildRequest('once', SHORT_SENTENCE, signal)
    socket.send(request)
    const first = await socket.receive(isEnd)
    verify(first.type === 'done', 'The first text failed.')
    socket.send({ ...request, transcript: ` ${SHORT_SENTENCE}` })
    const second = await socket.receive(isEnd)
    verify(second.type === 'error', 'The context was continued.')
    verify(second.context_id === 'once', 'The error does not name the context.')
    verify(typeof second.status_code === 'number', 'The error has no "status_code".')
    verify(typeof second.error_code === 'string', 'The error has no "error_code".')
  }

  async #verifyCancel(signal: AbortSignal): Promise<void> {
    using socket = this.#open(signal)
    socket.send(this.#buildRequest('cancelled', LONG_SENTENCE, signal))
    await socket.receive(({ type }) => type === 'chunk')
    socket.send({ context_id: 'cancelled', cancel: true })
    const endMs = performance.now() + LATE_AUDIO_MS
    socket.send(this.#buildRequest('next', SHORT_SENTENCE, signal))
    let isLate = false
    await socket.receive((message) => {
      isLate ||= message.type === 'chunk' && message.context_id === 'cancelled' && performance.now() > endMs
      return isEnd(message) && message.context_id === 'next'
    })
    verify(!isLate, 'Audio of the cancelled context still arrived.')
  }
}

function isEnd({ type }: RawMessage): boolean {
  return type === 'done' || type === 'error'
}
