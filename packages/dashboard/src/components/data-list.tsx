import { useVirtualizer } from '@tanstack/react-virtual'
import { clsx } from 'clsx'
import { ArrowDown, ArrowUp, ChevronsUpDown } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, type Ref, type RefObject, useEffect, useRef } from 'react'
import type { Pages } from '../lib/api/hooks.ts'
import { useHotkeys } from '../lib/keys/hotkeys.ts'
import { useText } from '../lib/language.ts'
import { Button } from './button.tsx'
import { ProblemNote, ProblemPanel, Skeleton } from './states.tsx'

export interface Column<Row> {
  readonly key: string
  readonly title: string
  /** Displayed instead of the title. */
  readonly head?: ReactNode
  readonly cell: (row: Row) => ReactNode
  /** Use `end` for numbers, so that their digits align. */
  readonly align?: 'start' | 'end'
  /** Minimum screen size that displays the column. */
  readonly visibleFrom?: 'sm' | 'md' | 'lg' | 'xl' | '2xl'
  /** Name of the column in sort orders. Columns without a sort key cannot be sorted. */
  readonly sortKey?: string
  /** For example, `w-40`. The first column takes the remaining width. */
  readonly width?: string
}

const VISIBLE_FROM_CLASSES = {
  sm: 'hidden sm:table-cell',
  md: 'hidden md:table-cell',
  lg: 'hidden lg:table-cell',
  xl: 'hidden xl:table-cell',
  '2xl': 'hidden 2xl:table-cell',
} as const

/** A sort order such as `cost`, or `-cost` for descending order. */
export interface ListSort {
  /** Undefined for the default order. */
  readonly order: string | undefined
  readonly onChange: (order: string | undefined) => void
}

export interface DataListProps<Row> {
  /** Accessible name. */
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly getRowKey: (row: Row) => string
  readonly pages: Pages<Row>
  /** Displayed instead of an empty list. */
  readonly emptyState: ReactNode
  /** Opens a clicked row. The first cell must contain a link or button for keyboard users. */
  readonly onOpen?: (row: Row) => void
  /** Hotkeys for the focused row. */
  readonly rowHotkeys?: Readonly<Record<string, (row: Row) => void>>
  /** Makes the columns with a sort key sortable. */
  readonly sort?: ListSort
  /** Whether the caller renders the pagination. */
  readonly isOnePage?: boolean
}

/** Estimated height; rows are measured after rendering. */
const ROW_HEIGHT_PX = 49
const OVERSCAN_ROWS = 12
const PREFETCH_ROWS = 30

/** Renders a virtualized list that loads further pages as needed. */
export function DataList<Row>(props: DataListProps<Row>) {
  const { label, columns, getRowKey, pages, emptyState, rowHotkeys = {}, isOnePage = false } = props
  const { rows, error, isPending, hasNextPage, refetch } = pages
  const scroller = useRef<HTMLDivElement>(null)
  const body = useRef<HTMLTableSectionElement>(null)
  useRowHotkeys(rowHotkeys, rows, body)
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT_PX,
    overscan: OVERSCAN_ROWS,
    getItemKey: (index) => {
      const row = rows[index]
      return row === undefined ? index : getRowKey(row)
    },
  })
  const items = virtualizer.getVirtualItems()
  usePrefetch(pages, items.at(-1)?.index ?? 0)

  if (isPending && error === null) return <Skeleton lines={6} />
  if (error !== null && rows.length === 0) return <ProblemPanel problem={error} onRetry={() => void refetch()} />
  if (rows.length === 0) return emptyState

  return (
    <div className="flex min-w-0 flex-col gap-2">
      <section
        ref={scroller}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll the list.
        tabIndex={0}
        aria-label={label}
        className="max-h-[calc(100dvh-13rem)] overflow-auto rounded-lg border border-line bg-panel"
      >
        <table className="w-full table-fixed border-collapse" aria-rowcount={hasNextPage ? -1 : rows.length + 1}>
          <caption className="sr-only">{label}</caption>
          <HeadRow columns={columns} sort={props.sort} />
          <tbody ref={body}>
            <Spacer height={items[0]?.start ?? 0} />
            {items.map(({ key, index }) => {
              const row = rows[index]
              if (row === undefined) return null
              const layout = { index, measureRef: virtualizer.measureElement, body }
              return <BodyRow key={key} row={row} layout={layout} columns={columns} onOpen={props.onOpen} />
            })}
            <Spacer height={virtualizer.getTotalSize() - (items.at(-1)?.end ?? 0)} />
          </tbody>
        </table>
      </section>
      {!isOnePage && <RowCount pages={pages} />}
      {error !== null && <PageProblem pages={pages} problem={error} />}
    </div>
  )
}

function useRowHotkeys<Row>(
  rowHotkeys: NonNullable<DataListProps<Row>['rowHotkeys']>,
  rows: readonly Row[],
  body: RefObject<HTMLTableSectionElement | null>,
): void {
  const createRowHandler = (action: (row: Row) => void) => () => {
    const row = rows[findFocusedIndex(body.current)]
    if (row !== undefined) action(row)
  }
  useHotkeys({
    j: focusFirstRow,
    k: focusFirstRow,
    ...Object.fromEntries(Object.entries(rowHotkeys).map(([key, action]) => [key, createRowHandler(action)])),
  })
}

function usePrefetch<Row>(pages: Pages<Row>, lastRenderedIndex: number): void {
  const { rows, error, hasNextPage, isFetchingNextPage, fetchNextPage } = pages
  const isNearEnd = lastRenderedIndex >= rows.length - PREFETCH_ROWS
  useEffect(() => {
    if (isNearEnd && hasNextPage && !isFetchingNextPage && error === null) void fetchNextPage()
  }, [isNearEnd, hasNextPage, isFetchingNextPage, error, fetchNextPage])
}

interface HeadRowProps<Row> {
  readonly columns: readonly Column<Row>[]
  readonly sort: ListSort | undefined
}

function HeadRow<Row>({ columns, sort }: HeadRowProps<Row>) {
  const t = useText()
  return (
    <thead className="sticky top-0 z-10 bg-panel shadow-[0_1px_0_var(--line)]">
      <tr aria-rowindex={1}>
        {columns.map((column) => (
          <th
            key={column.key}
            scope="col"
            aria-sort={getSortDirection(column.sortKey, sort?.order)}
            className={clsx(
              'px-3 py-2 text-xs font-medium text-muted',
              column.align === 'end' ? 'text-end' : 'text-start',
              column.width,
              column.visibleFrom && VISIBLE_FROM_CLASSES[column.visibleFrom],
            )}
          >
            {column.sortKey !== undefined && sort !== undefined ? (
              <SortButton title={column.title} sortKey={column.sortKey} sort={sort} />
            ) : (
              (column.head ?? (column.title === '' ? <span className="sr-only">{t('Actions')}</span> : column.title))
            )}
          </th>
        ))}
      </tr>
    </thead>
  )
}

function getSortDirection(sortKey: string | undefined, order: string | undefined) {
  if (sortKey === undefined || order?.replace('-', '') !== sortKey) return undefined
  return order === sortKey ? 'ascending' : 'descending'
}

const SORT_ICONS = { ascending: ArrowUp, descending: ArrowDown, none: ChevronsUpDown }

/** Cycles through a column's sort orders: descending, ascending, default. */
function SortButton({
  title,
  sortKey,
  sort,
}: {
  readonly title: string
  readonly sortKey: string
  readonly sort: ListSort
}) {
  const direction = getSortDirection(sortKey, sort.order) ?? 'none'
  const nextOrders = { none: `-${sortKey}`, descending: sortKey, ascending: undefined }
  const Icon = SORT_ICONS[direction]
  return (
    <button
      type="button"
      onClick={() => sort.onChange(nextOrders[direction])}
      className="inline-flex min-h-6 cursor-pointer items-center gap-1 rounded hover:text-ink"
    >
      {title}
      <Icon aria-hidden="true" className={clsx('size-3.5 shrink-0', direction === 'none' && 'max-md:hidden')} />
    </button>
  )
}

interface BodyRowProps<Row> extends Pick<DataListProps<Row>, 'columns'> {
  readonly row: Row
  readonly onOpen: DataListProps<Row>['onOpen'] | undefined
  readonly layout: {
    readonly index: number
    readonly measureRef: Ref<HTMLTableRowElement>
    readonly body: RefObject<HTMLTableSectionElement | null>
  }
}

function BodyRow<Row>({ row, columns, onOpen, layout: { index, measureRef, body } }: BodyRowProps<Row>) {
  return (
    <tr
      ref={measureRef}
      data-index={index}
      aria-rowindex={index + 2}
      className={clsx('border-t border-line', onOpen && 'cursor-pointer hover:bg-sunken')}
      onClick={(event) => {
        if (!isNestedControl(event.target)) onOpen?.(row)
      }}
      onKeyDown={(event) => moveFocus(event, body.current)}
    >
      {columns.map((column) => (
        <td
          key={column.key}
          dir="auto"
          className={clsx(
            'h-12 px-3 py-1.5 align-middle',
            column.align === 'end' ? 'text-end tabular-nums' : 'text-start',
            column.visibleFrom && VISIBLE_FROM_CLASSES[column.visibleFrom],
          )}
        >
          {column.cell(row)}
        </td>
      ))}
    </tr>
  )
}

function RowCount<Row>({ pages: { rows, hasNextPage, isFetchingNextPage } }: Pick<DataListProps<Row>, 'pages'>) {
  const t = useText()
  return (
    <div className="flex min-h-6 items-center justify-between gap-3 text-muted" aria-live="polite">
      <span>
        {hasNextPage
          ? t('{count, plural, one {# row loaded} other {# rows loaded}}', { count: rows.length })
          : t('{count, plural, one {# row} other {# rows}}', { count: rows.length })}
      </span>
      {isFetchingNextPage && <span>{t('Loading more…')}</span>}
    </div>
  )
}

/** Displays a problem below the loaded rows. */
function PageProblem<Row>({ pages, problem }: Pick<DataListProps<Row>, 'pages'> & { readonly problem: Error }) {
  const t = useText()
  const { hasNextPage, fetchNextPage, refetch } = pages
  return (
    <div className="flex flex-col items-start gap-2">
      <ProblemNote problem={problem} />
      <Button onClick={() => void (hasNextPage ? fetchNextPage() : refetch())}>{t('Try again')}</Button>
    </div>
  )
}

/** Reserves the space of rows that are not rendered. */
function Spacer({ height }: { readonly height: number }) {
  if (height <= 0) return null
  return (
    <tr>
      <td style={{ height, padding: 0 }} />
    </tr>
  )
}

function isNestedControl(target: EventTarget): boolean {
  return (
    target instanceof Element && target.closest('a, button, input, select, textarea, label, [role=menuitem]') !== null
  )
}

/** Moves the focus between rows on `j`, `k`, or an arrow key. */
function moveFocus(event: KeyboardEvent<HTMLTableRowElement>, body: HTMLTableSectionElement | null): void {
  const isDown = event.key === 'j' || event.key === 'ArrowDown'
  const isUp = event.key === 'k' || event.key === 'ArrowUp'
  if ((!isDown && !isUp) || body === null || event.ctrlKey || event.metaKey) return
  if (event.target instanceof HTMLElement && event.target.matches('input, textarea, select')) return
  const rows = [...body.querySelectorAll<HTMLTableRowElement>('tr[data-index]')]
  const next = rows[rows.indexOf(event.currentTarget) + (isDown ? 1 : -1)]
  const link = next?.querySelector<HTMLElement>('a, button')
  if (link === null || link === undefined) return
  event.preventDefault()
  link.focus()
}

/** Returns the index of the focused row, or -1 if no row has the focus. */
function findFocusedIndex(body: HTMLTableSectionElement | null): number {
  const row = document.activeElement?.closest<HTMLElement>('tr[data-index]')
  return row && body?.contains(row) ? Number(row.dataset.index) : -1
}

function focusFirstRow(): void {
  document.querySelector<HTMLElement>('tr[data-index] a, tr[data-index] button')?.focus()
}
