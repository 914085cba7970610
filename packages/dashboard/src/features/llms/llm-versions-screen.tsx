import type { Llm } from '@parley/contract/llm'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { BackLink } from '../../components/back-link.tsx'
import { usePages, useRead } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { toLlmFields } from '../../parts/agent/agent-body.ts'
import { useFieldNames } from '../../parts/agent/field-names.ts'
import { llmApi } from '../../parts/engine/engine-api.ts'
import { EngineVersions } from '../../parts/engine/engine-versions.tsx'
import type { VersionsSearch } from '../../parts/versions/versions-search.ts'

export function LlmVersionsScreen() {
  const t = useText()
  const navigate = useNavigate()
  const workspaceId = useWorkspaceId()
  const { llmId = '' } = useParams({ strict: false })
  const name = useRead('getLlm', { path: { llmId } }).data?.display_name.trim()
  return (
    <EngineVersions
      api={llmApi}
      id={llmId}
      title={name ? t('Versions of {name}', { name }) : t('Versions')}
      backLink={
        <BackLink to="/$workspaceId/llms/$llmId" params={{ workspaceId, llmId }}>
          {name || llmId}
        </BackLink>
      }
      versions={usePages('listLlmVersions', { path: { llmId } })}
      toBody={(llm: Llm) => toLlmFields(llm)}
      getFieldName={useFieldNames()}
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
