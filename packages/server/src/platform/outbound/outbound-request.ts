/** A request to a customer's address. */
export interface OutboundRequest {
  readonly url: string
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Buffer | string | undefined
  /** Aborting ends the request at once with `cancelled`. */
  readonly signal?: AbortSignal | undefined
  /** Time limit of everything: name resolution, connection, all redirects and the whole body. */
  readonly timeoutMs: number
  /** Time limit until the headers of each response, including redirects; only `timeoutMs` applies when absent. */
  readonly headersTimeoutMs?: number | undefined
  /** Limit of the decompressed body; a longer one fails with `too-large` and closes the connection. */
  readonly maxResponseBytes: number
  /** Redirects to follow, at most 5 (the default). With 0, the redirect is the response. */
  readonly maxRedirects?: number | undefined
}

/** A response with any status. */
export interface OutboundResponse {
  readonly ok: true
  readonly status: number
  /** Names in lower case; repeated headers are joined with a comma. */
  readonly headers: Readonly<Record<string, string>>
  /** Decompressed. */
  readonly body: Buffer
  /** Address of the response, after redirects. */
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

/** Why there is no response. */
export interface OutboundFailure {
  readonly ok: false
  readonly reason: OutboundFailureReason
  /** A sentence for customers, without addresses and secrets. */
  readonly message: string
  /** The status if the failure came after it. */
  readonly status: number | null
}

export type OutboundOutcome = OutboundResponse | OutboundFailure

/** Sends a request. Never rejects. */
export type SendOutbound = (request: OutboundRequest) => Promise<OutboundOutcome>
