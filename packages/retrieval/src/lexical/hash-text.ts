/** A checksum of the first `length` bytes: tells damage, not intent. */
export function bytesChecksum(bytes: Uint8Array, length: number): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < length; at++) hash = Math.imul(hash ^ (bytes[at] as number), 0x01000193)
  return (hash ^ (hash >>> 15)) >>> 0
}

/** 64 bits of a text, as two halves: texts that share them are taken for equal. */
export function hashText(text: string): readonly [low: number, high: number] {
  let low = 0x9e3779b9
  let high = 0x85ebca6b
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
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
