import type { Chunk, ChunkSizes } from '../chunk.ts'
import type { ReadDocument } from '../read-document.ts'
import { type PagedText, packBlocks } from './pack-blocks.ts'
import { type Section, sectionTree } from './section-tree.ts'

interface Draft extends PagedText {
  readonly headings: readonly string[]
}

const SECTION_SEPARATOR = '\n\n'

/**
 * Cuts a document into passages along its headings and paragraphs. Nothing is lost: what is not in a passage's text is in its
 * headings or is the document's title. Sizes are UTF-16 units of the text; no passage has more than `maxChunkSize`. A passage
 * holds several sections only where together, headings included, they have no more than `minChunkSize` and stand on one page;
 * their headings then stand in its text. The same document gives the same passages.
 *
 * Passages do not overlap: each stands under its headings, and a sentence in two of them would count twice in the index and be
 * quoted twice to the model. Said again is only what a cut would take from its lines: a list's lead-in, the names of columns.
 */
export function chunkDocument(document: ReadDocument, sizes: ChunkSizes): Chunk[] {
  const bounds = { ...sizes, minChunkSize: Math.min(sizes.minChunkSize, sizes.maxChunkSize) }
  return buildDrafts(sectionTree(document), [], bounds).map((draft, position) => ({ position, ...draft }))
}

function buildDrafts(section: Section, outer: readonly string[], sizes: ChunkSizes): Draft[] {
  const headings = section.heading === null ? outer : [...outer, section.heading]
  const own = packBlocks(section.blocks, sizes).map((packed) => ({ headings, ...packed }))
  const drafts: Draft[] = []
  let waiting: Draft[] = []
  let pendingSize = 0
  const settle = (): void => {
    const [first] = waiting
    if (first !== undefined && waiting.length === 1) drafts.push(first)
    else if (first !== undefined) {
      const text = waiting.map((draft) => textBelowHeadings(draft, headings.length)).join(SECTION_SEPARATOR)
      drafts.push({ headings, text, page: first.page })
    }
    waiting = []
    pendingSize = 0
  }
  const sections = [own, ...section.children.map((child) => buildDrafts(child, headings, sizes))]
  for (const group of sections) {
    const [only] = group
    if (only === undefined) continue
    const size = textBelowHeadings(only, headings.length).length
    const fits = pendingSize + SECTION_SEPARATOR.length + size <= sizes.minChunkSize && waiting[0]?.page === only.page
    if (group.length > 1 || !fits) settle()
    if (group.length > 1) for (const draft of group) drafts.push(draft)
    else {
      waiting.push(only)
      pendingSize += size + (waiting.length > 1 ? SECTION_SEPARATOR.length : 0)
    }
  }
  settle()
  return drafts
}

/** A text with the headings that a passage of an outer section does not have. */
function textBelowHeadings(draft: Draft, depth: number): string {
  return [...draft.headings.slice(depth), draft.text].join('\n')
}
