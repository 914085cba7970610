import type { Llm } from '@parley/contract/llm'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { BackLink } from '../../components/back-link.tsx'
import { inWorkspace, usePages, useRead, useWrite } from '../../lib/api/hooks.ts'
import { request } from '../../lib/api/request.ts'
import { useText } from '../../lib/language.ts'
import { useMay } from '../../lib/session/rights.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { llmFields } from '../../parts/agent/agent-body.ts'
import { RecordVersions } from '../../parts/versions/record-versions.tsx'
import type { VersionsSearch } from '../../parts/versions/versions-search.ts'
import { useLlmFieldName } from './llm-field-names.ts'
import { PublishLlmDialog } from './publish-llm-dialog.tsx'

/** The versions of an LLM configuration. */
export function LlmVersionsScreen() {
  const t = useText()
  const may = useMay()
  const navigate = useNavigate()
  const workspaceId = useWorkspaceId()
  const { llmId = '' } = useParams({ strict: false })
  const path = { llmId }
  const versions = usePages('listLlmVersions', { path })
  const name = useRead('getLlm', { path }).data?.display_name.trim()
  const update = useWrite('updateLlm', { refreshes: ['getLlm', 'listLlms', 'listLlmVersions'] })
  return (
    <RecordVersions
      title={name ? t('Versions of {name}', { name }) : t('Versions of the LLM configuration')}
      back={
        <BackLink to="/$workspaceId/llms/$llmId" params={{ workspaceId, llmId }}>
          {name || llmId}
        </BackLink>
      }
      versions={versions}
      read={async (version, signal): Promise<Llm> => {
        const parts = inWorkspace('getLlm', { path, query: { version } }, workspaceId)
        return (await request('getLlm', parts, { ...(signal && { signal }) })).value
      }}
      restore={
        may('updateLlm') ? async (old) => (await update.mutateAsync({ path, body: llmFields(old) })).value : null
      }
      mayPublish={may('publishLlm')}
      publishDialog={(asked) => <PublishLlmDialog llmId={llmId} {...asked} />}
      readKey={['getLlm', llmId]}
      nameOf={useLlmFieldName()}
      search={useSearch({ strict: false }) as VersionsSearch}
      onSearch={(search) =>
        void navigate({
          to: '/$workspaceId/llms/$llmId/versions',
          params: { workspaceId, llmId },
          search,
          replace: true,
          resetScroll: false,
        })
      }
    />
  )
}
