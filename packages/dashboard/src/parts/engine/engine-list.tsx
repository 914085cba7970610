import { useState } from 'react'
import type { Column } from '../../components/data-list.tsx'
import type { ListScreenProps } from '../../components/list-screen.tsx'
import { ListScreen, RowLink } from '../../components/list-screen.tsx'
import { useText } from '../../lib/language.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { type EngineKindProps, EngineMenu, useOpenEngine } from './engine-actions.tsx'
import type { EngineApi } from './engine-api.ts'
import { DeleteEngineDialog } from './engine-dialogs.tsx'
import { useUsersColumn } from './engine-state.tsx'

type EngineRow = { readonly display_name: string; readonly version: number } & Partial<
  Readonly<Record<EngineApi['idName'], string>>
>

interface EngineListProps<Row extends EngineRow, Value extends { readonly display_name: string }>
  extends EngineKindProps<Value>,
    Pick<ListScreenProps<Row>, 'pages' | 'description' | 'createAction' | 'actions' | 'emptyState' | 'children'> {
  readonly columns?: readonly Column<Row>[]
}

export function EngineList<Row extends EngineRow, Value extends { readonly display_name: string }>({
  api,
  pickWritableFields,
  format,
  columns = [],
  children,
  ...screen
}: EngineListProps<Row, Value>) {
  const t = useText()
  const kind = { api, pickWritableFields, ...(format && { format }) }
  const workspaceId = useWorkspaceId()
  const openEngine = useOpenEngine(api)
  const [rowToDelete, setRowToDelete] = useState<Row | null>(null)
  const getId = (row: Row): string => row[api.idName] ?? ''
  const getName = (row: Row): string => row.display_name.trim() || getId(row)
  const usersColumns = useUsersColumn<Row>(getId)
  const visibleColumns: readonly Column<Row>[] = [
    {
      key: 'name',
      title: t('Name'),
      cell: (row) =>
        api.kind === 'llm' ? (
          <RowLink to="/$workspaceId/llms/$llmId" params={{ workspaceId, llmId: getId(row) }}>
            {getName(row)}
          </RowLink>
        ) : (
          <RowLink to="/$workspaceId/flows/$flowId" params={{ workspaceId, flowId: getId(row) }}>
            {getName(row)}
          </RowLink>
        ),
    },
    ...usersColumns,
    ...columns,
    {
      key: 'version',
      title: t('Version'),
      visibleFrom: 'sm',
      width: 'w-24',
      align: 'end',
      cell: ({ version }) => version,
    },
    {
      key: 'actions',
      title: '',
      width: 'w-14',
      align: 'end',
      cell: (row) => <EngineMenu {...kind} id={getId(row)} name={getName(row)} onDelete={() => setRowToDelete(row)} />,
    },
  ]
  return (
    <ListScreen
      {...screen}
      title={t(api.labels.list)}
      columns={visibleColumns}
      getRowKey={getId}
      onOpen={(row) => void openEngine(getId(row))}
    >
      {children}
      {rowToDelete && (
        <DeleteEngineDialog
          api={api}
          id={getId(rowToDelete)}
          name={getName(rowToDelete)}
          onClose={() => setRowToDelete(null)}
        />
      )}
    </ListScreen>
  )
}
