import { sanitizeFilename } from '../kernel/api/safe-filename.ts'
import { AppError } from '../kernel/errors.ts'

/** A part of a form. The content must be read before the next part. */
export interface FormPart extends PartHeader {
  readonly content: AsyncGenerator<Uint8Array>
}

const MAX_HEADER_BYTES = 16 * 1024
const HEADER_END = Buffer.from('\r\n\r\n')
const CLOSING_MARK = Buffer.from('--')

/**
 * Streams the parts of a `multipart/form-data` body (RFC 7578), keeping at most one chunk in memory. Throws
 * `invalid_request` for a malformed body. Always releases the source.
 */
export async function* readMultipart(source: AsyncIterable<Uint8Array>, boundary: string): AsyncGenerator<FormPart> {
  const reader = createReader(source)
  const delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1')
  try {
    await reader.skip(reader.readUntil(delimiter))
    while (!(await reader.startsWith(CLOSING_MARK))) {
      const header = readPartHeader(await reader.takeUntil(HEADER_END, MAX_HEADER_BYTES))
      if ('problem' in header) throw createMalformedError(header.problem)
      const content = reader.readUntil(delimiter)
      yield { ...header, content }
      await reader.skip(content)
    }
    await reader.skip(reader.readRemainder())
  } finally {
    await reader.release()
  }
}

function createMalformedError(problem: string): AppError {
  return new AppError('invalid_request', `The body is not valid multipart/form-data: ${problem}.`)
}

/** Creates a reader that splits a source at delimiters. */
function createReader(source: AsyncIterable<Uint8Array>) {
  const iterator = source[Symbol.asyncIterator]()
  // Delimiters start with a line break, which the body can omit before the first delimiter.
  let buffered: Buffer = Buffer.from('\r\n')

  /** Reads the next chunk. Throws at the end of the body. */
  async function readChunk(): Promise<void> {
    const result = await iterator.next()
    if (result.done === true) throw createMalformedError('it ends before its closing delimiter')
    const { buffer, byteOffset, byteLength } = result.value
    const chunk = Buffer.from(buffer, byteOffset, byteLength)
    buffered = buffered.length === 0 ? chunk : Buffer.concat([buffered, chunk])
  }

  async function* readUntil(delimiter: Buffer): AsyncGenerator<Uint8Array> {
    for (;;) {
      const delimiterIndex = buffered.indexOf(delimiter)
      const safeEnd = delimiterIndex === -1 ? Math.max(0, buffered.length - delimiter.length + 1) : delimiterIndex
      const chunk = buffered.subarray(0, safeEnd)
      buffered = buffered.subarray(delimiterIndex === -1 ? safeEnd : delimiterIndex + delimiter.length)
      if (chunk.length > 0) yield chunk
      if (delimiterIndex !== -1) return
      await readChunk()
    }
  }

  async function* readRemainder(): AsyncGenerator<Uint8Array> {
    for (let result = await iterator.next(); result.done !== true; result = await iterator.next()) yield result.value
  }

  return {
    readUntil,
    readRemainder,

    async startsWith(bytes: Buffer): Promise<boolean> {
      while (buffered.length < bytes.length) await readChunk()
      return buffered.subarray(0, bytes.length).equals(bytes)
    },

    async takeUntil(delimiter: Buffer, limitBytes: number): Promise<Uint8Array> {
      const chunks: Uint8Array[] = []
      let sizeBytes = 0
      for await (const chunk of readUntil(delimiter)) {
        sizeBytes += chunk.length
        if (sizeBytes > limitBytes) throw createMalformedError('the header of a part is too long')
        chunks.push(chunk)
      }
      return Buffer.concat(chunks)
    },

    async skip(chunks: AsyncIterable<Uint8Array>): Promise<void> {
      for await (const _chunk of chunks);
    },

    async release(): Promise<void> {
      await iterator.return?.()
    },
  }
}

/** Header of a form part. */
interface PartHeader {
  /** Field name. */
  readonly name: string
  /** File name; null if the part is not a file. */
  readonly filename: string | null
  /** Content type in lower case, without parameters. */
  readonly contentType: string | null
}

/** An invalid part header and its problem. */
interface InvalidPartHeader {
  readonly problem: string
}

const MAX_NAME_LENGTH = 200
/** Encodings that leave bytes unchanged. */
const IDENTITY_ENCODINGS: ReadonlySet<string> = new Set(['', '7bit', '8bit', 'binary'])
/** An unambiguous pattern, so that matching takes linear time. */
const PARAMETER = /;\s*([^\s=;"]{1,100})\s*=\s*(?:"((?:\\["\\]|[^"\\]|\\(?!["\\]))*)"|([^;"]*))/g

/** Parses the header block between a delimiter and the empty line. */
export function readPartHeader(block: Uint8Array): PartHeader | InvalidPartHeader {
  const text = decodeHeader(block)
  // Only spaces and tabs can follow the delimiter on its line.
  if (!/^[ \t]*(?:\r\n|$)/.test(text)) return { problem: 'a delimiter is followed by other text' }
  const fields = parseHeaderFields(text)
  const disposition = fields.get('content-disposition') ?? ''
  if (!/^form-data\s*(?:;|$)/i.test(disposition)) return { problem: 'a part is not form-data' }
  const parameters = readParameters(disposition)
  const name = parameters.get('name')
  if (name === undefined || name === '') return { problem: 'a part has no name' }
  if (name.length > MAX_NAME_LENGTH) return { problem: 'the name of a part is too long' }
  const encoding = fields.get('content-transfer-encoding')?.trim().toLowerCase() ?? ''
  if (!IDENTITY_ENCODINGS.has(encoding)) return { problem: 'parts must not use a transfer encoding' }
  const contentType = parseMediaType(fields.get('content-type'))
  const filename = decodeExtendedValue(parameters.get('filename*')) ?? parameters.get('filename')
  const isFile = filename !== undefined || contentType === 'application/octet-stream'
  return { name, filename: isFile ? sanitizeFilename(filename ?? '') : null, contentType }
}

/**
 * Parses the parameters of a header such as `form-data; name="a"`, by lower-case name. If a name is repeated, the
 * first value applies.
 */
export function readParameters(header: string): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>()
  for (const [, name = '', quoted, unquoted] of header.matchAll(PARAMETER)) {
    const key = name.toLowerCase()
    const value = quoted === undefined ? (unquoted ?? '').trim() : quoted.replace(/\\(["\\])/g, '$1')
    if (!parameters.has(key)) parameters.set(key, value)
  }
  return parameters
}

/** Decodes a header block as UTF-8, or as Latin-1 from old clients. */
function decodeHeader(block: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(block)
  } catch {
    return new TextDecoder('latin1').decode(block)
  }
}

function parseHeaderFields(text: string): ReadonlyMap<string, string> {
  const fields = new Map<string, string>()
  for (const line of text.replace(/\r\n[ \t]+/g, ' ').split('\r\n')) {
    const colonIndex = line.indexOf(':')
    const name = line.slice(0, Math.max(0, colonIndex)).trim().toLowerCase()
    if (name !== '' && !fields.has(name)) fields.set(name, line.slice(colonIndex + 1).trim())
  }
  return fields
}

function parseMediaType(contentType: string | undefined): string | null {
  const type = contentType?.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  return type === '' || type.length > 200 ? null : type
}

/** Decodes an extended parameter such as `UTF-8''na%C3%AFve.txt` (RFC 5987). */
function decodeExtendedValue(value: string | undefined): string | undefined {
  const [, charset = '', encodedText = ''] = /^([\w-]{1,40})'[\w-]{0,40}'(.*)$/s.exec(value ?? '') ?? []
  if (!/^(?:utf-8|iso-8859-1)$/i.test(charset)) return undefined
  const bytes = Buffer.from(
    encodedText.replace(/%([0-9a-f]{2})/gi, (_match, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  )
  return new TextDecoder(charset).decode(bytes)
}
