/** A request to an address that a customer chose. */
export interface OutboundRequest {
  readonly url: string
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Buffer | string | undefined
  /** Aborting ends the request at once with `cancelled`. */
  readonly signal?: AbortSignal | undefined
  /** For everything together: name, connection, all redirects, the whole body. */
  readonly timeoutMs: number
  /** Until the headers of each answer, a redirect included; only `timeoutMs` counts when absent. */
  readonly headersTimeoutMs?: number | undefined
  /** Of the body after decompression; a longer one fails with `too-large` and its connection is closed. */
  readonly maxResponseBytes: number
  /** How many redirects are followed, at most 5 (the default). With 0 the redirect itself is the response. */
  readonly maxRedirects?: number | undefined
}

/** An answer, whatever its status. */
export interface OutboundResponse {
  readonly ok: true
  readonly status: number
  /** Names in lower case; repeated headers are joined with a comma. */
  readonly headers: Readonly<Record<string, string>>
  /** Decompressed. */
  readonly body: Buffer
  /** Where the answer came from, after redirects. */
  readonly url: string
}

export type OutboundFailureReason =
  | 'invalid-request'
  | 'blocked-target'
  | 'timeout'
  | 'network'
  | 'too-large'
  | 'too-many-redirects'
  | 'cancelled'

/** Why there is no answer. */
export interface OutboundFailure {
  readonly ok: false
  readonly reason: OutboundFailureReason
  /** A sentence that customers may read: no address, no secret. */
  readonly message: string
  /** The status, when the failure came after it. */
  readonly status: number | null
}

export type OutboundOutcome = OutboundResponse | OutboundFailure

/** Sends a request. Never rejects. */
export type SendOutbound = (request: OutboundRequest) => Promise<OutboundOutcome>
