import type { DocumentBlock, ReadDocument } from '../read-document.ts'

/** A block other than a heading. */
export type ContentBlock = Exclude<DocumentBlock, { kind: 'heading' }>

/** A heading, its blocks and its subsections. */
export interface Section {
  /** `null` if the heading is not part of heading paths. */
  readonly heading: string | null
  readonly blocks: readonly ContentBlock[]
  readonly children: readonly Section[]
}

/** Deeper headings are treated as this level to limit heading paths and recursion. */
const MAX_LEVEL = 10

/** Longer headings are treated as paragraphs, since headings repeat in every passage. */
const MAX_HEADING_CHARACTERS = 200

interface OpenSection {
  readonly level: number
  heading: string | null
  readonly text: string
  readonly page: number | null
  readonly blocks: ContentBlock[]
  readonly children: OpenSection[]
}

/**
 * Groups the blocks of a document by heading. Heading paths omit a first heading that equals the title.
 * A heading without content becomes a paragraph.
 */
export function buildSectionTree(document: ReadDocument): Section {
  const root: OpenSection = { level: 0, heading: null, text: '', page: null, blocks: [], children: [] }
  const openSections = [root]
  let headingCount = 0
  for (const block of document.blocks) {
    if (block.kind !== 'heading') {
      if (!isBlank(block)) openSections.at(-1)?.blocks.push(block)
      continue
    }
    const text = normalizeWhitespace(block.text)
    if (text === '') continue
    if (text.length > MAX_HEADING_CHARACTERS) {
      openSections.at(-1)?.blocks.push({ kind: 'paragraph', text, page: block.page })
      continue
    }
    const level = Math.min(Math.max(block.level, 1), MAX_LEVEL)
    while ((openSections.at(-1)?.level ?? 0) >= level) openSections.pop()
    const isTitle = headingCount === 0 && isSameText(text, document.title)
    const section: OpenSection = {
      level,
      heading: isTitle ? null : text,
      text,
      page: block.page,
      blocks: [],
      children: [],
    }
    openSections.at(-1)?.children.push(section)
    openSections.push(section)
    headingCount += 1
  }
  convertBareHeadings(root)
  return root
}

function convertBareHeadings(section: OpenSection): void {
  for (const child of section.children) convertBareHeadings(child)
  if (section.text === '' || section.blocks.length > 0 || section.children.length > 0) return
  section.blocks.push({ kind: 'paragraph', text: section.text, page: section.page })
  section.heading = null
}

function isBlank(block: ContentBlock): boolean {
  const texts = block.kind === 'table' ? [block.header, ...block.rows].flat() : [block.text]
  return texts.every((text) => text.trim() === '')
}

/** Trims a text and collapses white space. */
export function normalizeWhitespace(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

function isSameText(text: string, title: string | null): boolean {
  return title !== null && text.toLowerCase() === normalizeWhitespace(title).toLowerCase()
}
