import { useMutation, useQueryClient } from '@tanstack/react-query'
import { RotateCcw, Send } from 'lucide-react'
import { useState } from 'react'
import type { MenuItem } from '../../components/menu.tsx'
import { notifyError, notifyWithWarnings } from '../../components/toasts.tsx'
import { refresh } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'
import { useCan } from '../../lib/session/rights.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { type VersionRow, VersionsView, type VersionsViewProps } from '../versions/versions-view.tsx'
import { type EngineApi, listOperationsToRefetch, sendToEngine } from './engine-api.ts'
import { PublishEngineDialog } from './engine-dialogs.tsx'
import { listLiveVersions, useEngineUsers } from './engine-users.tsx'

export interface EngineVersionsProps<Row extends VersionRow, Value extends object>
  extends Pick<
    VersionsViewProps<Row>,
    'title' | 'backLink' | 'versions' | 'toComparable' | 'getFieldName' | 'search' | 'onSearch'
  > {
  readonly api: EngineApi
  readonly id: string
  /** Builds the body that restores an older version. */
  readonly toBody: (oldVersion: Value) => object
}

/** Lists the versions of a prompt or flow so that users can compare, publish, and restore them. */
export function EngineVersions<Row extends VersionRow, Value extends object>({
  api,
  id,
  toBody,
  ...view
}: EngineVersionsProps<Row, Value>) {
  const t = useText()
  const can = useCan()
  const client = useQueryClient()
  const workspaceId = useWorkspaceId()
  const [versionToPublish, setVersionToPublish] = useState<number | null>(null)
  const latestVersion = view.versions.rows[0]?.version ?? 1
  const liveVersions = listLiveVersions(useEngineUsers()?.get(id) ?? [], latestVersion)
  const target = { api, id, workspaceId }
  const read = async (version: number, signal?: AbortSignal): Promise<Value> =>
    (await sendToEngine<Value>(target, 'read', { query: { version }, ...(signal && { signal }) })).value
  const restoreVersion = useMutation({
    mutationFn: async (version: number) => {
      const body = toBody(await read(version))
      type Restored = { readonly version: number; readonly warnings: readonly string[] }
      return (await sendToEngine<Restored>(target, 'update', { body })).value
    },
    onSuccess: async (restoredVersion, version) => {
      notifyWithWarnings(
        t('Version {version} restored as version {latest}', { version, latest: restoredVersion.version }),
        restoredVersion.warnings,
      )
      await refresh(client, listOperationsToRefetch(api))
    },
    onError: ({ message }) => notifyError(message),
  })
  const buildActions = ({ version, is_published: isPublished }: Row): readonly (MenuItem | false)[] => [
    can(api.operations.publish) &&
      !isPublished && { label: t('Publish…'), icon: Send, onSelect: () => setVersionToPublish(version) },
    can(api.operations.update) &&
      version !== latestVersion && {
        label: t('Restore'),
        icon: RotateCcw,
        onSelect: () => restoreVersion.mutate(version),
      },
  ]
  return (
    <>
      <VersionsView
        {...view}
        description={t(
          'Used and published versions never change. Edits go to the latest version or start a new version.',
        )}
        read={read}
        readKey={[api.operations.read, id]}
        actions={buildActions}
        liveVersions={liveVersions}
      />
      {versionToPublish !== null && (
        <PublishEngineDialog api={api} id={id} version={versionToPublish} onClose={() => setVersionToPublish(null)} />
      )}
    </>
  )
}
