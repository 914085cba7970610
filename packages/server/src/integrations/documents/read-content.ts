import type { ReadDocument } from '@parley/retrieval/read-document'
import type { RawDocument } from '../../features/knowledge/public.ts'
import { cleanDocument } from './clean-document.ts'
import { decodeText, looksLikeText, readDeclaredCharset } from './decode-text.ts'
import { detectBinaryFormat, detectTextFormat, type TextKind } from './detect-text-format.ts'
import type { DocumentLimits } from './document-limits.ts'
import { openOfficeDocument } from './office-container.ts'
import {
  createLimitError,
  createNoTextError,
  createUnsupportedError,
  UnreadableContentError,
} from './unreadable-content.ts'

/** A parsed document. */
export interface ParsedContent {
  /** Detected media type. */
  readonly contentType: string
  readonly document: ReadDocument
}

/** A document or attachment to read. */
export type Content = Pick<RawDocument, 'bytes' | 'filename' | 'contentType' | 'url'>

const MEDIA_TYPES = {
  pdf: 'application/pdf',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  html: 'text/html',
  json: 'application/json',
  email: 'message/rfc822',
  csv: 'text/csv',
  tsv: 'text/tab-separated-values',
  markdown: 'text/markdown',
  text: 'text/plain',
} as const

type Kind = keyof typeof MEDIA_TYPES

/**
 * Detects the format of a document from its content and reads it. Throws `UnreadableContentError` with a message for the document's
 * owner; other errors come from parsers. `depth` is the number of enclosing emails.
 */
export async function readContent(content: Content, limits: DocumentLimits, depth = 0): Promise<ParsedContent> {
  const { kind, document } = await readByKind(content, limits, depth)
  const cleanedDocument = cleanDocument(document, limits)
  if (cleanedDocument.blocks.length === 0) throw createNoTextError()
  return { contentType: MEDIA_TYPES[kind], document: cleanedDocument }
}

interface DetectedDocument {
  readonly kind: Kind
  readonly document: ReadDocument
}

async function readByKind(content: Content, limits: DocumentLimits, depth: number): Promise<DetectedDocument> {
  const { bytes } = content
  if (bytes.byteLength === 0) throw new UnreadableContentError('The document is empty.')
  const binaryKind = bytes.byteLength < 4 ? 'unknown' : await detectBinaryFormat(bytes)
  if (binaryKind === 'pdf') {
    const { readPdf } = await import('./pdf/read-pdf.ts')
    return { kind: 'pdf', document: await readPdf(bytes, limits) }
  }
  if (binaryKind === 'zip') {
    const { kind, parts } = openOfficeDocument(bytes, limits)
    if (kind === 'docx') {
      const { readDocx } = await import('./formats/read-docx.ts')
      return { kind, document: await readDocx(parts) }
    }
    const { readXlsx } = await import('./formats/read-xlsx.ts')
    return { kind, document: readXlsx(parts, limits) }
  }
  if (!looksLikeText(bytes)) {
    throw createUnsupportedError(
      'Files of this type',
      'save it as PDF, .docx, .xlsx, CSV, HTML, Markdown or plain text',
    )
  }
  return readTextContent(content, limits, depth)
}

async function readTextContent(content: Content, limits: DocumentLimits, depth: number): Promise<DetectedDocument> {
  const { bytes, filename, contentType, url } = content
  const charset = readDeclaredCharset(contentType) ?? readPageCharset(bytes)
  const text = decodeText(bytes, charset)
  const kind = detectTextFormat(text, { filename, contentType })
  if (kind === 'xml') throw createUnsupportedError('XML files', 'save it as HTML, CSV, JSON or plain text')
  if (kind === 'email') {
    const { readEmail } = await import('./formats/read-email.ts')
    const readAttachment = (attachment: Content): Promise<ParsedContent> => readContent(attachment, limits, depth + 1)
    return { kind, document: await readEmail(bytes, { limits, depth, readAttachment }) }
  }
  return { kind, document: await readDecodedText(kind, { text, url, limits }) }
}

/** Returns the charset declared in a page. */
function readPageCharset(bytes: Uint8Array): string | null {
  const sample = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 4096)).toString('latin1')
  return /<meta[^<>]+charset\s*=\s*(?:["']\s*)?([\w-]+)/i.exec(sample)?.[1] ?? null
}

interface DecodedText {
  readonly text: string
  readonly url: string | null
  readonly limits: DocumentLimits
}

async function readDecodedText(
  kind: Exclude<TextKind, 'xml' | 'email'>,
  { text, url, limits }: DecodedText,
): Promise<ReadDocument> {
  if (kind === 'html') return (await import('./formats/read-html.ts')).readHtml(text, url)
  if (kind === 'json') return (await import('./formats/read-json.ts')).readJson(text, limits)
  // Twice the limit, because markup and spaces do not count towards it.
  if (text.length > limits.characters * 2) throw createLimitError('has', limits.characters, 'characters')
  if (kind === 'markdown') return (await import('./formats/read-markdown.ts')).readMarkdown(text)
  if (kind === 'csv' || kind === 'tsv') return (await import('./formats/read-delimited.ts')).readDelimited(text, limits)
  return (await import('./formats/read-plain-text.ts')).readPlainText(text)
}
