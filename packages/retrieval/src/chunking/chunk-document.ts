import type { Chunk, ChunkSizes } from '../chunk.ts'
import type { ReadDocument } from '../read-document.ts'
import { type PagedText, packBlocks } from './pack-blocks.ts'
import { buildSectionTree, type Section } from './section-tree.ts'

interface Draft extends PagedText {
  readonly headings: readonly string[]
}

const SECTION_SEPARATOR = '\n\n'

/**
 * Cuts a document into passages along headings and paragraphs; deterministic, without overlap or lost text. Sections
 * share a passage only up to `minChunkSize` and on one page. Only lead-ins of lists and column names are repeated.
 */
export function chunkDocument(document: ReadDocument, sizes: ChunkSizes): Chunk[] {
  const bounds = { ...sizes, minChunkSize: Math.min(sizes.minChunkSize, sizes.maxChunkSize) }
  return buildDrafts(buildSectionTree(document), [], bounds).map((draft, position) => ({ position, ...draft }))
}

function buildDrafts(section: Section, outer: readonly string[], sizes: ChunkSizes): Draft[] {
  const headings = section.heading === null ? outer : [...outer, section.heading]
  const sectionChunks = packBlocks(section.blocks, sizes).map((packed) => ({ headings, ...packed }))
  const drafts: Draft[] = []
  let waiting: Draft[] = []
  let pendingSize = 0
  const settle = (): void => {
    const [first] = waiting
    if (first !== undefined && waiting.length === 1) drafts.push(first)
    else if (first !== undefined) {
      const text = waiting.map((draft) => getTextBelowHeadings(draft, headings.length)).join(SECTION_SEPARATOR)
      drafts.push({ headings, text, page: first.page })
    }
    waiting = []
    pendingSize = 0
  }
  const sections = [sectionChunks, ...section.children.map((child) => buildDrafts(child, headings, sizes))]
  for (const group of sections) {
    const [firstItem] = group
    if (firstItem === undefined) continue
    const size = getTextBelowHeadings(firstItem, headings.length).length
    const isWithinLimit =
      pendingSize + SECTION_SEPARATOR.length + size <= sizes.minChunkSize && waiting[0]?.page === firstItem.page
    if (group.length > 1 || !isWithinLimit) settle()
    if (group.length > 1) for (const draft of group) drafts.push(draft)
    else {
      waiting.push(firstItem)
      pendingSize += size + (waiting.length > 1 ? SECTION_SEPARATOR.length : 0)
    }
  }
  settle()
  return drafts
}

/** Returns the text, prefixed with the headings below the common path. */
function getTextBelowHeadings(draft: Draft, depth: number): string {
  return [...draft.headings.slice(depth), draft.text].join('\n')
}
