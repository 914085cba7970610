import type { Chunk, ChunkSizes } from '../chunk.ts'
import type { ReadDocument } from '../read-document.ts'
import { type PagedText, packBlocks } from './pack-blocks.ts'
import { buildSectionTree, type Section } from './section-tree.ts'

interface Draft extends PagedText {
  readonly headings: readonly string[]
}

const SECTION_SEPARATOR = '\n\n'

/**
 * Splits a document into passages at headings and paragraphs, without overlap. Sections on the same page share a
 * passage up to `minChunkSize`. Only the introductions of lists and the column names of tables are repeated.
 */
export function chunkDocument(document: ReadDocument, sizes: ChunkSizes): Chunk[] {
  const bounds = { ...sizes, minChunkSize: Math.min(sizes.minChunkSize, sizes.maxChunkSize) }
  return buildDrafts(buildSectionTree(document), [], bounds).map((draft, position) => ({ position, ...draft }))
}

function buildDrafts(section: Section, parentHeadings: readonly string[], sizes: ChunkSizes): Draft[] {
  const headings = section.heading === null ? parentHeadings : [...parentHeadings, section.heading]
  const sectionChunks = packBlocks(section.blocks, sizes).map((packed) => ({ headings, ...packed }))
  const drafts: Draft[] = []
  let pendingDrafts: Draft[] = []
  let pendingSize = 0
  const flush = (): void => {
    const [first] = pendingDrafts
    if (first !== undefined && pendingDrafts.length === 1) drafts.push(first)
    else if (first !== undefined) {
      const text = pendingDrafts.map((draft) => getTextBelowHeadings(draft, headings.length)).join(SECTION_SEPARATOR)
      drafts.push({ headings, text, page: first.page })
    }
    pendingDrafts = []
    pendingSize = 0
  }
  const sections = [sectionChunks, ...section.children.map((child) => buildDrafts(child, headings, sizes))]
  for (const group of sections) {
    const [firstDraft] = group
    if (firstDraft === undefined) continue
    const size = getTextBelowHeadings(firstDraft, headings.length).length
    const isWithinLimit =
      pendingSize + SECTION_SEPARATOR.length + size <= sizes.minChunkSize && pendingDrafts[0]?.page === firstDraft.page
    if (group.length > 1 || !isWithinLimit) flush()
    if (group.length > 1) for (const draft of group) drafts.push(draft)
    else {
      pendingDrafts.push(firstDraft)
      pendingSize += size + (pendingDrafts.length > 1 ? SECTION_SEPARATOR.length : 0)
    }
  }
  flush()
  return drafts
}

/** Returns the text, prefixed with the headings below the common path. */
function getTextBelowHeadings(draft: Draft, depth: number): string {
  return [...draft.headings.slice(depth), draft.text].join('\n')
}
