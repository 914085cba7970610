import type { Llm, LlmSummary } from '@parley/contract/llm'
import { Braces, Plus } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { FormDialog } from '../../components/dialog.tsx'
import { FieldProblems } from '../../components/field.tsx'
import { TextAreaField, TextField } from '../../components/fields.tsx'
import { Page } from '../../components/page.tsx'
import { Empty } from '../../components/states.tsx'
import { notifyWithWarnings } from '../../components/toasts.tsx'
import { usePages, useWrite } from '../../lib/api/hooks.ts'
import { useHotkeys } from '../../lib/keys/hotkeys.ts'
import { useText } from '../../lib/language.ts'
import { useCan } from '../../lib/session/rights.ts'
import { llmFields } from '../../parts/agent/agent-body.ts'
import { useOpenEngine } from '../../parts/engine/engine-actions.tsx'
import { llmApi } from '../../parts/engine/engine-api.ts'
import { EngineList } from '../../parts/engine/engine-list.tsx'

export function LlmsScreen() {
  const t = useText()
  const canCreate = useCan()('createLlm')
  const [isCreating, setIsCreating] = useState(false)
  useHotkeys(canCreate ? { n: () => setIsCreating(true) } : {})

  const newButton = canCreate && (
    <Button kind="primary" icon={Plus} onClick={() => setIsCreating(true)}>
      {t('New prompt')}
    </Button>
  )
  return (
    <Page
      title={t('Prompts')}
      description={t('Instructions, model and tools that agents answer with. Agents can share a prompt.')}
      actions={newButton}
    >
      <EngineList<LlmSummary, Llm>
        api={llmApi}
        fieldsOf={llmFields}
        pages={usePages('listLlms', {})}
        empty={
          <Empty icon={Braces} title={t('No prompts yet')} action={newButton}>
            {t('A prompt holds the instructions, the model and the tools of an agent.')}
          </Empty>
        }
      />
      {isCreating && <NewLlmDialog onClose={() => setIsCreating(false)} />}
    </Page>
  )
}

function NewLlmDialog({ onClose }: { readonly onClose: () => void }) {
  const t = useText()
  const open = useOpenEngine(llmApi)
  const [name, setName] = useState('')
  const [prompt, setPrompt] = useState('')
  const create = useWrite('createLlm', { refreshes: ['listLlms'] })

  async function submit(): Promise<void> {
    const { value } = await create.mutateAsync({ body: { display_name: name, general_prompt: prompt } })
    notifyWithWarnings(t('Prompt created'), value.warnings)
    onClose()
    await open(value.llm_id)
  }

  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={t('New prompt')}
      submitLabel={t('Create')}
      isBusy={create.isPending}
      canSubmit={name.trim() !== ''}
      problem={create.error}
      onSubmit={() => void submit().catch(() => undefined)}
    >
      <FieldProblems details={create.error?.details ?? []}>
        <TextField label={t('Name')} name="display_name" value={name} onChange={setName} maxLength={200} />
        <TextAreaField
          label={t('Instructions')}
          help={t('You can also write them later.')}
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
