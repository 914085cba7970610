import { createHash } from 'node:crypto'
import type { ErrorDetail } from '@parley/contract/errors'
import type { SourceType } from '@parley/contract/knowledge-passage'
import { type SourceInput, UPLOAD_LIMITS } from '@parley/contract/knowledge-source'
import type { Upload } from '../../../kernel/api/implement.ts'
import { safeFilename } from '../../../kernel/api/safe-filename.ts'
import { AppError } from '../../../kernel/errors.ts'
import { contentIdentity, urlIdentity } from './source-identity.ts'

/** A document that a request names, before it is known whether it is there. */
export interface RequestedSource {
  readonly kind: SourceType
  /** `''` without one. */
  readonly title: string
  readonly filename: string
  readonly url: string | null
  readonly givenContentType: string | null
  readonly identity: string
  /** Null for pages, which are fetched later. */
  readonly content: SourceContent | null
}

export interface SourceContent {
  readonly sizeBytes: number
  /** From the first byte; may be called again. */
  open(): AsyncIterable<Uint8Array>
}

/** What a file is called that came without a name. */
const NAMELESS = 'file'

/** Reads the sources of a JSON body and the files beside it. All problems are told at once. */
export function readSources(inputs: readonly SourceInput[], uploads: readonly Upload[]): RequestedSource[] {
  const problems: ErrorDetail[] = []
  const fromBody = inputs.map((input, index) => readInput(input, `sources[${index}]`, problems))
  const fromUploads = uploads.map((upload) => readUpload(upload, problems))
  const [first] = problems
  if (first === undefined) return [...fromBody, ...fromUploads]
  throw new AppError('invalid_request', `${first.path}: ${first.message}`, { details: problems })
}

/** The schema has seen to it that exactly one of the three is there. */
function readInput(input: SourceInput, path: string, problems: ErrorDetail[]): RequestedSource {
  const { title = '', contentType = null } = input
  const common = { title: title.trim(), filename: '', url: null, givenContentType: contentType }
  if (input.url !== undefined) {
    return { ...common, kind: 'url', url: input.url, identity: urlIdentity(input.url), content: null }
  }
  if (input.text !== undefined) return { ...common, kind: 'text', ...ofBytes(Buffer.from(input.text)) }
  const bytes = Buffer.from(input.base64 ?? '', 'base64')
  checkSize(bytes.length, `${path}.base64`, problems)
  return { ...common, kind: 'file', filename: safeFilename(input.filename ?? '') || NAMELESS, ...ofBytes(bytes) }
}

function readUpload(upload: Upload, problems: ErrorDetail[]): RequestedSource {
  const { sizeBytes } = upload
  checkSize(sizeBytes, upload.field, problems)
  return {
    kind: 'file',
    title: '',
    filename: upload.filename === '' ? NAMELESS : upload.filename,
    url: null,
    givenContentType: upload.contentType,
    identity: contentIdentity(upload.sha256),
    content: { sizeBytes, open: () => upload.open() },
  }
}

function checkSize(sizeBytes: number, path: string, problems: ErrorDetail[]): void {
  if (sizeBytes === 0) problems.push({ path, message: 'must not be an empty file' })
  const { maxFileBytes } = UPLOAD_LIMITS
  if (sizeBytes > maxFileBytes) problems.push({ path, message: `must be at most ${maxFileBytes} bytes` })
}

function ofBytes(bytes: Uint8Array): Pick<RequestedSource, 'identity' | 'content'> {
  const identity = contentIdentity(createHash('sha256').update(bytes).digest('hex'))
  return { identity, content: { sizeBytes: bytes.length, open: () => once(bytes) } }
}

async function* once(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes
}
