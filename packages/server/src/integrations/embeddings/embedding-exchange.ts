import type { Clock, ModelFailure } from '@parley/engine/ports'
import type { Dispatcher } from 'undici'
import { parseJson } from '../models/unknown-json.ts'
import { failureOfConnection, failureOfStatus, protocolFailure } from '../models/wire-failure.ts'

/** Where and as whom requests for embeddings go. */
export interface EmbeddingTarget {
  readonly http: Dispatcher
  readonly clock: Clock
  readonly url: URL
  readonly apiKey: string | undefined
  /** Of one request, its answer included. */
  readonly timeoutMs: number
}

export type EmbeddingExchange =
  | { readonly ok: true; readonly body: unknown }
  | { readonly ok: false; readonly failure: ModelFailure; readonly status: number | null }

/** 64 vectors of 8,192 numbers as decimal text are half of it. */
const MAX_ANSWER_BYTES = 24 * 1024 * 1024
const MAX_ERROR_BYTES = 64 * 1024

/** Sends one request and reads the whole answer. Never rejects. */
export async function exchangeEmbeddings(
  target: EmbeddingTarget,
  bodyText: string,
  signal: AbortSignal,
): Promise<EmbeddingExchange> {
  const { clock, timeoutMs } = target
  if (signal.aborted) return failed(CANCELLED)
  const stop = new AbortController()
  let stoppedBy: ModelFailure | null = null
  const stopWith = (failure: ModelFailure): void => {
    stoppedBy ??= failure
    stop.abort()
  }
  const onAbort = (): void => stopWith(CANCELLED)
  signal.addEventListener('abort', onAbort, { once: true })
  const cancelDeadline = clock.after(timeoutMs, () => stopWith(timedOut(timeoutMs)))
  try {
    return await send(target, bodyText, stop.signal)
  } catch (error) {
    return failed(stoppedBy ?? failureOfConnection(error))
  } finally {
    cancelDeadline()
    signal.removeEventListener('abort', onAbort)
  }
}

async function send(target: EmbeddingTarget, bodyText: string, signal: AbortSignal): Promise<EmbeddingExchange> {
  const { http, clock, url, apiKey } = target
  const answer = await http.request({
    origin: url.origin,
    path: url.pathname + url.search,
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
    },
    body: bodyText,
    signal,
  })
  const status = answer.statusCode
  if (status !== 200) {
    const said = await readError(answer.body)
    const told = { status, headers: answer.headers, bodyText: said, secret: apiKey, nowMs: clock.now() }
    return failed(failureOfStatus(told), status)
  }
  const bytes = await readBody(answer.body, MAX_ANSWER_BYTES)
  if (bytes === null) return failed(protocolFailure('The provider sent more than 24 MiB in one answer.'), status)
  const body = parseJson(bytes.toString('utf8'))
  if (body === undefined) return failed(protocolFailure('The provider did not answer with JSON.'), status)
  return { ok: true, body }
}

/** Null when it is longer; the connection is closed then. */
async function readBody(body: AsyncIterable<Buffer>, mostBytes: number): Promise<Buffer | null> {
  const parts: Buffer[] = []
  let sizeBytes = 0
  for await (const part of body) {
    sizeBytes += part.length
    if (sizeBytes > mostBytes) return null
    parts.push(part)
  }
  return Buffer.concat(parts)
}

/** As much of it as came: the status already says what matters. */
async function readError(body: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = []
  let sizeBytes = 0
  try {
    for await (const part of body) {
      parts.push(part)
      sizeBytes += part.length
      if (sizeBytes >= MAX_ERROR_BYTES) break
    }
  } catch {
    // The provider hung or broke off in the middle of its excuse.
  }
  return Buffer.concat(parts).subarray(0, MAX_ERROR_BYTES).toString('utf8')
}

const CANCELLED: ModelFailure = { kind: 'unavailable', message: 'The request was cancelled.', retryable: true }

function timedOut(timeoutMs: number): ModelFailure {
  const message = `The provider did not answer within ${timeoutMs} ms.`
  return { kind: 'timeout', message, retryable: true }
}

function failed(failure: ModelFailure, status: number | null = null): EmbeddingExchange {
  return { ok: false, failure, status }
}
