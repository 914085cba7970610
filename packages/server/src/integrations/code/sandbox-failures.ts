import { SANDBOX_LIMITS } from './sandbox-limits.ts'
import { failed } from './sandbox-protocol.ts'

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

/** Whoever stopped the code has answered already, so nobody reads this. */
export const STOPPED = failed('timeout', 'The code was stopped.')

export const CANCELLED = failed('cancelled', 'The code was cancelled.')

export const QUEUE_FULL = failed(
  'unavailable',
  'The code could not be run because too much other code is waiting. Try again later.',
)

export const NOT_STARTED = failed('unavailable', 'The code could not be run because no sandbox could be started.')

export const SANDBOX_FAILED = failed('unavailable', 'The code could not be run because its sandbox failed.')

export const STOPPING = failed('unavailable', 'The code could not be run because the server is stopping.')
