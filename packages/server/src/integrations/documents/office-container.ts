import { inflateRawSync } from 'node:zlib'
import type { DocumentLimits } from './document-limits.ts'
import {
  createCorruptFileError,
  createLimitError,
  createPasswordError,
  createUnsupportedError,
  UnreadableContentError,
} from './unreadable-content.ts'

/** The unpacked text parts of an office document, by name. */
export type OfficeParts = ReadonlyMap<string, Uint8Array>

export interface OfficeDocument {
  readonly kind: 'docx' | 'xlsx'
  readonly parts: OfficeParts
}

const CONTENT_TYPES = '[Content_Types].xml'

/** Opens a zip file as an office document. Throws if it is not a supported office document. */
export function openOfficeDocument(bytes: Uint8Array, limits: DocumentLimits): OfficeDocument {
  const container = openZip(bytes, limits)
  const kind = detectOfficeFormat(container)
  const parts = container.read((name) => /\.(xml|rels)$/i.test(name))
  for (const part of parts.values()) rejectDoctype(part)
  return { kind, parts }
}

function detectOfficeFormat(container: ZipContainer): OfficeDocument['kind'] {
  const types = readPartText(container, CONTENT_TYPES)
  if (/wordprocessingml\.(document|template)\.main|word\.(document|template)\.macroEnabled\.main/i.test(types))
    return 'docx'
  if (/spreadsheetml\.(sheet|template)\.main|excel\.(sheet|template)\.macroEnabled\.main/i.test(types)) return 'xlsx'
  if (/sheet\.binary/i.test(types)) throw createUnsupportedError('Binary workbooks (.xlsb)', 'save it as .xlsx')
  if (/presentationml/i.test(types)) throw createUnsupportedError('Presentations', 'save it as PDF')
  const mediaType = readPartText(container, 'mimetype')
  if (/opendocument\.text/.test(mediaType))
    throw createUnsupportedError('OpenDocument texts (.odt)', 'save it as .docx or PDF')
  if (/opendocument\.spreadsheet/.test(mediaType))
    throw createUnsupportedError('OpenDocument tables (.ods)', 'save it as .xlsx or CSV')
  if (/opendocument/.test(mediaType)) throw createUnsupportedError('OpenDocument files of this kind', 'save it as PDF')
  if (/epub/.test(mediaType)) throw createUnsupportedError('E-books', 'save it as PDF or HTML')
  throw createUnsupportedError('Archives', 'extract it and add its files')
}

function readPartText(container: ZipContainer, name: string): string {
  const content = container.read((partName) => partName === name).get(name)
  return content === undefined ? '' : new TextDecoder().decode(content)
}

/** Rejects document type declarations. Office documents do not use them, but entity expansion attacks do. */
function rejectDoctype(part: Uint8Array): void {
  const buffer = Buffer.from(part.buffer, part.byteOffset, part.byteLength)
  const hasDeclaration = ['<!DOCTYPE', '<!ENTITY'].some((text) => {
    return (
      buffer.includes(text) ||
      buffer.includes(Buffer.from(text, 'utf16le')) ||
      buffer.includes(encodeUtf16BigEndian(text))
    )
  })
  if (hasDeclaration) {
    throw new UnreadableContentError(
      'The document declares XML entities, which office documents never do: save it again.',
    )
  }
}

function encodeUtf16BigEndian(text: string): Buffer {
  return Buffer.from(text, 'utf16le').swap16()
}

interface ZipEntry {
  readonly name: string
  readonly isEncrypted: boolean
  readonly method: number
  readonly compressedSize: number
  readonly headerOffset: number
}

/** A zip file. Its declared file sizes are not trusted. */
interface ZipContainer {
  /** Unpacks the selected files. All unpacked files count towards the limits. */
  read(isSelected: (name: string) => boolean): Map<string, Uint8Array>
}

type ZipLimits = Pick<DocumentLimits, 'unpackedBytes' | 'unpackedRatio' | 'entries'>

const END_SIGNATURE = 0x06054b50
const ENTRY_SIGNATURE = 0x02014b50
const HEADER_SIGNATURE = 0x04034b50
const END_BYTES = 22
const ENTRY_BYTES = 46
const HEADER_BYTES = 30
const MAX_COMMENT_BYTES = 0xffff
const STORED = 0
const DEFLATED = 8
/** Indicates that the size is in a ZIP64 field. Such containers exceed the limits. */
const ZIP64_MARKER = 0xffffffff

/** The ratio applies only above this size, because short repetitive texts compress well. */
const RATIO_CHECK_MIN_BYTES = 20 * 1024 * 1024

function openZip(bytes: Uint8Array, limits: ZipLimits): ZipContainer {
  const entries = readDirectory(bytes, limits)
  let unpackedBytes = 0
  const readEntry = (entry: ZipEntry): Uint8Array => {
    const packed = getPackedContent(bytes, entry)
    const maxBytesByRatio = Math.max(RATIO_CHECK_MIN_BYTES, bytes.byteLength * limits.unpackedRatio)
    const maxUnpackedBytes = Math.min(limits.unpackedBytes, maxBytesByRatio) - unpackedBytes
    const content = unpack(packed, entry.method, maxUnpackedBytes)
    if (content === null) throw createTooLargeError(limits, maxBytesByRatio)
    unpackedBytes += content.byteLength
    return content
  }
  return {
    read(isSelected) {
      const files = new Map<string, Uint8Array>()
      for (const entry of entries)
        if (isSelected(entry.name) && !files.has(entry.name)) files.set(entry.name, readEntry(entry))
      return files
    },
  }
}

function createTooLargeError(
  { unpackedBytes, unpackedRatio }: ZipLimits,
  maxBytesByRatio: number,
): UnreadableContentError {
  if (maxBytesByRatio >= unpackedBytes) return createLimitError('unpacks to', unpackedBytes / (1024 * 1024), 'MB')
  return new UnreadableContentError(
    `The document unpacks to more than ${unpackedRatio} times its size, which real documents never do: save it again.`,
  )
}

function readDirectory(bytes: Uint8Array, { entries: maxEntries }: ZipLimits): ZipEntry[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const endOffset = findEndRecord(view)
  if (endOffset === -1) throw createCorruptFileError('a zip file')
  const count = view.getUint16(endOffset + 10, true)
  if (count > maxEntries) throw createLimitError('contains', maxEntries, 'files')
  const entries: ZipEntry[] = []
  let offset = view.getUint32(endOffset + 16, true)
  for (let index = 0; index < count; index += 1) {
    if (offset + ENTRY_BYTES > bytes.length || view.getUint32(offset, true) !== ENTRY_SIGNATURE)
      throw createCorruptFileError('a zip file')
    const nameLength = view.getUint16(offset + 28, true)
    const nameStart = offset + ENTRY_BYTES
    entries.push({
      name: new TextDecoder().decode(bytes.subarray(nameStart, nameStart + nameLength)),
      isEncrypted: (view.getUint16(offset + 8, true) & 1) === 1,
      method: view.getUint16(offset + 10, true),
      compressedSize: view.getUint32(offset + 20, true),
      headerOffset: view.getUint32(offset + 42, true),
    })
    offset = nameStart + nameLength + view.getUint16(offset + 30, true) + view.getUint16(offset + 32, true)
  }
  return entries
}

function findEndRecord(view: DataView): number {
  const minOffset = Math.max(0, view.byteLength - END_BYTES - MAX_COMMENT_BYTES)
  for (let offset = view.byteLength - END_BYTES; offset >= minOffset; offset -= 1) {
    if (view.getUint32(offset, true) === END_SIGNATURE) return offset
  }
  return -1
}

function getPackedContent(bytes: Uint8Array, { isEncrypted, compressedSize, headerOffset }: ZipEntry): Uint8Array {
  if (isEncrypted) throw createPasswordError()
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const hasHeader =
    headerOffset + HEADER_BYTES <= bytes.length && view.getUint32(headerOffset, true) === HEADER_SIGNATURE
  if (!hasHeader || compressedSize === ZIP64_MARKER) throw createCorruptFileError('a zip file')
  const nameLength = view.getUint16(headerOffset + 26, true)
  const extraBytes = view.getUint16(headerOffset + 28, true)
  const start = headerOffset + HEADER_BYTES + nameLength + extraBytes
  if (start + compressedSize > bytes.length) throw createCorruptFileError('a zip file')
  return bytes.subarray(start, start + compressedSize)
}

/** Unpacks content. Returns null if the content exceeds `maxBytes`. */
function unpack(packed: Uint8Array, method: number, maxBytes: number): Uint8Array | null {
  if (method === STORED) return packed.byteLength > maxBytes ? null : packed
  if (method !== DEFLATED) throw createCorruptFileError('a zip file')
  if (maxBytes < 1) return null
  try {
    return inflateRawSync(packed, { maxOutputLength: maxBytes })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') return null
    throw createCorruptFileError('a zip file')
  }
}
