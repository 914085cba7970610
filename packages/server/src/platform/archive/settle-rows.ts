import type { Cell, Row, TableShape } from './table-shape.ts'

type Change = (value: (column: string) => Cell) => Readonly<Record<string, Cell>> | null

/** Whoever ran it does not run where the row is going: jobs wait again, turns were cut off. */
const ROW_CHANGES: Readonly<Record<string, (at: number) => Change>> = {
  jobs: () => (value) => {
    if (value('status') !== 'running') return null
    // A stop is not the job's fault: the attempt does not count.
    const attempts = Math.max(0, Number(value('attempts')) - 1)
    return { status: 'pending', leased_by: null, lease_until: null, attempts }
  },
  turns: (at) => (value) => ({
    node_id: null,
    ...(value('status') === 'running' && { status: 'interrupted', ended_at: at }),
  }),
  chats: () => () => ({ active_turn_id: null }),
}

/** Turns the rows of a table into those of an installation that stopped at `at`. Columns that the table lacks are left out. */
export function createRowSettler({ name, columns }: TableShape, at: number): (row: Row) => Row {
  const change = ROW_CHANGES[name]?.(at)
  if (change === undefined) return (row) => row
  const indexes = new Map(columns.map((column, index) => [column.name, index]))
  return (row) => {
    const changes = change((column) => row[indexes.get(column) ?? -1] ?? null)
    if (changes === null) return row
    const settled = [...row]
    for (const [column, cell] of Object.entries(changes)) {
      const index = indexes.get(column)
      if (index !== undefined) settled[index] = cell
    }
    return settled
  }
}
