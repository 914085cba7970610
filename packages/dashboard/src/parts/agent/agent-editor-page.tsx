import type { Llm } from '@parley/contract/llm'
import type { ResponseEngine } from '@parley/contract/response-engine'
import { Send } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { CopyText } from '../../components/copy-button.tsx'
import { ConflictDialog } from '../../components/editing/conflict-dialog.tsx'
import { SaveBar } from '../../components/editing/save-bar.tsx'
import { Page } from '../../components/page.tsx'
import { ProblemNote } from '../../components/states.tsx'
import type { Problem } from '../../lib/api/problem.ts'
import type { Draft } from '../../lib/editing/draft.ts'
import type { Snapshot } from '../../lib/editing/draft-state.ts'
import { useText } from '../../lib/language.ts'
import { useMay } from '../../lib/session/rights.ts'
import { PublishDialog } from '../versions/publish-dialog.tsx'
import { type AgentEditing, useAgentEditing } from './agent-editing.ts'
import type { AnyAgent } from './agent-kind.ts'
import { AgentMenu } from './agent-menu.tsx'
import { AGENT_WORDS } from './agent-words.ts'
import { usePublishAgent } from './agent-writes.ts'
import type { AgentEditorProps } from './editor-parts.ts'
import { isBehind } from './engine.ts'
import { EstimatePanel } from './estimate-panel.tsx'
import { useFieldNames } from './field-names.ts'
import { promptVariablesOf } from './prompt-variables.ts'
import { SettingsTabs } from './settings-tabs.tsx'
import { TestColumn } from './test-column.tsx'

export interface AgentEditorPageProps<Value extends AnyAgent, TabName extends string>
  extends AgentEditorProps<Value, TabName> {
  readonly agent: Draft<Value>
  readonly newestLlm: Snapshot<Llm> | null
  readonly llmProblem: ReactNode
}

/** The page of an agent once everything is read. */
export function AgentEditorPage<Value extends AnyAgent, TabName extends string>(
  props: AgentEditorPageProps<Value, TabName>,
) {
  const { api, agentId, newestLlm, llmProblem } = props
  const t = useText()
  const may = useMay()
  const editing = useAgentEditing({ api, agent: props.agent, llm: newestLlm })
  const { agent, llm } = editing
  const isFixed = !may(api.operations.update)
  const isLlmFixed = !may('updateLlm')
  const tabs = props.tabsOf({
    value: agent.value,
    onChange: agent.set,
    disabled: isFixed,
    llm: llm && { value: llm.value, onChange: llm.set, disabled: isLlmFixed },
    llmProblem,
  })
  const problems = { llmProblem: editing.llmSaving.problem, agentProblem: editing.agentSaving.problem }
  return (
    <Page
      title={agent.base.value.agent_name || t('Without a name')}
      above={props.back}
      beside={
        <>
          <AgentBadges agent={agent.base.value} />
          <CopyText text={agentId} />
        </>
      }
      actions={<Actions {...props} editing={editing} isFixed={isFixed} />}
    >
      <Problems {...problems} />
      {llm && (
        <EngineNotice
          engine={agent.value.response_engine}
          newestVersion={llm.base.value.version}
          disabled={isFixed}
          onFollow={(engine) => agent.set({ response_engine: engine } as Partial<Value>)}
        />
      )}
      <TestColumn
        agentId={agentId}
        kind={api.kind}
        beforeStart={editing.save}
        variableNames={promptVariablesOf(llm?.value ?? null)}
      >
        <div className="flex min-w-0 flex-col gap-5">
          <EstimatePanel agentId={agentId} kind={api.kind} llm={llm?.value ?? null} />
          <SettingsTabs tabs={tabs} value={props.tab} onChange={props.onTab} {...problems} />
        </div>
      </TestColumn>
      <Conflicts editing={editing} />
    </Page>
  )
}

function Actions<Value extends AnyAgent, TabName extends string>({
  api,
  agentId,
  versionsLink,
  onDeleted,
  editing,
  isFixed,
}: AgentEditorPageProps<Value, TabName> & { readonly editing: AgentEditing<Value>; readonly isFixed: boolean }) {
  const t = useText()
  const may = useMay()
  const [isPublishing, setIsPublishing] = useState(false)
  const publish = usePublishAgent(api)
  const { agent } = editing
  const begin = async (): Promise<void> => {
    publish.reset()
    if (await editing.save()) setIsPublishing(true)
  }
  return (
    <>
      {!isFixed && (
        <SaveBar
          {...editing}
          onSave={() => void editing.save()}
          onUndo={editing.undo}
          onRedo={editing.redo}
          onDiscard={editing.discard}
        />
      )}
      {versionsLink}
      {may(api.operations.publish) && (
        <Button icon={Send} busy={editing.isSaving} onClick={() => void begin()}>
          {t('Publish')}
        </Button>
      )}
      <AgentMenu api={api} agent={agent.base.value} onDeleted={onDeleted} />
      {isPublishing && (
        <PublishDialog
          version={agent.base.value.version}
          consequence={t(AGENT_WORDS[api.kind].publishConsequence)}
          isBusy={publish.isPending}
          problem={publish.error}
          onClose={() => setIsPublishing(false)}
          onPublish={(notes) =>
            publish.mutate({ agentId, etag: agent.base.etag, ...notes }, { onSuccess: () => setIsPublishing(false) })
          }
        />
      )}
    </>
  )
}

/** Why the last save failed: of either record, or of both. */
interface SaveProblems {
  readonly llmProblem: Problem | null
  readonly agentProblem: Problem | null
}

function Problems({ llmProblem, agentProblem }: SaveProblems) {
  const [first, second] = [llmProblem, agentProblem].filter((one) => one !== null)
  return (
    <>
      {first && <ProblemNote problem={first} />}
      {second && second.message !== first?.message && <ProblemNote problem={second} />}
    </>
  )
}

/** One question at a time: that of the configuration first. */
function Conflicts<Value extends AnyAgent>({ editing }: { readonly editing: AgentEditing<Value> }) {
  const nameOf = useFieldNames()
  const { agent, llm, agentSaving, llmSaving } = editing
  if (llm && llmSaving.conflict) {
    return (
      <ConflictDialog
        conflict={llmSaving.conflict}
        edits={llm.edits}
        nameOf={nameOf}
        onResolve={llmSaving.resolve}
        onPostpone={llmSaving.postpone}
      />
    )
  }
  return (
    <ConflictDialog
      conflict={agentSaving.conflict}
      edits={agent.edits}
      nameOf={nameOf}
      onResolve={agentSaving.resolve}
      onPostpone={agentSaving.postpone}
    />
  )
}

/** Which version this is and what became of it. */
function AgentBadges({
  agent: { version, is_published: isPublished, is_active: isActive, is_frozen: isFrozen },
}: {
  readonly agent: Pick<AnyAgent, 'version' | 'is_published' | 'is_active' | 'is_frozen'>
}) {
  const t = useText()
  return (
    <span className="flex flex-wrap items-center gap-1.5">
      <Badge>{t('Version {version}', { version })}</Badge>
      {isPublished ? (
        <Badge tone="good">{t('Published')}</Badge>
      ) : isFrozen ? (
        <Badge>{t('In use')}</Badge>
      ) : (
        <Badge tone="warn">{t('Draft')}</Badge>
      )}
      {isActive && <Badge tone="brand">{t('Active')}</Badge>}
    </span>
  )
}

/** Says that the agent answers with an older version of its prompt than the one that is shown and edited. */
function EngineNotice({
  engine,
  newestVersion,
  disabled,
  onFollow,
}: {
  readonly engine: ResponseEngine
  readonly newestVersion: number
  readonly disabled: boolean
  readonly onFollow: (engine: ResponseEngine) => void
}) {
  const t = useText()
  if (!isBehind(engine, newestVersion)) return null
  return (
    <div role="note" className="flex flex-wrap items-center gap-3 rounded-md bg-warn-soft px-3 py-2.5 text-warn">
      <p className="min-w-0 flex-1 basis-72">
        {t(
          'This agent answers with version {used} of its prompt, functions and knowledge. Shown and edited here is the newest, version {newest}.',
          { used: engine.version ?? newestVersion, newest: newestVersion },
        )}
      </p>
      {!disabled && (
        <Button onClick={() => onFollow({ ...engine, version: null })}>{t('Answer with the newest')}</Button>
      )}
    </div>
  )
}
