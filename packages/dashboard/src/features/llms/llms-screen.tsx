import type { Llm, LlmSummary } from '@parley/contract/llm'
import { Braces } from 'lucide-react'
import { useState } from 'react'
import { TextAreaField, TextField } from '../../components/fields.tsx'
import { OperationDialog } from '../../components/operation-dialog.tsx'
import { usePages } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'
import { useCan } from '../../lib/session/rights.ts'
import { toLlmFields } from '../../parts/agent/agent-body.ts'
import { useOpenEngine } from '../../parts/engine/engine-actions.tsx'
import { llmApi } from '../../parts/engine/engine-api.ts'
import { EngineList } from '../../parts/engine/engine-list.tsx'

export function LlmsScreen() {
  const t = useText()
  return (
    <EngineList<LlmSummary, Llm>
      api={llmApi}
      pickWritableFields={toLlmFields}
      pages={usePages('listLlms', {})}
      description={t('Instructions, model and tools for agents. Several agents can share a prompt.')}
      createAction={{
        label: t('New prompt'),
        isAllowed: useCan()('createLlm'),
        dialog: (onClose) => <NewLlmDialog onClose={onClose} />,
      }}
      emptyState={{
        icon: Braces,
        title: t('No prompts yet'),
        children: t('A prompt contains an agent’s instructions, model and tools.'),
      }}
    />
  )
}

function NewLlmDialog({ onClose }: { readonly onClose: () => void }) {
  const t = useText()
  const openEngine = useOpenEngine(llmApi)
  const [name, setName] = useState('')
  const [prompt, setPrompt] = useState('')
  return (
    <OperationDialog
      operation="createLlm"
      params={{ body: { display_name: name, general_prompt: prompt } }}
      invalidates={['listLlms']}
      title={t('New prompt')}
      submitLabel={t('Create prompt')}
      canSubmit={name.trim() !== ''}
      successMessage={t('Prompt created')}
      onSuccess={({ llm_id: id }) => void openEngine(id)}
      onClose={onClose}
    >
      <TextField label={t('Name')} name="display_name" value={name} onChange={setName} maxLength={200} />
      <TextAreaField
        label={t('Instructions')}
        help={t('You can add them later.')}
        name="general_prompt"
        isOptional
        rows={6}
        value={prompt}
        onChange={setPrompt}
      />
    </OperationDialog>
  )
}
