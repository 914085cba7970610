import { message } from '../../lib/language.ts'

const TOKEN = message('Listening could not begin. Try again.')

/** What is wrong, and what the person can do about it, for those who only listen. */
const PROBLEMS: Readonly<Record<string, string>> = {
  insecure_context: message('A browser plays calls over https:// only, or at http://localhost on the machine itself.'),
  unsupported_browser: message('This browser cannot process the sound of a call. Use a current one.'),
  token_invalid: TOKEN,
  token_used: TOKEN,
  token_expired: TOKEN,
  token_revoked: message('You no longer have access to this call. Sign in again, or ask for access.'),
  protocol_mismatch: message('This page is older or newer than the server. Reload it.'),
  unreachable: message('The sound of the call cannot be reached. Check your connection, and try again.'),
  connection_lost: message('The connection was lost and did not come back in time. Try again.'),
  unavailable: message('The call cannot be heard right now: no more than five people listen to one. Try again later.'),
}

/** A problem in English, to be shown through the catalogue; null for codes that only the server knows. */
export function listenProblem(code: string): string | null {
  return PROBLEMS[code] ?? null
}
