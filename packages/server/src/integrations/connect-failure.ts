import type { ModelFailure } from '@parley/engine/ports'
import type { OutboundFailure } from '../platform/outbound/outbound-request.ts'

/** Converts a failed connection attempt into a model failure. */
export function toConnectFailure({ reason, message, status }: OutboundFailure): ModelFailure {
  if (reason === 'timeout') return { kind: 'timeout', message, retryable: true }
  if (reason === 'blocked-target' || reason === 'invalid-request' || reason === 'too-many-redirects') {
    return { kind: 'rejected', message, retryable: false }
  }
  if (status === 401 || status === 403) return { kind: 'unauthorized', message, retryable: false }
  if (status === 429) return { kind: 'rate-limited', message, retryable: true }
  if (status !== null && status >= 300 && status < 500 && status !== 408) {
    return { kind: 'rejected', message, retryable: false }
  }
  return { kind: reason === 'too-large' ? 'protocol' : 'unavailable', message, retryable: true }
}
