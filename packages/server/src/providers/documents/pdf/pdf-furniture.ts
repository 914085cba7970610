import type { Fragment, PdfPage } from './pdf-fragments.ts'

/** Of the height of a page: where headers and footers stand. */
const MARGIN = 0.12
const LEAST_PAGES = 3
/** Of the pages: what stands on fewer is content. */
const LEAST_SHARE = 0.5
const PAGE_NUMBER =
  /^(?:[-–|]\s*)?(?:\p{L}{1,6}\.?\s*)?(?:\d{1,4}|[ivxl]{1,6})(?:\s*(?:\/|of|von|de|sur|di|van)\s*\d{1,4})?(?:\s*[-–|])?$/iu

/** The pages without what repeats at their upper and lower ends: running titles, page numbers, addresses. */
export function removeFurniture(pages: readonly PdfPage[]): PdfPage[] {
  if (pages.length < LEAST_PAGES) return [...pages]
  const counts = new Map<string, number>()
  for (const page of pages) {
    const keys = page.fragments
      .filter((fragment) => isAtMargin(fragment, page))
      .map((fragment) => keyOf(fragment, page))
    for (const key of new Set(keys)) counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  const repeats = (fragment: Fragment, page: PdfPage): boolean => {
    return (counts.get(keyOf(fragment, page)) ?? 0) >= Math.max(LEAST_PAGES, pages.length * LEAST_SHARE)
  }
  return pages.map((page) => ({
    ...page,
    fragments: page.fragments.filter((fragment) => {
      return !isAtMargin(fragment, page) || !(repeats(fragment, page) || PAGE_NUMBER.test(fragment.text))
    }),
  }))
}

function isAtMargin({ baseline }: Fragment, { height }: PdfPage): boolean {
  return baseline < height * MARGIN || baseline > height * (1 - MARGIN)
}

/** The same at the same height, whatever number it holds. */
function keyOf({ text, baseline }: Fragment, { height }: PdfPage): string {
  return `${Math.round((baseline / height) * 100)} ${text.replace(/\d+/g, '#')}`
}
