import type { CallProblem } from './call-state.ts'

/** What a problem of the client is; null for everything else. */
export function callProblemOf(error: unknown): CallProblem | null {
  if (!(error instanceof Error) || error.name !== 'CallProblem' || !('code' in error)) return null
  return { code: String(error.code), message: error.message }
}
