import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { FormDialog } from '../../components/dialog.tsx'
import { FieldProblems } from '../../components/field.tsx'
import { TextAreaField, TextField } from '../../components/fields.tsx'
import { useRead, useWrite } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'

/** Makes an agent together with the prompt that it answers from, and opens it. */
export function NewAgentDialog({ onClose }: { readonly onClose: () => void }) {
  const t = useText()
  const navigate = useNavigate()
  const workspaceId = useWorkspaceId()
  const [name, setName] = useState('')
  const [prompt, setPrompt] = useState('')
  const voices = useRead('listVoices', {})
  const createLlm = useWrite('createLlm', { refreshes: ['listLlms'] })
  const createAgent = useWrite('createAgent', { refreshes: ['listAgents'] })
  const problem = createLlm.error ?? createAgent.error ?? voices.error

  async function submit(): Promise<void> {
    const voice = voices.data?.[0]
    if (voice === undefined) return
    const { value: llm } = await createLlm.mutateAsync({ body: { display_name: name, general_prompt: prompt } })
    const { value: agent } = await createAgent.mutateAsync({
      body: {
        agent_name: name,
        voice_id: voice.voiceId,
        response_engine: { type: 'llm', llm_id: llm.llm_id },
      },
    })
    onClose()
    await navigate({ to: '/$workspaceId/agents/$agentId', params: { workspaceId, agentId: agent.agent_id } })
  }

  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={t('New agent')}
      submitLabel={t('Create agent')}
      isBusy={createLlm.isPending || createAgent.isPending}
      canSubmit={name.trim() !== '' && voices.data !== undefined}
      problem={problem}
      onSubmit={() => void submit().catch(() => undefined)}
    >
      <FieldProblems details={problem?.details ?? []}>
        <TextField label={t('Name')} name="agent_name" value={name} onChange={setName} maxLength={200} />
        <TextAreaField
          label={t('What it shall do')}
          help={t('Say who it is, what it knows and how it speaks. You can change everything later.')}
          name="general_prompt"
          rows={6}
          value={prompt}
          onChange={setPrompt}
        />
      </FieldProblems>
    </FormDialog>
  )
}
