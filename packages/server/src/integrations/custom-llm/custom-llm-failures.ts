import type { ModelFailure } from '@parley/engine/ports'
import type { OutboundFailure } from '../../platform/outbound/outbound-request.ts'

/** Maps a connection that was not opened. */
export function failureOfOpening({ reason, message, status }: OutboundFailure): ModelFailure {
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

/** Maps an error of an open socket: only its code is looked at, since messages may name addresses. */
export function failureOfSocket(error: unknown): ModelFailure {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH') return protocolError('The server sent a message that is too large.')
  if (code.startsWith('WS_ERR_')) return protocolError('The server does not speak the WebSocket protocol.')
  return connectionLost()
}

/** Builds the failure of a server that does not speak the wire. */
export function protocolError(message: string): ModelFailure {
  return { kind: 'protocol', message, retryable: true }
}

/** Builds the failure of a connection that went away with an answer still to come. */
export function connectionLost(): ModelFailure {
  return {
    kind: 'unavailable',
    message: 'The server closed the connection before its answer was complete.',
    retryable: true,
  }
}

/** Builds the failure of a server that stopped answering pings. */
export function serverTimeout(): ModelFailure {
  return { kind: 'unavailable', message: 'The server no longer answers pings.', retryable: true }
}

/** Builds the failure of a deadline. */
export function expired(message: string): ModelFailure {
  return { kind: 'timeout', message, retryable: true }
}

/** Builds the failure of a client that has no connection to give. */
export function unavailable(message: string): ModelFailure {
  return { kind: 'unavailable', message, retryable: true }
}
