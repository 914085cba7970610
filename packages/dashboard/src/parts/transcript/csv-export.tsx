import { Download } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { notify, notifyError } from '../../components/toasts.tsx'
import { downloadText } from '../../lib/download-text.ts'
import { useText } from '../../lib/language.ts'

const MAX_ROWS = 5_000

type Cell = string | number | null

/** Rows to export as CSV. */
export interface CsvSource<Row> {
  readonly fileName: string
  readonly getRowKey: (row: Row) => string
  readonly columns: readonly (readonly [title: string, cell: (row: Row) => Cell])[]
  /** Yields the rows page by page. */
  readonly readPages: (signal: AbortSignal) => AsyncIterable<readonly Row[]>
}

/** Exports up to 5,000 rows of a list, with progress and a cancel button. */
export function ExportButton<Row>({ source }: { readonly source: CsvSource<Row> }) {
  const t = useText()
  const [exportedCount, setExportedCount] = useState<number | null>(null)
  const runningController = useRef<AbortController | null>(null)
  useEffect(() => () => runningController.current?.abort(), [])

  async function exportRows(signal: AbortSignal): Promise<void> {
    const { fileName, getRowKey, columns, readPages } = source
    const exportedRows = new Map<string, Row>()
    for await (const rows of readPages(signal)) {
      // Rows added during the export can shift the pages, so the map removes duplicates.
      for (const row of rows) exportedRows.set(getRowKey(row), row)
      setExportedCount(exportedRows.size)
      if (exportedRows.size >= MAX_ROWS) break
    }
    const table = [
      columns.map(([title]) => title),
      ...[...exportedRows.values()].map((row) => columns.map(([, cell]) => cell(row))),
    ]
    downloadText(fileName, `\uFEFF${formatCsv(table)}`, 'text/csv;charset=utf-8')
    const values = { count: exportedRows.size }
    notify(
      exportedRows.size >= MAX_ROWS
        ? t('Exported the first {count, number} rows. Narrow the filters to export the others.', values)
        : t('{count, plural, one {# row exported} other {# rows exported}}', values),
    )
  }

  function startExport(): void {
    const controller = new AbortController()
    runningController.current = controller
    setExportedCount(0)
    exportRows(controller.signal)
      .catch((error: Error) => {
        if (!controller.signal.aborted) notifyError(error.message)
      })
      .finally(() => setExportedCount(null))
  }

  return exportedCount === null ? (
    <Button icon={Download} onClick={startExport}>
      {t('Export CSV')}
    </Button>
  ) : (
    <Button onClick={() => runningController.current?.abort()}>
      {t('Cancel export ({count, number} read)', { count: exportedCount })}
    </Button>
  )
}

/** Prefixes that make spreadsheets evaluate a cell as a formula. */
const FORMULA_PREFIX = /^[=+\-@\t\r]/
const SPECIAL_CHARACTERS = /[",\r\n]/

function formatCell(value: Cell): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  const escapedValue = FORMULA_PREFIX.test(value) ? `'${value}` : value
  return SPECIAL_CHARACTERS.test(escapedValue) ? `"${escapedValue.replaceAll('"', '""')}"` : escapedValue
}

/** Formats a table as CSV (RFC 4180). Marks text that looks like a formula as text. */
export function formatCsv(rows: readonly (readonly Cell[])[]): string {
  return rows.map((row) => `${row.map(formatCell).join(',')}\r\n`).join('')
}
