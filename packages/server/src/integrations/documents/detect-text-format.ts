import { fileTypeFromBuffer } from 'file-type'
import { findDelimiter } from './formats/read-delimited.ts'
import { isJsonText } from './formats/read-json.ts'
import { createPasswordError, createUnsupportedError, type UnreadableContentError } from './unreadable-content.ts'

export type TextKind = 'html' | 'json' | 'email' | 'csv' | 'tsv' | 'markdown' | 'text' | 'xml'

/** Name and media type that a document was uploaded with. */
export interface DeclaredFormat {
  readonly filename: string
  readonly contentType: string | null
}

const SAMPLE_CHARACTERS = 64 * 1024

const KINDS_BY_EXTENSION: Readonly<Record<string, TextKind>> = {
  csv: 'csv',
  tsv: 'tsv',
  tab: 'tsv',
  md: 'markdown',
  markdown: 'markdown',
  mdx: 'markdown',
  json: 'json',
  jsonl: 'json',
  ndjson: 'json',
  html: 'html',
  htm: 'html',
  xhtml: 'html',
  eml: 'email',
}

const KINDS_BY_MEDIA_TYPE: Readonly<Record<string, TextKind>> = {
  'text/csv': 'csv',
  'text/tab-separated-values': 'tsv',
  'text/markdown': 'markdown',
  'text/x-markdown': 'markdown',
  'application/json': 'json',
  'application/x-ndjson': 'json',
  'text/html': 'html',
  'application/xhtml+xml': 'html',
  'message/rfc822': 'email',
}

/** Detects the kind of a text from its content, or from its declared format if the content is ambiguous. */
export function detectTextFormat(text: string, declaredFormat: DeclaredFormat): TextKind {
  const sample = text.slice(0, SAMPLE_CHARACTERS).trimStart()
  const declaredKind = getDeclaredKind(declaredFormat)
  if (isHtmlText(sample)) return 'html'
  if (/^<\?xml\b/i.test(sample) || /^<(svg|rss|feed|urlset)\b/i.test(sample)) return 'xml'
  if (isJsonText(text, declaredKind === 'json')) return 'json'
  if (isEmailText(sample)) return 'email'
  if (declaredKind === 'html' && /<\/?[a-z][^<>]*>/i.test(sample)) return 'html'
  if (declaredKind === 'markdown' || declaredKind === 'tsv' || declaredKind === 'csv')
    return confirmDeclaredKind(sample, declaredKind)
  if (isMarkdownText(sample)) return 'markdown'
  const delimiter = findDelimiter(sample, 'strict')
  if (delimiter !== null) return delimiter === '\t' ? 'tsv' : 'csv'
  return 'text'
}

const MAX_FRONT_MATTER_LINES = 200

function getDeclaredKind({ filename, contentType }: DeclaredFormat): TextKind | null {
  const extension = /\.([a-z]+)$/i.exec(filename)?.[1]?.toLowerCase() ?? ''
  const mediaType = contentType?.split(';')[0]?.trim().toLowerCase() ?? ''
  return KINDS_BY_EXTENSION[extension] ?? KINDS_BY_MEDIA_TYPE[mediaType] ?? null
}

/** Returns the kind of declared Markdown or a declared table. A table without a delimiter is plain text. */
function confirmDeclaredKind(sample: string, declaredKind: 'markdown' | 'csv' | 'tsv'): TextKind {
  if (declaredKind === 'markdown') return declaredKind
  const delimiter = findDelimiter(sample, 'lenient')
  if (delimiter === null) return 'text'
  return delimiter === '\t' ? 'tsv' : 'csv'
}

function isHtmlText(sample: string): boolean {
  const content = sample.replace(/^(\s|<!--[\s\S]*?-->|<\?xml[^>]*\?>)*/i, '')
  if (/^<(!doctype\s+html|html|head|body)[\s>]/i.test(content)) return true
  return (
    /^<(article|section|main|div|p|h[1-6]|table|ul|ol|dl|meta|title)[\s>]/i.test(content) &&
    /<\/[a-z0-9]+>/i.test(content)
  )
}

/** Whether the text contains at least two headings, or a heading and another Markdown construct. */
function isMarkdownText(sample: string): boolean {
  const headingCount = sample.match(/^#{1,6} \S.*$/gm)?.length ?? 0
  const tableCount =
    sample.match(/^[^\S\n]*(?:\|[^\S\n]*)?(?::?-{3,}:?[^\S\n]*\|[^\S\n]*)+(?::?-{3,}:?[^\S\n]*)?$/m) === null ? 0 : 1
  const otherCount =
    sample.match(/^(```|[-*] \S|> \S|---$)|\[[^[\]\n]+\]\([^()\s]+\)|\*\*\S[^*\n]*\*\*/m) === null ? 0 : 1
  return headingCount >= 2 || headingCount + tableCount + otherCount >= 2 || hasFrontMatter(sample)
}

/** Whether the text starts with a block between two `---` lines that contains a title. */
function hasFrontMatter(sample: string): boolean {
  const [firstLine, ...lines] = sample.trimStart().split('\n', MAX_FRONT_MATTER_LINES)
  const endIndex = firstLine === '---' ? lines.indexOf('---') : -1
  return lines.slice(0, Math.max(0, endIndex)).some((line) => line.startsWith('title:'))
}

const PDF_SIGNATURE = '%PDF-'
/** PDF readers accept a signature anywhere in this many bytes. */
const PDF_SIGNATURE_SEARCH_BYTES = 1024
const COMPOUND_FILE_SIGNATURE = Buffer.from('d0cf11e0a1b11ae1', 'hex')

/** File kinds identified by their first bytes. */
type BinaryKind = 'pdf' | 'zip' | 'unknown'

/** Detects the kind of a file from its first bytes. Throws `UnreadableContentError` for known but unsupported kinds. */
export async function detectBinaryFormat(bytes: Uint8Array): Promise<BinaryKind> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (buffer.subarray(0, PDF_SIGNATURE_SEARCH_BYTES).includes(PDF_SIGNATURE)) return 'pdf'
  if (buffer.readUInt32BE(0) === 0x504b0304 || buffer.readUInt32BE(0) === 0x504b0506) return 'zip'
  if (buffer.subarray(0, COMPOUND_FILE_SIGNATURE.length).equals(COMPOUND_FILE_SIGNATURE))
    throw createCompoundFileError(buffer)
  if (/^\s*\{\\rtf/.test(buffer.toString('latin1', 0, 64)))
    throw createUnsupportedError('RTF files', 'save it as .docx or PDF')
  const fileType = await fileTypeFromBuffer(bytes).catch(() => undefined)
  if (fileType === undefined) return 'unknown'
  const { mime, ext } = fileType
  if (mime.startsWith('image/') && mime !== 'image/svg+xml') throw createUnsupportedError('Images', IMAGE_ADVICE)
  if (/^(audio|video)\//.test(mime)) throw createUnsupportedError('Audio and video', 'add a transcript')
  if (/xml|^text\//.test(mime)) return 'unknown'
  if (/zip|compress|tar|rar|7z|archive/.test(mime))
    throw createUnsupportedError('Archives', 'extract it and add its files')
  throw createUnsupportedError(
    `Files of type .${ext}`,
    'save it as PDF, .docx, .xlsx, CSV, HTML, Markdown or plain text',
  )
}

const IMAGE_ADVICE = 'run text recognition (OCR) on the image and add the text'

/** Creates the error for a compound file, such as an older or encrypted office document. Stream names are in UTF-16. */
function createCompoundFileError(buffer: Buffer): UnreadableContentError {
  const hasStream = (streamName: string): boolean => buffer.includes(Buffer.from(streamName, 'utf16le'))
  if (hasStream('EncryptedPackage')) return createPasswordError()
  if (hasStream('WordDocument')) return createUnsupportedError('Word files from before 2007 (.doc)', 'save it as .docx')
  if (hasStream('Workbook') || hasStream('Book'))
    return createUnsupportedError('Excel files from before 2007 (.xls)', 'save it as .xlsx')
  if (hasStream('PowerPoint Document')) return createUnsupportedError('Presentations', 'save it as PDF')
  if (hasStream('__substg1.0_')) return createUnsupportedError('Outlook messages (.msg)', 'save it as .eml')
  return createUnsupportedError('Files of this older type', 'save it as PDF, .docx or .xlsx')
}

const EMAIL_HEADER =
  /^(from|to|subject|date|received|mime-version|message-id|return-path|delivered-to|reply-to|sender)$/i
/** Every email has at least one of these headers. Other header names can also start a line of text. */
const EMAIL_ONLY_HEADER = /^(from|received|mime-version|message-id|return-path)$/i

/** Whether a text starts like an email: with header lines, some of which occur only in emails. */
function isEmailText(sample: string): boolean {
  const names: string[] = []
  for (const line of sample.replace(/^From [^\n]*\n/, '').split(/\r?\n/, 200)) {
    if (line === '') break
    if (/^[ \t]/.test(line)) continue
    const name = /^([!-9;-~]+):/.exec(line)?.[1]
    if (name === undefined) return false
    names.push(name)
  }
  const knownNames = new Set(names.filter((name) => EMAIL_HEADER.test(name)).map((name) => name.toLowerCase()))
  return knownNames.size >= 2 && names.some((name) => EMAIL_ONLY_HEADER.test(name))
}
