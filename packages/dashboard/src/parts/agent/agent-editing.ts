import type { Llm } from '@parley/contract/llm'
import { useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { notifyWithWarnings } from '../../components/toasts.tsx'
import { refresh } from '../../lib/api/hooks.ts'
import { Problem } from '../../lib/api/problem.ts'
import { now } from '../../lib/clock.ts'
import { type Draft, useDraft } from '../../lib/editing/draft.ts'
import type { Snapshot } from '../../lib/editing/draft-state.ts'
import type { DraftSaver } from '../../lib/editing/save.ts'
import { useText } from '../../lib/language.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { type AgentApi, type AgentTarget, type AnyAgent, listOperationsToRefetch } from './agent-api.ts'
import { type EditHistory, EMPTY_HISTORY, planRedo, planUndo, recordEdit } from './edit-history.ts'
import { extractRecordProblem, type SaveOutcome, saveDraft } from './save-agent.ts'

type DraftName = 'agent' | 'llm'

/** An agent and its LLM configuration, which are edited and saved together. */
export interface AgentEditorState<Value extends AnyAgent> {
  readonly agent: Draft<Value>
  readonly agentSaver: AgentSaver<Value>['agent']
  /** Null if the agent has no LLM configuration. */
  readonly llm: Draft<Llm> | null
  readonly llmSaver: AgentSaver<Value>['llm']
  readonly isEdited: boolean
  readonly isSaving: boolean
  readonly canUndo: boolean
  readonly canRedo: boolean
  /** Saves both drafts or neither. Returns true if all edits are saved. */
  save(): Promise<boolean>
  undo(): void
  redo(): void
  discard(): void
}

export interface AgentEditorOptions<Value extends AnyAgent> {
  readonly api: AgentApi<Value>
  readonly agent: Draft<Value>
  readonly llm: Snapshot<Llm> | null
}

export function useAgentEditor<Value extends AnyAgent>({
  api,
  agent,
  llm: latestLlm,
}: AgentEditorOptions<Value>): AgentEditorState<Value> {
  const t = useText()
  const client = useQueryClient()
  const workspaceId = useWorkspaceId()
  const llmId = latestLlm?.value.llm_id ?? null
  const llm = useDraft<Llm>(`llm.${llmId ?? 'none'}`, latestLlm ?? NO_LLM)
  const target = { workspaceId, agentId: agent.value.agent_id }
  const saver = useAgentSaver({ api, target, agent, llm })
  const editHistory = useEditHistory({ agent, llm })

  return {
    agent: { ...agent, set: (changes) => editHistory.set('agent', changes) },
    agentSaver: saver.agent,
    llm: llmId === null ? null : { ...llm, set: (changes) => editHistory.set('llm', changes) },
    llmSaver: saver.llm,
    isEdited: agent.isEdited || llm.isEdited,
    isSaving: saver.isSaving,
    canUndo: agent.canUndo || llm.canUndo,
    canRedo: agent.canRedo || llm.canRedo,
    async save() {
      if (!agent.isEdited && !llm.isEdited) return true
      const warnings = await saver.save()
      if (warnings === null) return false
      notifyWithWarnings(t('Agent saved'), [...new Set(warnings)])
      await refresh(client, listOperationsToRefetch(api.operations))
      return true
    },
    undo: editHistory.undo,
    redo: editHistory.redo,
    discard() {
      agent.discard()
      llm.discard()
    },
  }
}

/** Combines both drafts into one undo history. A different engine starts a new history. */
function useEditHistory<Value extends AnyAgent>(drafts: { readonly agent: Draft<Value>; readonly llm: Draft<Llm> }) {
  const [history, setHistory] = useState<EditHistory<DraftName>>(EMPTY_HISTORY)
  const getDraft = (name: DraftName): Pick<Draft<object>, 'set' | 'undo' | 'redo' | 'canUndo' | 'canRedo'> =>
    drafts[name]
  return {
    set(name: DraftName, changes: object): void {
      getDraft(name).set(changes)
      setHistory((current) => recordEdit(current, name, { fields: Object.keys(changes), atMs: now() }))
    },
    undo(): void {
      const plan = planUndo(history, (name) => getDraft(name).canUndo)
      if (plan === null) drafts.agent.undo()
      else {
        getDraft(plan.name).undo()
        setHistory(plan.history)
      }
    },
    redo(): void {
      const plan = planRedo(history, (name) => getDraft(name).canRedo)
      if (plan === null) drafts.agent.redo()
      else {
        getDraft(plan.name).redo()
        setHistory(plan.history)
      }
    },
  }
}

/** Placeholder for agents without an LLM configuration; never displayed or saved. */
const NO_LLM: Snapshot<Llm> = {
  etag: null,
  value: {
    llm_id: '',
    workspaceId: 0,
    display_name: '',
    version: 1,
    model: '',
    model_temperature: null,
    general_prompt: '',
    begin_message: null,
    begin_after_user_silence_ms: null,
    responsiveness: 'balanced',
    general_tools: [],
    states: [],
    starting_state: null,
    mcps: [],
    knowledge_base_ids: [],
    kb_config: { top_k: 3, filter_score: 0 },
    default_dynamic_variables: {},
    is_published: false,
    is_frozen: false,
    version_title: null,
    version_description: null,
    created_at: '',
    updated_at: '',
  },
}

type RecordSaver<Value extends object> = Pick<DraftSaver<Value>, 'problem' | 'conflict' | 'resolve' | 'postpone'>

interface AgentSaver<Value extends AnyAgent> {
  readonly agent: RecordSaver<Value>
  readonly llm: RecordSaver<Llm>
  readonly isSaving: boolean
  /** Resolves with warnings, or with null if the edits were not saved. */
  save(): Promise<readonly string[] | null>
}

interface AgentSaverOptions<Value extends AnyAgent> {
  readonly api: AgentApi<Value>
  readonly target: AgentTarget
  readonly agent: Draft<Value>
  readonly llm: Draft<Llm>
}

/** Saves both drafts without overwriting other users' edits. */
function useAgentSaver<Value extends AnyAgent>({
  api,
  target,
  agent,
  llm,
}: AgentSaverOptions<Value>): AgentSaver<Value> {
  const [isSaving, setIsSaving] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  const [conflictingRecords, setConflictingRecords] = useState<ConflictingRecords<Value>>({ agent: null, llm: null })
  // Memoized so that each problem opens its tab only once.
  const problems = useMemo(
    () => ({ agent: extractRecordProblem(problem, 'agent'), llm: extractRecordProblem(problem, 'llm') }),
    [problem],
  )

  function applyOutcome(
    outcome: SaveOutcome<Value>,
    sentEdits: { readonly agent: Partial<Value>; readonly llm: Partial<Llm> },
  ) {
    setProblem(null)
    if (outcome.type === 'conflict') {
      setConflictingRecords(outcome)
      return null
    }
    if (agent.isEdited) agent.markSaved(sentEdits.agent, outcome.agent)
    if (llm.isEdited && outcome.llm) llm.markSaved(sentEdits.llm, outcome.llm)
    return outcome.warnings
  }

  async function save(): Promise<readonly string[] | null> {
    if (isSaving) return null
    const sentEdits = { agent: agent.edits, llm: llm.edits }
    setIsSaving(true)
    try {
      const outcome = await saveDraft({ api, target }, { agent: getEdits(agent), llm: getEdits(llm) })
      return applyOutcome(outcome, sentEdits)
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      setProblem(error)
      return null
    } finally {
      setIsSaving(false)
    }
  }

  return {
    save,
    isSaving,
    agent: {
      ...toConflictState(agent, conflictingRecords.agent, () =>
        setConflictingRecords((current) => ({ ...current, agent: null })),
      ),
      problem: agent.isEdited || llm.isEdited ? problems.agent : null,
    },
    llm: {
      ...toConflictState(llm, conflictingRecords.llm, () =>
        setConflictingRecords((current) => ({ ...current, llm: null })),
      ),
      problem: llm.isEdited ? problems.llm : null,
    },
  }
}

interface ConflictingRecords<Value extends AnyAgent> {
  readonly agent: Snapshot<Value> | null
  readonly llm: Snapshot<Llm> | null
}

const getEdits = <Value extends object>({ isEdited, base, edits }: Draft<Value>) => (isEdited ? { base, edits } : null)

function toConflictState<Value extends object>(
  draft: Draft<Value>,
  theirs: Snapshot<Value> | null,
  clearConflict: () => void,
): Pick<DraftSaver<Value>, 'conflict' | 'resolve' | 'postpone'> {
  return {
    conflict: theirs && { base: draft.base.value, theirs },
    resolve(choice) {
      if (theirs === null) return
      if (choice === 'keep-mine') draft.rebase(theirs)
      else draft.discard(theirs)
      clearConflict()
    },
    postpone: clearConflict,
  }
}
