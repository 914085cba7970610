import type { ReadDocument } from '@parley/retrieval/read-document'
import { type Options, parse } from 'csv-parse/sync'
import type { DocumentLimits } from '../document-limits.ts'
import { createCorruptFileError, createLimitError } from '../unreadable-content.ts'
import { hasHeaderRow } from './table-header.ts'

const DELIMITERS = ['\t', ';', ',', '|'] as const
type Delimiter = (typeof DELIMITERS)[number]

const SAMPLE_LINES = 40
/** If the average is longer, the text consists of sentences that contain commas. */
const MAX_MEAN_CELL_LENGTH = 40

/**
 * Finds the cell delimiter of a text. Returns null if the text is not a table. The `strict` mode requires that nearly all lines
 * have the same number of columns.
 */
export function findDelimiter(sample: string, mode: 'strict' | 'lenient'): Delimiter | null {
  const lines = sample.split(/\r?\n/).slice(0, SAMPLE_LINES + 1)
  // The last line may be truncated.
  const completeLines = (lines.length > 1 ? lines.slice(0, -1) : lines).filter((line) => line.trim() !== '')
  let bestCandidate: { delimiter: Delimiter; agreement: number; columns: number } | null = null
  for (const delimiter of DELIMITERS) {
    const counts = completeLines.map((line) => splitLine(line, delimiter).length)
    const columns = findMostFrequentCount(counts)
    const agreement = counts.filter((count) => count === columns).length / Math.max(1, counts.length)
    if (columns < 2 || !hasUniformColumns(completeLines, { delimiter, columns, agreement, mode })) continue
    const isBetter =
      bestCandidate === null ||
      agreement > bestCandidate.agreement + 0.1 ||
      (agreement >= bestCandidate.agreement && columns > bestCandidate.columns)
    if (isBetter) bestCandidate = { delimiter, agreement, columns }
  }
  return bestCandidate?.delimiter ?? null
}

interface Candidate {
  readonly delimiter: Delimiter
  readonly columns: number
  readonly agreement: number
  readonly mode: 'strict' | 'lenient'
}

function hasUniformColumns(lines: readonly string[], { delimiter, columns, agreement, mode }: Candidate): boolean {
  if (mode === 'lenient') return agreement >= 0.5
  const minColumns = delimiter === ',' ? 3 : 2
  if (lines.length < 3 || agreement < 0.95 || columns < minColumns) return false
  const characters = lines.reduce((sum, line) => sum + line.length, 0)
  return characters / (lines.length * columns) <= MAX_MEAN_CELL_LENGTH
}

/** Splits a line at a delimiter. Does not support quoted line breaks, which are too rare to affect the column count. */
function splitLine(line: string, delimiter: Delimiter): string[] {
  return line.replace(/"(?:[^"]|"")*"/g, '""').split(delimiter)
}

function findMostFrequentCount(counts: readonly number[]): number {
  const frequencies = new Map<number, number>()
  for (const count of counts) frequencies.set(count, (frequencies.get(count) ?? 0) + 1)
  return [...frequencies].sort((left, right) => right[1] - left[1])[0]?.[0] ?? 0
}

/** Reads delimited text such as CSV and TSV as one table. */
export function readDelimited(text: string, limits: DocumentLimits): ReadDocument {
  const { delimiter, content } = readDeclaredDelimiter(text)
  const rows = parseRows(content, delimiter ?? findDelimiter(content.slice(0, 64 * 1024), 'lenient') ?? ',')
  if (rows.length > limits.tableRows) throw createLimitError('has', limits.tableRows, 'rows')
  const width = rows.reduce((maxWidth, row) => Math.max(maxWidth, row.length), 0)
  if (width > limits.tableColumns) throw createLimitError('has', limits.tableColumns, 'columns')
  const [firstRow = [], ...body] = rows
  const hasHeader = hasHeaderRow(rows, true)
  const table = {
    kind: 'table',
    header: hasHeader ? firstRow : [],
    rows: hasHeader ? body : rows,
    page: null,
  } as const
  return { title: null, blocks: [table], pageCount: null, links: [] }
}

/** Reads the delimiter that spreadsheets can declare in the first line. */
function readDeclaredDelimiter(text: string): { delimiter: Delimiter | null; content: string } {
  const declaration = /^\ufeff?sep=(.)\r?\n/.exec(text)
  const delimiter = DELIMITERS.find((candidate) => candidate === declaration?.[1]) ?? null
  return { delimiter, content: declaration === null ? text : text.slice(declaration[0].length) }
}

function parseRows(text: string, delimiter: Delimiter): string[][] {
  const options: Options = {
    delimiter,
    relax_quotes: true,
    relax_column_count: true,
    skip_empty_lines: true,
    bom: true,
  }
  try {
    return parse(text, options) as unknown as string[][]
  } catch {
    // A quote may be unclosed, so quotes are parsed as literal characters.
    return parseWithoutQuotes(text, options)
  }
}

function parseWithoutQuotes(text: string, options: Options): string[][] {
  try {
    return parse(text, { ...options, quote: false }) as unknown as string[][]
  } catch {
    throw createCorruptFileError('a table')
  }
}
