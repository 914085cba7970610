import type { Clock } from '@parley/engine/ports'
import type { VendorKey } from '../../features/vendor-keys/public.ts'
import type { VoiceFailure } from '../../features/voices/public.ts'
import type { OutboundOutcome, OutboundRequest, SendOutbound } from '../../platform/outbound/outbound-request.ts'
import { parseJson, toObject, toText } from '../models/unknown-json.ts'
import { sanitizeVendorText } from '../models/wire-failure.ts'
import { retryPauseMs } from '../tools/tool-retry.ts'

export interface VoiceHttpDependencies {
  /** Sender for default and operator addresses. */
  readonly direct: SendOutbound
  /** Guarded sender for addresses stored by customers. */
  readonly guarded: SendOutbound
  readonly clock: Clock
  /** Version of the product for `User-Agent`. */
  readonly version: string
}

/** A voice service: its name in messages, its address, and its key header. */
export interface VoiceService {
  readonly label: string
  /** Base address for keys without an address. */
  readonly defaultBaseUrl: string
  readonly keyHeaders: (apiKey: string) => Readonly<Record<string, string>>
}

/** A failure with status and error code of the response. */
export interface VoiceHttpFailure extends VoiceFailure {
  readonly status: number | null
  /** Error code of the service; '' without. */
  readonly code: string
}

export type VoiceAnswer = { readonly ok: true; readonly body: unknown } | VoiceHttpFailure

/** Requests of one operation with a common deadline. They never reject. */
export interface VoiceExchange {
  /** Retries once after 429, 5xx and a broken connection. */
  get(path: string, query?: Readonly<Record<string, string>>): Promise<VoiceAnswer>
  post(path: string, body: object): Promise<VoiceAnswer>
}

/** A user waits for the search. */
const DEADLINE_MS = 10_000
const MAX_RESPONSE_BYTES = 2 * 1024 * 1024
/** For reads only; the client sends no key to another origin. */
const MAX_REDIRECTS = 2

/** Starts the exchange of one operation. */
export function openExchange(
  service: VoiceService,
  key: VendorKey,
  dependencies: VoiceHttpDependencies,
): VoiceExchange {
  const { direct, guarded, clock, version } = dependencies
  const endsAtMs = clock.now() + DEADLINE_MS
  const send = key.isStored && key.baseUrl !== null ? guarded : direct
  const base = key.baseUrl ?? service.defaultBaseUrl
  const headers = { accept: 'application/json', 'user-agent': `Parley/${version}`, ...service.keyHeaders(key.apiKey) }

  async function exchange(path: string, part: Pick<OutboundRequest, 'method' | 'body' | 'headers'>) {
    const isRead = part.method === 'GET'
    const request = {
      url: `${base.replace(/(?<!\/)\/+$/, '')}${path}`,
      ...part,
      headers: { ...headers, ...part.headers },
    }
    const limits = { maxResponseBytes: MAX_RESPONSE_BYTES, maxRedirects: isRead ? MAX_REDIRECTS : 0 }
    for (let attempts = 1; ; attempts++) {
      const timeoutMs = endsAtMs - clock.now()
      if (timeoutMs <= 0) return timedOut(service)
      const outcome = await send({ ...request, ...limits, timeoutMs })
      const pauseMs = retryPauseMs(outcome, { attempts, maxRetry: isRead ? 1 : 0, nowMs: clock.now() })
      if (pauseMs === null || clock.now() + pauseMs >= endsAtMs) return readOutcome(outcome, service, key.apiKey)
      await pause(clock, pauseMs)
    }
  }

  return {
    get: (path, query = {}) => {
      const search = new URLSearchParams(query).toString()
      return exchange(search === '' ? path : `${path}?${search}`, { method: 'GET' })
    },
    post: (path, body) =>
      exchange(path, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      }),
  }
}

function readOutcome(outcome: OutboundOutcome, service: VoiceService, secret: string): VoiceAnswer {
  const { label } = service
  if (!outcome.ok) {
    const { reason, message, status } = outcome
    if (reason === 'timeout') return timedOut(service)
    if (reason === 'blocked-target' || reason === 'invalid-request') {
      return failure('key-unusable', `The key for ${label} or its address cannot be used. ${message}`, { status })
    }
    return failure('failed', `${label} could not be reached. ${message}`, { status })
  }
  const { status } = outcome
  const text = outcome.body.toString('utf8')
  const body = parseJson(text)
  if (status < 200 || status > 299) return readRefusal(status, { label, secret, text, body })
  if (body === undefined) return failure('failed', `${label} did not answer with JSON.`, { status })
  return { ok: true, body }
}

interface RefusalText {
  readonly label: string
  readonly secret: string
  readonly text: string
  readonly body: unknown
}

/** Reads the message of a service from `detail`, `message`, `error` or the body. */
function readRefusal(status: number, { label, secret, text, body }: RefusalText): VoiceHttpFailure {
  const fields = toObject(body)
  const detail = toObject(fields?.detail)
  const vendorMessage =
    toText(detail?.message) || toText(fields?.detail) || toText(fields?.message) || toText(fields?.error)
  const said = sanitizeVendorText(body === undefined ? text : vendorMessage, secret)
  const because = said === '' ? '.' : `: ${said.replace(/\.?$/, '.')}`
  const more = { status, code: toText(detail?.status) || toText(detail?.code) }
  if (status === 401 || status === 403) {
    return failure('key-unusable', `${label} refused the key (status ${status})${because}`, more)
  }
  return failure('failed', `${label} answered with status ${status}${because}`, more)
}

function timedOut({ label }: VoiceService): VoiceHttpFailure {
  return failure('timeout', `${label} did not answer within ${DEADLINE_MS / 1000} seconds.`, { status: null })
}

/** Failure of an answer with unexpected content. */
export function unreadable({ label }: VoiceService): VoiceFailure {
  return { ok: false, reason: 'failed', message: `${label} answered with JSON without voices.` }
}

function failure(
  reason: VoiceFailure['reason'],
  message: string,
  more: { readonly status: number | null; readonly code?: string },
): VoiceHttpFailure {
  return { ok: false, reason, message, status: more.status, code: more.code ?? '' }
}

function pause(clock: Clock, delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(delayMs, resolve)
  })
}

/** Reads untrusted fields of answers so that they can be stored and shown. */

const MAX_LABEL_CHARACTERS = 100
const MAX_ADDRESS_CHARACTERS = 2000
const MAX_TAGS = 20

/** A text of limited length, without characters that databases reject; '' for anything else. */
export function textField(value: unknown, maxCharacters: number): string {
  if (typeof value !== 'string') return ''
  // Truncated first, since this may split a surrogate pair.
  return value.slice(0, maxCharacters).replaceAll('\0', '').toWellFormed().trim()
}

/** A short label; null when it is empty. */
export function labelField(value: unknown): string | null {
  const label = textField(value, MAX_LABEL_CHARACTERS)
  return label === '' ? null : label
}

/** An http(s) address; null for anything else, which could run scripts in a page. */
export function addressField(value: unknown): string | null {
  const address = textField(value, MAX_ADDRESS_CHARACTERS + 1)
  if (address.length > MAX_ADDRESS_CHARACTERS || !URL.canParse(address)) return null
  return /^https?:$/.test(new URL(address).protocol) ? address : null
}

/** The distinct labels among the values. */
export function tagFields(values: readonly unknown[]): string[] {
  const labels = values.map(labelField).filter((label) => label !== null)
  return [...new Set(labels)].slice(0, MAX_TAGS)
}
