/** Part of something that has so many bytes. */
export interface ByteRange {
  readonly start: number
  readonly length: number
}

/**
 * What a `Range` header asks for of so many bytes. `null`: all of them, since the header is absent, not understood, or asks for
 * several ranges, which need not be served. `unsatisfiable`: there is nothing where it begins.
 */
export function readByteRange(header: string | undefined, sizeBytes: number): ByteRange | null | 'unsatisfiable' {
  const match = /^bytes\s*=\s*(?:(\d{1,15})\s*)?-\s*(\d{0,15})$/i.exec(header?.trim() ?? '')
  if (match === null) return null
  const [, first = '', last = ''] = match
  if (first === '') return last === '' ? null : suffix(Number(last), sizeBytes)
  const start = Number(first)
  const end = last === '' ? sizeBytes - 1 : Number(last)
  if (last !== '' && end < start) return null
  if (start >= sizeBytes) return 'unsatisfiable'
  return { start, length: Math.min(end, sizeBytes - 1) - start + 1 }
}

function suffix(length: number, sizeBytes: number): ByteRange | 'unsatisfiable' {
  if (length === 0 || sizeBytes === 0) return 'unsatisfiable'
  const start = Math.max(0, sizeBytes - length)
  return { start, length: sizeBytes - start }
}
