import type { Llm } from '@parley/contract/llm'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { tellWithWarnings } from '../../components/toasts.tsx'
import { refresh } from '../../lib/api/hooks.ts'
import { now } from '../../lib/clock.ts'
import { type Draft, useDraft } from '../../lib/editing/draft.ts'
import type { Snapshot } from '../../lib/editing/draft-state.ts'
import { useText } from '../../lib/language.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { type AgentApi, type AnyAgent, refreshedBy } from './agent-kind.ts'
import { type AgentSaving, useAgentSaving } from './agent-saving.ts'
import { type EditOrder, NO_EDITS, noteEdit, planRedo, planUndo } from './edit-order.ts'

type DraftName = 'agent' | 'llm'

/** An agent and the LLM configuration that it answers with, edited and saved together. */
export interface AgentEditing<Value extends AnyAgent> {
  readonly agent: Draft<Value>
  readonly agentSaving: AgentSaving<Value>['agent']
  /** Null where the engine is none of our LLM configurations, or none is chosen. */
  readonly llm: Draft<Llm> | null
  readonly llmSaving: AgentSaving<Value>['llm']
  readonly isEdited: boolean
  readonly isSaving: boolean
  readonly canUndo: boolean
  readonly canRedo: boolean
  /** Saves both or neither; true when the server has all edits. */
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
  const t = useText()
  const client = useQueryClient()
  const workspaceId = useWorkspaceId()
  const llmId = newestLlm?.value.llm_id ?? null
  const llm = useDraft<Llm>(`llm.${llmId ?? 'none'}`, newestLlm ?? NO_LLM)
  const target = { workspaceId, agentId: agent.value.agent_id }
  const saving = useAgentSaving({ api, target, agent, llm })
  const order = useOrderedEdits({ agent, llm })

  return {
    agent: { ...agent, set: (changes) => order.set('agent', changes) },
    agentSaving: saving.agent,
    llm: llmId === null ? null : { ...llm, set: (changes) => order.set('llm', changes) },
    llmSaving: saving.llm,
    isEdited: agent.isEdited || llm.isEdited,
    isSaving: saving.isSaving,
    canUndo: agent.canUndo || llm.canUndo,
    canRedo: agent.canRedo || llm.canRedo,
    async save() {
      if (!agent.isEdited && !llm.isEdited) return true
      const warnings = await saving.save()
      if (warnings === null) return false
      tellWithWarnings(t('Saved.'), [...new Set(warnings)])
      await refresh(client, refreshedBy(api.operations))
      return true
    },
    undo: order.undo,
    redo: order.redo,
    discard() {
      agent.discard()
      llm.discard()
    },
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

/** Stands where an agent answers with something else than an LLM configuration; nothing of it is ever shown or saved. */
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
    responsiveness: 'fast',
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
