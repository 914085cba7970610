/**
 * Layout: magic, version, chunks (position, word counts, hash), languages, dictionary (word, chunks, size of
 * postings), aliases, postings, checksum. Integers are varints unless noted.
 */
export const SEGMENT_MAGIC: readonly number[] = [0x4b, 0x42, 0x49]
/** Increased when older segments cannot be read or have other tokens or stems. */
export const SEGMENT_VERSION = 4

/** A posting is the distance to the previous chunk times eight plus flags; the count follows unless it is one. */
export const FLAG_IN_HEADINGS = 1
export const FLAG_IN_TITLE = 2
export const FLAG_SINGLE_OCCURRENCE = 4

/** Checksum of the first `length` bytes; detects damage, not tampering. */
export function computeChecksum(bytes: Uint8Array, length: number): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < length; index++) hash = Math.imul(hash ^ (bytes[index] as number), 0x01000193)
  return (hash ^ (hash >>> 15)) >>> 0
}

/** 64-bit hash of a text in two halves; texts with equal hashes count as equal. */
export function hashText(text: string): readonly [low: number, high: number] {
  let low = 0x9e3779b9
  let high = 0x85ebca6b
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    low = Math.imul(low ^ unit, 0x01000193)
    high = Math.imul(high ^ unit ^ (low >>> 24), 0xc2b2ae35)
    high = (high << 13) | (high >>> 19)
  }
  return [mix(low ^ text.length), mix(high)]
}

function mix(hash: number): number {
  const once = Math.imul(hash ^ (hash >>> 16), 0x7feb352d)
  const twice = Math.imul(once ^ (once >>> 15), 0x846ca68b)
  return (twice ^ (twice >>> 16)) >>> 0
}
