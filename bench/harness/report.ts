import { availableParallelism, cpus, totalmem } from 'node:os'

type Cell = string | number
export type Row = readonly Cell[]

/** Prints rows under their headings; numbers stand to the right. */
export function printTable(headings: readonly string[], rows: readonly Row[]): void {
  const lines = [headings, ...rows]
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => String(line[column] ?? '').length)))
  const print = (line: Row): string =>
    line.map((cell, column) => (column === 0 ? pad(cell, widths[column]) : padLeft(cell, widths[column]))).join('  ')
  console.log([print(headings), widths.map((width) => '-'.repeat(width)).join('  '), ...rows.map(print)].join('\n'))
}

/** Prints the result as one JSON line, for whoever keeps or compares results. */
export function printResult(bench: string, smoke: boolean, figures: object): void {
  const machine = {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    memoryGb: Math.round(totalmem() / 2 ** 30),
    node: process.versions.node,
    platform: `${process.platform}-${process.arch}`,
  }
  console.log(JSON.stringify({ bench, date: new Date().toISOString(), machine, ...(smoke && { smoke }), ...figures }))
}

function pad(cell: Cell, width = 0): string {
  return String(cell).padEnd(width)
}

function padLeft(cell: Cell, width = 0): string {
  return String(cell).padStart(width)
}
