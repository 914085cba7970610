import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { type Column, DataList, type DataListProps } from '../../components/data-list.tsx'
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
  extends EngineKindProps<Value> {
  readonly pages: DataListProps<Row>['pages']
  readonly columns?: readonly Column<Row>[]
  readonly empty: ReactNode
}

export function EngineList<Row extends EngineRow, Value extends { readonly display_name: string }>({
  pages,
  columns = [],
  empty,
  ...kind
}: EngineListProps<Row, Value>) {
  const t = useText()
  const { api } = kind
  const workspaceId = useWorkspaceId()
  const open = useOpenEngine(api)
  const [deleted, setDeleted] = useState<Row | null>(null)
  const idOf = (row: Row): string => row[api.idName] ?? ''
  const nameOf = (row: Row): string => row.display_name.trim() || idOf(row)
  const users = useUsersColumn<Row>(idOf)
  const linkClass = 'line-clamp-2 font-medium break-words hover:underline'
  const shown: readonly Column<Row>[] = [
    {
      key: 'name',
      title: t('Name'),
      cell: (row) =>
        api.kind === 'llm' ? (
          <Link
            to="/$workspaceId/llms/$llmId"
            params={{ workspaceId, llmId: idOf(row) }}
            className={linkClass}
            dir="auto"
          >
            {nameOf(row)}
          </Link>
        ) : (
          <Link
            to="/$workspaceId/flows/$flowId"
            params={{ workspaceId, flowId: idOf(row) }}
            className={linkClass}
            dir="auto"
          >
            {nameOf(row)}
          </Link>
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
      cell: (row) => (
        <EngineMenu
          {...kind}
          id={idOf(row)}
          label={t('Actions for {name}', { name: nameOf(row) })}
          onDelete={() => setDeleted(row)}
        />
      ),
    },
  ]
  return (
    <>
      <DataList
        label={t(api.words.list)}
        pages={pages}
        columns={shown}
        rowKey={idOf}
        onOpen={(row) => void open(idOf(row))}
        empty={empty}
      />
      {deleted && (
        <DeleteEngineDialog api={api} id={idOf(deleted)} name={nameOf(deleted)} onClose={() => setDeleted(null)} />
      )}
    </>
  )
}
