import { availableParallelism, cpus, totalmem } from 'node:os'

type Cell = string | number
export type Row = readonly Cell[]

/** Prints a table with headings. Numbers are right-aligned and text is left-aligned. */
export function printTable(headings: readonly string[], rows: readonly Row[]): void {
  const lines = [headings, ...rows]
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => String(line[column] ?? '').length)))
  const isTextColumn = headings.map((_, column) => rows.some((row) => /^[a-z(]/i.test(String(row[column] ?? ''))))
  const formatLine = (line: Row): string =>
    line
      .map((cell, column) =>
        isTextColumn[column] ? String(cell).padEnd(widths[column] ?? 0) : String(cell).padStart(widths[column] ?? 0),
      )
      .join('  ')
  console.log(
    [formatLine(headings), widths.map((width) => '-'.repeat(width)).join('  '), ...rows.map(formatLine)].join('\n'),
  )
}

/** Prints the result as one JSON line, which scripts can store and compare. */
export function printResult(bench: string, smoke: boolean, stats: object): void {
  const machine = {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    memoryGb: Math.round(totalmem() / 2 ** 30),
    node: process.versions.node,
    platform: `${process.platform}-${process.arch}`,
  }
  console.log(JSON.stringify({ bench, date: new Date().toISOString(), machine, ...(smoke && { smoke }), ...stats }))
}
