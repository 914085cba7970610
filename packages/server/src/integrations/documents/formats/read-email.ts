import type { DocumentBlock, ReadDocument } from '@parley/retrieval/read-document'
import PostalMime, { type Address, type Attachment, type Email } from 'postal-mime'
import type { RawDocument } from '../../../features/knowledge/public.ts'
import type { DocumentLimits } from '../document-limits.ts'
import { createCorruptFileError, UnreadableContentError } from '../unreadable-content.ts'
import { readHtmlPart } from './read-html.ts'
import { readPlainText } from './read-plain-text.ts'

export interface ReadEmailOptions {
  readonly limits: DocumentLimits
  /** Number of enclosing emails. */
  readonly depth: number
  readAttachment(
    attachment: Pick<RawDocument, 'bytes' | 'filename' | 'contentType' | 'url'>,
  ): Promise<{ readonly document: ReadDocument }>
}

/** Maximum depth of nested message parts. Mail programs create far fewer levels. */
const MAX_PART_DEPTH = 50

/** Reads an email: sender, date, body, and each attachment under its name. */
export async function readEmail(bytes: Uint8Array, options: ReadEmailOptions): Promise<ReadDocument> {
  const email = await parseEmail(bytes)
  const title = email.subject?.trim() || null
  const blocks: DocumentBlock[] = title === null ? [] : [{ kind: 'heading', level: 1, text: title, page: null }]
  const originLine = formatOriginLine(email)
  if (originLine !== '') blocks.push({ kind: 'paragraph', text: originLine, page: null })
  blocks.push(...demoteHeadings(readBody(email), 1))
  for (const block of await readAttachments(email.attachments, options)) blocks.push(block)
  return { title, blocks, pageCount: null, links: [] }
}

async function parseEmail(bytes: Uint8Array): Promise<Email> {
  try {
    return await PostalMime.parse(bytes, {
      forceRfc822Attachments: true,
      attachmentEncoding: 'arraybuffer',
      maxNestingDepth: MAX_PART_DEPTH,
    })
  } catch {
    throw createCorruptFileError('an email')
  }
}

function formatOriginLine({ from, date }: Email): string {
  const day = date !== undefined && /^\d{4}-/.test(date) ? date.slice(0, 10) : (date ?? '')
  const fields = [from === undefined ? '' : `From: ${formatAddress(from)}`, day === '' ? '' : `Date: ${day}`]
  return fields.filter((field) => field !== '').join('; ')
}

function formatAddress({ name, address }: Address): string {
  if (address === undefined || address === '') return name
  return name === '' ? address : `${name} <${address}>`
}

function readBody({ html, text }: Email): DocumentBlock[] {
  const blocks = html === undefined ? [] : readHtmlPart(html)
  return blocks.length > 0 || text === undefined ? blocks : [...readPlainText(text).blocks]
}

async function readAttachments(
  attachments: readonly Attachment[],
  options: ReadEmailOptions,
): Promise<DocumentBlock[]> {
  const { limits } = options
  if (attachments.length > limits.attachments) {
    throw new UnreadableContentError(
      `The email has more than ${limits.attachments} attachments, the limit for one email: split it.`,
    )
  }
  const blocks: DocumentBlock[] = []
  // Skips inline images.
  for (const attachment of attachments.filter(({ related }) => related !== true)) {
    const name = attachment.filename || 'attachment'
    blocks.push(
      { kind: 'heading', level: 2, text: name, page: null },
      ...(await readAttachmentOrNote(attachment, options)),
    )
  }
  return blocks
}

/** Reads one attachment. Returns a note if the attachment is unreadable. */
async function readAttachmentOrNote(
  attachment: Attachment,
  { limits, depth, readAttachment }: ReadEmailOptions,
): Promise<DocumentBlock[]> {
  try {
    if (depth >= limits.attachmentDepth) {
      throw new UnreadableContentError(`Emails can be nested up to ${limits.attachmentDepth} levels deep.`)
    }
    const { content, filename, mimeType } = attachment
    const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : new Uint8Array(content)
    const { document } = await readAttachment({ bytes, filename: filename ?? '', contentType: mimeType, url: null })
    return demoteHeadings(document.blocks, 2)
  } catch (error) {
    const reason = error instanceof UnreadableContentError ? error.message : 'It seems to be damaged.'
    return [{ kind: 'paragraph', text: `This attachment was not read. ${reason}`, page: null }]
  }
}

function demoteHeadings(blocks: readonly DocumentBlock[], levels: number): DocumentBlock[] {
  return blocks.map((block) => (block.kind === 'heading' ? { ...block, level: block.level + levels } : block))
}
