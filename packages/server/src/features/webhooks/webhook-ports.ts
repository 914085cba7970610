/** What the feature needs of the world outside. */

/** One POST to an address that a customer chose. */
export interface WebhookRequest {
  readonly url: string
  readonly method: 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly timeoutMs: number
  /** More of the answer is not read. */
  readonly maxResponseBytes: number
  /** Redirects are answers like others. */
  readonly maxRedirects: 0
  readonly signal: AbortSignal
}

/** What came of it. `status` of a failure: the answer began and broke off. */
export type WebhookAnswer =
  | { readonly ok: true; readonly status: number; readonly body: Uint8Array }
  | {
      readonly ok: false
      readonly reason: string
      /** A sentence that customers may read. */
      readonly message: string
      readonly status: number | null
    }

/** Posts to customers' addresses, private ones excepted. Never rejects. */
export type SendWebhook = (request: WebhookRequest) => Promise<WebhookAnswer>

/** Which addresses may be called. */
export interface AllowedTargets {
  allows(target: { readonly hostname: string; readonly port: number; readonly address: string }): boolean
}

/** The values that sign for a workspace now, newest first. */
export type ReadSigningSecrets = (workspaceId: number) => Promise<readonly string[]>
