import type { ConversationFlow } from '@parley/contract/conversation-flow'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { BackLink } from '../../components/back-link.tsx'
import { inWorkspace, usePages, useRead, useWrite } from '../../lib/api/hooks.ts'
import { request } from '../../lib/api/request.ts'
import { useText } from '../../lib/language.ts'
import { useMay } from '../../lib/session/rights.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { RecordVersions } from '../../parts/versions/record-versions.tsx'
import type { VersionsSearch } from '../../parts/versions/versions-search.ts'
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
  const path = { conversationFlowId: flowId }
  const versions = usePages('listConversationFlowVersions', { path })
  const name = useRead('getConversationFlow', { path }).data?.display_name.trim()
  const update = useWrite('updateConversationFlow', {
    refreshes: ['getConversationFlow', 'listConversationFlows', 'listConversationFlowVersions'],
  })
  const restore = async (old: ConversationFlow) =>
    (await update.mutateAsync({ path, body: { ...documentOf(old), replaceNodes: true } })).value
  return (
    <RecordVersions
      title={name ? t('Versions of {name}', { name }) : t('Versions of the flow')}
      back={
        <BackLink to="/$workspaceId/flows/$flowId" params={{ workspaceId, flowId }}>
          {name || flowId}
        </BackLink>
      }
      versions={versions}
      read={async (version, signal): Promise<ConversationFlow> => {
        const parts = inWorkspace('getConversationFlow', { path, query: { version } }, workspaceId)
        return (await request('getConversationFlow', parts, { ...(signal && { signal }) })).value
      }}
      toCompared={(flow) => documentOf(flow as ConversationFlow)}
      restore={may('updateConversationFlow') ? restore : null}
      mayPublish={may('publishConversationFlow')}
      publishDialog={(asked) => <PublishFlowDialog flowId={flowId} {...asked} />}
      readKey={['getConversationFlow', flowId]}
      nameOf={useFieldName()}
      search={useSearch({ strict: false }) as VersionsSearch}
      onSearch={(search) =>
        void navigate({
          to: '/$workspaceId/flows/$flowId/versions',
          params: { workspaceId, flowId },
          search,
          replace: true,
          resetScroll: false,
        })
      }
    />
  )
}
