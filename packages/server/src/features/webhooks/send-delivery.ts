import { signatureHeader } from '../../kernel/security/signature.ts'
import type { SharedClock } from '../../kernel/work/shared-clock.ts'
import { type AttemptResult, evaluateAnswer } from './decide-outcome.ts'
import type { LoadedDelivery } from './dispatch-store.ts'
import type { ReadSigningSecrets, SendWebhook } from './webhook-ports.ts'

export interface SendingDependencies {
  readonly send: SendWebhook
  readonly secretsFor: ReadSigningSecrets
  readonly clock: Omit<SharedClock, 'after'>
  /** Of the product, for `User-Agent`. */
  readonly version: string
}

/** What came of sending once; `null` when it was called off before it was over. */
export interface SentAttempt {
  readonly attempt: number
  readonly at: number
  readonly durationMs: number
  readonly result: AttemptResult
}

const MAX_RESPONSE_BYTES = 64 * 1024

/** Sends a delivery once, signed with all secrets of this moment. Rejects when it could not even be signed. */
export async function sendDelivery(
  delivery: LoadedDelivery & { readonly url: string },
  { send, secretsFor, clock, version }: SendingDependencies,
  signal: AbortSignal,
): Promise<SentAttempt | null> {
  const secrets = await secretsFor(delivery.workspaceId)
  // An unsigned request would teach receivers to accept unsigned requests.
  if (secrets.length === 0) throw new Error(`Workspace ${delivery.workspaceId} has no signing secret.`)
  const at = clock.now()
  const attempt = delivery.attempts + 1
  const answer = await send({
    url: delivery.url,
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'user-agent': `Parley/${version}`,
      'x-webhook-id': delivery.deliveryId,
      'x-webhook-event': delivery.event,
      'x-webhook-attempt': String(attempt),
      'x-webhook-signature': signatureHeader(secrets, delivery.body, at),
    },
    body: delivery.body,
    timeoutMs: delivery.timeoutMs,
    maxResponseBytes: MAX_RESPONSE_BYTES,
    maxRedirects: 0,
    signal,
  })
  const result = evaluateAnswer(answer)
  if (signal.aborted && !result.isDelivered) return null
  return { attempt, at, durationMs: Math.max(0, clock.now() - at), result }
}
