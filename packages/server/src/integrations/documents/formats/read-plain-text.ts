import type { DocumentBlock, ReadDocument } from '@parley/retrieval/read-document'
import { cleanText } from '../clean-document.ts'

const UNDERLINE = /^(={3,}|-{3,}|~{3,}|\*{3,}|_{3,})\s*$/
const BULLET = /^\s*(?:[-*•‣◦–]|\d{1,3}[.)]|\(?[a-z]\))\s+(?=\S)/
const NUMBERED_HEADING = /^(\d{1,2}(?:\.\d{1,2})*)\.?\s+\p{Lu}[^.!?;]*$/u
const MAX_HEADING_CHARACTERS = 80
/** Minimum length of each line of a wrapped paragraph, except the last line. */
const MIN_WRAPPED_LINE_LENGTH = 55

/** Reads plain text: paragraphs between empty lines, unambiguous headings, and lists. */
export function readPlainText(text: string): ReadDocument {
  const groups = cleanText(text)
    .split(/\n(?:[^\S\n]*\n)+/)
    .map((group) => group.split('\n').filter((line) => line.trim() !== ''))
    .filter((lines) => lines.length > 0)
  const hasNumberedHeadings =
    groups.filter(([firstLine = '', ...otherLines]) => otherLines.length === 0 && NUMBERED_HEADING.test(firstLine))
      .length >= 2
  return {
    title: null,
    blocks: groups.flatMap((lines) => readGroup(lines, hasNumberedHeadings)),
    pageCount: null,
    links: [],
  }
}

function readGroup(lines: readonly string[], hasNumberedHeadings: boolean): DocumentBlock[] {
  const [firstLine = '', secondLine = '', ...otherLines] = lines
  if (UNDERLINE.test(secondLine) && firstLine.trim().length <= MAX_HEADING_CHARACTERS) {
    const level = secondLine.startsWith('=') ? 1 : 2
    const heading: DocumentBlock = { kind: 'heading', level, text: firstLine, page: null }
    return otherLines.length === 0 ? [heading] : [heading, ...readGroup(otherLines, hasNumberedHeadings)]
  }
  const level = lines.length === 1 ? detectHeadingLevel(firstLine.trim(), hasNumberedHeadings) : null
  if (level !== null) return [{ kind: 'heading', level, text: firstLine, page: null }]
  if (BULLET.test(firstLine)) return readList(lines)
  const firstBullet = lines.findIndex((line) => BULLET.test(line))
  // A lead-in such as "We offer:" directly above a list.
  if (firstBullet > 0 && lines.slice(firstBullet).filter((line) => BULLET.test(line)).length > 1) {
    return [readParagraph(lines.slice(0, firstBullet)), ...readList(lines.slice(firstBullet))]
  }
  return UNDERLINE.test(firstLine) ? [] : [readParagraph(lines)]
}

function detectHeadingLevel(line: string, hasNumberedHeadings: boolean): number | null {
  if (line.length > MAX_HEADING_CHARACTERS) return null
  const number = hasNumberedHeadings ? NUMBERED_HEADING.exec(line)?.[1] : undefined
  if (number !== undefined) return number.split('.').length
  const letters = line.replace(/[^\p{L}]/gu, '')
  const isUpperCase = letters.length >= 4 && letters === letters.toUpperCase() && letters !== letters.toLowerCase()
  return isUpperCase && !/[.!?,;]$/.test(line) ? 1 : null
}

function readList(lines: readonly string[]): DocumentBlock[] {
  const items: string[] = []
  for (const line of lines) {
    if (BULLET.test(line) || items.length === 0) items.push(line.trim().replace(/^[-*•‣◦–]\s+/, ''))
    else items.push(`${items.pop()} ${line.trim()}`)
  }
  return items.map((text) => ({ kind: 'list-item', text, page: null }))
}

/** Reads a paragraph. Keeps the breaks of short lines, such as addresses and opening hours. */
function readParagraph(lines: readonly string[]): DocumentBlock {
  const isWrapped = lines.slice(0, -1).every((line) => line.trim().length >= MIN_WRAPPED_LINE_LENGTH)
  return { kind: isWrapped ? 'paragraph' : 'preformatted', text: lines.join('\n'), page: null }
}
