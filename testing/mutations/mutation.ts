/** Parts of the product that planted faults cover. */
export const AREAS = [
  'turn-order',
  'failover',
  'flow',
  'rights',
  'tools',
  'storage',
  'turn-machine',
  'retrieval',
] as const
export type Area = (typeof AREAS)[number]

/** An edit of a source file. `find` must occur exactly once in the file. */
export interface Change {
  /** Path relative to the root of the checkout. */
  readonly file: string
  readonly find: string
  readonly replace: string
}

/** A fault that the tests must catch. */
export interface Mutation {
  readonly id: string
  readonly area: Area
  /** Effect that users would notice, in one sentence. */
  readonly behavior: string
  /** Fault in the code at commit 3e36b6a. */
  readonly before: Change
  /** Fault in the current code, if it differs from `before`. */
  readonly after?: Change
  /** Slow-tier tests to run if the fast tier misses the fault. */
  readonly slowTests?: readonly string[]
}

export const VARIANTS = ['before', 'after'] as const
export type Variant = (typeof VARIANTS)[number]

/** Returns the edit that plants the fault in a variant of the code. */
export function selectChange({ before, after }: Mutation, variant: Variant): Change {
  return variant === 'after' ? (after ?? before) : before
}

/** Returns the text with the fault. Throws unless `find` occurs exactly once. */
export function applyChange(text: string, { file, find, replace }: Change): string {
  const start = text.indexOf(find)
  if (find === '' || start === -1) throw new Error(`${file} does not contain the text to replace: ${find}`)
  if (text.indexOf(find, start + 1) !== -1)
    throw new Error(`${file} contains the text to replace more than once: ${find}`)
  return text.slice(0, start) + replace + text.slice(start + find.length)
}
