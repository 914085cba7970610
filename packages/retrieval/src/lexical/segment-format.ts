/**
 * Layout: magic, version, chunks (position, word counts, hash), languages, dictionary (word, chunks, size of
 * postings), aliases, postings, checksum. Integers are varints unless noted.
 */
export const SEGMENT_MAGIC: readonly number[] = [0x4b, 0x42, 0x49]
/** Increased when older segments cannot be read or have other tokens or stems. */
export const SEGMENT_VERSION = 4

/** A posting is the number of skipped chunks times eight plus flags. The count follows unless it is one. */
export const FLAG_IN_HEADINGS = 1
export const FLAG_IN_TITLE = 2
export const FLAG_SINGLE_OCCURRENCE = 4

/** Computes a checksum of the first `length` bytes, which detects damage but not tampering. */
export function computeChecksum(bytes: Uint8Array, length: number): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < length; index++) hash = Math.imul(hash ^ (bytes[index] as number), 0x01000193)
  return (hash ^ (hash >>> 15)) >>> 0
}

/** Computes a 64-bit hash of a text as two halves. Texts with equal hashes are treated as equal. */
export function hashText(text: string): readonly [low: number, high: number] {
  let low = 0x9e3779b9
  let high = 0x85ebca6b
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    low = Math.imul(low ^ unit, 0x01000193)
    high = Math.imul(high ^ unit ^ (low >>> 24), 0xc2b2ae35)
    high = (high << 13) | (high >>> 19)
  }
  return [mixBits(low ^ text.length), mixBits(high)]
}

function mixBits(hash: number): number {
  const firstPass = Math.imul(hash ^ (hash >>> 16), 0x7feb352d)
  const secondPass = Math.imul(firstPass ^ (firstPass >>> 15), 0x846ca68b)
  return (secondPass ^ (secondPass >>> 16)) >>> 0
}
