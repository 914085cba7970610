import type { Clock, ModelFailure } from '@parley/engine/ports'
import type { Dispatcher } from 'undici'
import type { Embedder, EmbedResult } from '../../features/knowledge/public.ts'
import { parseJson, toObject } from '../models/unknown-json.ts'
import { createProtocolFailure, toStatusFailure } from '../models/wire-failure.ts'
import { joinUrl, VendorExchange } from '../vendor-exchange.ts'

export interface EmbedderOptions {
  /** Base URL. `/embeddings` is appended to its path. */
  readonly baseUrl: string
  readonly apiKey: string | undefined
  /** Model name at the vendor. */
  readonly model: string
  /** Length of the vectors, for models that let clients choose it. */
  readonly dimensions?: number | undefined
  readonly http: Dispatcher
  readonly clock: Clock
  /** Time limit of one request. */
  readonly timeoutMs?: number
}

const BATCH_SIZE = 64
/** Decimal numbers are slow to parse, so smaller batches keep the thread responsive. */
const DECIMAL_BATCH_SIZE = 16
const BATCH_CHARACTERS = 100_000
/** Common models accept this length, and few passages are longer. */
const LONG_TEXT_CHARACTERS = 8_000
/** Fits the 512 tokens of small models. */
const SHORT_TEXT_CHARACTERS = 1_500
const TIMEOUT_MS = 30_000

/** Detected capabilities of the vendor. */
interface ServerCapabilities {
  encoding: 'base64' | 'float'
  /** Whether a request with this encoding has succeeded. */
  isConfirmed: boolean
  textCharacters: number
}

/** Creates an embedder that uses OpenAI's API, which most embedding servers support. */
export function createEmbedder(options: EmbedderOptions): Embedder {
  const { baseUrl, apiKey, model, dimensions, http, clock, timeoutMs = TIMEOUT_MS } = options
  const target: EmbeddingTarget = { http, clock, url: joinUrl(baseUrl, '/embeddings'), apiKey, timeoutMs }
  const capabilities: ServerCapabilities = {
    encoding: 'base64',
    isConfirmed: false,
    textCharacters: LONG_TEXT_CHARACTERS,
  }

  async function embedBatch(texts: readonly string[], signal: AbortSignal): Promise<BatchResult> {
    let attempt: Attempt | null = { encoding: capabilities.encoding, textCharacters: capabilities.textCharacters }
    let batch: BatchResult = buildFailedBatch(createProtocolFailure('The provider received no request.'))
    while (attempt !== null) {
      const currentAttempt: Attempt = attempt
      const { encoding, textCharacters } = currentAttempt
      const input = texts.map((text) => truncateText(text, textCharacters))
      const dimensionsField = dimensions === undefined ? {} : { dimensions }
      const bodyText = JSON.stringify({ model, input, encoding_format: encoding, ...dimensionsField })
      const response = await requestEmbeddings(target, bodyText, signal)
      if (response.ok) {
        const result = readVectors(response.body, texts.length)
        if (!result.ok) return buildFailedBatch(createProtocolFailure(result.message))
        Object.assign(capabilities, currentAttempt, { isConfirmed: true })
        return checkDimensions(result.vectors, dimensions)
      }
      batch = buildFailedBatch(response.failure)
      attempt = chooseNextAttempt(currentAttempt, {
        status: response.status,
        isConfirmed: capabilities.isConfirmed,
        texts,
      })
    }
    return batch
  }

  return {
    model: dimensions === undefined ? model : `${model}@${dimensions}`,
    batchSize: BATCH_SIZE,
    async embed(texts, signal) {
      const vectors: Float32Array[] = []
      while (vectors.length < texts.length) {
        const maxBatchTexts = capabilities.encoding === 'base64' ? BATCH_SIZE : DECIMAL_BATCH_SIZE
        const batch = await embedBatch(takeBatch(texts, vectors.length, maxBatchTexts), signal)
        if (!batch.ok) return toFailedEmbedding(batch.failure)
        for (const vector of batch.vectors) vectors.push(vector)
        if (vectors[0]?.length !== vectors.at(-1)?.length) {
          return toFailedEmbedding(createProtocolFailure('The provider returned vectors of different lengths.'))
        }
      }
      return { ok: true, vectors }
    },
  }
}

type BatchResult =
  | { readonly ok: true; readonly vectors: readonly Float32Array[] }
  | { readonly ok: false; readonly failure: ModelFailure }

type Attempt = Pick<ServerCapabilities, 'encoding' | 'textCharacters'>

interface Rejection {
  readonly status: number
  readonly isConfirmed: boolean
  readonly texts: readonly string[]
}

/** Returns the next attempt after the vendor rejected the content of a request, or null if no option is left. */
function chooseNextAttempt(attempt: Attempt, { status, isConfirmed, texts }: Rejection): Attempt | null {
  if (![400, 413, 415, 422].includes(status)) return null
  // Servers without base64 support rarely report it clearly.
  if (!isConfirmed && attempt.encoding === 'base64' && status !== 413) return { ...attempt, encoding: 'float' }
  const isLong = attempt.textCharacters > SHORT_TEXT_CHARACTERS
  if (!isLong || texts.every((text) => text.length <= SHORT_TEXT_CHARACTERS)) return null
  return { ...attempt, textCharacters: SHORT_TEXT_CHARACTERS }
}

function takeBatch(texts: readonly string[], start: number, maxBatchTexts: number): readonly string[] {
  let characters = 0
  let end = start
  for (const text of texts.slice(start, start + maxBatchTexts)) {
    characters += Math.min(text.length, LONG_TEXT_CHARACTERS)
    if (end > start && characters > BATCH_CHARACTERS) break
    end += 1
  }
  return texts.slice(start, end)
}

/** Truncates a text. Replaces empty text, which the API rejects. */
function truncateText(text: string, maxCharacters: number): string {
  const truncated = text.slice(0, maxCharacters).toWellFormed()
  return truncated.trim() === '' ? '-' : truncated
}

function checkDimensions(vectors: readonly Float32Array[], dimensions: number | undefined): BatchResult {
  const actualDimensions = vectors[0]?.length
  if (dimensions === undefined || actualDimensions === undefined || actualDimensions === dimensions)
    return { ok: true, vectors }
  const message = `The model returns vectors with ${actualDimensions} dimensions instead of the configured ${dimensions}.`
  return buildFailedBatch({ kind: 'rejected', message, retryable: false })
}

function buildFailedBatch(failure: ModelFailure): BatchResult {
  return { ok: false, failure }
}

function toFailedEmbedding({ message, retryable, retryAfterMs }: ModelFailure): EmbedResult {
  return { ok: false, message, retryable, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }
}

/** Longer than the vectors of any model. */
const MAX_DIMENSIONS = 8192

type VectorsResult =
  | { readonly ok: true; readonly vectors: readonly Float32Array[] }
  | { readonly ok: false; readonly message: string }

/** Reads the vectors of a response in the order of the texts, each normalized to length 1. */
export function readVectors(body: unknown, count: number): VectorsResult {
  const data = toObject(body)?.data
  if (!Array.isArray(data)) return createInvalidResult('The provider returned no list of vectors.')
  if (data.length !== count)
    return createInvalidResult(`The provider returned ${data.length} vectors for ${count} texts.`)
  const vectors: (Float32Array | undefined)[] = new Array(count).fill(undefined)
  for (const [position, element] of data.entries()) {
    const fields = toObject(element)
    const index = fields?.index ?? position
    if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index >= count || vectors[index]) {
      return createInvalidResult('The provider returned vectors that do not match the texts.')
    }
    const vector = readVector(fields?.embedding)
    if (vector === null) return createInvalidResult('The provider returned an invalid vector.')
    vectors[index] = vector
  }
  const allVectors = vectors.filter((vector) => vector !== undefined)
  const dimensions = allVectors[0]?.length
  if (allVectors.some((vector) => vector.length !== dimensions)) {
    return createInvalidResult('The provider returned vectors of different lengths.')
  }
  return { ok: true, vectors: allVectors }
}

/** Reads a list of numbers, or base64 of little-endian 32-bit floats. Returns null for anything else or a zero vector. */
function readVector(value: unknown): Float32Array | null {
  const vector = typeof value === 'string' ? decodeVector(value) : Array.isArray(value) ? parseNumbers(value) : null
  return vector === null || vector.length === 0 || vector.length > MAX_DIMENSIONS ? null : normalizeVector(vector)
}

function decodeVector(text: string): Float32Array | null {
  if (text.length > MAX_DIMENSIONS * 6) return null
  const bytes = Buffer.from(text, 'base64')
  const bytesPerElement = Float32Array.BYTES_PER_ELEMENT
  if (bytes.length % bytesPerElement !== 0) return null
  const vector = new Float32Array(bytes.length / bytesPerElement)
  for (let index = 0; index < vector.length; index += 1) vector[index] = bytes.readFloatLE(index * bytesPerElement)
  return vector
}

function parseNumbers(list: readonly unknown[]): Float32Array | null {
  const isNumberArray = list.every((number) => typeof number === 'number')
  return isNumberArray && list.length <= MAX_DIMENSIONS ? Float32Array.from(list) : null
}

function normalizeVector(vector: Float32Array): Float32Array | null {
  let sumOfSquares = 0
  for (const number of vector) sumOfSquares += number * number
  const length = Math.sqrt(sumOfSquares)
  if (!Number.isFinite(length) || length === 0) return null
  return vector.map((number) => number / length)
}

function createInvalidResult(message: string): VectorsResult {
  return { ok: false, message }
}

/** Address and credentials of an embedding model. */
interface EmbeddingTarget {
  readonly http: Dispatcher
  readonly clock: Clock
  readonly url: URL
  readonly apiKey: string | undefined
  /** Time limit of one request, including its response. */
  readonly timeoutMs: number
}

type EmbeddingResponse =
  | { readonly ok: true; readonly body: unknown }
  /** `status` is 0 if no response arrived. */
  | { readonly ok: false; readonly failure: ModelFailure; readonly status: number }

/** Twice the size of 64 vectors with 8,192 decimal numbers. */
const MAX_RESPONSE_BYTES = 24 * 1024 * 1024

const CANCELLED_FAILURE: ModelFailure = { kind: 'unavailable', message: 'The request was cancelled.', retryable: true }

/** Sends one request and reads the whole response. Never rejects. */
function requestEmbeddings(
  { http, clock, url, apiKey, timeoutMs }: EmbeddingTarget,
  bodyText: string,
  signal: AbortSignal,
): Promise<EmbeddingResponse> {
  if (signal.aborted) return Promise.resolve({ ok: false, failure: CANCELLED_FAILURE, status: 0 })
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    const finish = (outcome: EmbeddingResponse): void => {
      signal.removeEventListener('abort', cancel)
      resolve(outcome)
    }
    const cancel = (): void => {
      exchange.cancel()
      finish({ ok: false, failure: CANCELLED_FAILURE, status: 0 })
    }
    const exchange = new VendorExchange(
      { http, clock },
      {
        url,
        headers: {
          'content-type': 'application/json',
          accept: 'application/json',
          ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
        },
        body: bodyText,
        totalMs: timeoutMs,
        maxBytes: MAX_RESPONSE_BYTES,
        createStatusFailure: (status, headers, text) =>
          toStatusFailure({ status, headers, bodyText: text, secret: apiKey, nowMs: clock.now() }),
      },
      {
        onStart: () => null,
        onChunk: (bytes) => chunks.push(bytes),
        onEnd(failure, status) {
          const body = failure === null ? parseJson(Buffer.concat(chunks).toString('utf8')) : undefined
          if (body !== undefined) finish({ ok: true, body })
          else
            finish({
              ok: false,
              failure: failure ?? createProtocolFailure('The provider did not return JSON.'),
              status,
            })
        },
      },
    )
    signal.addEventListener('abort', cancel, { once: true })
    exchange.send()
  })
}
