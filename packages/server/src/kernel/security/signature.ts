import { createHmac, timingSafeEqual } from 'node:crypto'

/** Maximum clock difference in either direction: 5 minutes. */
const TOLERANCE_MS = 300_000
/** Maximum number of digests read, which limits the work for a long header. */
const MAX_DIGESTS = 8

/**
 * Builds the `X-Webhook-Signature` header: `v=<ms>,d=<hex>`, with one `d` per active secret. Each `d` is the HMAC-SHA256 of the
 * raw body followed by the milliseconds.
 */
export function buildSignatureHeader(secrets: readonly string[], rawBody: Buffer | string, nowMs: number): string {
  const signedAtMs = String(Math.trunc(nowMs))
  return [
    `v=${signedAtMs}`,
    ...secrets.map((secret) => `d=${computeDigest(secret, rawBody, signedAtMs).toString('hex')}`),
  ].join(',')
}

/** Data to verify a signature with. `toleranceMs` defaults to 5 minutes. */
export interface SignatureCheck {
  readonly secrets: readonly string[]
  readonly rawBody: Buffer | string
  readonly nowMs: number
  readonly toleranceMs?: number
}

/** Whether a digest matches one of the secrets and the timestamp is within the tolerance. Compares digests in constant time. */
export function verifySignature(header: string, check: SignatureCheck): boolean {
  const parts = header.split(',').map((part) => part.trim())
  const signedAtMs = /^v=(\d{1,15})$/.exec(parts[0] ?? '')?.[1]
  if (signedAtMs === undefined) return false
  if (Math.abs(check.nowMs - Number(signedAtMs)) > (check.toleranceMs ?? TOLERANCE_MS)) return false
  const digests = parts
    .slice(1, 1 + MAX_DIGESTS)
    .flatMap((part) => /^d=([0-9a-f]{64})$/i.exec(part)?.[1] ?? [])
    .map((hex) => Buffer.from(hex, 'hex'))
  let isValid = false
  for (const secret of check.secrets) {
    const expectedDigest = computeDigest(secret, check.rawBody, signedAtMs)
    for (const digest of digests) isValid = timingSafeEqual(digest, expectedDigest) || isValid
  }
  return isValid
}

function computeDigest(secret: string, rawBody: Buffer | string, signedAtMs: string): Buffer {
  return createHmac('sha256', secret).update(rawBody).update(signedAtMs).digest()
}
