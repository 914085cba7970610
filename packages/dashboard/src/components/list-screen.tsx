import { Link, type LinkProps } from '@tanstack/react-router'
import { type LucideIcon, Plus } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { OperationName } from '../lib/api/request.ts'
import { useHotkeys } from '../lib/keys/hotkeys.ts'
import { useCan } from '../lib/session/rights.ts'
import { Button } from './button.tsx'
import { type Column, DataList, type DataListProps } from './data-list.tsx'
import { RowMenu } from './menu.tsx'
import { Page } from './page.tsx'
import { Empty, type EmptyProps } from './states.tsx'

type RowLinkProps = Omit<LinkProps, 'children'> & { readonly children: ReactNode }

/** The name of a row, which opens the record. */
export function RowLink({ children, ...link }: RowLinkProps) {
  return (
    <Link {...link} dir="auto" className="line-clamp-2 font-medium break-words hover:underline">
      {children}
    </Link>
  )
}

/** An entry in the menu of a row. */
export interface RowAction<Row> {
  readonly label: string | ((row: Row) => string)
  readonly icon: LucideIcon
  readonly kind?: 'plain' | 'danger'
  /** Hides the entry from people who may not call the operation. */
  readonly needs?: OperationName
  /** Default: offered in every row. */
  readonly isOffered?: (row: Row) => boolean
  readonly onSelect?: (row: Row) => void
  /** Opens instead of `onSelect`. */
  readonly dialog?: (row: Row, onClose: () => void) => ReactNode
}

interface RowActions<Row> {
  readonly column: Column<Row>
  readonly dialog: ReactNode
  /** Runs the first action of a row; null without the right to it. */
  readonly runFirst: ((row: Row) => void) | null
}

/** The menu of every row, as the last column of a list, with the dialogs that it opens. */
export function useRowActions<Row>(nameOf: (row: Row) => string, actions: readonly RowAction<Row>[]): RowActions<Row> {
  const can = useCan()
  const [chosen, setChosen] = useState<{ readonly row: Row; readonly index: number } | null>(null)
  const allowed = actions.filter(({ needs }) => needs === undefined || can(needs))
  const run = (action: RowAction<Row>, row: Row): void =>
    action.onSelect === undefined ? setChosen({ row, index: actions.indexOf(action) }) : action.onSelect(row)
  const [first] = actions
  return {
    column: {
      key: 'actions',
      title: '',
      width: 'w-14',
      align: 'end',
      cell: (row) => {
        const offered = allowed.filter(({ isOffered }) => isOffered?.(row) ?? true)
        const items = offered.map((action) => ({
          label: typeof action.label === 'string' ? action.label : action.label(row),
          icon: action.icon,
          kind: action.kind ?? 'plain',
          onSelect: () => run(action, row),
        }))
        return <RowMenu name={nameOf(row)} items={items} />
      },
    },
    dialog: chosen && actions[chosen.index]?.dialog?.(chosen.row, () => setChosen(null)),
    runFirst: first !== undefined && allowed.includes(first) ? (row) => run(first, row) : null,
  }
}

interface Creation {
  readonly label: string
  readonly icon?: LucideIcon
  readonly isAllowed: boolean
  readonly dialog: (onClose: () => void) => ReactNode
}

export interface ListScreenProps<Row> extends Omit<DataListProps<Row>, 'label' | 'empty'> {
  readonly title: string
  /** Accessible name of the list; default: the title. */
  readonly label?: string
  /** Absent in a tab, whose page has its own heading. */
  readonly description?: string
  /** A back link. */
  readonly above?: ReactNode
  /** The main button, also on the key `n`, with its dialog. */
  readonly create?: Creation
  /** Buttons before the main one. */
  readonly actions?: ReactNode
  /** Filters above the list. */
  readonly filters?: ReactNode
  /** Shown without rows, with the main button unless it has another action. */
  readonly empty: EmptyProps
  readonly rowActions?: RowActions<Row>
  /** Below the list. */
  readonly children?: ReactNode
}

/** A page, or the content of a tab, with one list: create, filter, open and act on its rows. */
export function ListScreen<Row>(props: ListScreenProps<Row>) {
  const {
    title,
    label = title,
    description,
    above,
    create,
    actions,
    filters,
    empty,
    rowActions,
    children,
    columns,
    ...list
  } = props
  const [isCreating, setIsCreating] = useState(false)
  const open = (): void => setIsCreating(true)
  useHotkeys(create?.isAllowed === true ? { n: open } : {})
  const button = create?.isAllowed === true && (
    <Button kind="primary" icon={create.icon ?? Plus} onClick={open}>
      {create.label}
    </Button>
  )
  const content = (
    <>
      {filters}
      <DataList
        {...list}
        label={label}
        columns={rowActions === undefined ? columns : [...columns, rowActions.column]}
        empty={<Empty action={button} {...empty} />}
      />
      {children}
      {isCreating && create?.dialog(() => setIsCreating(false))}
      {rowActions?.dialog}
    </>
  )
  if (description !== undefined) {
    const buttons = (actions || button) && (
      <>
        {actions}
        {button}
      </>
    )
    return (
      <Page title={title} description={description} above={above} actions={buttons}>
        {content}
      </Page>
    )
  }
  return (
    <div className="flex flex-col gap-4">
      {button && <div className="flex justify-end">{button}</div>}
      {content}
    </div>
  )
}
