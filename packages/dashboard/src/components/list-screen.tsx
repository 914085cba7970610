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

/** Renders the name of a row as a link that opens the record. */
export function RowLink({ children, ...link }: RowLinkProps) {
  return (
    <Link {...link} dir="auto" className="line-clamp-2 font-medium break-words hover:underline">
      {children}
    </Link>
  )
}

/** An entry in a row menu. */
export interface RowAction<Row> {
  readonly label: string | ((row: Row) => string)
  readonly icon: LucideIcon
  readonly kind?: 'plain' | 'danger'
  /** Operation that the entry calls. The menu hides the entry from users without permission. */
  readonly operation?: OperationName
  /** Whether a row offers the entry. Defaults to true. */
  readonly isOffered?: (row: Row) => boolean
  readonly onSelect?: (row: Row) => void
  /** Renders a dialog instead of calling `onSelect`. */
  readonly dialog?: (row: Row, onClose: () => void) => ReactNode
}

interface RowActions<Row> {
  readonly column: Column<Row>
  readonly dialog: ReactNode
  /** Runs the first action of a row; null without permission. */
  readonly runFirst: ((row: Row) => void) | null
}

/** Builds the row menu as the last list column, plus the dialogs that the menu opens. */
export function useRowActions<Row>(getName: (row: Row) => string, actions: readonly RowAction<Row>[]): RowActions<Row> {
  const can = useCan()
  const [selected, setSelected] = useState<{ readonly row: Row; readonly index: number } | null>(null)
  const allowedActions = actions.filter(({ operation }) => operation === undefined || can(operation))
  const runAction = (action: RowAction<Row>, row: Row): void =>
    action.onSelect === undefined ? setSelected({ row, index: actions.indexOf(action) }) : action.onSelect(row)
  const [firstAction] = actions
  return {
    column: {
      key: 'actions',
      title: '',
      width: 'w-14',
      align: 'end',
      cell: (row) => {
        const offeredActions = allowedActions.filter(({ isOffered }) => isOffered?.(row) ?? true)
        const items = offeredActions.map((action) => ({
          label: typeof action.label === 'string' ? action.label : action.label(row),
          icon: action.icon,
          kind: action.kind ?? 'plain',
          onSelect: () => runAction(action, row),
        }))
        return <RowMenu name={getName(row)} items={items} />
      },
    },
    dialog: selected && actions[selected.index]?.dialog?.(selected.row, () => setSelected(null)),
    runFirst:
      firstAction !== undefined && allowedActions.includes(firstAction) ? (row) => runAction(firstAction, row) : null,
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
  /** Accessible name of the list. Defaults to the title. */
  readonly label?: string
  /** Omit in a tab, because the page already has a heading. */
  readonly description?: string
  /** A back link. */
  readonly above?: ReactNode
  /** The main button and its dialog. The `n` key opens the same dialog. */
  readonly create?: Creation
  /** Buttons before the main button. */
  readonly actions?: ReactNode
  /** Filters above the list. */
  readonly filters?: ReactNode
  /** Replaces an empty list. Includes the main button unless another action is set. */
  readonly empty: EmptyProps
  readonly rowActions?: RowActions<Row>
  /** Content below the list. */
  readonly children?: ReactNode
}

/** Renders a page or tab with one list, including create, filter, open, and row actions. */
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
    ...listProps
  } = props
  const [isCreating, setIsCreating] = useState(false)
  const openDialog = (): void => setIsCreating(true)
  useHotkeys(create?.isAllowed === true ? { n: openDialog } : {})
  const button = create?.isAllowed === true && (
    <Button kind="primary" icon={create.icon ?? Plus} onClick={openDialog}>
      {create.label}
    </Button>
  )
  const content = (
    <>
      {filters}
      <DataList
        {...listProps}
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
