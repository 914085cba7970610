import type { WebSocket } from 'ws'
import { synthesizeTones } from '../speech-server/speech-server.ts'
import { toPcm } from '../speech-server/wav-audio.ts'
import { findRequestProblem, isSameContext, splitWords } from './cartesia-fields.ts'
import type { CartesiaReply } from './cartesia-reply.ts'

type Fields = Readonly<Record<string, unknown>>

interface Context {
  readonly firstRequest: Fields
  /** Joined transcripts. */
  transcript: string
  status: 'open' | 'generating' | 'finished'
  /** Chunks that a stalled context has not sent. */
  remainingChunks: readonly Buffer[]
}

interface SessionOptions {
  readonly maxContexts: number
  takeReply(request: Fields): CartesiaReply
}

const CHUNK_BYTES = 3_200
/** Seconds of audio for one word in `synthesizeTones`: a tone and a gap. */
const WORD_SECONDS = 0.35
const TONE_SECONDS = 0.25

/** The contexts of one socket. */
export class CartesiaSession {
  readonly #socket: WebSocket
  readonly #options: SessionOptions
  readonly #contexts = new Map<string, Context>()

  constructor(socket: WebSocket, options: SessionOptions) {
    this.#socket = socket
    this.#options = options
  }

  receive(fields: Fields): void {
    const contextId = typeof fields.context_id === 'string' ? fields.context_id : ''
    if (contextId === '') this.#sendError('', 400, 'context_id is missing')
    else if (fields.cancel === true) this.#cancel(contextId)
    else this.#extend(contextId, fields)
  }

  #extend(contextId: string, fields: Fields): void {
    const context = this.#contexts.get(contextId)
    const problem = findRequestProblem(fields) ?? findContextProblem(context, fields)
    if (problem !== null) {
      this.#sendError(contextId, 400, problem)
      return
    }
    if (context === undefined && this.#countActive() >= this.#options.maxContexts) {
      this.#sendError(contextId, 429, 'too many contexts', 'concurrency_limited')
      return
    }
    const transcript = `${context?.transcript ?? ''}${String(fields.transcript)}`
    const isComplete = fields.continue !== true
    const extended: Context = {
      firstRequest: context?.firstRequest ?? fields,
      transcript,
      status: isComplete ? 'generating' : 'open',
      remainingChunks: [],
    }
    this.#contexts.set(contextId, extended)
    if (isComplete) this.#play(contextId, extended, this.#options.takeReply(fields))
  }

  #play(contextId: string, context: Context, reply: CartesiaReply): void {
    const chunkBytes = reply.kind === 'normal' ? (reply.chunkBytes ?? CHUNK_BYTES) : CHUNK_BYTES
    const chunks = reply.kind === 'empty' ? [] : splitChunks(createAudio(context), chunkBytes)
    const sentCount = 'afterChunks' in reply ? (reply.afterChunks ?? 0) : chunks.length
    if (reply.kind === 'raw') this.#socket.send(reply.message)
    if (reply.kind === 'message') this.#send(contextId, reply.fields)
    const hasWords = context.firstRequest.add_timestamps === true
    if (hasWords && sentCount > 0 && chunks.length > 0) this.#sendWords(contextId, context)
    for (const chunk of chunks.slice(0, sentCount)) this.#sendChunk(contextId, chunk)
    switch (reply.kind) {
      case 'stall':
        context.remainingChunks = chunks.slice(sentCount)
        return
      case 'error':
        this.#finish(contextId)
        this.#sendError(reply.hasContext === false ? '' : contextId, reply.status, 'my secret plan', reply.errorCode)
        return
      case 'cut':
        this.#breakConnection((socket) => socket.terminate())
        return
      case 'half-close':
        this.#breakConnection((socket) => (socket as unknown as { _socket: { end(): void } })._socket.end())
        return
      default:
        this.#finish(contextId)
        this.#send(contextId, { type: 'done', done: true })
    }
  }

  /** Stops a context like the service, whose current chunk still arrives. */
  #cancel(contextId: string): void {
    const context = this.#contexts.get(contextId)
    if (context === undefined) return
    const [lateChunk] = context.remainingChunks
    if (lateChunk !== undefined) this.#sendChunk(contextId, lateChunk)
    context.remainingChunks = []
    this.#finish(contextId)
    this.#send(contextId, { type: 'done', done: true })
  }

  #finish(contextId: string): void {
    const context = this.#contexts.get(contextId)
    if (context !== undefined) context.status = 'finished'
  }

  #countActive(): number {
    return [...this.#contexts.values()].filter(({ status }) => status !== 'finished').length
  }

  /** Breaks the connection after everything was sent. */
  #breakConnection(end: (socket: WebSocket) => void): void {
    this.#socket.ping(undefined, undefined, () => end(this.#socket))
  }

  #sendChunk(contextId: string, audio: Buffer): void {
    this.#send(contextId, { type: 'chunk', data: audio.toString('base64'), done: false, step_time: 12.5 })
  }

  #sendWords(contextId: string, { transcript, firstRequest }: Context): void {
    const words = splitWords(transcript, firstRequest.language)
    const start = words.map((_, index) => index * WORD_SECONDS)
    const end = start.map((seconds) => seconds + TONE_SECONDS)
    this.#send(contextId, { type: 'timestamps', word_timestamps: { words, start, end } })
  }

  #sendError(contextId: string, status: number, message: string, errorCode = 'invalid_request'): void {
    this.#send(contextId, {
      type: 'error',
      done: true,
      title: 'Error',
      message,
      error_code: errorCode,
      status_code: status,
      request_id: 'request-1',
    })
  }

  #send(contextId: string, fields: Fields): void {
    this.#socket.send(JSON.stringify({ ...(contextId === '' ? {} : { context_id: contextId }), ...fields }))
  }
}

function findContextProblem(context: Context | undefined, fields: Fields): string | null {
  if (context === undefined) return null
  if (context.status !== 'open') return 'the context is finished'
  return isSameContext(context.firstRequest, fields) ? null : 'the context has other fields'
}

function createAudio({ transcript, firstRequest }: Context): Buffer {
  const { sample_rate: rateHz } = firstRequest.output_format as { readonly sample_rate: number }
  return toPcm(synthesizeTones(splitWords(transcript, firstRequest.language).join(' '), rateHz))
}

function splitChunks(audio: Buffer, size: number): Buffer[] {
  const chunks: Buffer[] = []
  for (let offset = 0; offset < audio.length; offset += size) chunks.push(audio.subarray(offset, offset + size))
  return chunks
}
