/** Problems that prevent or end a call. */
export type CallProblemCode =
  | 'insecure_context'
  | 'unsupported_browser'
  | 'no_microphone'
  | 'microphone_blocked'
  | 'microphone_busy'
  | 'token_invalid'
  | 'token_used'
  | 'token_expired'
  | 'token_revoked'
  | 'call_ended'
  | 'call_full'
  | 'protocol_mismatch'
  | 'autoplay_blocked'
  | 'speaker_not_available'
  | 'unreachable'
  | 'connection_lost'
  | 'unavailable'
  | 'refused'

/** Problem and fix, both as sentences for the caller. */
const PROBLEM_TEXTS: Readonly<Record<CallProblemCode, readonly [problem: string, fix: string]>> = {
  insecure_context: [
    'This page is not served over HTTPS, so the browser blocks the microphone.',
    'Open the page over https://, or at http://localhost for development.',
  ],
  unsupported_browser: [
    'This browser does not support calls.',
    'Use a current version of Chrome, Edge, Firefox or Safari.',
  ],
  no_microphone: ['No microphone was found.', 'Connect a microphone and try again, or type instead.'],
  microphone_blocked: [
    'The microphone is blocked for this page.',
    'Allow the microphone in the site settings next to the address bar and try again, or type instead.',
  ],
  microphone_busy: [
    'The microphone could not be opened. Another program may be using it.',
    'Close other programs that use the microphone and try again, or choose another one.',
  ],
  token_invalid: ['This call link is not valid.', 'Ask for a new link.'],
  token_used: ['This call link was already used.', 'Each link works once. Ask for a new one.'],
  token_expired: ['This call link has expired.', 'Ask for a new link and open it right away.'],
  token_revoked: ['You no longer have access to this call.', 'Sign in again, or ask for access.'],
  call_ended: ['This call has ended.', 'Ask for a new link to call again.'],
  call_full: ['All lines are busy.', 'Try again in a few minutes.'],
  protocol_mismatch: ['This page does not match the version of the server.', 'Reload the page.'],
  autoplay_blocked: [
    'The browser blocks audio until you interact with the page.',
    'Click or tap anywhere on the page.',
  ],
  speaker_not_available: [
    'Audio cannot be played on that device.',
    'Choose another speaker, or change it in your system settings.',
  ],
  unreachable: ['The server cannot be reached.', 'Check your connection and try again.'],
  connection_lost: ['The connection was lost and did not come back in time.', 'Check your network and call again.'],
  unavailable: ['The call cannot be answered right now.', 'Try again in a moment.'],
  refused: ['The call was refused.', 'Ask for a new link, or try again later.'],
}

/** The reason why a call failed: `code` for programs, `message` and `fix` for people. */
export class CallProblem extends Error {
  override readonly name = 'CallProblem'
  readonly code: CallProblemCode
  /** Action that the caller can take. */
  readonly fix: string

  constructor(code: CallProblemCode, message: string = PROBLEM_TEXTS[code][0], options?: ErrorOptions) {
    super(message, options)
    this.code = code
    this.fix = PROBLEM_TEXTS[code][1]
  }
}

const REJECTION_CODES: Readonly<Record<string, CallProblemCode>> = {
  token_invalid: 'token_invalid',
  token_used: 'token_used',
  token_expired: 'token_expired',
  token_revoked: 'token_revoked',
  call_ended: 'call_ended',
  concurrency_limit_reached: 'call_full',
  protocol_mismatch: 'protocol_mismatch',
  // The server cannot parse the first message, for example because the versions differ.
  invalid_message: 'protocol_mismatch',
  unavailable: 'unavailable',
  held_elsewhere: 'unavailable',
}

/** Creates the problem for a rejection by the server. Unknown codes keep the server's message. */
export function createRejectionProblem(code: string, message: string): CallProblem {
  const knownCode = REJECTION_CODES[code]
  return knownCode ? new CallProblem(knownCode) : new CallProblem('refused', message || undefined)
}

/** Creates the problem for an error of `getUserMedia`. */
export function createMicrophoneProblem(error: unknown): CallProblem {
  const name = error instanceof Error || error instanceof DOMException ? error.name : ''
  if (name === 'NotAllowedError' || name === 'SecurityError') {
    return new CallProblem('microphone_blocked', undefined, { cause: error })
  }
  if (name === 'NotFoundError' || name === 'OverconstrainedError') {
    return new CallProblem('no_microphone', undefined, { cause: error })
  }
  return new CallProblem('microphone_busy', undefined, { cause: error })
}
