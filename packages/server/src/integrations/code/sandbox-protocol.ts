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

/** What one run may take. */
export const SANDBOX_LIMITS = {
  /** Of everything that the code makes. */
  memoryBytes: 32 * 1024 * 1024,
  /** Of the interpreter's own stack; deeper recursion is an error inside the code. */
  stackBytes: 256 * 1024,
  /** Of the result, as UTF-8. */
  resultBytes: 1024 * 1024,
  /** Of code, variables and metadata together, in UTF-16 code units. */
  inputCharacters: 2 * 1024 * 1024,
} as const

const MEBIBYTE = 1024 * 1024

export const OUT_OF_MEMORY = failed(
  'memory',
  `The code used more memory than the ${SANDBOX_LIMITS.memoryBytes / MEBIBYTE} MiB that it may use.`,
)

export const STACK_OVERFLOW = failed('error', 'InternalError: stack overflow')

export const NEVER_FINISHED = failed('timeout', 'The code never finished: it waits for a promise that nothing settles.')

export const RESULT_TOO_LARGE = failed(
  'too-large',
  `The result of the code is larger than the ${SANDBOX_LIMITS.resultBytes / MEBIBYTE} MiB that it may be.`,
)

export const INPUT_TOO_LARGE = failed(
  'too-large',
  'The code, its variables and its metadata are too large or too deeply nested to be run.',
)

/** Not read: the code that stopped the thread has already answered. */
export const STOPPED = failed('timeout', 'The code was stopped.')

export const CANCELLED = failed('cancelled', 'The code was cancelled.')

export const QUEUE_FULL = failed(
  'unavailable',
  'The code could not be run because too much other code is waiting. Try again later.',
)

export const NOT_STARTED = failed('unavailable', 'The code could not be run because no sandbox could be started.')

export const SANDBOX_FAILED = failed('unavailable', 'The code could not be run because its sandbox failed.')

export const STOPPING = failed('unavailable', 'The code could not be run because the server is stopping.')
