import type { CodeOutcome } from '@parley/engine/ports'

/** Code on its way to a thread. Values travel as JSON texts: the sandbox makes values of its own from them. */
export interface SandboxRequest {
  readonly code: string
  readonly variablesText: string
  readonly metadataText: string
}

/** What came of a run, before it is known how long everything took. */
export type SandboxOutcome =
  | { readonly ok: true; readonly resultText: string }
  | Omit<Extract<CodeOutcome, { ok: false }>, 'durationMs'>

/** Sent to a thread. The number tells runs of one thread apart. */
export interface ThreadRequest extends SandboxRequest {
  readonly runNumber: number
}

/** Sent back by it. A spent thread has grown or failed and is to be replaced. */
export interface ThreadAnswer {
  readonly outcome: SandboxOutcome
  readonly isSpent: boolean
}

/** What a thread is given at its start. */
export interface ThreadData {
  /** One signed 32-bit number: the run that has to stop. Written by the main thread, read between the steps of the code. */
  readonly stoppedRunNumber: SharedArrayBuffer
}

/** A failed outcome. */
export function failed(
  reason: Extract<SandboxOutcome, { ok: false }>['reason'],
  message: string,
): Extract<SandboxOutcome, { ok: false }> {
  return { ok: false, reason, message }
}
