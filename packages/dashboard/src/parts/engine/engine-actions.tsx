import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Copy, Download, History, Send, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { BackToList } from '../../components/back-link.tsx'
import { Button, ButtonLink } from '../../components/button.tsx'
import { RowMenu } from '../../components/menu.tsx'
import { notifyError, notifyWithWarnings } from '../../components/toasts.tsx'
import { refresh } from '../../lib/api/hooks.ts'
import { downloadText } from '../../lib/download-text.ts'
import { useText } from '../../lib/language.ts'
import { useCan } from '../../lib/session/rights.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { type EngineApi, sendToEngine } from './engine-api.ts'
import { DeleteEngineDialog, PublishEngineDialog } from './engine-dialogs.tsx'

const MAX_NAME_LENGTH = 200

/** Props that depend on the kind of record: prompt or flow. */
export interface EngineKindProps<Value extends { readonly display_name: string }> {
  readonly api: EngineApi
  /** Returns the writable fields of a record. */
  readonly pickWritableFields: (value: Value) => object
  /** Formats an exported file. Without it, the menu has no export. */
  readonly format?: (value: Value) => string
}

/** Returns a function that opens a prompt or flow by ID, or the list without an ID. */
export function useOpenEngine({ kind }: EngineApi): (id?: string) => Promise<void> {
  const navigate = useNavigate()
  const workspaceId = useWorkspaceId()
  return async (id) => {
    if (id === undefined) {
      await navigate({ to: kind === 'llm' ? '/$workspaceId/llms' : '/$workspaceId/flows', params: { workspaceId } })
    } else if (kind === 'llm') {
      await navigate({ to: '/$workspaceId/llms/$llmId', params: { workspaceId, llmId: id } })
    } else await navigate({ to: '/$workspaceId/flows/$flowId', params: { workspaceId, flowId: id } })
  }
}

export function BackToEngines({ api: { kind, labels } }: { readonly api: EngineApi }) {
  const t = useText()
  return <BackToList to={kind === 'llm' ? '/$workspaceId/llms' : '/$workspaceId/flows'}>{t(labels.list)}</BackToList>
}

interface EngineMenuProps<Value extends { readonly display_name: string }> extends EngineKindProps<Value> {
  readonly id: string
  /** The record's name in a list. Absent on the record page. */
  readonly name?: string
  readonly onDelete: () => void
}

export function EngineMenu<Value extends { readonly display_name: string }>({
  api,
  id,
  name,
  pickWritableFields,
  format,
  onDelete,
}: EngineMenuProps<Value>) {
  const t = useText()
  const can = useCan()
  const client = useQueryClient()
  const openEngine = useOpenEngine(api)
  const target = { api, id, workspaceId: useWorkspaceId() }
  const read = async (): Promise<Value> => (await sendToEngine<Value>(target, 'read')).value

  async function duplicate(): Promise<void> {
    const value = await read()
    const originalName = value.display_name.trim()
    const copyName = originalName === '' ? '' : t('{name} (copy)', { name: originalName }).slice(0, MAX_NAME_LENGTH)
    type Created = Readonly<Record<EngineApi['idName'], string>> & { readonly warnings: readonly string[] }
    const body = { ...pickWritableFields(value), display_name: copyName, secrets_from: id }
    const createdRecord = (await sendToEngine<Created>(target, 'create', { body })).value
    await refresh(client, [api.operations.list])
    notifyWithWarnings(t(api.labels.duplicated), createdRecord.warnings)
    await openEngine(createdRecord[api.idName])
  }
  const withErrorNotification = (action: () => Promise<void>) => (): void =>
    void action().catch((error: unknown) => notifyError(error instanceof Error ? error.message : String(error)))

  return (
    <RowMenu
      {...(name !== undefined && { name })}
      items={[
        format !== undefined && {
          label: t('Export JSON'),
          icon: Download,
          onSelect: withErrorNotification(async () =>
            downloadText(`${id}.json`, format(await read()), 'application/json'),
          ),
        },
        can(api.operations.create) && { label: t('Duplicate'), icon: Copy, onSelect: withErrorNotification(duplicate) },
        can(api.operations.remove) && { label: t('Delete…'), icon: Trash2, kind: 'danger', onSelect: onDelete },
      ]}
    />
  )
}

interface EngineActionsProps<Value extends { readonly display_name: string }> extends EngineKindProps<Value> {
  readonly id: string
  readonly name: string
  /** Saves pending edits. Returns false to cancel publishing. */
  readonly save: () => Promise<boolean>
}

export function EngineActions<Value extends { readonly display_name: string }>({
  id,
  name,
  save,
  ...kind
}: EngineActionsProps<Value>) {
  const t = useText()
  const can = useCan()
  const { api } = kind
  const workspaceId = useWorkspaceId()
  const openEngine = useOpenEngine(api)
  const [openDialog, setOpenDialog] = useState<'publish' | 'delete' | null>(null)
  const closeDialog = (): void => setOpenDialog(null)
  return (
    <>
      <EngineMenu {...kind} id={id} onDelete={() => setOpenDialog('delete')} />
      {api.kind === 'llm' ? (
        <ButtonLink icon={History} to="/$workspaceId/llms/$llmId/versions" params={{ workspaceId, llmId: id }}>
          {t('Versions')}
        </ButtonLink>
      ) : (
        <ButtonLink icon={History} to="/$workspaceId/flows/$flowId/versions" params={{ workspaceId, flowId: id }}>
          {t('Versions')}
        </ButtonLink>
      )}
      {can(api.operations.publish) && (
        <Button icon={Send} onClick={() => setOpenDialog('publish')}>
          {t('Publish')}
        </Button>
      )}
      {openDialog === 'publish' && (
        <PublishEngineDialog api={api} id={id} version={null} beforePublish={save} onClose={closeDialog} />
      )}
      {openDialog === 'delete' && (
        <DeleteEngineDialog api={api} id={id} name={name} onClose={closeDialog} onDeleted={() => void openEngine()} />
      )}
    </>
  )
}
