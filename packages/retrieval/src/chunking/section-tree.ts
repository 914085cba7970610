import type { DocumentBlock, ReadDocument } from '../read-document.ts'

/** A block that stands under a heading. */
export type ContentBlock = Exclude<DocumentBlock, { kind: 'heading' }>

/** What stands under one heading: its own blocks, then the sections of deeper headings. */
export interface Section {
  /** `null`: nothing that belongs into a path. */
  readonly heading: string | null
  readonly blocks: readonly ContentBlock[]
  readonly children: readonly Section[]
}

/** Deeper ones are taken as the deepest, so that neither paths nor the depth of recursion grow without limit. */
const MAX_LEVEL = 10

/** Longer ones are paragraphs that a document marks as headings; as headings they would stand beside every passage. */
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
 * Puts the blocks of a document under their headings. A first heading that says the title has no place in a path, and a heading
 * with nothing under it becomes a paragraph where it stands.
 */
export function sectionTree(document: ReadDocument): Section {
  const root: OpenSection = { level: 0, heading: null, text: '', page: null, blocks: [], children: [] }
  const open = [root]
  let headings = 0
  for (const block of document.blocks) {
    if (block.kind !== 'heading') {
      if (!isBlank(block)) open.at(-1)?.blocks.push(block)
      continue
    }
    const text = normalizeWhitespace(block.text)
    if (text === '') continue
    if (text.length > MAX_HEADING_CHARACTERS) {
      open.at(-1)?.blocks.push({ kind: 'paragraph', text, page: block.page })
      continue
    }
    const level = Math.min(Math.max(block.level, 1), MAX_LEVEL)
    while ((open.at(-1)?.level ?? 0) >= level) open.pop()
    const isTitle = headings === 0 && isSameText(text, document.title)
    const section: OpenSection = {
      level,
      heading: isTitle ? null : text,
      text,
      page: block.page,
      blocks: [],
      children: [],
    }
    open.at(-1)?.children.push(section)
    open.push(section)
    headings += 1
  }
  keepBareHeadings(root)
  return root
}

function keepBareHeadings(section: OpenSection): void {
  for (const child of section.children) keepBareHeadings(child)
  if (section.text === '' || section.blocks.length > 0 || section.children.length > 0) return
  section.blocks.push({ kind: 'paragraph', text: section.text, page: section.page })
  section.heading = null
}

function isBlank(block: ContentBlock): boolean {
  const texts = block.kind === 'table' ? [block.header, ...block.rows].flat() : [block.text]
  return texts.every((text) => text.trim() === '')
}

/** One space for each run of white space, none at the ends. */
export function normalizeWhitespace(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

function isSameText(text: string, title: string | null): boolean {
  return title !== null && text.toLowerCase() === normalizeWhitespace(title).toLowerCase()
}
