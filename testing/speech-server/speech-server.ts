import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { findBestMatch, measureEnvelope } from './envelope.ts'
import { playReply, type SpeechReply, type SpeechResponse, sendError } from './speech-reply.ts'
import { readSpeechBody, readTranscriptForm, type SpeechRequest, type TranscriptionRequest } from './speech-wire.ts'
import { type Recording, toPcm, writeWav } from './wav-audio.ts'

export interface SpeechServerOptions {
  /** Accepted API key; other keys are rejected with 401. If absent, every request is accepted. */
  readonly apiKey?: string
  /** Whether all fields are supported. If false, `stream` and `verbose_json` are rejected with 400, as by small servers. */
  readonly knowsAllFields?: boolean
  /** Returns the transcript of a recording. Defaults to the text passed to `addRecording`. */
  readonly recognize?: (recording: Recording) => string
  /** Returns the reply to a request when no scripted reply is left; null for the regular reply. */
  readonly replyTo?: (request: SpeechRequest | TranscriptionRequest) => SpeechReply | null
  /** Returns the audio of a text at 24 kHz. Defaults to a tone per word. */
  readonly speak?: (text: string) => Int16Array
}

/**
 * A speech provider on the loopback interface, with the wire format of `POST /v1/audio/speech` and `POST
 * /v1/audio/transcriptions`.
 */
export interface SpeechServer extends AsyncDisposable {
  /** `baseUrl` for clients: `http://127.0.0.1:<port>/v1`. */
  readonly baseUrl: string
  /** Requests in order of arrival. */
  readonly requests: readonly (SpeechRequest | TranscriptionRequest)[]
  /** Recordings sent for transcription, in order of arrival. */
  readonly recordings: readonly Recording[]
  /** Adds replies for the next requests, in order. When none are left, the server responds regularly. */
  script(...replies: readonly SpeechReply[]): void
  /** Sets the reply to all further requests; null restores regular responses. */
  setReply(reply: SpeechReply | null): void
  /** Teaches the server to transcribe a recording as a text. */
  addRecording(recording: Recording, text: string): void
  /** Resolves when `count` requests have arrived. */
  received(count: number): Promise<void>
  /** Resolves when a client has closed a connection before the response was complete. */
  abandoned(): Promise<void>
  /** Number of open connections. */
  readonly openConnections: number
  close(): Promise<void>
}

const SPEECH_RATE_HZ = 24_000
const TONE_SECONDS = 0.25
const GAP_SECONDS = 0.1
const TONE_AMPLITUDE = 8_000
/** Minimum correlation with a known recording. Other audio is not recognized. */
const MIN_CORRELATION = 0.8

/** Starts a server on a free loopback port. */
export async function startSpeechServer(options: SpeechServerOptions = {}): Promise<SpeechServer> {
  const requests: (SpeechRequest | TranscriptionRequest)[] = []
  const recordings: Recording[] = []
  const replies: SpeechReply[] = []
  const knownRecordings: { readonly envelope: Float64Array; readonly text: string }[] = []
  let defaultReply: SpeechReply | null = null
  let connections = 0
  const watchers = new Set<{ readonly count: number; readonly resolve: () => void }>()
  const clientAborted = Promise.withResolvers<void>()

  function recognize(recording: Recording): string {
    if (options.recognize !== undefined) return options.recognize(recording)
    const envelope = measureEnvelope(recording)
    const matches = knownRecordings.map((candidate) => ({
      ...candidate,
      ...findBestMatch(candidate.envelope, envelope),
    }))
    const [best] = matches.sort((left, right) => right.correlation - left.correlation)
    return best !== undefined && best.correlation >= MIN_CORRELATION ? best.text : ''
  }

  async function handleRequest(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.concat(await Array.fromAsync(incoming as AsyncIterable<Buffer>))
    response.on('close', () => {
      if (!response.writableFinished) clientAborted.resolve()
    })
    const { authorization } = incoming.headers
    const parsed = parseRequest(incoming, body)
    if (typeof parsed === 'string') {
      sendError(response, parsed === '' ? 404 : 400, { message: parsed, type: 'invalid_request_error' })
      return
    }
    const request = { ...parsed, authorization }
    requests.push(request)
    if (request.kind === 'transcription') recordings.push(request.recording)
    const reply = replies.shift() ?? options.replyTo?.(request) ?? defaultReply ?? { kind: 'normal' }
    const hasWrongKey = options.apiKey !== undefined && authorization !== `Bearer ${options.apiKey}`
    const problem = request.kind === 'transcription' ? findUnknownField(request) : null
    if (hasWrongKey) playReply(response, { kind: 'wrong-key' }, () => EMPTY_RESPONSE)
    else if (problem !== null) sendError(response, 400, { message: problem, type: 'invalid_request_error' })
    else {
      const text = reply.kind === 'normal' ? reply.text : undefined
      playReply(response, reply, () => (request.kind === 'speech' ? createSpeech(request) : transcribe(request, text)))
    }
    for (const watcher of watchers) {
      if (requests.length >= watcher.count && watchers.delete(watcher)) watcher.resolve()
    }
  }

  function findUnknownField({ fields }: TranscriptionRequest): string | null {
    if (options.knowsAllFields !== false) return null
    return fields.stream === 'true' || fields.response_format === 'verbose_json' ? 'Unknown field.' : null
  }

  function createSpeech({ body }: SpeechRequest): SpeechResponse {
    const samples = (options.speak ?? synthesizeTones)(String(body.input))
    if (body.response_format === 'pcm') return { contentType: 'audio/pcm', body: toPcm(samples) }
    return { contentType: 'audio/wav', body: writeWav({ samples, rateHz: SPEECH_RATE_HZ }) }
  }

  function transcribe({ fields, recording }: TranscriptionRequest, scriptedText: string | undefined): SpeechResponse {
    const text = scriptedText ?? recognize(recording)
    if (fields.stream === 'true') return { contentType: 'text/event-stream; charset=utf-8', body: renderEvents(text) }
    const body = fields.response_format === 'verbose_json' ? toVerboseJson(text, recording) : { text }
    return { contentType: 'application/json', body: Buffer.from(JSON.stringify(body)) }
  }

  const server = createServer((incoming, response) => {
    // A client that disconnects while it is still sending requires no response.
    handleRequest(incoming, response).catch(() => response.destroy())
  })
  server.on('connection', (socket) => {
    connections += 1
    socket.once('close', () => {
      connections -= 1
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    requests,
    recordings,
    script: (...newReplies) => void replies.push(...newReplies),
    setReply(reply) {
      defaultReply = reply
    },
    addRecording: (recording, text) => void knownRecordings.push({ envelope: measureEnvelope(recording), text }),
    received: (count) =>
      new Promise((resolve) => {
        if (requests.length >= count) resolve()
        else watchers.add({ count, resolve })
      }),
    abandoned: () => clientAborted.promise,
    get openConnections() {
      return connections
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

const EMPTY_RESPONSE: SpeechResponse = { contentType: 'text/plain', body: Buffer.alloc(0) }

type ParsedRequest = Omit<SpeechRequest, 'authorization'> | Omit<TranscriptionRequest, 'authorization'>

/** Parses a request. Returns a sentence for an invalid request, or an empty string for an unknown path. */
function parseRequest({ method, url, headers }: IncomingMessage, body: Buffer): ParsedRequest | string {
  if (method !== 'POST') return ''
  if (url === '/v1/audio/speech') {
    const speechBody = readSpeechBody(body.toString('utf8'))
    return typeof speechBody === 'string' ? speechBody : { kind: 'speech', body: speechBody }
  }
  if (url !== '/v1/audio/transcriptions') return ''
  const form = readTranscriptForm(headers['content-type'] ?? '', body)
  return typeof form === 'string' ? form : { kind: 'transcription', ...form }
}

/** Synthesizes a tone for each word, with gaps between them. Longer words have higher tones. */
export function synthesizeTones(text: string, rateHz = SPEECH_RATE_HZ): Int16Array {
  const words = text.split(/\s+/).filter((word) => word !== '')
  const step = Math.round((TONE_SECONDS + GAP_SECONDS) * rateHz)
  const samples = new Int16Array(step * words.length)
  for (const [index, word] of words.entries()) {
    const pitch = 200 + 40 * Math.min(20, word.length)
    for (let offset = 0; offset < TONE_SECONDS * rateHz; offset += 1) {
      samples[index * step + offset] = Math.round(TONE_AMPLITUDE * Math.sin((2 * Math.PI * pitch * offset) / rateHz))
    }
  }
  return samples
}

/** Returns each word as a delta, followed by the whole text. */
function renderEvents(text: string): Buffer {
  const deltas = text.match(/\s*\S+/g) ?? []
  const events = [
    ...deltas.map((delta) => ({ type: 'transcript.text.delta', delta })),
    { type: 'transcript.text.done', text, usage: { type: 'tokens', input_tokens: 10, output_tokens: 5 } },
  ]
  return Buffer.from(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''))
}

/** Builds a verbose response in which words divide the recording equally. */
function toVerboseJson(text: string, { samples, rateHz }: Recording): object {
  const duration = samples.length / rateHz
  const words = text.split(/\s+/).filter((word) => word !== '')
  const length = duration / Math.max(1, words.length)
  return {
    task: 'transcribe',
    language: 'english',
    duration,
    text,
    words: words.map((word, index) => ({ word, start: index * length, end: (index + 1) * length })),
    segments: [{ id: 0, start: 0, end: duration, text, no_speech_prob: 0.01, avg_logprob: -0.2 }],
  }
}
