import type { Clock, ModelFailure } from '@parley/engine/ports'
import type { Dispatcher } from 'undici'
import type { Embedded, Embedder } from '../../features/knowledge/public.ts'
import { joinUrl } from '../models/wire-client.ts'
import { protocolFailure } from '../models/wire-failure.ts'
import { type EmbeddingTarget, exchangeEmbeddings } from './embedding-exchange.ts'
import { readVectors } from './read-vectors.ts'

export interface EmbedderOptions {
  /** `/embeddings` is appended to its path. */
  readonly baseUrl: string
  readonly apiKey: string | undefined
  /** The provider's own name of the model. */
  readonly model: string
  /** Length of the vectors, for models that can be asked for one. */
  readonly dimensions?: number | undefined
  readonly http: Dispatcher
  readonly clock: Clock
  /** Of one request. */
  readonly timeoutMs?: number
}

const BATCH_SIZE = 64
/** Numbers as decimal text take long to parse: fewer vectors at once keep the thread free. */
const DECIMAL_BATCH_SIZE = 16
const BATCH_CHARACTERS = 100_000
/** No passage with its headings is much longer, and the common models take as many. */
const LONG_TEXT_CHARACTERS = 8_000
/** Fits into the 512 tokens of small models. */
const SHORT_TEXT_CHARACTERS = 1_500
const TIMEOUT_MS = 30_000

/** What the provider was found to understand. */
interface ServerCapabilities {
  encoding: 'base64' | 'float'
  /** Whether it has answered a request in this encoding. */
  isProven: boolean
  textCharacters: number
}

/** An embedding model that speaks the wire of OpenAI, as most servers of such models do. */
export function createEmbedder(options: EmbedderOptions): Embedder {
  const { baseUrl, apiKey, model, dimensions, http, clock, timeoutMs = TIMEOUT_MS } = options
  const target: EmbeddingTarget = { http, clock, url: joinUrl(baseUrl, '/embeddings'), apiKey, timeoutMs }
  const capabilities: ServerCapabilities = { encoding: 'base64', isProven: false, textCharacters: LONG_TEXT_CHARACTERS }

  async function embedBatch(texts: readonly string[], signal: AbortSignal): Promise<Batch> {
    let attempt: Attempt | null = { encoding: capabilities.encoding, textCharacters: capabilities.textCharacters }
    let batch: Batch = failed(protocolFailure('The provider was not asked.'))
    while (attempt !== null) {
      const tried: Attempt = attempt
      const { encoding, textCharacters } = tried
      const input = texts.map((text) => cutText(text, textCharacters))
      const size = dimensions === undefined ? {} : { dimensions }
      const bodyText = JSON.stringify({ model, input, encoding_format: encoding, ...size })
      const answer = await exchangeEmbeddings(target, bodyText, signal)
      if (answer.ok) {
        const read = readVectors(answer.body, texts.length)
        if (!read.ok) return failed(protocolFailure(read.message))
        Object.assign(capabilities, tried, { isProven: true })
        return checkDimensions(read.vectors, dimensions)
      }
      batch = failed(answer.failure)
      attempt = nextAttempt(tried, { status: answer.status, isProven: capabilities.isProven, texts })
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
        if (!batch.ok) return embeddedOf(batch.failure)
        for (const vector of batch.vectors) vectors.push(vector)
        if (vectors[0]?.length !== vectors.at(-1)?.length) {
          return embeddedOf(protocolFailure('The provider answered vectors of different lengths.'))
        }
      }
      return { ok: true, vectors }
    },
  }
}

type Batch =
  | { readonly ok: true; readonly vectors: readonly Float32Array[] }
  | { readonly ok: false; readonly failure: ModelFailure }

type Attempt = Pick<ServerCapabilities, 'encoding' | 'textCharacters'>

interface Refusal {
  readonly status: number | null
  readonly isProven: boolean
  readonly texts: readonly string[]
}

/** What to try after a request was refused for what it said; null when nothing is left or the fault is another one. */
function nextAttempt(tried: Attempt, { status, isProven, texts }: Refusal): Attempt | null {
  if (status === null || ![400, 413, 415, 422].includes(status)) return null
  // Servers that do not know base64 seldom say so in words that could be understood.
  if (!isProven && tried.encoding === 'base64' && status !== 413) return { ...tried, encoding: 'float' }
  const isLong = tried.textCharacters > SHORT_TEXT_CHARACTERS
  if (!isLong || texts.every((text) => text.length <= SHORT_TEXT_CHARACTERS)) return null
  return { ...tried, textCharacters: SHORT_TEXT_CHARACTERS }
}

function takeBatch(texts: readonly string[], from: number, maxBatchTexts: number): readonly string[] {
  let characters = 0
  let end = from
  for (const text of texts.slice(from, from + maxBatchTexts)) {
    characters += Math.min(text.length, LONG_TEXT_CHARACTERS)
    if (end > from && characters > BATCH_CHARACTERS) break
    end += 1
  }
  return texts.slice(from, end)
}

/** The wire takes no empty text. */
function cutText(text: string, maxCharacters: number): string {
  const cut = text.slice(0, maxCharacters).toWellFormed()
  return cut.trim() === '' ? '-' : cut
}

function checkDimensions(vectors: readonly Float32Array[], dimensions: number | undefined): Batch {
  const found = vectors[0]?.length
  if (dimensions === undefined || found === undefined || found === dimensions) return { ok: true, vectors }
  const message = `The model answers vectors of ${found} numbers, not of the ${dimensions} that are configured.`
  return failed({ kind: 'rejected', message, retryable: false })
}

function failed(failure: ModelFailure): Batch {
  return { ok: false, failure }
}

function embeddedOf({ message, retryable, retryAfterMs }: ModelFailure): Embedded {
  return { ok: false, message, retryable, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }
}
