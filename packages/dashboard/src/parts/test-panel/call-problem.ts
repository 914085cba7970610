import type { CallProblem } from './call-state.ts'

/** Converts a client error to a call problem. Returns null for any other error. */
export function toCallProblem(error: unknown): CallProblem | null {
  if (!(error instanceof Error) || error.name !== 'CallProblem' || !('code' in error)) return null
  return { code: String(error.code), message: error.message }
}
