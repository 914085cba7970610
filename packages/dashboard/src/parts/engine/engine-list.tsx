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
    Pick<ListScreenProps<Row>, 'pages' | 'description' | 'create' | 'actions' | 'empty' | 'children'> {
  readonly columns?: readonly Column<Row>[]
}

export function EngineList<Row extends EngineRow, Value extends { readonly display_name: string }>({
  api,
  fieldsOf,
  format,
  columns = [],
  children,
  ...screen
}: EngineListProps<Row, Value>) {
  const t = useText()
  const kind = { api, fieldsOf, ...(format && { format }) }
  const workspaceId = useWorkspaceId()
  const open = useOpenEngine(api)
  const [deleted, setDeleted] = useState<Row | null>(null)
  const idOf = (row: Row): string => row[api.idName] ?? ''
  const nameOf = (row: Row): string => row.display_name.trim() || idOf(row)
  const users = useUsersColumn<Row>(idOf)
  const shown: readonly Column<Row>[] = [
    {
      key: 'name',
      title: t('Name'),
      cell: (row) =>
        api.kind === 'llm' ? (
          <RowLink to="/$workspaceId/llms/$llmId" params={{ workspaceId, llmId: idOf(row) }}>
            {nameOf(row)}
          </RowLink>
        ) : (
          <RowLink to="/$workspaceId/flows/$flowId" params={{ workspaceId, flowId: idOf(row) }}>
            {nameOf(row)}
          </RowLink>
        ),
    },
    ...users,
    ...columns,
    { key: 'version', title: t('Version'), from: 'sm', width: 'w-24', align: 'end', cell: ({ version }) => version },
    {
      key: 'actions',
      title: '',
      width: 'w-14',
      align: 'end',
      cell: (row) => <EngineMenu {...kind} id={idOf(row)} name={nameOf(row)} onDelete={() => setDeleted(row)} />,
    },
  ]
  return (
    <ListScreen
      {...screen}
      title={t(api.words.list)}
      columns={shown}
      rowKey={idOf}
      onOpen={(row) => void open(idOf(row))}
    >
      {children}
      {deleted && (
        <DeleteEngineDialog api={api} id={idOf(deleted)} name={nameOf(deleted)} onClose={() => setDeleted(null)} />
      )}
    </ListScreen>
  )
}
