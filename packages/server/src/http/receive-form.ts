import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import type { UploadLimits } from '@parley/contract/operation'
import type { Upload } from '../kernel/api/implement.ts'
import { AppError, invalidField } from '../kernel/errors.ts'
import type { FormField } from './form-fields.ts'
import { type FormPart, readMultipart, readParameters } from './multipart-reader.ts'
import { createStorageError, type UploadSpace } from './upload-folder.ts'

/** A received form with its fields in order and its files on disk. */
export interface ParsedForm {
  readonly fields: readonly FormField[]
  readonly uploads: readonly Upload[]
}

export interface FormSource {
  readonly chunks: AsyncIterable<Uint8Array>
  /** Content type from the request header. */
  readonly contentType: string
  /** Content length; null if absent. */
  readonly sizeBytes: number | null
}

const MAX_FIELDS = 100
/** Maximum number of empty file inputs. */
const MAX_UNUSED_INPUTS = 100
const MAX_FIELD_BYTES = 1024 * 1024
const BYTES_PER_MIB = 1024 * 1024

/**
 * Streams a `multipart/form-data` body and stores the files in `uploadSpace`. Throws `payload_too_large` with the exceeded
 * limit, and `invalid_request` for a malformed body.
 */
export async function receiveForm(
  source: FormSource,
  limits: UploadLimits,
  uploadSpace: UploadSpace,
): Promise<ParsedForm> {
  const boundary = readParameters(source.contentType).get('boundary') ?? ''
  if (boundary === '' || boundary.length > 200) {
    throw new AppError('invalid_request', 'The Content-Type multipart/form-data needs a boundary.')
  }
  if (source.sizeBytes === 0) return { fields: [], uploads: [] }
  if (source.sizeBytes !== null && source.sizeBytes > limits.maxRequestBytes) throw createRequestTooLargeError(limits)
  const fields: FormField[] = []
  const uploads: Upload[] = []
  let unusedInputs = 0
  for await (const part of readMultipart(limitBytes(source.chunks, limits), boundary)) {
    if (part.filename === null) {
      if (fields.length === MAX_FIELDS) throw createTooLargeError(`A form may have at most ${MAX_FIELDS} fields.`)
      fields.push({ name: part.name, value: await readText(part) })
      continue
    }
    const upload = await storeFile(part, { ...limits, isFull: uploads.length >= limits.maxFiles }, uploadSpace)
    if (upload !== null) uploads.push(upload)
    else if (++unusedInputs > MAX_UNUSED_INPUTS) {
      throw createTooLargeError(`A form may have at most ${MAX_UNUSED_INPUTS} file parts without a file.`)
    }
  }
  return { fields, uploads }
}

function createTooLargeError(message: string): AppError {
  return new AppError('payload_too_large', message)
}

function createRequestTooLargeError({ maxRequestBytes }: UploadLimits): AppError {
  return createTooLargeError(
    `A request may have at most ${formatMebibytes(maxRequestBytes)}; send the files in several requests.`,
  )
}

function formatMebibytes(sizeBytes: number): string {
  return sizeBytes % BYTES_PER_MIB === 0 ? `${sizeBytes / BYTES_PER_MIB} MiB` : `${sizeBytes} bytes`
}

async function* limitBytes(chunks: AsyncIterable<Uint8Array>, limits: UploadLimits): AsyncGenerator<Uint8Array> {
  let sizeBytes = 0
  try {
    for await (const chunk of chunks) {
      sizeBytes += chunk.length
      if (sizeBytes > limits.maxRequestBytes) throw createRequestTooLargeError(limits)
      yield chunk
    }
  } catch (error) {
    if (error instanceof AppError) throw error
    // The client disconnected or timed out, which is not an internal error.
    throw new AppError('invalid_request', 'The request ended before its body was complete.', { cause: error })
  }
}

async function readText({ name, content }: FormPart): Promise<string> {
  const chunks: Uint8Array[] = []
  let sizeBytes = 0
  for await (const chunk of content) {
    sizeBytes += chunk.length
    if (sizeBytes > MAX_FIELD_BYTES) {
      throw createTooLargeError(
        `The field "${name}" is larger than ${formatMebibytes(MAX_FIELD_BYTES)}; send it as a file.`,
      )
    }
    chunks.push(chunk)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks))
  } catch {
    throw invalidField(name, 'must be UTF-8')
  }
}

interface FileLimits {
  readonly maxFileBytes: number
  readonly maxFiles: number
  /** True if no more files are allowed. */
  readonly isFull: boolean
}

/** Stores one file. Returns null for an unused file input. */
async function storeFile(part: FormPart, limits: FileLimits, uploadSpace: UploadSpace): Promise<Upload | null> {
  const { name, filename, contentType, content } = part
  // A part without a file name is stored only if it has content.
  const firstChunk = filename === '' ? await readFirstChunk(content) : null
  if (filename === '' && firstChunk === null) return null
  const path = await uploadSpace.createFilePath()
  const hash = createHash('sha256')
  const file = await open(path, 'wx', 0o600).catch((error: unknown) => {
    throw createStorageError(error)
  })
  let sizeBytes = 0
  try {
    for await (const chunk of prependChunk(firstChunk, content)) {
      sizeBytes += chunk.length
      if (limits.isFull) throw createTooLargeError(`A request may have at most ${limits.maxFiles} files.`)
      if (sizeBytes > limits.maxFileBytes) {
        throw createTooLargeError(
          `A file may have at most ${formatMebibytes(limits.maxFileBytes)}; "${filename}" is larger.`,
        )
      }
      hash.update(chunk)
      await file.appendFile(chunk).catch((error: unknown) => {
        throw createStorageError(error)
      })
    }
  } finally {
    await file.close()
  }
  if (limits.isFull) throw createTooLargeError(`A request may have at most ${limits.maxFiles} files.`)
  const sha256 = hash.digest('hex')
  return {
    field: name.endsWith('[]') ? name.slice(0, -2) : name,
    filename: filename ?? '',
    contentType,
    sizeBytes,
    sha256,
    open: () => createReadStream(path),
  }
}

/** Reads only the first chunk of a part. Returns null if the part is empty. */
async function readFirstChunk(content: AsyncIterator<Uint8Array>): Promise<Uint8Array | null> {
  const result = await content.next()
  return result.done === true ? null : result.value
}

async function* prependChunk(
  firstChunk: Uint8Array | null,
  remainingChunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  if (firstChunk !== null) yield firstChunk
  yield* remainingChunks
}
