import { safeFilename } from '../kernel/api/safe-filename.ts'

/** What the header of one part of a form says. */
export interface PartHeader {
  /** Name of its field. */
  readonly name: string
  /** `null`: not a file. */
  readonly filename: string | null
  /** In lower case, without parameters. */
  readonly contentType: string | null
}

/** A header of a part that is not one, with what is wrong. */
export interface InvalidPartHeader {
  readonly problem: string
}

const MAX_NAME_LENGTH = 200
/** Encodings that leave the bytes as they are. */
const IDENTITY_ENCODINGS: ReadonlySet<string> = new Set(['', '7bit', '8bit', 'binary'])
/** No two ways to match one text: backtracking stays linear. */
const PARAMETER = /;\s*([^\s=;"]{1,100})\s*=\s*(?:"((?:\\["\\]|[^"\\]|\\(?!["\\]))*)"|([^;"]*))/g

/** Reads the header block of a part, as it stands between its delimiter and the empty line. */
export function readPartHeader(block: Uint8Array): PartHeader | InvalidPartHeader {
  const text = decodeHeader(block)
  // Of the line of the delimiter only spaces may be left.
  if (!/^[ \t]*(?:\r\n|$)/.test(text)) return { problem: 'a delimiter is followed by other text' }
  const fields = headerFields(text)
  const disposition = fields.get('content-disposition') ?? ''
  if (!/^form-data\s*(?:;|$)/i.test(disposition)) return { problem: 'a part is no form-data' }
  const parameters = readParameters(disposition)
  const name = parameters.get('name')
  if (name === undefined || name === '') return { problem: 'a part has no name' }
  if (name.length > MAX_NAME_LENGTH) return { problem: 'the name of a part is too long' }
  const encoding = fields.get('content-transfer-encoding')?.trim().toLowerCase() ?? ''
  if (!IDENTITY_ENCODINGS.has(encoding))
    return { problem: 'parts must be sent as they are, without a transfer encoding' }
  const contentType = essence(fields.get('content-type'))
  const filename = decodeExtended(parameters.get('filename*')) ?? parameters.get('filename')
  const isFile = filename !== undefined || contentType === 'application/octet-stream'
  return { name, filename: isFile ? safeFilename(filename ?? '') : null, contentType }
}

/** Parameters of a header such as `form-data; name="a"` by their names in lower case; the first of one name counts. */
export function readParameters(header: string): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>()
  for (const [, name = '', quoted, bare] of header.matchAll(PARAMETER)) {
    const key = name.toLowerCase()
    const value = quoted === undefined ? (bare ?? '').trim() : quoted.replace(/\\(["\\])/g, '$1')
    if (!parameters.has(key)) parameters.set(key, value)
  }
  return parameters
}

/** UTF-8, as clients send it; what is not comes from old ones. */
function decodeHeader(block: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(block)
  } catch {
    return new TextDecoder('latin1').decode(block)
  }
}

function headerFields(text: string): ReadonlyMap<string, string> {
  const fields = new Map<string, string>()
  for (const line of text.replace(/\r\n[ \t]+/g, ' ').split('\r\n')) {
    const colonAt = line.indexOf(':')
    const name = line.slice(0, Math.max(0, colonAt)).trim().toLowerCase()
    if (name !== '' && !fields.has(name)) fields.set(name, line.slice(colonAt + 1).trim())
  }
  return fields
}

function essence(contentType: string | undefined): string | null {
  const type = contentType?.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  return type === '' || type.length > 200 ? null : type
}

/** `UTF-8''na%C3%AFve.txt` (RFC 5987). */
function decodeExtended(value: string | undefined): string | undefined {
  const [, charset = '', encoded = ''] = /^([\w-]{1,40})'[\w-]{0,40}'(.*)$/s.exec(value ?? '') ?? []
  if (!/^(?:utf-8|iso-8859-1)$/i.test(charset)) return undefined
  const bytes = Buffer.from(
    encoded.replace(/%([0-9a-f]{2})/gi, (_match, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  )
  return new TextDecoder(charset).decode(bytes)
}
