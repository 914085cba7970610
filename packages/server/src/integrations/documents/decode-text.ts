import { analyse } from 'chardet'

/** Sample size for finding the zero bytes of UTF-16. */
const ZERO_SAMPLE_BYTES = 4_096
/** Sample size around the first non-ASCII letter, enough to detect an encoding. */
const DETECTION_SAMPLE_BYTES = 64 * 1024
const WESTERN_ENCODING = 'windows-1252'

/**
 * Western encodings that are often detected by mistake in texts with few accents. Such texts nearly always use Windows-1252.
 */
const SIMILAR_CHARSETS = /^(iso-8859-[129]|windows-125[024])$/i
const SIMILAR_CHARSET_MARGIN = 12

/**
 * Decodes text with the encoding of its byte order mark, UTF-8 if valid, the declared charset, or a detected encoding, in this
 * order. Undecodable bytes become replacement characters.
 */
export function decodeText(bytes: Uint8Array, declaredCharset: string | null = null): string {
  const detectedEncoding = detectBom(bytes) ?? detectZeroPattern(bytes)
  if (detectedEncoding !== null) return new TextDecoder(detectedEncoding).decode(bytes)
  const isIso2022 = declaredCharset !== null && /^iso-2022/i.test(declaredCharset)
  return (
    (isIso2022 ? null : decodeStrictly(bytes, 'utf-8')) ??
    (declaredCharset === null ? null : decodeStrictly(bytes, declaredCharset)) ??
    new TextDecoder(detectEncoding(bytes)).decode(bytes)
  )
}

/** Returns the charset of a media type such as `text/html; charset=utf-8`, or null if there is none. */
export function readDeclaredCharset(contentType: string | null): string | null {
  return /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType ?? '')?.[1] ?? null
}

/** Whether the bytes look like text: UTF-16, or at most 1% control characters. */
export function looksLikeText(bytes: Uint8Array): boolean {
  if (detectBom(bytes) !== null || detectZeroPattern(bytes) !== null) return true
  const sample = bytes.subarray(0, DETECTION_SAMPLE_BYTES)
  let controlCharacters = 0
  for (const byte of sample)
    if (byte < 9 || (byte > 13 && byte < 27) || (byte > 27 && byte < 32)) controlCharacters += 1
  return controlCharacters * 100 <= sample.length
}

function detectBom([first, second, third]: Uint8Array): string | null {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8'
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  return null
}

/** Detects UTF-16 without a byte order mark. In most scripts, every second byte is often zero. */
function detectZeroPattern(bytes: Uint8Array): string | null {
  const sample = bytes.subarray(0, ZERO_SAMPLE_BYTES)
  if (sample.length < 4) return null
  const zeroCounts = [0, 0] as [number, number]
  for (const [index, byte] of sample.entries()) if (byte === 0) zeroCounts[index % 2 === 0 ? 0 : 1] += 1
  const [evenZeroCount, oddZeroCount] = zeroCounts
  const pairCount = sample.length / 2
  if (oddZeroCount > pairCount * 0.2 && evenZeroCount < oddZeroCount * 0.05 + 1) return 'utf-16le'
  if (evenZeroCount > pairCount * 0.2 && oddZeroCount < evenZeroCount * 0.05 + 1) return 'utf-16be'
  return null
}

function decodeStrictly(bytes: Uint8Array, encoding: string): string | null {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}

function detectEncoding(bytes: Uint8Array): string {
  const firstNonAscii = bytes.findIndex((byte) => byte > 127)
  const start = Math.max(0, firstNonAscii - DETECTION_SAMPLE_BYTES / 4)
  const matches = analyse(bytes.subarray(start, start + DETECTION_SAMPLE_BYTES))
  const [bestMatch] = matches
  if (bestMatch === undefined) return WESTERN_ENCODING
  const westernMatch = matches.find(({ name }) => /^(iso-8859-1|windows-1252)$/i.test(name))
  const isSimilarCharset =
    SIMILAR_CHARSETS.test(bestMatch.name) &&
    westernMatch &&
    bestMatch.confidence - westernMatch.confidence <= SIMILAR_CHARSET_MARGIN
  return isSimilarCharset || bestMatch.confidence < 10 ? WESTERN_ENCODING : toSupportedEncoding(bestMatch.name)
}

function toSupportedEncoding(encoding: string): string {
  try {
    return new TextDecoder(encoding).encoding
  } catch {
    return WESTERN_ENCODING
  }
}
