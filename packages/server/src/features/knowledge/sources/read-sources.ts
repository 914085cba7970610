import { createHash } from 'node:crypto'
import type { ErrorDetail } from '@parley/contract/errors'
import type { SourceType } from '@parley/contract/knowledge-passage'
import { type SourceInput, UPLOAD_LIMITS } from '@parley/contract/knowledge-source'
import type { Upload } from '../../../kernel/api/implement.ts'
import { sanitizeFilename } from '../../../kernel/api/safe-filename.ts'
import { rejectProblems } from '../../../kernel/errors.ts'

/** Normalizes a page URL for comparison. Lowercases the host and removes the default port and the fragment. */
export function normalizeUrl(url: string): string {
  const parsedUrl = new URL(url)
  parsedUrl.hash = ''
  // Removes the `?` of an empty query.
  if (parsedUrl.search === '') parsedUrl.search = ''
  return parsedUrl.href
}

export function buildUrlIdentity(url: string): string {
  return `url:${normalizeUrl(url)}`
}

/** Builds the identity of a file or text from the hash of its bytes. */
export function buildContentIdentity(sha256Hex: string): string {
  return `sha256:${sha256Hex}`
}

/** Builds a separate identity for content that already exists with another title. */
export function buildTitledIdentity(identity: string, title: string): string {
  return `${identity}:${createHash('sha256').update(title).digest('hex')}`
}

/** Status of a crawled page that redirects to another page. The page is hidden and is not fetched again for each link. */
export const ALIAS = 'alias'

/** Builds a separate identity for a redirected page, so that the owner can still add the page. */
export function buildAliasIdentity(identity: string): string {
  return `${ALIAS}:${identity}`
}

/** A source in a request, before it is compared with existing sources. */
export interface RequestedSource {
  readonly kind: SourceType
  /** Title, or `''` if none is given. */
  readonly title: string
  readonly filename: string
  readonly url: string | null
  readonly givenContentType: string | null
  readonly identity: string
  /** Content, or null for pages, which are fetched later. */
  readonly content: SourceContent | null
}

interface SourceContent {
  readonly sizeBytes: number
  /** Opens the content at its first byte. May be called repeatedly. */
  open(): AsyncIterable<Uint8Array>
}

const DEFAULT_FILENAME = 'file'

/** Reads the sources of a JSON body and the uploaded files. Reports all problems together. */
export function readSources(inputs: readonly SourceInput[], uploads: readonly Upload[]): RequestedSource[] {
  const problems: ErrorDetail[] = []
  const bodySources = inputs.map((input, index) => readInput(input, `sources[${index}]`, problems))
  const uploadedSources = uploads.map((upload) => readUpload(upload, problems))
  rejectProblems(problems)
  return [...bodySources, ...uploadedSources]
}

/** Reads one source of a JSON body. The schema guarantees exactly one of `url`, `text` and `base64`. */
function readInput(input: SourceInput, path: string, problems: ErrorDetail[]): RequestedSource {
  const { title = '', contentType = null } = input
  const commonFields = { title: title.trim(), filename: '', url: null, givenContentType: contentType }
  if (input.url !== undefined) {
    return { ...commonFields, kind: 'url', url: input.url, identity: buildUrlIdentity(input.url), content: null }
  }
  if (input.text !== undefined) return { ...commonFields, kind: 'text', ...toSourceContent(Buffer.from(input.text)) }
  const bytes = Buffer.from(input.base64 ?? '', 'base64')
  checkFileSize(bytes.length, `${path}.base64`, problems)
  return {
    ...commonFields,
    kind: 'file',
    filename: sanitizeFilename(input.filename ?? '') || DEFAULT_FILENAME,
    ...toSourceContent(bytes),
  }
}

function readUpload(upload: Upload, problems: ErrorDetail[]): RequestedSource {
  const { sizeBytes } = upload
  checkFileSize(sizeBytes, upload.field, problems)
  return {
    kind: 'file',
    title: '',
    filename: upload.filename === '' ? DEFAULT_FILENAME : upload.filename,
    url: null,
    givenContentType: upload.contentType,
    identity: buildContentIdentity(upload.sha256),
    content: { sizeBytes, open: () => upload.open() },
  }
}

function checkFileSize(sizeBytes: number, path: string, problems: ErrorDetail[]): void {
  if (sizeBytes === 0) problems.push({ path, message: 'must not be an empty file' })
  const { maxFileBytes } = UPLOAD_LIMITS
  if (sizeBytes > maxFileBytes) problems.push({ path, message: `must be at most ${maxFileBytes} bytes` })
}

function toSourceContent(bytes: Uint8Array): Pick<RequestedSource, 'identity' | 'content'> {
  const identity = buildContentIdentity(createHash('sha256').update(bytes).digest('hex'))
  return { identity, content: { sizeBytes: bytes.length, open: () => yieldOnce(bytes) } }
}

async function* yieldOnce(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes
}
