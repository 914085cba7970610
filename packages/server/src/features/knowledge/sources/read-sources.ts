import { createHash } from 'node:crypto'
import type { ErrorDetail } from '@parley/contract/errors'
import type { SourceType } from '@parley/contract/knowledge-passage'
import { type SourceInput, UPLOAD_LIMITS } from '@parley/contract/knowledge-source'
import type { Upload } from '../../../kernel/api/implement.ts'
import { sanitizeFilename } from '../../../kernel/api/safe-filename.ts'
import { rejectProblems } from '../../../kernel/errors.ts'

/** The canonical URL of a page for comparison: host in lower case, no default port, no fragment. */
export function normalizeUrl(url: string): string {
  const parsed = new URL(url)
  parsed.hash = ''
  // An empty query requests the same page.
  if (parsed.search === '') parsed.search = ''
  return parsed.href
}

export function urlIdentity(url: string): string {
  return `url:${normalizeUrl(url)}`
}

/** Identity of a file or text: the hash of its bytes. */
export function contentIdentity(sha256Hex: string): string {
  return `sha256:${sha256Hex}`
}

/** Identity of content that already exists under another title. */
export function titledIdentity(identity: string, title: string): string {
  return `${identity}:${createHash('sha256').update(title).digest('hex')}`
}

/** Status of a redirected page of a site: hidden, and not fetched again for every link to it. */
export const ALIAS = 'alias'

/** Identity of such a page, so that its owner can still add it. */
export function aliasIdentity(identity: string): string {
  return `${ALIAS}:${identity}`
}

/** A document in a request, before it is compared with existing ones. */
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

interface SourceContent {
  readonly sizeBytes: number
  /** From the first byte; repeatable. */
  open(): AsyncIterable<Uint8Array>
}

/** Name of a file without a name. */
const NAMELESS = 'file'

/** Reads the sources of a JSON body and uploaded files. Reports all problems at once. */
export function readSources(inputs: readonly SourceInput[], uploads: readonly Upload[]): RequestedSource[] {
  const problems: ErrorDetail[] = []
  const fromBody = inputs.map((input, index) => readInput(input, `sources[${index}]`, problems))
  const fromUploads = uploads.map((upload) => readUpload(upload, problems))
  rejectProblems(problems)
  return [...fromBody, ...fromUploads]
}

/** The schema guarantees exactly one of the three. */
function readInput(input: SourceInput, path: string, problems: ErrorDetail[]): RequestedSource {
  const { title = '', contentType = null } = input
  const common = { title: title.trim(), filename: '', url: null, givenContentType: contentType }
  if (input.url !== undefined) {
    return { ...common, kind: 'url', url: input.url, identity: urlIdentity(input.url), content: null }
  }
  if (input.text !== undefined) return { ...common, kind: 'text', ...ofBytes(Buffer.from(input.text)) }
  const bytes = Buffer.from(input.base64 ?? '', 'base64')
  checkSize(bytes.length, `${path}.base64`, problems)
  return { ...common, kind: 'file', filename: sanitizeFilename(input.filename ?? '') || NAMELESS, ...ofBytes(bytes) }
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
