import { TextDecoder } from 'node:util'

const TEXT_TYPE =
  /^(?:text\/.*|application\/(?:json|xml|javascript|ecmascript|yaml|x-yaml|x-www-form-urlencoded|x-ndjson|jsonl|graphql)|.*\+(?:json|xml|yaml))$/

/**
 * Converts a response body to text for a model. Decodes text with its declared charset (UTF-8 by default) and describes binary
 * content. The text contains no U+0000, which databases reject.
 */
export function formatResponseText(body: Buffer, contentType: string | undefined): string {
  if (body.length === 0) return ''
  const mediaType = (contentType?.split(';', 1)[0] ?? '').trim().toLowerCase()
  const text = TEXT_TYPE.test(mediaType) ? decodeWithCharset(body, contentType) : tryDecodeUtf8(body)
  if (text !== null && !text.includes('\u0000')) return text
  // Includes the untrusted type only if it is harmless.
  const displayedType = /^[\w.+-]+\/[\w.+-]{1,80}$/.test(mediaType) ? mediaType : 'unknown type'
  return `[binary content: ${displayedType}, ${body.length} bytes]`
}

function decodeWithCharset(body: Buffer, contentType: string | undefined): string {
  const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType ?? '')?.[1] ?? 'utf-8'
  return (createDecoder(charset) ?? new TextDecoder()).decode(body)
}

/** Decodes valid UTF-8. Returns null for other bytes. */
function tryDecodeUtf8(body: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    return null
  }
}

function createDecoder(charset: string): TextDecoder | null {
  try {
    return new TextDecoder(charset)
  } catch {
    return null
  }
}

/** Returns at most `maxCharacters` of a text. Never splits a surrogate pair. */
export function truncateAtCharacter(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text
  const truncated = text.slice(0, maxCharacters)
  return /[\ud800-\udbff]$/.test(truncated) ? truncated.slice(0, -1) : truncated
}
