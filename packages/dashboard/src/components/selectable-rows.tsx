import { useQueryClient } from '@tanstack/react-query'
import { type LucideIcon, Square, X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { refresh } from '../lib/api/hooks.ts'
import type { OperationName } from '../lib/api/request.ts'
import { useText } from '../lib/language.ts'
import { Button } from './button.tsx'
import type { Column } from './data-list.tsx'
import { Dialog, FormDialog } from './dialog.tsx'
import { TextField } from './fields.tsx'
import { notify } from './toasts.tsx'

interface RowNames<Row> {
  readonly getRowKey: (row: Row) => string
  /** Returns the name of a row for labels and reports. */
  readonly getName: (row: Row) => string
}

/** The selected rows of a list. */
export interface Selection<Row> extends RowNames<Row> {
  readonly rows: readonly Row[]
  /** The first column of the list. */
  readonly column: Column<Row>
  readonly select: (rows: readonly Row[]) => void
}

/** Adds a checkbox column to select rows of a list. */
export function useSelection<Row>(rows: readonly Row[], { getRowKey, getName }: RowNames<Row>): Selection<Row> {
  const t = useText()
  const [selectedKeys, setSelectedKeys] = useState<ReadonlySet<string>>(new Set())
  const selectedRows = rows.filter((row) => selectedKeys.has(getRowKey(row)))
  const select = (newRows: readonly Row[]): void => setSelectedKeys(new Set(newRows.map(getRowKey)))
  const areAllSelected = rows.length > 0 && selectedRows.length === rows.length
  const toggle = (row: Row): void =>
    select(
      selectedRows.includes(row) ? selectedRows.filter((selectedRow) => selectedRow !== row) : [...selectedRows, row],
    )
  return {
    rows: selectedRows,
    getRowKey,
    getName,
    select,
    column: {
      key: 'select',
      title: t('Select'),
      width: 'w-10',
      head: (
        <Checkbox
          label={t('Select all loaded rows')}
          isChecked={areAllSelected}
          onToggle={() => select(areAllSelected ? [] : rows)}
        />
      ),
      cell: (row) => (
        <Checkbox
          label={t('Select {name}', { name: getName(row) })}
          isChecked={selectedKeys.has(getRowKey(row))}
          onToggle={() => toggle(row)}
        />
      ),
    },
  }
}

interface CheckboxProps {
  readonly label: string
  readonly isChecked: boolean
  readonly onToggle: () => void
}

/** Renders a checkbox in a large label, so that a near miss does not open the row. */
function Checkbox({ label, isChecked, onToggle }: CheckboxProps) {
  return (
    <label className="-m-2 flex size-9 items-center justify-center">
      <input
        type="checkbox"
        aria-label={label}
        className="size-4 accent-brand-text"
        checked={isChecked}
        onChange={onToggle}
      />
    </label>
  )
}

/** An action that runs on each selected row. */
export interface BulkAction<Row> {
  readonly label: string
  readonly icon: LucideIcon
  /** Asks users to confirm an irreversible action by typing the number of rows. */
  readonly confirm?: { readonly title: string; readonly description: string }
  readonly run: (row: Row) => Promise<unknown>
  /** Displayed if the action succeeds on all rows. */
  readonly successMessage: string
}

export interface Failure<Row> {
  readonly row: Row
  readonly message: string
}

const MAX_CONCURRENT_REQUESTS = 4

/** Runs an action on each row, a few at a time, and returns the failures. Rows skipped by an abort do not count as failed. */
export async function runForEachRow<Row>(
  rows: readonly Row[],
  run: (row: Row) => Promise<unknown>,
  { signal, onProgress }: { readonly signal: AbortSignal; readonly onProgress: (count: number) => void },
): Promise<Failure<Row>[]> {
  const failures: Failure<Row>[] = []
  const remainingRows = rows.values()
  let completedCount = 0
  async function processRows(): Promise<void> {
    for (const row of remainingRows) {
      if (signal.aborted) return
      await run(row).catch((error: unknown) => {
        failures.push({ row, message: error instanceof Error ? error.message : String(error) })
      })
      completedCount += 1
      onProgress(completedCount)
    }
  }
  await Promise.all(Array.from({ length: MAX_CONCURRENT_REQUESTS }, processRows))
  return failures
}

interface SelectionBarProps<Row> {
  readonly selection: Selection<Row>
  readonly actions: readonly BulkAction<Row>[]
  /** Operations to refetch after an action. */
  readonly invalidates: readonly OperationName[]
}

/** Renders the actions on the selected rows, with progress and a failure report. Renders nothing without a selection. */
export function SelectionBar<Row>({ selection, actions, invalidates }: SelectionBarProps<Row>) {
  const t = useText()
  const bulkAction = useBulkAction(selection, invalidates)
  const [pendingAction, setPendingAction] = useState<BulkAction<Row> | null>(null)
  const { rows } = selection
  return (
    <>
      {(rows.length > 0 || bulkAction.progress !== null) && (
        <section
          aria-label={t('Selected rows')}
          className="sticky bottom-3 z-20 mx-auto flex max-w-full flex-wrap items-center gap-2 rounded-lg border border-line-strong bg-panel p-2 ps-4 shadow-lg"
        >
          <p role="status" className="me-2 tabular-nums">
            {bulkAction.progress === null
              ? t('{count, number} selected', { count: rows.length })
              : t('{count, number} of {total, number} done', { ...bulkAction.progress })}
          </p>
          {bulkAction.progress === null ? (
            <>
              {actions.map((action) => (
                <Button
                  key={action.label}
                  icon={action.icon}
                  onClick={() => (action.confirm ? setPendingAction(action) : bulkAction.start(action))}
                >
                  {action.label}
                </Button>
              ))}
              <Button kind="quiet" icon={X} onClick={() => selection.select([])}>
                {t('Clear selection')}
              </Button>
            </>
          ) : (
            <Button icon={Square} onClick={bulkAction.stop}>
              {t('Stop')}
            </Button>
          )}
        </section>
      )}
      {pendingAction?.confirm && (
        <ConfirmDialog
          {...pendingAction.confirm}
          label={pendingAction.label}
          count={rows.length}
          onClose={() => setPendingAction(null)}
          onConfirm={() => {
            setPendingAction(null)
            bulkAction.start(pendingAction)
          }}
        />
      )}
      {bulkAction.failures.length > 0 && (
        <FailureDialog failures={bulkAction.failures} getName={selection.getName} onClose={bulkAction.dismiss} />
      )}
    </>
  )
}

interface Progress {
  readonly count: number
  readonly total: number
}

function useBulkAction<Row>(selection: Selection<Row>, invalidates: readonly OperationName[]) {
  const client = useQueryClient()
  const [progress, setProgress] = useState<Progress | null>(null)
  const [failures, setFailures] = useState<readonly Failure<Row>[]>([])
  const runningController = useRef<AbortController | null>(null)
  useEffect(() => () => runningController.current?.abort(), [])

  async function run({ run: processRow, successMessage }: BulkAction<Row>): Promise<void> {
    const { rows } = selection
    const total = rows.length
    const controller = new AbortController()
    runningController.current = controller
    setProgress({ count: 0, total })
    const newFailures = await runForEachRow(rows, processRow, {
      signal: controller.signal,
      onProgress: (count) => setProgress({ count, total }),
    })
    await refresh(client, invalidates)
    setProgress(null)
    setFailures(newFailures)
    selection.select(newFailures.map(({ row }) => row))
    if (newFailures.length === 0 && !controller.signal.aborted) notify(successMessage)
  }

  return {
    progress,
    failures,
    start: (action: BulkAction<Row>): void => void run(action),
    stop: (): void => runningController.current?.abort(),
    dismiss: (): void => setFailures([]),
  }
}

interface ConfirmDialogProps {
  readonly title: string
  readonly description: string
  readonly label: string
  readonly count: number
  readonly onClose: () => void
  readonly onConfirm: () => void
}

function ConfirmDialog({ title, description, label, count, onClose, onConfirm }: ConfirmDialogProps) {
  const t = useText()
  const [confirmation, setConfirmation] = useState('')
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={title}
      description={description}
      kind="danger"
      submitLabel={label}
      isBusy={false}
      canSubmit={confirmation.trim() === String(count)}
      onSubmit={onConfirm}
    >
      <TextField
        label={t('Type {count} to confirm', { count })}
        inputMode="numeric"
        autoComplete="off"
        value={confirmation}
        onChange={setConfirmation}
      />
    </FormDialog>
  )
}

interface FailureDialogProps<Row> extends Pick<RowNames<Row>, 'getName'> {
  readonly failures: readonly Failure<Row>[]
  readonly onClose: () => void
}

function FailureDialog<Row>({ failures, getName, onClose }: FailureDialogProps<Row>) {
  const t = useText()
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('{count, plural, one {# row failed} other {# rows failed}}', { count: failures.length })}
      description={t('All other rows succeeded. Failed rows stay selected.')}
      actions={<Button onClick={onClose}>{t('Close')}</Button>}
    >
      <ul className="flex flex-col divide-y divide-line">
        {failures.map(({ row, message }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the report does not change.
          <li key={index} className="flex flex-col py-2" dir="auto">
            <span className="font-medium">{getName(row)}</span>
            <span className="text-bad">{message}</span>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
