import { BlockedTargetError } from './guarded-agent.ts'
import type { OutboundFailure, OutboundFailureReason } from './outbound-request.ts'

/** Ends a request with a failure from deep inside; `describeFailure` turns it back into a value. */
export class OutboundError extends Error {
  readonly reason: OutboundFailureReason

  constructor(reason: OutboundFailureReason, message: string) {
    super(message)
    this.name = 'OutboundError'
    this.reason = reason
  }
}

const MESSAGE_OF_CODE: Readonly<Record<string, string>> = {
  ENOTFOUND: 'The host name could not be resolved.',
  EAI_AGAIN: 'The host name could not be resolved.',
  ECONNREFUSED: 'The server refused the connection.',
  ECONNRESET: 'The server closed the connection before its answer was complete.',
  EPIPE: 'The server closed the connection before its answer was complete.',
  UND_ERR_SOCKET: 'The server closed the connection before its answer was complete.',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'The server closed the connection before its answer was complete.',
  EHOSTUNREACH: 'The server cannot be reached.',
  ENETUNREACH: 'The server cannot be reached.',
  UND_ERR_HEADERS_OVERFLOW: "The headers of the server's answer are too large.",
  UND_ERR_MAX_ORIGINS_REACHED: 'Too many servers are being called at once.',
}

/**
 * What customers are told about an error. The error's own text is never used: it names addresses inside the network.
 */
export function describeFailure(error: unknown, status: number | null): OutboundFailure {
  if (error instanceof OutboundError) return { ok: false, reason: error.reason, message: error.message, status }
  if (error instanceof BlockedTargetError) {
    return { ok: false, reason: 'blocked-target', message: 'Only public addresses can be called.', status }
  }
  const code = codeOf(error)
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT') {
    return { ok: false, reason: 'timeout', message: 'The server could not be connected to in time.', status }
  }
  return { ok: false, reason: 'network', message: MESSAGE_OF_CODE[code] ?? messageOfFamily(code), status }
}

function messageOfFamily(code: string): string {
  if (/CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS/.test(code)) return "The server's certificate is not trusted."
  if (/^HPE_|^HTTPParserError$/.test(code)) return "The server's answer is not valid HTTP."
  if (/SSL|EPROTO/.test(code)) return 'No secure connection could be made to the server.'
  return 'The server could not be reached.'
}

/** The code of an error; its name when it has none, as errors of the HTTP parser may. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return ''
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}
