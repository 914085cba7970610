import type { Llm } from '@parley/contract/llm'
import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { complain, tellWithWarnings } from '../../components/toasts.tsx'
import { refresh } from '../../lib/api/hooks.ts'
import { Problem } from '../../lib/api/problem.ts'
import { now } from '../../lib/clock.ts'
import { type Draft, useDraft } from '../../lib/editing/draft.ts'
import type { Snapshot } from '../../lib/editing/draft-state.ts'
import { type Saving, useSaving } from '../../lib/editing/save.ts'
import { useText } from '../../lib/language.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { type AgentApi, type AnyAgent, refreshedBy } from './agent-kind.ts'
import { type EditOrder, NO_EDITS, noteEdit, planRedo, planUndo } from './edit-order.ts'
import { NO_LLM } from './no-llm.ts'
import { followLlm, readLlm, type SaveRun, saveAgent, saveLlm } from './save-agent.ts'

type DraftName = 'agent' | 'llm'

/** An agent and the LLM configuration that it answers with, edited and saved together. */
export interface AgentEditing<Value extends AnyAgent> {
  readonly agent: Draft<Value>
  readonly agentSaving: Saving<Value>
  /** Null where the engine is none of our LLM configurations, or none is chosen. */
  readonly llm: Draft<Llm> | null
  readonly llmSaving: Saving<Llm>
  readonly isEdited: boolean
  readonly isSaving: boolean
  readonly canUndo: boolean
  readonly canRedo: boolean
  /** Saves both; true when the server has all edits. */
  save(): Promise<boolean>
  undo(): void
  redo(): void
  discard(): void
}

export interface AgentEditingOptions<Value extends AnyAgent> {
  readonly api: AgentApi<Value>
  readonly agent: Draft<Value>
  readonly llm: Snapshot<Llm> | null
}

export function useAgentEditing<Value extends AnyAgent>({
  api,
  agent,
  llm: newestLlm,
}: AgentEditingOptions<Value>): AgentEditing<Value> {
  const workspaceId = useWorkspaceId()
  const agentId = agent.value.agent_id
  const llmId = newestLlm?.value.llm_id ?? null
  const record = { api, target: { workspaceId, agentId } }
  const llmTarget = { workspaceId, llmId: llmId ?? '' }
  const run = useRef<SaveRun>({ llmVersion: null, warnings: [] })

  const llm = useDraft<Llm>(`llm.${llmId ?? 'none'}`, newestLlm ?? NO_LLM)
  const agentSaving = useSaving(agent, {
    write: (edits) => saveAgent(record, { base: agent.base, edits }, run.current),
    read: () => api.read(record.target, 'latest'),
  })
  const llmSaving = useSaving(llm, {
    write: (edits) => saveLlm(llmTarget, { base: llm.base, edits }, run.current),
    read: () => readLlm(llmTarget),
  })
  const order = useOrderedEdits({ agent, llm })
  const finish = useFinish(record)

  return {
    agent: { ...agent, set: (changes) => order.set('agent', changes) },
    agentSaving,
    llm: llmId === null ? null : { ...llm, set: (changes) => order.set('llm', changes) },
    llmSaving,
    isEdited: agent.isEdited || llm.isEdited,
    isSaving: agentSaving.isSaving || llmSaving.isSaving,
    canUndo: agent.canUndo || llm.canUndo,
    canRedo: agent.canRedo || llm.canRedo,
    async save() {
      if (!agent.isEdited && !llm.isEdited) return true
      run.current = { llmVersion: null, warnings: [] }
      const isLlmSaved = await llmSaving.save()
      const isAgentSaved = await agentSaving.save()
      await finish(run.current, { isLlmSaved, isAgentSaved })
      return isLlmSaved && isAgentSaved
    },
    undo: order.undo,
    redo: order.redo,
    discard() {
      agent.discard()
      llm.discard()
    },
  }
}

/** What follows a save: the agent takes the new version of its configuration, the page reads anew, and the person is told. */
function useFinish<Value extends AnyAgent>(record: Parameters<typeof followLlm<Value>>[0]) {
  const t = useText()
  const client = useQueryClient()
  return async (
    { llmVersion, warnings }: SaveRun,
    { isLlmSaved, isAgentSaved }: { readonly isLlmSaved: boolean; readonly isAgentSaved: boolean },
  ): Promise<void> => {
    try {
      if (llmVersion !== null && isAgentSaved) await followLlm(record, llmVersion)
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      complain(error.message)
    }
    if (isLlmSaved && isAgentSaved) tellWithWarnings(t('Saved.'), [...new Set(warnings)])
    await refresh(client, refreshedBy(record.api.operations))
  }
}

/** One undo for both drafts. Another engine begins a new order; edits of the agent from before it can still be undone. */
function useOrderedEdits<Value extends AnyAgent>(drafts: { readonly agent: Draft<Value>; readonly llm: Draft<Llm> }) {
  const [order, setOrder] = useState<EditOrder<DraftName>>(NO_EDITS)
  const draftOf = (name: DraftName): Pick<Draft<object>, 'set' | 'undo' | 'redo' | 'canUndo' | 'canRedo'> =>
    drafts[name]
  return {
    set(name: DraftName, changes: object): void {
      draftOf(name).set(changes)
      setOrder((current) => noteEdit(current, name, { fields: Object.keys(changes), atMs: now() }))
    },
    undo(): void {
      const plan = planUndo(order, (name) => draftOf(name).canUndo)
      if (plan === null) drafts.agent.undo()
      else {
        draftOf(plan.name).undo()
        setOrder(plan.order)
      }
    },
    redo(): void {
      const plan = planRedo(order, (name) => draftOf(name).canRedo)
      if (plan === null) drafts.agent.redo()
      else {
        draftOf(plan.name).redo()
        setOrder(plan.order)
      }
    },
  }
}
