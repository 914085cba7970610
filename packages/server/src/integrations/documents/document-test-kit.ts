import type { DocumentBlock } from '@parley/retrieval/read-document'
import type { PreparedDocument, UnreadableDocument } from '../../features/knowledge/knowledge-ports.ts'
import { systemClock } from '../../platform/system.ts'
import { DOCUMENT_LIMITS, type DocumentLimits } from './document-limits.ts'
import { createDocumentPreparer, type DocumentPreparerOptions } from './document-pool.ts'
import { type Content, type ParsedContent, readContent } from './read-content.ts'
import { UnreadableContentError } from './unreadable-content.ts'

/** Properties of a test document besides its content. */
export interface SampleFields extends Partial<Omit<Content, 'bytes'>> {
  readonly limits?: Partial<DocumentLimits>
}

/** Reads a document in the test process. Rejects if the document cannot be read. */
export function readSample(
  content: string | Uint8Array,
  { limits = {}, ...fields }: SampleFields = {},
): Promise<ParsedContent> {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
  return readContent(
    { bytes, filename: '', contentType: null, url: null, ...fields },
    { ...DOCUMENT_LIMITS, ...limits },
  )
}

/** Describes each block of a document in a line of text. */
export async function describeBlocks(content: string | Uint8Array, fields: SampleFields = {}): Promise<string[]> {
  return (await readSample(content, fields)).document.blocks.map(describeBlock)
}

/** Returns the reason why a document cannot be read. Throws if it can be read. */
export async function readFailure(content: string | Uint8Array, fields: SampleFields = {}): Promise<string> {
  try {
    const { contentType } = await readSample(content, fields)
    throw new Error(`It was read as ${contentType}.`)
  } catch (error) {
    if (error instanceof UnreadableContentError) return error.message
    throw error
  }
}

function describeBlock(block: DocumentBlock): string {
  if (block.kind === 'heading') return `${'#'.repeat(block.level)} ${block.text}`
  if (block.kind === 'list-item') return `* ${block.text}`
  if (block.kind === 'preformatted') return `| ${block.text}`
  if (block.kind === 'paragraph') return block.text
  return [block.header, ...block.rows].map((row) => row.join(' / ')).join('\n')
}

export interface TestPreparer extends AsyncDisposable {
  prepare(
    content: string | Uint8Array,
    fields?: {
      readonly filename?: string
      readonly signal?: AbortSignal
      readonly title?: string
      readonly workspaceId?: number
    },
  ): Promise<PreparedDocument | UnreadableDocument>
  close(): Promise<void>
}

/** Opens a preparer with real processes, in real time by default. */
export function openPreparer(options: Partial<DocumentPreparerOptions> = {}): TestPreparer {
  const preparer = createDocumentPreparer({ clock: systemClock, ...options })
  return {
    prepare(content, { filename = '', title = '', workspaceId = 1, signal = new AbortController().signal } = {}) {
      const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
      const document = { bytes, filename, title, contentType: null, url: null }
      const sizes = { maxChunkSize: 2000, minChunkSize: 400 }
      return preparer.prepare(document, { workspaceId, sizes, signal })
    },
    close: () => preparer.close(),
    [Symbol.asyncDispose]: () => preparer.close(),
  }
}
