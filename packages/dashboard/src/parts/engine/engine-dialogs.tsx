import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { DeleteDialog } from '../../components/dialog.tsx'
import { notify } from '../../components/toasts.tsx'
import { refresh } from '../../lib/api/hooks.ts'
import type { Problem } from '../../lib/api/problem.ts'
import { useText } from '../../lib/language.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { PublishDialog, type VersionNotes } from '../versions/publish-dialog.tsx'
import { type EngineApi, listOperationsToRefetch, sendToEngine } from './engine-api.ts'
import { type EngineUser, UserLink, useEngineUsers } from './engine-users.tsx'

interface EngineDialogProps {
  readonly api: EngineApi
  readonly id: string
  readonly onClose: () => void
}

/** Asks for confirmation before deleting a prompt or flow. If it is in use, lists the agents that use it. */
export function DeleteEngineDialog({
  api,
  id,
  name,
  onClose,
  onDeleted,
}: EngineDialogProps & { readonly name: string; readonly onDeleted?: () => void }) {
  const t = useText()
  const client = useQueryClient()
  const workspaceId = useWorkspaceId()
  const users = useEngineUsers()
  const deleteRecord = useMutation<unknown, Problem>({
    mutationFn: () => sendToEngine({ api, id, workspaceId }, 'remove'),
    onSuccess: async () => {
      notify(t(api.labels.deleted))
      onClose()
      onDeleted?.()
      await refresh(client, [api.operations.list])
    },
  })
  const rejection = deleteRecord.error?.code === 'in_use' ? deleteRecord.error : null
  return (
    <DeleteDialog
      open
      onOpenChange={onClose}
      title={t(api.labels.deleteTitle)}
      description={
        <>
          <p>{t(api.labels.deleteDescription)}</p>
          {rejection && (
            <div role="alert" className="mt-3 rounded-md bg-bad-soft px-3 py-2.5 text-bad">
              <p>{t(api.labels.inUse)}</p>
              <ul className="mt-1 list-disc ps-4">
                {listBlockingUsers(rejection, users === null ? [] : [...users.values()].flat()).map((user) => (
                  <li key={user.kind === null ? user.name : user.id}>
                    {user.kind === null ? <bdi>{user.name}</bdi> : <UserLink user={user} />}
                  </li>
                ))}
              </ul>
            </div>
          )}
        </>
      }
      name={name}
      label={t(api.labels.deleteButton)}
      isBusy={deleteRecord.isPending}
      problem={rejection ? null : deleteRecord.error}
      onDelete={() => deleteRecord.mutate()}
    />
  )
}

type NamedUser = Pick<EngineUser, 'kind' | 'id' | 'name'> | { readonly kind: null; readonly name: string }

/** Lists the agents that block a deletion. Agents that are not loaded have only a name. */
export function listBlockingUsers(
  { details }: Pick<Problem, 'details'>,
  knownUsers: readonly Pick<EngineUser, 'kind' | 'id' | 'name'>[],
): NamedUser[] {
  return details.map(({ message }) => {
    const id = /\(([^()]+)\)$/.exec(message)?.[1] ?? message.replace(/^used by /, '')
    return knownUsers.find((user) => user.id === id) ?? { kind: null, name: message.replace(/^used by /, '') }
  })
}

export interface PublishEngineProps extends EngineDialogProps {
  /** Null for the latest version. */
  readonly version: number | null
  /** Saves pending edits. Returns false to cancel publishing. */
  readonly beforePublish?: () => Promise<boolean>
}

/** Saves pending edits, then publishes a version of a prompt or flow. */
export function PublishEngineDialog({ api, id, version, beforePublish, onClose }: PublishEngineProps) {
  const t = useText()
  const client = useQueryClient()
  const workspaceId = useWorkspaceId()
  const [isSaving, setIsSaving] = useState(false)
  const publishVersion = useMutation<{ readonly version: number }, Problem, VersionNotes>({
    mutationFn: async (notes) => {
      const body = { ...(version !== null && { version }), ...notes }
      return (await sendToEngine<{ version: number }>({ api, id, workspaceId }, 'publish', { body })).value
    },
    onSuccess: async (publishedVersion) => {
      notify(t('Version {version} published', { version: publishedVersion.version }))
      onClose()
      await refresh(client, listOperationsToRefetch(api))
    },
  })
  async function saveAndPublish(notes: VersionNotes): Promise<void> {
    setIsSaving(true)
    const isSaved = (await beforePublish?.()) ?? true
    setIsSaving(false)
    if (isSaved) publishVersion.mutate(notes)
    else onClose()
  }
  return (
    <PublishDialog
      version={version}
      explanation={t('A published version never changes. The next edit starts a new version.')}
      isBusy={isSaving || publishVersion.isPending}
      problem={publishVersion.error}
      onPublish={(notes) => void saveAndPublish(notes)}
      onClose={onClose}
    />
  )
}
