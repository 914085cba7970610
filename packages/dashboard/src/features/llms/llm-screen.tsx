import type { Llm } from '@parley/contract/llm'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { type ReactNode, useMemo } from 'react'
import { DraftBar } from '../../components/editing/draft-bar.tsx'
import { DraftFields } from '../../components/editing/draft-fields.tsx'
import { TextField } from '../../components/fields.tsx'
import { Page, Panel } from '../../components/page.tsx'
import { RecordScreen } from '../../components/record-screen.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { notifyWithWarnings } from '../../components/toasts.tsx'
import { addWorkspace, refresh, useResponse } from '../../lib/api/hooks.ts'
import { type ApiResponse, request } from '../../lib/api/request.ts'
import { useDraft } from '../../lib/editing/draft.ts'
import { useDraftSaver } from '../../lib/editing/save.ts'
import { useText } from '../../lib/language.ts'
import { useCan } from '../../lib/session/rights.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { toLlmFields } from '../../parts/agent/agent-body.ts'
import { useFieldNames } from '../../parts/agent/field-names.ts'
import { BackToEngines, EngineActions } from '../../parts/engine/engine-actions.tsx'
import { listOperationsToRefetch, llmApi } from '../../parts/engine/engine-api.ts'
import { EngineState, UsedBy } from '../../parts/engine/engine-state.tsx'
import { TabLabel } from '../../parts/engine/tab-label.tsx'
import { KnowledgeSettings } from '../../parts/llm/knowledge-settings.tsx'
import { ModelSettings } from '../../parts/llm/model-settings.tsx'
import {
  type LlmSectionProps,
  OpeningSettings,
  PromptSettings,
  VariableSettings,
} from '../../parts/llm/prompt-settings.tsx'
import { StateSettings } from '../../parts/llm/state-settings.tsx'
import { ToolSettings } from '../../parts/llm/tool-settings.tsx'
import { countProblemsByTab, type LlmSearch, type LlmTab } from './llm-search.ts'

export function LlmScreen() {
  const t = useText()
  const { llmId = '' } = useParams({ strict: false })
  const llm = useResponse('getLlm', { path: { llmId } })
  return (
    <RecordScreen title={t('Prompt')} backLink={<BackToEngines api={llmApi} />} query={llm}>
      {(response) => <LlmEditor key={llmId} llmId={llmId} response={response} />}
    </RecordScreen>
  )
}

function LlmEditor({ llmId, response }: { readonly llmId: string; readonly response: ApiResponse<Llm> }) {
  const canEdit = useCan()('updateLlm')
  const { draft, saver } = useLlmDraft(llmId, response)
  const { value } = draft
  const name = value.display_name.trim() || llmId
  return (
    <Page
      title={name}
      backLink={<BackToEngines api={llmApi} />}
      titleExtra={<EngineState id={llmId} latest={draft.base.value} />}
      description={<UsedBy id={llmId} />}
      actions={
        <>
          <EngineActions<Llm> api={llmApi} pickWritableFields={toLlmFields} id={llmId} name={name} save={saver.save} />
          {canEdit && <DraftBar draft={draft} saver={saver} />}
        </>
      }
    >
      <DraftFields draft={draft} saver={saver} getFieldName={useFieldNames()}>
        <LlmTabs
          llmId={llmId}
          panelProps={{ value, onChange: draft.set, disabled: !canEdit }}
          problemCounts={countProblemsByTab(saver.problem?.details ?? [])}
        />
      </DraftFields>
    </Page>
  )
}

function useLlmDraft(llmId: string, response: ApiResponse<Llm>) {
  const t = useText()
  const client = useQueryClient()
  const workspaceId = useWorkspaceId()
  const latestSnapshot = useMemo(() => ({ value: response.value, etag: response.etag }), [response])
  const draft = useDraft<Llm>(`llm.${llmId}`, latestSnapshot)
  const path = { llmId }
  const saver = useDraftSaver<Llm>(draft, {
    async write(edits, etag) {
      const params = addWorkspace('updateLlm', { path, body: toLlmFields(edits) }, workspaceId)
      const updateResponse = await request('updateLlm', params, { ifMatch: etag })
      await refresh(client, listOperationsToRefetch(llmApi))
      const { warnings, ...value } = updateResponse.value
      notifyWithWarnings(t('Prompt saved'), warnings)
      return { value, etag: updateResponse.etag }
    },
    async read() {
      const { value, etag } = await request('getLlm', addWorkspace('getLlm', { path }, workspaceId))
      return { value, etag }
    },
  })
  return { draft, saver }
}

interface LlmTabsProps {
  readonly llmId: string
  readonly panelProps: LlmSectionProps
  readonly problemCounts: Readonly<Record<LlmTab, number>>
}

function LlmTabs({ llmId, panelProps, problemCounts }: LlmTabsProps) {
  const t = useText()
  const navigate = useNavigate()
  const workspaceId = useWorkspaceId()
  const { tab = 'prompt' } = useSearch({ strict: false }) as LlmSearch
  const buildTab = (name: LlmTab, label: string, content: ReactNode) => ({
    name,
    label: <TabLabel label={label} count={problemCounts[name]} />,
    content: <div className="flex max-w-5xl flex-col gap-5">{content}</div>,
  })
  return (
    <Tabs<LlmTab>
      label={t('Prompt settings')}
      value={tab}
      onChange={(selectedTab) =>
        void navigate({
          to: '/$workspaceId/llms/$llmId',
          params: { workspaceId, llmId },
          search: { tab: selectedTab },
          replace: true,
          resetScroll: false,
        })
      }
      tabs={[
        buildTab(
          'prompt',
          t('Prompt'),
          <>
            <NamePanel {...panelProps} />
            <PromptSettings {...panelProps} />
            <OpeningSettings {...panelProps} />
            <VariableSettings {...panelProps} />
          </>,
        ),
        buildTab('model', t('Model'), <ModelSettings {...panelProps} />),
        buildTab('tools', t('Tools'), <ToolSettings {...panelProps} />),
        buildTab('knowledge', t('Knowledge'), <KnowledgeSettings {...panelProps} />),
        buildTab('states', t('States'), <StateSettings {...panelProps} />),
      ]}
    />
  )
}

function NamePanel({ value, onChange, disabled }: LlmSectionProps) {
  const t = useText()
  return (
    <Panel>
      <TextField
        label={t('Name')}
        help={t('Only shown to your team.')}
        name="display_name"
        maxLength={200}
        value={value.display_name}
        onChange={(name) => onChange({ display_name: name })}
        disabled={disabled}
      />
    </Panel>
  )
}
