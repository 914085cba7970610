import { sanitizeVendorText } from '../../packages/server/src/integrations/models/wire-failure.ts'

/** Fields whose short values are part of the protocol. Other texts are replaced by their length. */
const PROTOCOL_FIELDS = new Set(
  `type message_type event trigger variant object role model model_id modelId finish_reason stop_reason code error_code status_code status param
  container encoding output_format response_format language language_code service_tier id context_id contextId flush_id
  request_id requestId created sequence_id tool_choice name voice voice_id mode`.split(/\s+/),
)
const PROTOCOL_VALUE = /^[\w.:/+-]{1,64}$/
/** Fields that describe an error. Their texts are kept without quotes, keys and personal data. */
const ERROR_FIELDS = new Set(['message', 'title', 'detail', 'reason', 'description', 'err_msg', 'err_code'])
const MAX_ITEMS = 20
const MAX_DEPTH = 12

/** Returns a JSON value without texts and audio, in which the structure is still visible. */
function redactJson(value: unknown, fieldName = '', isError = false, depth = 0): unknown {
  if (typeof value === 'string') return redactText(value, fieldName, isError)
  if (typeof value !== 'object' || value === null) return value
  if (depth >= MAX_DEPTH) return '<nested>'
  if (Array.isArray(value)) {
    const items = value.slice(0, MAX_ITEMS).map((item) => redactJson(item, fieldName, isError, depth + 1))
    return value.length > MAX_ITEMS ? [...items, `<${value.length - MAX_ITEMS} more>`] : items
  }
  const fields = value as Readonly<Record<string, unknown>>
  const describesError = isError || isErrorObject(fields)
  return Object.fromEntries(
    Object.entries(fields).map(([name, item]) => [
      PROTOCOL_VALUE.test(name) ? name : '<name>',
      redactJson(item, name, describesError, depth + 1),
    ]),
  )
}

function isErrorObject({ type, error, status_code: status }: Readonly<Record<string, unknown>>): boolean {
  return (
    (typeof type === 'string' && /error/i.test(type)) ||
    (error !== undefined && error !== null) ||
    (typeof status === 'number' && status >= 400)
  )
}

function redactText(text: string, fieldName: string, isError: boolean): string {
  if (PROTOCOL_FIELDS.has(fieldName) && PROTOCOL_VALUE.test(text)) return text
  if (isError && ERROR_FIELDS.has(fieldName)) return sanitizeVendorText(text, undefined)
  return `<text ${text.length}>`
}

/** Returns a message in a form without texts: JSON without values, other data by its size. */
export function redactMessage(data: string | Uint8Array | null | undefined): unknown {
  if (data === null || data === undefined) return null
  if (typeof data !== 'string') return `<binary ${data.length}>`
  try {
    return redactJson(JSON.parse(data))
  } catch {
    // Bare words are commands or end marks in some protocols.
    return /^(?:\[DONE\]|finalize|close|done)$/.test(data) ? data : `<text ${data.length}>`
  }
}

const KEPT_HEADERS = /^(?:content-type|retry-after|(?:x-)?request-id|.*-version|x-ratelimit-[\w-]+|dg-[\w-]+)$/i

/** Returns the values of harmless headers, and only the names of the others. */
export function redactHeaders(headers: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, KEPT_HEADERS.test(name) ? String(value) : '<hidden>']),
  )
}

const HIDDEN_PARAMETERS = /key|token|term|text|prompt/i

/** Returns a URL without credentials and without words in its query. */
export function redactUrl(address: string): string {
  const url = new URL(address)
  url.username = ''
  url.password = ''
  for (const [name, value] of [...url.searchParams]) {
    if (HIDDEN_PARAMETERS.test(name) || !PROTOCOL_VALUE.test(value)) url.searchParams.set(name, 'hidden')
  }
  return url.href
}
