import { useNavigate } from '@tanstack/react-router'
import { useId, useState } from 'react'
import { FormDialog } from '../../components/dialog.tsx'
import { TextField } from '../../components/fields.tsx'
import { useWrite } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { FLOW_TEMPLATES, type FlowTemplate } from './flow-templates.ts'

/** Makes a flow from a template, and opens it. */
export function NewFlowDialog({ onClose }: { readonly onClose: () => void }) {
  const t = useText()
  const group = useId()
  const navigate = useNavigate()
  const workspaceId = useWorkspaceId()
  const create = useWrite('createConversationFlow', { refreshes: ['listConversationFlows'] })
  const [name, setName] = useState('')
  const [chosen, setChosen] = useState<FlowTemplate | undefined>(FLOW_TEMPLATES[0])

  async function submit({ body }: FlowTemplate): Promise<void> {
    const { value } = await create.mutateAsync({ body: { ...body, display_name: name } })
    onClose()
    await navigate({ to: '/$workspaceId/flows/$flowId', params: { workspaceId, flowId: value.conversation_flow_id } })
  }

  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={t('New flow')}
      submitLabel={t('Create flow')}
      isBusy={create.isPending}
      canSubmit={chosen !== undefined}
      problem={create.error}
      onSubmit={() => chosen && void submit(chosen).catch(() => undefined)}
    >
      <TextField label={t('Name')} name="display_name" isOptional value={name} onChange={setName} maxLength={200} />
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-1.5 font-medium">{t('Begin with')}</legend>
        {FLOW_TEMPLATES.map((template) => (
          <label
            key={template.name}
            className="flex cursor-pointer items-start gap-3 rounded-md border border-line-strong p-3 has-checked:border-brand-text has-checked:bg-sunken"
          >
            <input
              type="radio"
              name={group}
              className="mt-0.5 size-4 shrink-0 accent-brand-text"
              checked={template === chosen}
              onChange={() => setChosen(template)}
            />
            <span className="min-w-0">
              <span className="block font-medium">{t(template.title)}</span>
              <span className="block text-muted">{t(template.description)}</span>
            </span>
          </label>
        ))}
      </fieldset>
    </FormDialog>
  )
}
