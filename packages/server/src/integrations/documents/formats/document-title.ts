import type { DocumentBlock } from '@parley/retrieval/read-document'

/** What programs write when nobody gave a title. */
const GENERIC_TITLE =
  /^(microsoft (word|excel|powerpoint)\b.*|(un)?titled?( document)?\s*\d*|(document|dokument|documento|book|workbook|mappe)\s*\d*|.*\.(docx?|xlsx?|pdf|indd|odt|rtf|pptx?|tmp))$/i

/** A heading this early is the name of the whole. */
const TITLE_SEARCH_BLOCKS = 3

/** What a document calls itself: its declared title, unless that means nothing, else the heading that it begins with. */
export function documentTitle(declared: string | null, blocks: readonly DocumentBlock[]): string | null {
  const title = declared?.trim() ?? ''
  if (title !== '' && !GENERIC_TITLE.test(title)) return title
  const heading = blocks.slice(0, TITLE_SEARCH_BLOCKS).find((block) => block.kind === 'heading')
  return heading?.kind === 'heading' ? heading.text : null
}
