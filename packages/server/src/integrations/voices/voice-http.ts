import type { Clock } from '@parley/engine/ports'
import type { VendorKey } from '../../features/vendor-keys/public.ts'
import type { VoiceFailure } from '../../features/voices/public.ts'
import type { OutboundOutcome, OutboundRequest, SendOutbound } from '../../platform/outbound/outbound-request.ts'
import { parseJson, toObject, toText } from '../models/unknown-json.ts'
import { sanitizeVendorText } from '../models/wire-failure.ts'
import { getRetryPauseMs } from '../tools/tool-retry.ts'

export interface VoiceHttpDependencies {
  /** Sends requests to vendors' default URLs and the operator's URLs. */
  readonly sendDirect: SendOutbound
  /** Sends requests to URLs that customers configure. It blocks internal networks. */
  readonly sendGuarded: SendOutbound
  readonly clock: Clock
  /** Product version for `User-Agent`. */
  readonly version: string
}

/** Name, URL and authentication of a voice service. */
export interface VoiceService {
  readonly label: string
  /** Base URL for keys without a custom base URL. */
  readonly defaultBaseUrl: string
  readonly buildKeyHeaders: (apiKey: string) => Readonly<Record<string, string>>
}

/** A failure with the status and error code of the response. */
export interface VoiceHttpFailure extends VoiceFailure {
  readonly status: number | null
  /** The service's error code, or '' if there is none. */
  readonly code: string
}

export type VoiceResponse = { readonly ok: true; readonly body: unknown } | VoiceHttpFailure

/** Sends the requests of one operation, with a shared deadline. Requests never reject. */
export interface VoiceExchange {
  /** Sends a GET request. Retries once after status 429, status 5xx or a connection failure. */
  get(path: string, query?: Readonly<Record<string, string>>): Promise<VoiceResponse>
  post(path: string, body: object): Promise<VoiceResponse>
}

/** Short, because a user is waiting for the search. */
const DEADLINE_MS = 10_000
const MAX_RESPONSE_BYTES = 2 * 1024 * 1024
/** Maximum redirects of GET requests. The client sends no key to another origin. */
const MAX_REDIRECTS = 2

/** Creates the exchange for one operation. */
export function openExchange(
  service: VoiceService,
  key: VendorKey,
  dependencies: VoiceHttpDependencies,
): VoiceExchange {
  const { sendDirect, sendGuarded, clock, version } = dependencies
  const deadlineMs = clock.now() + DEADLINE_MS
  const send = key.isStored && key.baseUrl !== null ? sendGuarded : sendDirect
  const baseUrl = key.baseUrl ?? service.defaultBaseUrl
  const headers = {
    accept: 'application/json',
    'user-agent': `Parley/${version}`,
    ...service.buildKeyHeaders(key.apiKey),
  }

  async function sendRequest(path: string, requestOptions: Pick<OutboundRequest, 'method' | 'body' | 'headers'>) {
    const isGet = requestOptions.method === 'GET'
    const request = {
      url: `${baseUrl.replace(/(?<!\/)\/+$/, '')}${path}`,
      ...requestOptions,
      headers: { ...headers, ...requestOptions.headers },
    }
    const limits = { maxResponseBytes: MAX_RESPONSE_BYTES, maxRedirects: isGet ? MAX_REDIRECTS : 0 }
    for (let attempts = 1; ; attempts++) {
      const timeoutMs = deadlineMs - clock.now()
      if (timeoutMs <= 0) return createTimeoutFailure(service)
      const outcome = await send({ ...request, ...limits, timeoutMs })
      const pauseMs = getRetryPauseMs(outcome, { attempts, maxRetry: isGet ? 1 : 0, nowMs: clock.now() })
      if (pauseMs === null || clock.now() + pauseMs >= deadlineMs) return parseOutcome(outcome, service, key.apiKey)
      await waitForRetry(clock, pauseMs)
    }
  }

  return {
    get: (path, query = {}) => {
      const search = new URLSearchParams(query).toString()
      return sendRequest(search === '' ? path : `${path}?${search}`, { method: 'GET' })
    },
    post: (path, body) =>
      sendRequest(path, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      }),
  }
}

function parseOutcome(outcome: OutboundOutcome, service: VoiceService, secret: string): VoiceResponse {
  const { label } = service
  if (!outcome.ok) {
    const { reason, message, status } = outcome
    if (reason === 'timeout') return createTimeoutFailure(service)
    if (reason === 'blocked-target' || reason === 'invalid-request') {
      return createFailure('key-unusable', `The key for ${label} or its address cannot be used. ${message}`, { status })
    }
    return createFailure('failed', `${label} could not be reached. ${message}`, { status })
  }
  const { status } = outcome
  const text = outcome.body.toString('utf8')
  const body = parseJson(text)
  if (status < 200 || status > 299) return parseErrorResponse(status, { label, secret, text, body })
  if (body === undefined) return createFailure('failed', `${label} did not return JSON.`, { status })
  return { ok: true, body }
}

interface ErrorResponse {
  readonly label: string
  readonly secret: string
  readonly text: string
  readonly body: unknown
}

/** Builds a failure with the service's message, which is in `detail`, `message`, `error` or the body. */
function parseErrorResponse(status: number, { label, secret, text, body }: ErrorResponse): VoiceHttpFailure {
  const fields = toObject(body)
  const detail = toObject(fields?.detail)
  const vendorMessage =
    toText(detail?.message) ||
    toText(fields?.detail) ||
    toText(fields?.message) ||
    toText(fields?.err_msg) ||
    toText(toObject(fields?.error)?.message) ||
    toText(fields?.error)
  const vendorText = sanitizeVendorText(body === undefined ? text : vendorMessage, secret)
  const reason = vendorText === '' ? '.' : `: ${vendorText.replace(/\.?$/, '.')}`
  const details = { status, code: toText(detail?.status) || toText(detail?.code) }
  if (status === 401 || status === 403) {
    return createFailure('key-unusable', `${label} refused the key (status ${status})${reason}`, details)
  }
  return createFailure('failed', `${label} responded with status ${status}${reason}`, details)
}

function createTimeoutFailure({ label }: VoiceService): VoiceHttpFailure {
  return createFailure('timeout', `${label} did not respond within ${DEADLINE_MS / 1000} seconds.`, { status: null })
}

/** Builds the failure for a response with unexpected content. */
export function createUnreadableFailure({ label }: VoiceService): VoiceFailure {
  return { ok: false, reason: 'failed', message: `${label} returned JSON without voices.` }
}

function createFailure(
  reason: VoiceFailure['reason'],
  message: string,
  details: { readonly status: number | null; readonly code?: string },
): VoiceHttpFailure {
  return { ok: false, reason, message, status: details.status, code: details.code ?? '' }
}

function waitForRetry(clock: Clock, delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(delayMs, resolve)
  })
}

// Readers of untrusted response fields. They limit values, so that the values can be stored and displayed.

const MAX_LABEL_CHARACTERS = 100
const MAX_URL_CHARACTERS = 2000
const MAX_TAGS = 20

/** Returns text of limited length, without characters that databases reject. Returns '' for anything else. */
export function readTextField(value: unknown, maxCharacters: number): string {
  if (typeof value !== 'string') return ''
  // Truncated first, because truncating can split a surrogate pair.
  return value.slice(0, maxCharacters).replaceAll('\0', '').toWellFormed().trim()
}

/** Returns a short label, or null if it is empty. */
export function readLabelField(value: unknown): string | null {
  const label = readTextField(value, MAX_LABEL_CHARACTERS)
  return label === '' ? null : label
}

/** Returns an http(s) URL, or null. Other URLs could run scripts in a page. */
export function readUrlField(value: unknown): string | null {
  const url = readTextField(value, MAX_URL_CHARACTERS + 1)
  if (url.length > MAX_URL_CHARACTERS || !URL.canParse(url)) return null
  return /^https?:$/.test(new URL(url).protocol) ? url : null
}

/** Returns the distinct labels among the values. */
export function readTagFields(values: readonly unknown[]): string[] {
  const labels = values.map(readLabelField).filter((label) => label !== null)
  return [...new Set(labels)].slice(0, MAX_TAGS)
}
