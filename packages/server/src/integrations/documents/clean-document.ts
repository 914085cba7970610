import type { DocumentBlock, ReadDocument } from '@parley/retrieval/read-document'
import { type DocumentLimits, MAX_LINKS } from './document-limits.ts'
import { createLimitError } from './unreadable-content.ts'

/** Maximum length of titles in the API. */
const TITLE_CHARACTERS = 200
const MAX_HEADING_LEVEL = 9

/** Returns the texts of a block. */
export function listBlockTexts(block: DocumentBlock): readonly string[] {
  return block.kind === 'table' ? [...block.header, ...block.rows.flat()] : [block.text]
}

/** Cleans texts and tables and drops empty blocks. Throws if the document exceeds the character limit. */
export function cleanDocument(document: ReadDocument, limits: DocumentLimits): ReadDocument {
  const blocks: DocumentBlock[] = []
  let characters = 0
  for (const block of document.blocks) {
    const cleanedBlock = cleanBlock(block)
    if (cleanedBlock === null) continue
    for (const text of listBlockTexts(cleanedBlock)) characters += text.length
    if (characters > limits.characters) throw createLimitError('has', limits.characters, 'characters')
    blocks.push(cleanedBlock)
  }
  const title = cleanLine(document.title ?? '')
    .slice(0, TITLE_CHARACTERS)
    .toWellFormed()
    .replace(/\ufffd$/, '')
    .trim()
  return { ...document, title: title || null, blocks, links: document.links.slice(0, MAX_LINKS) }
}

function cleanBlock(block: DocumentBlock): DocumentBlock | null {
  if (block.kind === 'table') return cleanTable(block)
  const text = block.kind === 'preformatted' ? cleanLines(block.text) : cleanLine(block.text)
  if (text === '') return null
  if (block.kind === 'heading') return { ...block, text, level: Math.min(Math.max(1, block.level), MAX_HEADING_LEVEL) }
  return { ...block, text }
}

function cleanTable(table: Extract<DocumentBlock, { kind: 'table' }>): DocumentBlock | null {
  const rows = table.rows.map((row) => row.map(cleanLine)).filter(hasText)
  const header = table.header.map(cleanLine)
  const hasHeader = hasText(header)
  const tableRows = hasHeader ? [header, ...rows] : rows
  const width = tableRows.reduce((maxWidth, row) => Math.max(maxWidth, row.length), 0)
  const usedColumns = Array.from({ length: width }, (_, column) => column).filter((column) =>
    tableRows.some((row) => row[column]),
  )
  if (usedColumns.length === 0) return null
  const pickUsedCells = (row: readonly string[]): string[] => usedColumns.map((column) => row[column] ?? '')
  return { ...table, header: hasHeader ? pickUsedCells(header) : [], rows: rows.map(pickUsedCells) }
}

function hasText(cells: readonly string[]): boolean {
  return cells.some((cell) => cell !== '')
}

/** Control characters except tab and line feed, and characters used only for layout. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: removes control characters
const INVISIBLE = /[\u0000-\u0008\u000b-\u001f\u007f-\u0084\u0086-\u009f\u00ad\u200b\u2060\ufeff\ufffe\uffff]/g

// biome-ignore lint/suspicious/noControlCharactersInRegex: old programs use them as line breaks
const LINE_BREAKS = /\r\n?|[\u2028\u2029\u0085\u000b\f]/g

const LONE_SURROGATES = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g

/** Normalizes text: line breaks as `\n`, letters in NFC, no invisible characters. */
export function cleanText(text: string): string {
  return text.replace(LINE_BREAKS, '\n').replace(INVISIBLE, '').replace(LONE_SURROGATES, '').normalize('NFC')
}

/** Normalizes text to a single line. */
export function cleanLine(text: string): string {
  return cleanText(text).replace(/\s+/g, ' ').trim()
}

/** Normalizes text but keeps its lines, without trailing spaces and surrounding empty lines. */
export function cleanLines(text: string): string {
  return cleanText(text)
    .replace(/(?<![^\S\n])[^\S\n]+$/gm, '')
    .replace(/^\n+/, '')
    .trimEnd()
}
