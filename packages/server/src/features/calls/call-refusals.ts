import type { CallRefusal } from './live-calls.ts'

const MESSAGES: Readonly<Record<CallRefusal['code'], string>> = {
  token_invalid: 'This link does not belong to a call.',
  token_used: 'This link was used already: it works once.',
  token_expired: 'This link has expired. Ask for a new one.',
  token_revoked: 'You no longer have access to this call.',
  call_ended: 'This call is over.',
  concurrency_limit_reached: 'All lines are busy. Try again in a moment.',
  held_elsewhere: 'This call is held by another server. Try again.',
  unavailable: 'The call cannot begin right now. Try again in a moment.',
}
const RETRYABLE: ReadonlySet<CallRefusal['code']> = new Set([
  'concurrency_limit_reached',
  'held_elsewhere',
  'unavailable',
])

export function refuse(code: CallRefusal['code']): CallRefusal {
  return { ok: false, code, message: MESSAGES[code], retry: RETRYABLE.has(code) }
}

/** What fails unexpectedly becomes a refusal, and the operator learns why. */
export async function refuseOnFailure<Result>(
  work: () => Promise<Result | CallRefusal>,
  logError: (error: unknown) => void,
): Promise<Result | CallRefusal> {
  try {
    return await work()
  } catch (error) {
    logError(error)
    return refuse('unavailable')
  }
}
