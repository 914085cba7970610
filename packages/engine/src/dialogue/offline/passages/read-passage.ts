import type { Passage } from '@parley/contract/knowledge-passage'
import { splitSentences } from '../split-sentences.ts'
import { bestPart } from './best-part.ts'
import { type Word, wordsOf } from './words.ts'

/** A cell of a table's row; `header` is '' where the column has none. */
export interface Cell {
  readonly header: string
  readonly value: string
}

/** A sentence or row of a passage, with all that it is about. */
export interface Statement {
  readonly passage: Passage
  /** Among all statements of its passage, in order. */
  readonly position: number
  readonly text: string
  /** Of a row; empty for prose. */
  readonly cells: readonly Cell[]
  /** The heading, question or lead-in that it stands under within the passage, '' for none. */
  readonly label: string
  /** The label is the beginning of its sentence: "Not covered are:". */
  readonly introduced: boolean
  /** Statements of one paragraph, list or table share it. */
  readonly group: number
  readonly own: readonly Word[]
  /** Words of what it stands under: label, headings, name of the source. */
  readonly above: readonly Word[]
  /** How many sentences of its line stand before it. */
  readonly follows: number
}

const maximumStatements = 300
/** Headings in a row are one label up to this length. */
const maximumLabelChars = 200
const maximumHeadingChars = 500

/** The name of a source as one would say it: without the ending of a file, with spaces. */
export function spokenName(name: string): string {
  const trimmed = name.trim().slice(0, 200)
  const address = /^https?:\/\/(?:www\.)?([^/?#]+)([^?#]*)/i.exec(trimmed)
  if (address !== null) return address[1] ?? trimmed
  const bare = trimmed.replace(/\.(?:pdf|docx?|xlsx?|csv|tsv|html?|md|txt|json|eml)$/i, '')
  return /\s/.test(bare) ? bare : bare.replace(/[_]+|(?<=\p{L})-+(?=\p{L})/gu, ' ')
}

function cellsOf(line: string): Cell[] {
  const parts = line.split(/;\s+/)
  const cells = parts.map((part): Cell => {
    const found = /^([^:]{1,80}):\s+(.+)$/s.exec(part)
    return found === null
      ? { header: '', value: part.trim() }
      : { header: found[1]?.trim() ?? '', value: found[2]?.trim() ?? '' }
  })
  if (cells.length < 2) return []
  const named = cells.filter(({ header }) => header !== '').length
  return named >= 2 && named >= cells.length - 1 ? cells : []
}

function isHeadingLine(line: string, next: string | undefined): boolean {
  return (
    next !== undefined &&
    line.length <= 120 &&
    !/^(?:[-*•]|\d+[.)])\s/.test(line) &&
    !/[.!;,]$/.test(line) &&
    !/:\s+\S/.test(line) &&
    cellsOf(line).length === 0
  )
}

interface Draft {
  readonly statements: Statement[]
  readonly passage: Passage
  readonly outer: readonly Word[]
  label: string
  /** Words of the label and of what the passage stands under. */
  above: readonly Word[]
  labelKind: 'heading' | 'question' | 'lead-in'
  /** Something stands under the label already. */
  labelUsed: boolean
  group: number
}

function setLabel(draft: Draft, label: string, labelKind: Draft['labelKind']): void {
  draft.label = label
  draft.labelKind = labelKind
  draft.labelUsed = false
  draft.above = [...wordsOf(label), ...draft.outer]
}

function add(draft: Draft, text: string, options: { cells?: readonly Cell[]; follows?: number }): void {
  if (!/[\p{L}\p{N}]/u.test(text) || draft.statements.length >= maximumStatements) return
  draft.statements.push({
    passage: draft.passage,
    position: draft.statements.length,
    text,
    cells: options.cells ?? [],
    label: draft.label,
    introduced: draft.labelKind === 'lead-in' && draft.label !== '',
    group: draft.group,
    own: wordsOf(text),
    above: draft.above,
    follows: options.follows ?? 0,
  })
  draft.labelUsed = true
}

function readBlock(draft: Draft, block: string): void {
  const lines = block
    .split('\n')
    .map((line) => line.replace(/^\s*(?:#{1,6}|>)\s+/, '').trim())
    .filter((line) => line !== '')
  let headings = ''
  for (const [position, line] of lines.entries()) {
    const item = /^(?:[-*•]|\d+[.)])\s+(.*)$/s.exec(line)?.[1]
    const text = (item ?? line).replace(
      /^(?:Q|A|F|R|P|Frage|Antwort|Question|Answer|Réponse|Pregunta|Respuesta)\s?[:.]\s+/i,
      '',
    )
    const cells = cellsOf(text)
    if (cells.length > 0) add(draft, text, { cells })
    else if (item === undefined && (/[?？]$/.test(text) || isHeadingLine(line, lines[position + 1]))) {
      headings = headings === '' || headings.length > maximumLabelChars ? text : `${headings} – ${text}`
      setLabel(draft, headings, /[?？]$/.test(text) ? 'question' : 'heading')
      draft.group += 1
    } else {
      readProse(draft, text, { listed: item !== undefined, leads: lines[position + 1] !== undefined })
      headings = ''
    }
  }
}

function readProse(
  draft: Draft,
  text: string,
  { listed, leads }: { readonly listed: boolean; readonly leads: boolean },
): void {
  let follows = 0
  for (const sentence of splitSentences(text)) {
    if (/[?？]$/.test(sentence)) {
      setLabel(draft, sentence, 'question')
      continue
    }
    if (leads && /[:：]$/.test(sentence)) {
      setLabel(draft, sentence.replace(/[:：]$/, ''), 'lead-in')
      continue
    }
    add(draft, sentence, { follows })
    if (!listed) follows += 1
  }
}

/** Cuts a passage into statements; of a long one the part that holds most of the wanted words. */
export function readPassage(passage: Passage, wanted: readonly string[] = []): Statement[] {
  const outer = wordsOf(
    `${passage.headings.join(' . ').slice(0, maximumHeadingChars)} . ${spokenName(passage.sourceName)}`,
  )
  const draft: Draft = {
    statements: [],
    passage,
    outer,
    label: '',
    above: outer,
    labelKind: 'heading',
    labelUsed: false,
    group: 0,
  }
  for (const block of bestPart(passage.text, wanted)
    .replace(/\r\n?/g, '\n')
    .split(/\n\s*\n/)) {
    draft.group += 1
    if (draft.labelKind !== 'heading' && draft.labelUsed) setLabel(draft, '', 'heading')
    readBlock(draft, block)
  }
  return draft.statements
}
