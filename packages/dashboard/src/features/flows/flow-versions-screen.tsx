import type { ConversationFlowVersion } from '@parley/contract/conversation-flow'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { ChevronLeft, RotateCcw, Upload } from 'lucide-react'
import { useState } from 'react'
import type { MenuItem } from '../../components/menu.tsx'
import { complain, tellWithWarnings } from '../../components/toasts.tsx'
import { inWorkspace, usePages, useWrite } from '../../lib/api/hooks.ts'
import { request } from '../../lib/api/request.ts'
import { useText } from '../../lib/language.ts'
import { useMay } from '../../lib/session/rights.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import type { VersionsSearch } from '../../parts/versions/versions-search.ts'
import { VersionsView } from '../../parts/versions/versions-view.tsx'
import { documentOf } from './flow-document.ts'
import { useFieldName } from './flow-field-names.ts'
import { PublishFlowDialog } from './publish-flow-dialog.tsx'

/** The versions of a conversation flow. */
export function FlowVersionsScreen() {
  const t = useText()
  const may = useMay()
  const navigate = useNavigate()
  const workspaceId = useWorkspaceId()
  const { flowId = '' } = useParams({ strict: false })
  const search = useSearch({ strict: false }) as VersionsSearch
  const path = { conversationFlowId: flowId }
  const versions = usePages('listConversationFlowVersions', { path })
  const restore = useRestore(flowId)
  const [published, setPublished] = useState<number | null>(null)
  const newest = versions.rows[0]?.version
  const readVersion = async (version: number, signal?: AbortSignal) => {
    const parts = inWorkspace('getConversationFlow', { path, query: { version } }, workspaceId)
    return (await request('getConversationFlow', parts, signal === undefined ? {} : { signal })).value
  }
  const actionsOf = ({ version, is_published: isPublished }: ConversationFlowVersion): readonly MenuItem[] => [
    ...(may('publishConversationFlow') && !isPublished
      ? [{ label: t('Publish …'), icon: Upload, onSelect: () => setPublished(version) }]
      : []),
    ...(may('updateConversationFlow') && version !== newest
      ? [
          {
            label: t('Go on from this version'),
            icon: RotateCcw,
            onSelect: () => void restore(() => readVersion(version)),
          },
        ]
      : []),
  ]
  return (
    <>
      <VersionsView
        title={t('Versions of the flow')}
        description={t('A version that was used or published never changes again. The newest one is edited.')}
        back={<BackToFlow flowId={flowId} />}
        versions={versions}
        read={async (version, signal) => documentOf(await readVersion(version, signal))}
        readKey={['getConversationFlow', flowId]}
        nameOf={useFieldName()}
        actions={actionsOf}
        search={search}
        onSearch={(changed) =>
          void navigate({
            to: '/$workspaceId/flows/$flowId/versions',
            params: { workspaceId, flowId },
            search: changed,
            replace: true,
            resetScroll: false,
          })
        }
      />
      {published !== null && (
        <PublishFlowDialog flowId={flowId} version={published} onClose={() => setPublished(null)} />
      )}
    </>
  )
}

function BackToFlow({ flowId }: { readonly flowId: string }) {
  const workspaceId = useWorkspaceId()
  return (
    <Link
      to="/$workspaceId/flows/$flowId"
      params={{ workspaceId, flowId }}
      className="flex w-fit max-w-full items-center gap-1 text-muted hover:text-ink"
    >
      <ChevronLeft aria-hidden="true" className="size-4 shrink-0 rtl:rotate-180" />
      <span className="truncate">{flowId}</span>
    </Link>
  )
}

/** Makes what an older version holds the newest again; every version in between stays. */
function useRestore(flowId: string) {
  const t = useText()
  const update = useWrite('updateConversationFlow', {
    refreshes: ['getConversationFlow', 'listConversationFlows', 'listConversationFlowVersions'],
  })
  return async (read: () => Promise<Parameters<typeof documentOf>[0]>): Promise<void> => {
    try {
      const old = await read()
      const body = { ...documentOf(old), replaceNodes: true }
      const { value } = await update.mutateAsync({
        path: { conversationFlowId: flowId },
        body: body as never,
      })
      tellWithWarnings(
        t('Version {version} now holds what version {old} does.', { version: value.version, old: old.version }),
        value.warnings,
      )
    } catch (error) {
      complain(error instanceof Error ? error.message : String(error))
    }
  }
}
