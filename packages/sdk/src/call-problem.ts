/** What can keep a call from being, or end it. */
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

/** What is wrong, and what the person at the screen can do about it. */
const PROBLEM_TEXTS: Readonly<Record<CallProblemCode, readonly [problem: string, fix: string]>> = {
  insecure_context: [
    'This page is not served over HTTPS, so the browser gives it no microphone.',
    'Open the page over https://, or at http://localhost while you develop.',
  ],
  unsupported_browser: [
    'This browser cannot process the sound of a call.',
    'Use a current version of Chrome, Edge, Firefox or Safari.',
  ],
  no_microphone: ['No microphone was found.', 'Connect a microphone and try again, or go on by typing.'],
  microphone_blocked: [
    'The microphone is blocked for this page.',
    'Allow the microphone in the site settings beside the address, then try again, or go on by typing.',
  ],
  microphone_busy: [
    'The microphone could not be opened; another program may be using it.',
    'Close other programs that use the microphone and try again, or choose another one.',
  ],
  token_invalid: ['The link of this call is not valid.', 'Ask for a new link.'],
  token_used: ['The link of this call was used already.', 'Each link works once: ask for a new one.'],
  token_expired: ['The link of this call has expired.', 'Ask for a new link and open it right away.'],
  token_revoked: ['You no longer have access to this call.', 'Sign in again, or ask for access.'],
  call_ended: ['This call is over.', 'Ask for a new link to call again.'],
  call_full: ['All lines are busy right now.', 'Try again in a few minutes.'],
  protocol_mismatch: ['This page is older or newer than the server.', 'Load the page again.'],
  autoplay_blocked: ['The browser plays no sound before you touch the page.', 'Click or tap anywhere on the page.'],
  speaker_not_available: [
    'The sound cannot be sent to that device.',
    'Choose another loudspeaker, or change it in the settings of your system.',
  ],
  unreachable: ['The server cannot be reached.', 'Check your connection and try again.'],
  connection_lost: ['The connection was lost and did not come back in time.', 'Check your network and call again.'],
  unavailable: ['The call cannot be taken right now.', 'Try again in a moment.'],
  refused: ['The call was refused.', 'Ask for a new link, or try again later.'],
}

/** Why there is no call: `code` for programs, `message` and `fix` for people. */
export class CallProblem extends Error {
  override readonly name = 'CallProblem'
  readonly code: CallProblemCode
  /** What the person at the screen can do. */
  readonly fix: string

  constructor(code: CallProblemCode, message: string = PROBLEM_TEXTS[code][0], options?: ErrorOptions) {
    super(message, options)
    this.code = code
    this.fix = PROBLEM_TEXTS[code][1]
  }
}

const REFUSALS: Readonly<Record<string, CallProblemCode>> = {
  token_invalid: 'token_invalid',
  token_used: 'token_used',
  token_expired: 'token_expired',
  token_revoked: 'token_revoked',
  call_ended: 'call_ended',
  concurrency_limit_reached: 'call_full',
  protocol_mismatch: 'protocol_mismatch',
  // Said of a first message that the server cannot read, that of another version for example.
  invalid_message: 'protocol_mismatch',
  unavailable: 'unavailable',
  held_elsewhere: 'unavailable',
}

/** What a refusal of the server means. Codes that this client does not know keep the server's own sentence. */
export function refusalProblem(code: string, message: string): CallProblem {
  const known = REFUSALS[code]
  return known ? new CallProblem(known) : new CallProblem('refused', message || undefined)
}

/** What a failed request for a microphone means. */
export function microphoneProblem(error: unknown): CallProblem {
  const name = error instanceof Error || error instanceof DOMException ? error.name : ''
  if (name === 'NotAllowedError' || name === 'SecurityError') {
    return new CallProblem('microphone_blocked', undefined, { cause: error })
  }
  if (name === 'NotFoundError' || name === 'OverconstrainedError') {
    return new CallProblem('no_microphone', undefined, { cause: error })
  }
  return new CallProblem('microphone_busy', undefined, { cause: error })
}
