import type { DocumentBlock } from '@parley/retrieval/read-document'

/** Default titles and file names that programs write as the title. */
const GENERIC_TITLE =
  /^(microsoft (word|excel|powerpoint)\b.*|(un)?titled?( document)?\s*\d*|(document|dokument|documento|book|workbook|mappe)\s*\d*|.*\.(docx?|xlsx?|pdf|indd|odt|rtf|pptx?|tmp))$/i

/** A heading within the first blocks can be the title. */
const TITLE_SEARCH_BLOCKS = 3

/** Returns the declared title unless it is generic; otherwise, the first heading near the start. */
export function chooseDocumentTitle(declaredTitle: string | null, blocks: readonly DocumentBlock[]): string | null {
  const title = declaredTitle?.trim() ?? ''
  if (title !== '' && !GENERIC_TITLE.test(title)) return title
  const heading = blocks.slice(0, TITLE_SEARCH_BLOCKS).find((block) => block.kind === 'heading')
  return heading?.kind === 'heading' ? heading.text : null
}
