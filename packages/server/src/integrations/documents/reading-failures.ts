import type { UnreadableDocument } from '../../features/knowledge/public.ts'
import type { DocumentLimits } from './document-limits.ts'

const MEBIBYTE = 1024 * 1024

/** It was not at fault, or nobody knows: another time it may be read. */
function later(message: string): UnreadableDocument {
  return { ok: false, message, retryable: true }
}

export const TOO_MANY_WAITING = later(
  'The document was not read because too many others wait to be read. Try again later.',
)

export const STOPPED = later('The document was not read because its reading was stopped.')

export const STOPPING = later('The document was not read because the server is stopping.')

export const NOT_STARTED = later(
  'The document was not read because no process could be started for it. Try again later.',
)

export const BROKEN = later('The document was not read because its reading ended unexpectedly. Try again later.')

/** Waited longer than it may. */
export function waitedTooLong({ waitMs }: DocumentLimits): UnreadableDocument {
  return later(`The document was not read within ${waitMs / 1000} seconds because others were read. Try again later.`)
}

/** Took longer than it may: it would another time as well. */
export function tookTooLong({ timeMs }: DocumentLimits): UnreadableDocument {
  const message = `Reading the document took longer than the ${timeMs / 1000} seconds that it may take: split or simplify it.`
  return { ok: false, message, retryable: false }
}

/** Took more memory than it may: it would another time as well. */
export function tookTooMuchMemory({ memoryBytes }: DocumentLimits): UnreadableDocument {
  const amount = `${Math.round(memoryBytes / MEBIBYTE)} MB`
  const message = `Reading the document took more memory than the ${amount} that it may take: split or simplify it.`
  return { ok: false, message, retryable: false }
}
