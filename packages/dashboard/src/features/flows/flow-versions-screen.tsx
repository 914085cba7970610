import type { ConversationFlow } from '@parley/contract/conversation-flow'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { BackLink } from '../../components/back-link.tsx'
import { usePages, useRead } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { flowApi } from '../../parts/engine/engine-api.ts'
import { EngineVersions } from '../../parts/engine/engine-versions.tsx'
import type { VersionsSearch } from '../../parts/versions/versions-search.ts'
import { toDocument, useFieldLabel } from './flow-document.ts'

export function FlowVersionsScreen() {
  const t = useText()
  const navigate = useNavigate()
  const workspaceId = useWorkspaceId()
  const { flowId = '' } = useParams({ strict: false })
  const path = { conversationFlowId: flowId }
  const name = useRead('getConversationFlow', { path }).data?.display_name.trim()
  return (
    <EngineVersions
      api={flowApi}
      id={flowId}
      title={name ? t('Versions of {name}', { name }) : t('Versions')}
      backLink={
        <BackLink to="/$workspaceId/flows/$flowId" params={{ workspaceId, flowId }}>
          {name || flowId}
        </BackLink>
      }
      versions={usePages('listConversationFlowVersions', { path })}
      toComparable={(flow) => toDocument(flow as ConversationFlow)}
      toBody={(version: ConversationFlow) => ({ ...toDocument(version), replaceNodes: true })}
      getFieldName={useFieldLabel()}
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
