import type { Clock } from '@parley/engine/ports'
import type { VendorKey } from '../../features/vendor-keys/public.ts'
import type { VoiceFailure } from '../../features/voices/public.ts'
import type { OutboundOutcome, OutboundRequest, SendOutbound } from '../../platform/outbound/outbound-request.ts'
import { asObject, asText, parseJson } from '../models/unknown-json.ts'
import { sanitizeVendorText } from '../models/vendor-text.ts'
import { retryPauseMs } from '../tools/tool-retry.ts'

export interface VoiceHttpDependencies {
  /** For the services' own addresses and those that the operator configured. */
  readonly direct: SendOutbound
  /** The guarded client's: for addresses that customers stored with their keys. */
  readonly guarded: SendOutbound
  readonly clock: Clock
  /** Of the product, for `User-Agent`. */
  readonly version: string
}

/** A service with voices: how it is called in sentences, where it is, and how it wants to see a key. */
export interface VoiceService {
  readonly label: string
  /** Where its paths begin, unless the key has an address of its own. */
  readonly defaultBaseUrl: string
  readonly keyHeaders: (apiKey: string) => Readonly<Record<string, string>>
}

/** A failure with what an adapter may want to know of the answer behind it. */
export interface VoiceHttpFailure extends VoiceFailure {
  readonly status: number | null
  /** The service's own word for it; '' without. */
  readonly code: string
}

export type VoiceAnswer = { readonly ok: true; readonly body: unknown } | VoiceHttpFailure

/** The requests of one operation: all of them together end within the deadline. None rejects. */
export interface VoiceExchange {
  /** Asked once more after 429, 5xx and a broken connection. */
  get(path: string, query?: Readonly<Record<string, string>>): Promise<VoiceAnswer>
  post(path: string, body: object): Promise<VoiceAnswer>
}

/** A person waits for the search. */
const DEADLINE_MS = 10_000
const MAX_RESPONSE_BYTES = 2 * 1024 * 1024
/** Of reads only; to another origin the client takes no key along. */
const MAX_REDIRECTS = 2

/** Opens the exchange of one operation with a service. */
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
    return failure('failed', `${label} could not be asked. ${message}`, { status })
  }
  const { status } = outcome
  const text = outcome.body.toString('utf8')
  const body = parseJson(text)
  if (status < 200 || status > 299) return readRefusal(status, { label, secret, text, body })
  if (body === undefined) return failure('failed', `${label} answered with something that is no JSON.`, { status })
  return { ok: true, body }
}

interface RefusalText {
  readonly label: string
  readonly secret: string
  readonly text: string
  readonly body: unknown
}

/** What a service says stands under `detail`, `message` or `error`, or is the body itself. */
function readRefusal(status: number, { label, secret, text, body }: RefusalText): VoiceHttpFailure {
  const fields = asObject(body)
  const detail = asObject(fields?.detail)
  const told = asText(detail?.message) || asText(fields?.detail) || asText(fields?.message) || asText(fields?.error)
  const said = sanitizeVendorText(body === undefined ? text : told, secret)
  const because = said === '' ? '.' : `: ${said.replace(/\.?$/, '.')}`
  const more = { status, code: asText(detail?.status) || asText(detail?.code) }
  if (status === 401 || status === 403) {
    return failure('key-unusable', `${label} refused the key (status ${status})${because}`, more)
  }
  return failure('failed', `${label} answered with status ${status}${because}`, more)
}

function timedOut({ label }: VoiceService): VoiceHttpFailure {
  return failure('timeout', `${label} did not answer within ${DEADLINE_MS / 1000} seconds.`, { status: null })
}

/** What a service answered cannot be understood. */
export function unreadable({ label }: VoiceService): VoiceFailure {
  return { ok: false, reason: 'failed', message: `${label} answered with JSON that says nothing of voices.` }
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
