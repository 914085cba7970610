import { cutText } from './cut-text.ts'
import { type ContentBlock, normalizeWhitespace } from './section-tree.ts'

type Table = Extract<ContentBlock, { kind: 'table' }>

/**
 * A table as lines of at most `maxSize`: `Header: value; Header: value`, so that each row tells by itself what its values are. Empty
 * cells are left out. A row that is too long is cut between cells, and its parts repeat the first cell, which names the row.
 */
export function tableLines(table: Table, maxSize: number): string[] {
  const header = table.header.map(normalizeWhitespace)
  const rows = table.rows.map((row) => row.map(normalizeWhitespace))
  const lines = unusedHeaderLines(header, rows).flatMap((line) => cutText(line, maxSize))
  for (const row of rows) for (const line of rowLines(rowCells(header, row), maxSize)) lines.push(line)
  return lines
}

/** Headers that no row repeats, since their columns are empty. */
function unusedHeaderLines(header: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const unusedColumns = header.filter((name, column) => name !== '' && rows.every((row) => (row[column] ?? '') === ''))
  return unusedColumns.length === 0 ? [] : [unusedColumns.join('; ')]
}

function rowCells(header: readonly string[], row: readonly string[]): string[] {
  const [first = '', second = ''] = row
  // Two columns without a header are a list of names and values.
  if (header.length === 0 && row.length === 2 && first !== '' && second !== '') {
    return [first.endsWith(':') ? `${first} ${second}` : `${first}: ${second}`]
  }
  return row.flatMap((value, column) => {
    const name = header[column] ?? ''
    if (value === '') return []
    return name === '' ? [value] : [`${name.replace(/:$/, '')}: ${value}`]
  })
}

function rowLines(cells: readonly string[], maxSize: number): string[] {
  const whole = cells.join('; ')
  if (whole === '') return []
  if (whole.length <= maxSize) return [whole]
  const [first = ''] = cells
  const name = first.length <= maxSize / 4 ? `${first}; ` : ''
  const lines: string[] = []
  let line = ''
  for (const cell of cells) {
    for (const part of cutText(cell, maxSize - name.length)) {
      if (line !== '' && line.length + 2 + part.length > maxSize) {
        lines.push(line)
        line = `${name}${part}`
      } else line = line === '' ? part : `${line}; ${part}`
    }
  }
  lines.push(line)
  return lines
}
