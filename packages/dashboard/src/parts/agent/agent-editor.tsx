import type { SettingTab } from '@parley/contract/agent-settings/setting-groups'
import type { Llm } from '@parley/contract/llm'
import type { ResponseEngine } from '@parley/contract/response-engine'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { History, Send } from 'lucide-react'
import { type ReactNode, useMemo, useState } from 'react'
import { BackLink } from '../../components/back-link.tsx'
import { Button, ButtonLink } from '../../components/button.tsx'
import { CopyText } from '../../components/copy-button.tsx'
import { ConflictDialog } from '../../components/editing/conflict-dialog.tsx'
import { SaveBar } from '../../components/editing/save-bar.tsx'
import { Page } from '../../components/page.tsx'
import { ProblemNote, ProblemPanel, QueryView, Skeleton } from '../../components/states.tsx'
import type { Problem } from '../../lib/api/problem.ts'
import type { ApiResponse } from '../../lib/api/request.ts'
import { type Draft, useDraft } from '../../lib/editing/draft.ts'
import type { Snapshot } from '../../lib/editing/draft-state.ts'
import { useText } from '../../lib/language.ts'
import { useCan } from '../../lib/session/rights.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { isLiveOnSave, UserLinks, useEngineUsers } from '../engine/engine-users.tsx'
import { listPromptVariables } from '../llm/variables.ts'
import { TestColumn } from '../test-panel/test-column.tsx'
import { TestPanel } from '../test-panel/test-panel.tsx'
import { PublishDialog } from '../versions/publish-dialog.tsx'
import { LiveNotice, VersionState } from '../versions/version-state.tsx'
import {
  AGENT_LABELS,
  AgentMenu,
  PUBLISH_DESCRIPTION,
  useAgent,
  useLatestLlm,
  usePublishAgent,
} from './agent-actions.tsx'
import type { AgentApi, AnyAgent } from './agent-api.ts'
import { type AgentEditorState, useAgentEditor } from './agent-editing.ts'
import { AGENT_PATHS, type AgentSearch } from './agent-search.ts'
import { AgentTabs } from './agent-tabs.tsx'
import { useAgentId } from './agent-versions.tsx'
import { getLlmId, isOutdated } from './engine.ts'
import { EstimatePanel } from './estimate-panel.tsx'
import { useFieldNames } from './field-names.ts'
import type { SectionProps, SharedSectionProps } from './settings/agent-part.ts'

interface AgentEditorProps<Value extends AnyAgent> {
  readonly api: AgentApi<Value>
  readonly settings: (props: SectionProps<Value> & { readonly tab: SettingTab }) => ReactNode
}

export function AgentEditor<Value extends AnyAgent>(props: AgentEditorProps<Value>) {
  const { api } = props
  const t = useText()
  const agentId = useAgentId()
  const query = useAgent(api, agentId)
  if (query.data !== undefined)
    return <EditorWithDraft key={agentId} {...props} agentId={agentId} latest={query.data} />
  return (
    <Page title={t(AGENT_LABELS[api.kind].singular)} backLink={<BackToListLink api={api} />}>
      <QueryView query={query} lines={8}>
        {() => null}
      </QueryView>
    </Page>
  )
}

function BackToListLink<Value extends AnyAgent>({ api }: Pick<AgentEditorProps<Value>, 'api'>) {
  const t = useText()
  return (
    <BackLink to={AGENT_PATHS[api.kind].list} params={{ workspaceId: useWorkspaceId() }}>
      {t(AGENT_LABELS[api.kind].list)}
    </BackLink>
  )
}

function EditorWithDraft<Value extends AnyAgent>({
  latest,
  ...props
}: AgentEditorProps<Value> & { readonly agentId: string; readonly latest: ApiResponse<Value> }) {
  const agent = useDraft<Value>(`agent.${props.agentId}`, latest)
  const llmId = getLlmId(agent.value.response_engine)
  return <EditorWithLlm key={llmId} {...props} agent={agent} llmId={llmId} />
}

function EditorWithLlm<Value extends AnyAgent>({
  llmId,
  ...props
}: AgentEditorProps<Value> & {
  readonly agentId: string
  readonly agent: Draft<Value>
  readonly llmId: string | null
}) {
  const { data, error, refetch } = useLatestLlm(llmId)
  const latestLlm = useMemo(() => (data === undefined ? null : { value: data.value, etag: data.etag }), [data])
  if (llmId !== null && latestLlm === null && error === null) {
    return (
      <Page title={props.agent.value.agent_name} backLink={<BackToListLink api={props.api} />}>
        <Skeleton lines={8} />
      </Page>
    )
  }
  const loadProblem = error && latestLlm === null && <ProblemPanel problem={error} onRetry={() => void refetch()} />
  // If the LLM configuration loads after a failure, the editor restarts to include its draft.
  return (
    <Editor key={latestLlm === null ? 'no-llm' : 'llm'} {...props} latestLlm={latestLlm} loadProblem={loadProblem} />
  )
}

interface EditorProps<Value extends AnyAgent> extends AgentEditorProps<Value> {
  readonly agentId: string
  readonly agent: Draft<Value>
  readonly latestLlm: Snapshot<Llm> | null
  readonly loadProblem: ReactNode
}

function Editor<Value extends AnyAgent>(props: EditorProps<Value>) {
  const { api, agentId, latestLlm, settings: Settings } = props
  const t = useText()
  const can = useCan()
  const { tab = 'prompt' } = useSearch({ strict: false }) as AgentSearch
  const openTab = useOpenTab(props)
  const editor = useAgentEditor({ api, agent: props.agent, llm: latestLlm })
  const { agent, llm } = editor
  const isReadOnly = !can(api.operations.update)
  const sectionProps = { value: agent.value, onChange: agent.set, disabled: isReadOnly }
  const problems = { llmProblem: editor.llmSaver.problem, agentProblem: editor.agentSaver.problem }
  return (
    <Page
      title={agent.base.value.agent_name || t('Unnamed')}
      backLink={<BackToListLink api={api} />}
      titleExtra={<AgentState api={api} agent={agent.base.value} />}
      description={isReadOnly ? undefined : <LiveWarning agent={agent.base.value} />}
      actions={<Actions {...props} editor={editor} isReadOnly={isReadOnly} />}
    >
      <Problems {...problems} />
      {llm && (
        <EngineNotice
          engine={agent.value.response_engine}
          latestVersion={llm.base.value.version}
          disabled={isReadOnly}
          onUseLatest={(engine) => agent.set({ response_engine: engine } as Partial<Value>)}
        />
      )}
      <TestColumn
        panel={
          <TestPanel
            agentId={agentId}
            kind={api.kind}
            onBeforeStart={editor.save}
            variableNames={listPromptVariables(llm?.value ?? null)}
          />
        }
      >
        <div className="flex min-w-0 flex-col gap-5">
          <EstimatePanel agentId={agentId} kind={api.kind} llm={llm?.value ?? null} />
          <AgentTabs
            kind={api.kind}
            tab={tab}
            onTabChange={openTab}
            {...problems}
            tabProps={{
              shared: sectionProps as object as SharedSectionProps,
              renderSettings: (name) => <Settings tab={name} {...sectionProps} />,
              llm: llm && { value: llm.value, onChange: llm.set, disabled: !can('updateLlm') },
              loadProblem: props.loadProblem,
            }}
          />
        </div>
      </TestColumn>
      <Conflicts editor={editor} />
    </Page>
  )
}

function useOpenTab<Value extends AnyAgent>({ api, agentId }: Pick<EditorProps<Value>, 'api' | 'agentId'>) {
  const navigate = useNavigate()
  const params = { workspaceId: useWorkspaceId(), agentId }
  const options = { params, replace: true, resetScroll: false } as const
  return (tab: NonNullable<AgentSearch['tab']>): void =>
    void navigate({ to: AGENT_PATHS[api.kind].editor, search: { tab }, ...options })
}

interface AgentStateProps<Value extends AnyAgent> {
  readonly api: AgentApi<Value>
  readonly agent: Value
}

function AgentState<Value extends AnyAgent>({ api, agent }: AgentStateProps<Value>) {
  const liveVersion = useAgent(api, agent.agent_id, 'active').data?.value.version
  return (
    <>
      <VersionState latest={agent} live={liveVersion ?? (agent.is_active ? agent.version : null)} />
      <CopyText text={agent.agent_id} />
    </>
  )
}

const MAX_LISTED_AGENTS = 3

/** Warns if saving affects live conversations of this agent or of agents with the same prompt. */
function LiveWarning({ agent }: { readonly agent: AnyAgent }) {
  const t = useText()
  const llmId = getLlmId(agent.response_engine)
  const users = useEngineUsers()?.get(llmId ?? '') ?? []
  const otherUsers = users.filter(({ id, isLiveOnSave: isLive }) => isLive && id !== agent.agent_id)
  const isAgentAffected = isLiveOnSave(agent)
  if (!isAgentAffected && otherUsers.length === 0) return null
  return (
    <LiveNotice>
      {isAgentAffected && t('Changes go live when you save, because no version is published yet.')}{' '}
      {otherUsers.length > 0 && (
        <>
          {t('Saving the prompt also changes:')} <UserLinks users={otherUsers} max={MAX_LISTED_AGENTS} />
        </>
      )}
    </LiveNotice>
  )
}

interface ActionsProps<Value extends AnyAgent> extends EditorProps<Value> {
  readonly editor: AgentEditorState<Value>
  readonly isReadOnly: boolean
}

function Actions<Value extends AnyAgent>({ api, agentId, editor, isReadOnly }: ActionsProps<Value>) {
  const t = useText()
  const can = useCan()
  const navigate = useNavigate()
  const workspaceId = useWorkspaceId()
  const [isPublishing, setIsPublishing] = useState(false)
  const publishAgent = usePublishAgent(api)
  const { agent } = editor
  const startPublishing = async (): Promise<void> => {
    publishAgent.reset()
    if (await editor.save()) setIsPublishing(true)
  }
  return (
    <>
      <AgentMenu
        api={api}
        agent={agent.base.value}
        onDeleted={() => void navigate({ to: AGENT_PATHS[api.kind].list, params: { workspaceId } })}
      />
      <ButtonLink icon={History} to={AGENT_PATHS[api.kind].versions} params={{ workspaceId, agentId }}>
        {t('Versions')}
      </ButtonLink>
      {can(api.operations.publish) && (
        <Button icon={Send} busy={editor.isSaving} onClick={() => void startPublishing()}>
          {t('Publish')}
        </Button>
      )}
      {!isReadOnly && (
        <SaveBar
          {...editor}
          onSave={() => void editor.save()}
          onUndo={editor.undo}
          onRedo={editor.redo}
          onDiscard={editor.discard}
        />
      )}
      {isPublishing && (
        <PublishDialog
          version={agent.base.value.version}
          explanation={t(PUBLISH_DESCRIPTION)}
          isBusy={publishAgent.isPending}
          problem={publishAgent.error}
          onClose={() => setIsPublishing(false)}
          onPublish={(notes) =>
            publishAgent.mutate(
              { agentId, etag: agent.base.etag, ...notes },
              { onSuccess: () => setIsPublishing(false) },
            )
          }
        />
      )}
    </>
  )
}

interface SaveProblems {
  readonly llmProblem: Problem | null
  readonly agentProblem: Problem | null
}

function Problems({ llmProblem, agentProblem }: SaveProblems) {
  const [firstProblem, secondProblem] = [llmProblem, agentProblem].filter((problem) => problem !== null)
  return (
    <>
      {firstProblem && <ProblemNote problem={firstProblem} />}
      {secondProblem && secondProblem.message !== firstProblem?.message && <ProblemNote problem={secondProblem} />}
    </>
  )
}

function Conflicts<Value extends AnyAgent>({ editor }: { readonly editor: AgentEditorState<Value> }) {
  const getFieldName = useFieldNames()
  const { agent, llm, agentSaver, llmSaver } = editor
  if (llm && llmSaver.conflict) {
    return (
      <ConflictDialog
        conflict={llmSaver.conflict}
        edits={llm.edits}
        getFieldName={getFieldName}
        onResolve={llmSaver.resolve}
        onPostpone={llmSaver.postpone}
      />
    )
  }
  return (
    <ConflictDialog
      conflict={agentSaver.conflict}
      edits={agent.edits}
      getFieldName={getFieldName}
      onResolve={agentSaver.resolve}
      onPostpone={agentSaver.postpone}
    />
  )
}

interface EngineNoticeProps {
  readonly engine: ResponseEngine
  readonly latestVersion: number
  readonly disabled: boolean
  readonly onUseLatest: (engine: ResponseEngine) => void
}

/** Warns if the agent uses an older prompt version than the one in the editor. */
function EngineNotice({ engine, latestVersion, disabled, onUseLatest }: EngineNoticeProps) {
  const t = useText()
  if (!isOutdated(engine, latestVersion)) return null
  return (
    <div role="note" className="flex flex-wrap items-center gap-3 rounded-md bg-warn-soft px-3 py-2.5 text-warn">
      <p className="min-w-0 flex-1 basis-72">
        {t('This agent uses version {used} of its prompt. You are editing version {latest}.', {
          used: engine.version ?? latestVersion,
          latest: latestVersion,
        })}
      </p>
      {!disabled && (
        <Button onClick={() => onUseLatest({ ...engine, version: null })}>{t('Use latest version')}</Button>
      )}
    </div>
  )
}
