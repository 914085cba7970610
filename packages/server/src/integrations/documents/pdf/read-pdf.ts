import type { ReadDocument } from '@parley/retrieval/read-document'
import { getDocumentProxy } from 'unpdf'
import type { DocumentLimits } from '../document-limits.ts'
import { chooseDocumentTitle } from '../formats/document-title.ts'
import {
  createCorruptFileError,
  createLimitError,
  createPasswordError,
  UnreadableContentError,
} from '../unreadable-content.ts'
import { type Fragment, type PdfPage, type TextItem, toFragments, toLines } from './pdf-lines.ts'
import { buildPdfBlocks, createHeadingDetector, listHyphenatedWords } from './pdf-paragraphs.ts'

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>
type Page = Awaited<ReturnType<Pdf['getPage']>>

/** Reports errors only, because warnings quote the document. */
const ERRORS_ONLY = 0
/** Prevents decoding of images, which are not read. */
const MAX_IMAGE_PIXELS = 1

/** Reads the text of a PDF by page, with headings, lists and tables detected from the layout. */
export async function readPdf(bytes: Uint8Array, limits: DocumentLimits): Promise<ReadDocument> {
  const pdf = await openPdf(bytes)
  try {
    if (pdf.numPages > limits.pages) throw createLimitError('has', limits.pages, 'pages')
    const pages = removeHeadersAndFooters(await readPages(pdf, limits))
    const pageLines = pages.map((page) => ({ number: page.number, lines: toLines(page) }))
    const lines = pageLines.flatMap((page) => page.lines)
    if (!lines.some(({ text }) => /[\p{L}\p{N}]/u.test(text))) {
      throw new UnreadableContentError(
        'The document has no text and may be scanned: run text recognition (OCR) on it and add the result.',
      )
    }
    const blocks = buildPdfBlocks(
      pageLines,
      createHeadingDetector(lines),
      listHyphenatedWords(lines.map(({ text }) => text)),
    )
    return {
      title: chooseDocumentTitle(await readDeclaredTitle(pdf), blocks),
      blocks,
      pageCount: pdf.numPages,
      links: [],
    }
  } finally {
    await pdf.loadingTask.destroy()
  }
}

async function openPdf(bytes: Uint8Array): Promise<Pdf> {
  try {
    // The library detaches the buffer, so it receives a copy.
    return await getDocumentProxy(new Uint8Array(bytes), {
      verbosity: ERRORS_ONLY,
      maxImageSize: MAX_IMAGE_PIXELS,
      disableFontFace: true,
      enableXfa: false,
    })
  } catch (error) {
    if (error instanceof Error && error.name === 'PasswordException') throw createPasswordError()
    throw createCorruptFileError('a PDF')
  }
}

/** Reads the pages and skips those that cannot be read. */
async function readPages(pdf: Pdf, limits: DocumentLimits): Promise<PdfPage[]> {
  const pages: PdfPage[] = []
  const boldFonts = new Map<string, boolean>()
  let characters = 0
  for (let number = 1; number <= pdf.numPages; number += 1) {
    const page = await readPage(pdf, number, boldFonts).catch(() => null)
    if (page === null) continue
    for (const { text } of page.fragments) characters += text.length
    if (characters > limits.characters) throw createLimitError('has', limits.characters, 'characters')
    pages.push(page)
  }
  if (pages.length === 0) throw createCorruptFileError('a PDF')
  return pages
}

async function readPage(pdf: Pdf, number: number, boldFonts: Map<string, boolean>): Promise<PdfPage> {
  const page = await pdf.getPage(number)
  const content = await page.getTextContent()
  const items = content.items.filter((item) => 'str' in item) as readonly TextItem[]
  await collectBoldFonts(page, new Set(items.map(({ fontName }) => fontName)), boldFonts)
  const view = page.getViewport({ scale: 1 })
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = view.transform
  const fragments = toFragments(items, [a, b, c, d, e, f], (fontName) => boldFonts.get(fontName) === true)
  page.cleanup()
  return { number, width: view.width, height: view.height, fragments }
}

/** Adds new fonts to `boldFonts`. The library loads a page's fonts only when it processes the page's drawing operators. */
async function collectBoldFonts(
  page: Page,
  names: ReadonlySet<string>,
  boldFonts: Map<string, boolean>,
): Promise<void> {
  const unknownNames = [...names].filter((name) => !boldFonts.has(name))
  if (unknownNames.length === 0) return
  await page.getOperatorList().catch(() => null)
  for (const name of unknownNames) boldFonts.set(name, isBoldFont(page, name))
}

function isBoldFont(page: Page, name: string): boolean {
  if (!page.commonObjs.has(name)) return false
  const font = page.commonObjs.get(name) as {
    readonly name?: unknown
    readonly bold?: unknown
    readonly black?: unknown
  }
  return font.bold === true || font.black === true || /bold|black|heavy|semibold|demi/i.test(String(font.name ?? ''))
}

async function readDeclaredTitle(pdf: Pdf): Promise<string | null> {
  const metadata = await pdf.getMetadata().catch(() => null)
  const title = (metadata?.info as { readonly Title?: unknown } | undefined)?.Title
  return typeof title === 'string' ? title : null
}

/** Share of the page height reserved for the header, and for the footer. */
const MARGIN_RATIO = 0.12
const MIN_PAGES = 3
/** Text on a smaller share of pages is content. */
const MIN_PAGE_RATIO = 0.5
const PAGE_NUMBER =
  /^(?:[-–|]\s*)?(?:\p{L}{1,6}\.?\s*)?(?:\d{1,4}|[ivxl]{1,6})(?:\s*(?:\/|of|von|de|sur|di|van)\s*\d{1,4})?(?:\s*[-–|])?$/iu

/** Removes page numbers and repeated text at the top and bottom of pages. */
function removeHeadersAndFooters(pages: readonly PdfPage[]): PdfPage[] {
  if (pages.length < MIN_PAGES) return [...pages]
  const counts = new Map<string, number>()
  for (const page of pages) {
    const keys = page.fragments
      .filter((fragment) => isAtMargin(fragment, page))
      .map((fragment) => getMarginKey(fragment, page))
    for (const key of new Set(keys)) counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  const isRepeated = (fragment: Fragment, page: PdfPage): boolean => {
    return (counts.get(getMarginKey(fragment, page)) ?? 0) >= Math.max(MIN_PAGES, pages.length * MIN_PAGE_RATIO)
  }
  return pages.map((page) => ({
    ...page,
    fragments: page.fragments.filter((fragment) => {
      return !isAtMargin(fragment, page) || !(isRepeated(fragment, page) || PAGE_NUMBER.test(fragment.text))
    }),
  }))
}

function isAtMargin({ baseline }: Fragment, { height }: PdfPage): boolean {
  return baseline < height * MARGIN_RATIO || baseline > height * (1 - MARGIN_RATIO)
}

/** Returns a key that is equal for equal text at the same height, ignoring numbers. */
function getMarginKey({ text, baseline }: Fragment, { height }: PdfPage): string {
  return `${Math.round((baseline / height) * 100)} ${text.replace(/\d+/g, '#')}`
}
