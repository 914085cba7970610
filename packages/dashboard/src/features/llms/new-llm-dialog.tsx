import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { FormDialog } from '../../components/dialog.tsx'
import { FieldProblems } from '../../components/field.tsx'
import { TextAreaField, TextField } from '../../components/fields.tsx'
import { tellWithWarnings } from '../../components/toasts.tsx'
import { useWrite } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'

/** Makes an LLM configuration and opens it. */
export function NewLlmDialog({ onClose }: { readonly onClose: () => void }) {
  const t = useText()
  const navigate = useNavigate()
  const workspaceId = useWorkspaceId()
  const [name, setName] = useState('')
  const [prompt, setPrompt] = useState('')
  const create = useWrite('createLlm', { refreshes: ['listLlms'] })

  async function submit(): Promise<void> {
    const { value } = await create.mutateAsync({ body: { display_name: name, general_prompt: prompt } })
    tellWithWarnings(t('The LLM configuration is made.'), value.warnings)
    onClose()
    await navigate({ to: '/$workspaceId/llms/$llmId', params: { workspaceId, llmId: value.llm_id } })
  }

  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={t('New LLM configuration')}
      submitLabel={t('Create')}
      isBusy={create.isPending}
      canSubmit={name.trim() !== ''}
      problem={create.error}
      onSubmit={() => void submit().catch(() => undefined)}
    >
      <FieldProblems details={create.error?.details ?? []}>
        <TextField label={t('Name')} name="display_name" value={name} onChange={setName} maxLength={200} />
        <TextAreaField
          label={t('Prompt')}
          help={t('What the model is told to do. You can write it later as well.')}
          name="general_prompt"
          isOptional
          rows={6}
          value={prompt}
          onChange={setPrompt}
        />
      </FieldProblems>
    </FormDialog>
  )
}
