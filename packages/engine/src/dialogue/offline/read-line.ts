import { isInstruction } from './classify-sentence.ts'
import { trimEndMarks } from './cut-text.ts'

/** One line of a prompt, by what it looks like. */
export type PromptLine =
  | { readonly kind: 'blank' }
  | { readonly kind: 'heading' | 'item' | 'question' | 'answer' | 'prose'; readonly text: string }

const tag = /^<\/?([\w -]{1,40})>$/
const item = /^(?:[-*•–]|\d{1,3}[.)])\s+(\S.*)$/
const questionMark = /^(?:q|question|f|frage)\s?\d*\s?[:.)：]\s*(\S.*)$/i
const answerMark = /^(?:a|answer|antwort)\s?\d*\s?[:)：]\s*(\S.*)$/i

/** The words of a heading in Markdown; a line of marks only has none. */
function headingOf(line: string): string | undefined {
  const marks = /^#{1,6}/.exec(line)?.[0].length ?? 0
  return marks === 0 ? undefined : trimEndMarks(line.slice(marks), '#').trimStart()
}

function tableRow(line: string): PromptLine {
  const cells = line
    .split('|')
    .map((cell) => cell.trim())
    .filter((cell) => cell !== '')
  if (cells.length === 0 || cells.every((cell) => /^:?-+:?$/.test(cell))) return { kind: 'blank' }
  return { kind: 'prose', text: cells.length === 1 ? (cells[0] ?? '') : `${cells[0]}: ${cells.slice(1).join(', ')}` }
}

/** Says what a line (without emphasis marks) is. */
export function readLine(line: string): PromptLine {
  const text = line.trim()
  if (text === '' || /^[-=*_]{3,}$/.test(text)) return { kind: 'blank' }
  if (text.startsWith('</')) return { kind: 'heading', text: '' }
  const heading = headingOf(text) ?? tag.exec(text)?.[1]?.replaceAll('_', ' ')
  if (heading !== undefined)
    return heading.endsWith('?') ? { kind: 'question', text: heading } : { kind: 'heading', text: heading }
  if (text.startsWith('|')) return tableRow(text)
  const content = item.exec(text)?.[1]
  const bare = content ?? text
  const asked = questionMark.exec(bare)?.[1]
  if (asked !== undefined) {
    const both = /^(.+?\?)\s+(?:a|answer)\s?\d*\s?[:)]\s*(\S.*)/i.exec(asked)
    return both
      ? { kind: 'prose', text: `When asked about ${both[1]?.replaceAll(',', ' ')}, say that ${both[2]}` }
      : { kind: 'question', text: asked }
  }
  const answered = answerMark.exec(bare)?.[1]
  if (answered !== undefined) return { kind: 'answer', text: answered }
  if (/[:：]$/.test(bare) && bare.length <= 70 && !isInstruction(bare))
    return { kind: 'heading', text: bare.slice(0, -1) }
  if (content !== undefined) return { kind: 'item', text: content }
  if (/^[^.!]{6,160}\?$/.test(text) && !isInstruction(text)) return { kind: 'question', text }
  if (/^[\p{Lu}\p{N} &/-]{4,40}$/u.test(text) && /\p{Lu}{3}/u.test(text))
    return { kind: 'heading', text: text.charAt(0) + text.slice(1).toLowerCase() }
  return { kind: 'prose', text }
}
