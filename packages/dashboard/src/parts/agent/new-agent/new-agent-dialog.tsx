import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { FormDialog } from '../../../components/dialog.tsx'
import { FieldProblems } from '../../../components/field.tsx'
import { Tabs } from '../../../components/tabs.tsx'
import { complain, tellWithWarnings } from '../../../components/toasts.tsx'
import { refresh } from '../../../lib/api/hooks.ts'
import type { Problem } from '../../../lib/api/problem.ts'
import { request } from '../../../lib/api/request.ts'
import { useLanguage, useText } from '../../../lib/language.ts'
import { useWorkspaceId } from '../../../lib/workspace.ts'
import type { AgentApi, AnyAgent, NewAgent, Written } from '../agent-kind.ts'
import { AGENT_WORDS } from '../agent-words.ts'
import { createAgentWith, type PlannedAgent } from '../create-agent.ts'
import { ImportWay } from './import-way.tsx'
import { emptyForm, isComplete, type NewAgentForm, planAgent, type Way } from './new-agent-form.ts'
import { CustomWay, FlowWay, PromptWay } from './ways.tsx'

/** The tag that an agent speaks by default, for people who read the dashboard in a language. */
const FIRST_TAGS = { en: 'en-US', de: 'de-DE' } as const

export interface NewAgentDialogProps<Value extends AnyAgent> {
  readonly api: AgentApi<Value>
  /** What agents of the kind need beside what is asked for; null while that is being read. */
  readonly complete: ((settings: NewAgent<Value>) => NewAgent<Value>) | null
  /** Why it cannot be read. */
  readonly problem?: Problem | null
  readonly onClose: () => void
  readonly onCreated: (agentId: string) => void
}

/** Makes an agent: from a prompt, a flow, a server of one's own or a file. */
export function NewAgentDialog<Value extends AnyAgent>({
  api,
  complete,
  problem = null,
  onClose,
  onCreated,
}: NewAgentDialogProps<Value>) {
  const t = useText()
  const language = FIRST_TAGS[useLanguage()]
  const [form, setForm] = useState(() => emptyForm<Value>(language))
  const change = (changes: Partial<NewAgentForm<Value>>): void => setForm((current) => ({ ...current, ...changes }))
  const create = useCreate(api)
  const shown = create.error ?? problem
  const props = { form, onChange: change }
  return (
    <FormDialog
      open
      size="wide"
      onOpenChange={onClose}
      title={t(AGENT_WORDS[api.kind].create)}
      submitLabel={t('Create')}
      isBusy={create.isPending}
      canSubmit={complete !== null && isComplete(form)}
      problem={shown}
      onSubmit={() => {
        if (complete === null) return
        const planned = planAgent(form)
        create.mutate(
          { ...planned, agent: complete(planned.agent) },
          {
            onSuccess: (agentId) => {
              onClose()
              onCreated(agentId)
            },
          },
        )
      }}
    >
      <FieldProblems details={shown?.details ?? []}>
        <Tabs<Way>
          label={t('What it answers with')}
          value={form.way}
          onChange={(way) => {
            create.reset()
            change({ way })
          }}
          tabs={[
            { name: 'prompt', label: t('Prompt'), content: <PromptWay {...props} /> },
            { name: 'flow', label: t('Conversation flow'), content: <FlowWay {...props} /> },
            { name: 'custom', label: t('Own server'), content: <CustomWay {...props} /> },
            { name: 'import', label: t('Import JSON'), content: <ImportWay {...props} kind={api.kind} /> },
          ]}
        />
      </FieldProblems>
    </FormDialog>
  )
}

function useCreate<Value extends AnyAgent>(api: AgentApi<Value>) {
  const t = useText()
  const client = useQueryClient()
  const workspaceId = useWorkspaceId()
  return useMutation<string, Problem, PlannedAgent<Value>>({
    mutationFn: async (planned) => {
      const made = await createAgentWith<Value, Written<Value>>(
        {
          createLlm: async (fields) => (await request('createLlm', { body: { workspaceId, ...fields } })).value,
          deleteLlm: (llmId) => request('deleteLlm', { path: { llmId }, query: { workspaceId } }),
          createFlow: async (fields) =>
            (await request('createConversationFlow', { body: { workspaceId, ...fields } })).value,
          deleteFlow: (flowId) =>
            request('deleteConversationFlow', { path: { conversationFlowId: flowId }, query: { workspaceId } }),
          createAgent: async (settings) => (await api.create(workspaceId, settings)).value,
          onLeftOver: ({ kind, id }) =>
            complain(
              kind === 'llm'
                ? t('The prompt {id} was made for it and could not be deleted again.', { id })
                : t('The conversation flow {id} was made for it and could not be deleted again.', { id }),
            ),
        },
        planned,
      )
      tellWithWarnings(t('{name} is there.', { name: made.agent_name || t('The agent') }), made.warnings)
      return made.agent_id
    },
    onSettled: () => refresh(client, [api.operations.list, 'listLlms', 'listConversationFlows']),
  })
}
