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
import { EmptyState, type EmptyStateProps } from './states.tsx'

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
  /** Whether the entry is available for a row. Defaults to true. */
  readonly isAvailable?: (row: Row) => boolean
  readonly onSelect?: (row: Row) => void
  /** Renders a dialog instead of calling `onSelect`. */
  readonly dialog?: (row: Row, onClose: () => void) => ReactNode
}

interface RowActions<Row> {
  readonly column: Column<Row>
  readonly dialog: ReactNode
  /** Runs the first action on a row; null without permission. */
  readonly runFirstAction: ((row: Row) => void) | null
}

/** Builds the row menu as the last list column, plus the dialogs that the menu opens. */
export function useRowActions<Row>(getName: (row: Row) => string, actions: readonly RowAction<Row>[]): RowActions<Row> {
  const can = useCan()
  const [activeDialog, setActiveDialog] = useState<{ readonly row: Row; readonly index: number } | null>(null)
  const allowedActions = actions.filter(({ operation }) => operation === undefined || can(operation))
  const runAction = (action: RowAction<Row>, row: Row): void =>
    action.onSelect === undefined ? setActiveDialog({ row, index: actions.indexOf(action) }) : action.onSelect(row)
  const [firstAction] = actions
  return {
    column: {
      key: 'actions',
      title: '',
      width: 'w-14',
      align: 'end',
      cell: (row) => {
        const availableActions = allowedActions.filter(({ isAvailable }) => isAvailable?.(row) ?? true)
        const items = availableActions.map((action) => ({
          label: typeof action.label === 'string' ? action.label : action.label(row),
          icon: action.icon,
          kind: action.kind ?? 'plain',
          onSelect: () => runAction(action, row),
        }))
        return <RowMenu name={getName(row)} items={items} />
      },
    },
    dialog: activeDialog && actions[activeDialog.index]?.dialog?.(activeDialog.row, () => setActiveDialog(null)),
    runFirstAction:
      firstAction !== undefined && allowedActions.includes(firstAction) ? (row) => runAction(firstAction, row) : null,
  }
}

interface CreateAction {
  readonly label: string
  readonly icon?: LucideIcon
  readonly isAllowed: boolean
  readonly dialog: (onClose: () => void) => ReactNode
}

export interface ListScreenProps<Row> extends Omit<DataListProps<Row>, 'label' | 'emptyState'> {
  readonly title: string
  /** Accessible name of the list. Defaults to the title. */
  readonly label?: string
  /** Omit in a tab, because the page already has a heading. */
  readonly description?: string
  readonly backLink?: ReactNode
  /** The main button and its dialog. The `n` key opens the same dialog. */
  readonly createAction?: CreateAction
  /** Buttons before the main button. */
  readonly actions?: ReactNode
  /** Filters above the list. */
  readonly filters?: ReactNode
  /** Displayed instead of an empty list. Includes the main button unless another action is set. */
  readonly emptyState: EmptyStateProps
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
    backLink,
    createAction,
    actions,
    filters,
    emptyState,
    rowActions,
    children,
    columns,
    ...listProps
  } = props
  const [isCreating, setIsCreating] = useState(false)
  const openDialog = (): void => setIsCreating(true)
  useHotkeys(createAction?.isAllowed === true ? { n: openDialog } : {})
  const createButton = createAction?.isAllowed === true && (
    <Button kind="primary" icon={createAction.icon ?? Plus} onClick={openDialog}>
      {createAction.label}
    </Button>
  )
  const content = (
    <>
      {filters}
      <DataList
        {...listProps}
        label={label}
        columns={rowActions === undefined ? columns : [...columns, rowActions.column]}
        emptyState={<EmptyState action={createButton} {...emptyState} />}
      />
      {children}
      {isCreating && createAction?.dialog(() => setIsCreating(false))}
      {rowActions?.dialog}
    </>
  )
  if (description !== undefined) {
    const buttons = (actions || createButton) && (
      <>
        {actions}
        {createButton}
      </>
    )
    return (
      <Page title={title} description={description} backLink={backLink} actions={buttons}>
        {content}
      </Page>
    )
  }
  return (
    <div className="flex flex-col gap-4">
      {createButton && <div className="flex justify-end">{createButton}</div>}
      {content}
    </div>
  )
}
