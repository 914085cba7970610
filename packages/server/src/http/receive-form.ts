import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import type { UploadLimits } from '@parley/contract/operation'
import type { Upload } from '../kernel/api/implement.ts'
import { AppError, invalidField } from '../kernel/errors.ts'
import type { FormField } from './form-fields.ts'
import { type FormPart, readMultipart } from './multipart-reader.ts'
import { readParameters } from './part-headers.ts'
import { cannotStore, type UploadSpace } from './upload-folder.ts'

/** A form as it was sent: its fields in their order, its files on the disk. */
export interface SentForm {
  readonly fields: readonly FormField[]
  readonly uploads: readonly Upload[]
}

export interface FormSource {
  readonly chunks: AsyncIterable<Uint8Array>
  /** The header of the request. */
  readonly contentType: string
  /** As the request announces it; null when it does not. */
  readonly sizeBytes: number | null
}

const MAX_FIELDS = 100
/** Empty file inputs that a browser sends along. */
const MAX_UNUSED_INPUTS = 100
const MAX_FIELD_BYTES = 1024 * 1024
const BYTES_PER_MIB = 1024 * 1024

/**
 * Reads a `multipart/form-data` body as it arrives and stores its files in `space`. Throws `payload_too_large` with the limit
 * that was passed, and `invalid_request` for a body that is broken or ends too early.
 */
export async function receiveForm(source: FormSource, limits: UploadLimits, space: UploadSpace): Promise<SentForm> {
  const boundary = readParameters(source.contentType).get('boundary') ?? ''
  if (boundary === '' || boundary.length > 200) {
    throw new AppError('invalid_request', 'The Content-Type multipart/form-data needs a boundary.')
  }
  if (source.sizeBytes === 0) return { fields: [], uploads: [] }
  if (source.sizeBytes !== null && source.sizeBytes > limits.maxRequestBytes) throw requestTooLarge(limits)
  const fields: FormField[] = []
  const uploads: Upload[] = []
  let unusedInputs = 0
  for await (const part of readMultipart(withinLimit(source.chunks, limits), boundary)) {
    if (part.filename === null) {
      if (fields.length === MAX_FIELDS) throw tooLargeError(`A form may have at most ${MAX_FIELDS} fields.`)
      fields.push({ name: part.name, value: await readText(part) })
      continue
    }
    const upload = await storeFile(part, { ...limits, isFull: uploads.length >= limits.maxFiles }, space)
    if (upload !== null) uploads.push(upload)
    else if (++unusedInputs > MAX_UNUSED_INPUTS) {
      throw tooLargeError(`A form may have at most ${MAX_UNUSED_INPUTS} file parts without a file.`)
    }
  }
  return { fields, uploads }
}

function tooLargeError(sentence: string): AppError {
  return new AppError('payload_too_large', sentence)
}

function requestTooLarge({ maxRequestBytes }: UploadLimits): AppError {
  return tooLargeError(`A request may have at most ${printMebibytes(maxRequestBytes)}; send the files in several.`)
}

function printMebibytes(sizeBytes: number): string {
  return sizeBytes % BYTES_PER_MIB === 0 ? `${sizeBytes / BYTES_PER_MIB} MiB` : `${sizeBytes} bytes`
}

async function* withinLimit(chunks: AsyncIterable<Uint8Array>, limits: UploadLimits): AsyncGenerator<Uint8Array> {
  let sizeBytes = 0
  try {
    for await (const chunk of chunks) {
      sizeBytes += chunk.length
      if (sizeBytes > limits.maxRequestBytes) throw requestTooLarge(limits)
      yield chunk
    }
  } catch (error) {
    if (error instanceof AppError) throw error
    // The client went away or took too long: no failure of ours.
    throw new AppError('invalid_request', 'The request ended before its body was complete.', { cause: error })
  }
}

async function readText({ name, content }: FormPart): Promise<string> {
  const pieces: Uint8Array[] = []
  let sizeBytes = 0
  for await (const piece of content) {
    sizeBytes += piece.length
    if (sizeBytes > MAX_FIELD_BYTES) {
      throw tooLargeError(`The field "${name}" is larger than ${printMebibytes(MAX_FIELD_BYTES)}; send it as a file.`)
    }
    pieces.push(piece)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(pieces))
  } catch {
    throw invalidField(name, 'must be UTF-8')
  }
}

interface FileLimits {
  readonly maxFileBytes: number
  readonly maxFiles: number
  /** No file may follow. */
  readonly isFull: boolean
}

/** `null` for what a page sends of a file input that nobody has used. */
async function storeFile(part: FormPart, limits: FileLimits, space: UploadSpace): Promise<Upload | null> {
  const { name, filename, contentType, content } = part
  // A part without a file needs none on the disk.
  const first = filename === '' ? await firstChunk(content) : null
  if (filename === '' && first === null) return null
  const path = await space.nextPath()
  const hash = createHash('sha256')
  const file = await open(path, 'wx', 0o600).catch((error: unknown) => {
    throw cannotStore(error)
  })
  let sizeBytes = 0
  try {
    for await (const piece of startingWith(first, content)) {
      sizeBytes += piece.length
      if (limits.isFull) throw tooLargeError(`A request may have at most ${limits.maxFiles} files.`)
      if (sizeBytes > limits.maxFileBytes) {
        throw tooLargeError(`A file may have at most ${printMebibytes(limits.maxFileBytes)}; "${filename}" is larger.`)
      }
      hash.update(piece)
      await file.appendFile(piece).catch((error: unknown) => {
        throw cannotStore(error)
      })
    }
  } finally {
    await file.close()
  }
  if (limits.isFull) throw tooLargeError(`A request may have at most ${limits.maxFiles} files.`)
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

/** The first bytes of a part, whose reading goes on afterwards; null when it has none. */
async function firstChunk(content: AsyncIterator<Uint8Array>): Promise<Uint8Array | null> {
  const next = await content.next()
  return next.done === true ? null : next.value
}

async function* startingWith(first: Uint8Array | null, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (first !== null) yield first
  yield* rest
}
