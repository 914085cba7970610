import type { Clock, ModelFailure } from '@parley/engine/ports'
import type { Dispatcher } from 'undici'
import { parseJson, toObject, toText } from '../models/unknown-json.ts'
import { createProtocolFailure } from '../models/wire-failure.ts'
import { joinUrl, VendorExchange, type VendorListener, type VendorRequest } from '../vendor-exchange.ts'

/** Base URL and API key of a speech vendor, and the HTTP client. */
export interface SpeechTarget {
  readonly http: Dispatcher
  readonly clock: Clock
  readonly baseUrl: string
  readonly apiKey: string | undefined
}

export interface SpeechPostOptions extends Omit<VendorRequest, 'url' | 'headers' | 'createStatusFailure'> {
  readonly path: string
  readonly contentType: string
}

/** Sends one POST request to a speech vendor. */
export function postSpeech(
  target: SpeechTarget,
  { path, contentType, ...request }: SpeechPostOptions,
  listener: VendorListener,
): VendorExchange {
  const { baseUrl, apiKey } = target
  const headers = {
    'content-type': contentType,
    ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
  }
  const url = joinUrl(baseUrl, path)
  const exchange = new VendorExchange(
    target,
    { ...request, url, headers, createStatusFailure: toStatusFailure },
    listener,
  )
  exchange.send()
  return exchange
}

/** Formats the vendor's error codes. Omits the message, because it can quote the text or parts of a key. */
function formatErrorCodes(text: string): string {
  const body = toObject(parseJson(text))
  const error = toObject(body?.error) ?? toObject(body?.detail) ?? body
  const codes = [error?.code, error?.type, error?.param].map(toText).filter((code) => /^[a-z][a-z_.]{1,63}$/.test(code))
  return codes.length === 0 ? '' : ` (${[...new Set(codes)].join(', ')})`
}

/** Converts a response with a status other than 200 into a failure. */
function toStatusFailure(
  status: number,
  headers: Readonly<Record<string, string | string[] | undefined>>,
  text: string,
): ModelFailure {
  const description = `The provider responded with status ${status}${formatErrorCodes(text)}`
  if (status === 401 || status === 403) return { kind: 'unauthorized', message: `${description}.`, retryable: false }
  if (status === 429) {
    const retryAfter = /^\d{1,6}$/.exec(String(headers['retry-after'] ?? ''))?.[0]
    const message =
      retryAfter === undefined ? `${description}.` : `${description} and asks to wait ${retryAfter} seconds.`
    return { kind: 'rate-limited', message, retryable: true }
  }
  if (status === 408 || status === 409 || status >= 500) {
    return { kind: 'unavailable', message: `${description}.`, retryable: true }
  }
  if (status < 300) return createProtocolFailure(`${description} instead of a result.`)
  return { kind: 'rejected', message: `${description}.`, retryable: false }
}
