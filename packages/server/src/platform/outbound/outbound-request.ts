/** A request to a customer's address. */
export interface OutboundRequest {
  readonly url: string
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Buffer | string | undefined
  /** Aborting ends the request immediately with `cancelled`. */
  readonly signal?: AbortSignal | undefined
  /** Time limit for everything: name resolution, connection, all redirects and the whole body. */
  readonly timeoutMs: number
  /** Time limit until the headers of each response arrive, including redirects. If absent, only `timeoutMs` applies. */
  readonly headersTimeoutMs?: number | undefined
  /** Size limit of the decompressed body. A longer body fails with `too-large` and closes the connection. */
  readonly maxResponseBytes: number
  /** Number of redirects to follow, at most 5, which is the default. With 0, the redirect is the response. */
  readonly maxRedirects?: number | undefined
}

/** A response with any status. */
export interface OutboundResponse {
  readonly ok: true
  readonly status: number
  /** Lower-case names; repeated headers are joined with a comma. */
  readonly headers: Readonly<Record<string, string>>
  /** Decompressed body. */
  readonly body: Buffer
  /** URL of the response, after redirects. */
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

/** Reason why there is no response. */
export interface OutboundFailure {
  readonly ok: false
  readonly reason: OutboundFailureReason
  /** A sentence for customers, without addresses and secrets. */
  readonly message: string
  /** The status if the failure occurred after the status was received; otherwise null. */
  readonly status: number | null
  /** The server's own reason for refusing a WebSocket. Unlike `message`, it can contain secrets and customers' texts. */
  readonly serverReason?: string
}

export type OutboundOutcome = OutboundResponse | OutboundFailure

/** Sends a request. Never rejects. */
export type SendOutbound = (request: OutboundRequest) => Promise<OutboundOutcome>
