import { fileTypeFromBuffer } from 'file-type'
import { passwordProtected, type UnreadableContent, unsupported } from './unreadable-content.ts'

const PDF_SIGNATURE = '%PDF-'
/** Readers accept a PDF whose mark does not stand at the very beginning. */
const PDF_SIGNATURE_SEARCH_BYTES = 1024
const COMPOUND_FILE_SIGNATURE = Buffer.from('d0cf11e0a1b11ae1', 'hex')

/** Kinds of files that are told by their first bytes. */
export type BinaryKind = 'pdf' | 'zip' | 'no-binary'

/** What a file is by its first bytes. Throws what to say about kinds that are known and not read. */
export async function detectBinaryFormat(bytes: Uint8Array): Promise<BinaryKind> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (buffer.subarray(0, PDF_SIGNATURE_SEARCH_BYTES).includes(PDF_SIGNATURE)) return 'pdf'
  if (buffer.readUInt32BE(0) === 0x504b0304 || buffer.readUInt32BE(0) === 0x504b0506) return 'zip'
  if (buffer.subarray(0, COMPOUND_FILE_SIGNATURE.length).equals(COMPOUND_FILE_SIGNATURE)) throw compoundProblem(buffer)
  if (/^\s*\{\\rtf/.test(buffer.toString('latin1', 0, 64))) throw unsupported('RTF files', 'save it as .docx or PDF')
  const found = await fileTypeFromBuffer(bytes).catch(() => undefined)
  if (found === undefined) return 'no-binary'
  const { mime, ext } = found
  if (mime.startsWith('image/') && mime !== 'image/svg+xml')
    throw unsupported('A picture has no text and', IMAGE_ADVICE)
  if (/^(audio|video)\//.test(mime)) throw unsupported('Sound and film', 'write down what is said and add that')
  if (/xml|^text\//.test(mime)) return 'no-binary'
  if (/zip|compress|tar|rar|7z|archive/.test(mime))
    throw unsupported('Archives', 'unpack it and add its files one by one')
  throw unsupported(`Files of the kind .${ext}`, 'save it as PDF, .docx, .xlsx, CSV, HTML, Markdown or plain text')
}

const IMAGE_ADVICE = 'run text recognition (OCR) over it and add the result'

/** The container of older office documents, and of encrypted ones. Its streams are listed by names in UTF-16. */
function compoundProblem(buffer: Buffer): UnreadableContent {
  const has = (stream: string): boolean => buffer.includes(Buffer.from(stream, 'utf16le'))
  if (has('EncryptedPackage')) return passwordProtected()
  if (has('WordDocument')) return unsupported('Word files of before 2007 (.doc)', 'save it as .docx')
  if (has('Workbook') || has('Book')) return unsupported('Excel files of before 2007 (.xls)', 'save it as .xlsx')
  if (has('PowerPoint Document')) return unsupported('Presentations', 'save it as PDF')
  if (has('__substg1.0_')) return unsupported('Outlook messages (.msg)', 'save it as .eml')
  return unsupported('Files of this older kind', 'save it as PDF, .docx or .xlsx')
}
