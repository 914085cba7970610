import type { DocumentLimits } from './document-limits.ts'
import { UnreadableContent, unsupported } from './unreadable-content.ts'
import { openZip, type ZipContainer } from './zip-container.ts'

/** The parts of an office document that hold text, unpacked, by their names. */
export type OfficeParts = ReadonlyMap<string, Uint8Array>

export interface OfficeDocument {
  readonly kind: 'docx' | 'xlsx'
  readonly parts: OfficeParts
}

const CONTENT_TYPES = '[Content_Types].xml'

/** Opens a zip file that is an office document; says what it is instead when it is not. */
export function openOfficeDocument(bytes: Uint8Array, limits: DocumentLimits): OfficeDocument {
  const container = openZip(bytes, limits)
  const kind = detectOfficeFormat(container)
  const parts = container.read((name) => /\.(xml|rels)$/i.test(name))
  for (const part of parts.values()) rejectDeclarations(part)
  return { kind, parts }
}

function detectOfficeFormat(container: ZipContainer): OfficeDocument['kind'] {
  const types = textOf(container, CONTENT_TYPES)
  if (/wordprocessingml\.(document|template)\.main|word\.(document|template)\.macroEnabled\.main/i.test(types))
    return 'docx'
  if (/spreadsheetml\.(sheet|template)\.main|excel\.(sheet|template)\.macroEnabled\.main/i.test(types)) return 'xlsx'
  if (/sheet\.binary/i.test(types)) throw unsupported('Binary workbooks (.xlsb)', 'save it as .xlsx')
  if (/presentationml/i.test(types)) throw unsupported('Presentations', 'save it as PDF')
  const mediaType = textOf(container, 'mimetype')
  if (/opendocument\.text/.test(mediaType)) throw unsupported('OpenDocument texts (.odt)', 'save it as .docx or PDF')
  if (/opendocument\.spreadsheet/.test(mediaType))
    throw unsupported('OpenDocument tables (.ods)', 'save it as .xlsx or CSV')
  if (/opendocument/.test(mediaType)) throw unsupported('OpenDocument files of this kind', 'save it as PDF')
  if (/epub/.test(mediaType)) throw unsupported('E-books', 'save it as PDF or HTML')
  throw unsupported('Archives', 'unpack it and add its files one by one')
}

function textOf(container: ZipContainer, name: string): string {
  const content = container.read((one) => one === name).get(name)
  return content === undefined ? '' : new TextDecoder().decode(content)
}

/** Office documents declare no document types; one that does wants its reader to expand entities without end. */
function rejectDeclarations(part: Uint8Array): void {
  const buffer = Buffer.from(part.buffer, part.byteOffset, part.byteLength)
  const declares = ['<!DOCTYPE', '<!ENTITY'].some((text) => {
    return buffer.includes(text) || buffer.includes(Buffer.from(text, 'utf16le')) || buffer.includes(bigEndian(text))
  })
  if (declares) {
    throw new UnreadableContent('The document declares XML entities, which no office document does: save it anew.')
  }
}

function bigEndian(text: string): Buffer {
  return Buffer.from(text, 'utf16le').swap16()
}
