import type { CodeOutcome } from '@parley/engine/ports'

/** Code to run and its variables and metadata as JSON, which the sandbox parses. */
export interface SandboxRequest {
  readonly code: string
  readonly variablesText: string
  readonly metadataText: string
}

/** Outcome of a run, without its duration. */
export type SandboxOutcome =
  | { readonly ok: true; readonly resultText: string }
  | Omit<Extract<CodeOutcome, { ok: false }>, 'durationMs'>

/** A request to a thread. `runNumber` identifies the run within the thread. */
export interface ThreadRequest extends SandboxRequest {
  readonly runNumber: number
}

/** A thread's response. A spent thread has run out of memory or failed and must be replaced. */
export interface ThreadResponse {
  readonly outcome: SandboxOutcome
  readonly isSpent: boolean
}

/** Worker data of a thread. */
export interface ThreadData {
  /**
   * One signed 32-bit number that identifies the run to stop. The main thread writes the number, and the thread reads it
   * between steps of the code.
   */
  readonly stoppedRunNumber: SharedArrayBuffer
}

export function createFailedOutcome(
  reason: Extract<SandboxOutcome, { ok: false }>['reason'],
  message: string,
): Extract<SandboxOutcome, { ok: false }> {
  return { ok: false, reason, message }
}

/** Limits of one run. */
export const SANDBOX_LIMITS = {
  /** Memory of the interpreter. */
  memoryBytes: 32 * 1024 * 1024,
  /** Stack of the interpreter. Deeper recursion is an error inside the code. */
  stackBytes: 256 * 1024,
  /** Size of the result in UTF-8. */
  resultBytes: 1024 * 1024,
  /** Total length of code, variables and metadata in UTF-16 code units. */
  inputCharacters: 2 * 1024 * 1024,
} as const

const MEBIBYTE = 1024 * 1024

export const OUT_OF_MEMORY = createFailedOutcome(
  'memory',
  `The code exceeded its memory limit of ${SANDBOX_LIMITS.memoryBytes / MEBIBYTE} MiB.`,
)

export const STACK_OVERFLOW = createFailedOutcome('error', 'InternalError: stack overflow')

export const NEVER_FINISHED = createFailedOutcome(
  'timeout',
  'The code never finished because it waits for a promise that never settles.',
)

export const RESULT_TOO_LARGE = createFailedOutcome(
  'too-large',
  `The result of the code exceeds the limit of ${SANDBOX_LIMITS.resultBytes / MEBIBYTE} MiB.`,
)

export const INPUT_TOO_LARGE = createFailedOutcome(
  'too-large',
  'The code, its variables and its metadata are too large or too deeply nested to run.',
)

/** Never displayed, because the caller has already received the outcome of a stopped run. */
export const STOPPED = createFailedOutcome('timeout', 'The code was stopped.')

export const CANCELLED = createFailedOutcome('cancelled', 'The code was cancelled.')

export const QUEUE_FULL = createFailedOutcome(
  'unavailable',
  'The code could not run because too much other code is waiting. Try again later.',
)

export const NOT_STARTED = createFailedOutcome(
  'unavailable',
  'The code could not run because no sandbox could be started.',
)

export const SANDBOX_FAILED = createFailedOutcome('unavailable', 'The code could not run because its sandbox failed.')

export const STOPPING = createFailedOutcome('unavailable', 'The code could not run because the server is stopping.')
