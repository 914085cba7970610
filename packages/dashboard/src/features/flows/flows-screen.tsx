import type { ConversationFlow, ConversationFlowItem } from '@parley/contract/conversation-flow'
import { FileUp, Workflow } from 'lucide-react'
import { useId, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { FormDialog } from '../../components/dialog.tsx'
import { CONTROL_CLASS } from '../../components/field.tsx'
import { TextField } from '../../components/fields.tsx'
import { OperationDialog } from '../../components/operation-dialog.tsx'
import { notifyWithWarnings } from '../../components/toasts.tsx'
import { usePages, useWrite } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'
import { useCan } from '../../lib/session/rights.ts'
import { useOpenEngine } from '../../parts/engine/engine-actions.tsx'
import { flowApi } from '../../parts/engine/engine-api.ts'
import { EngineList } from '../../parts/engine/engine-list.tsx'
import { type FlowDocument, formatDocument, parseDocument, toDocument, toFlowBody } from './flow-document.ts'
import { FLOW_TEMPLATES, type FlowTemplate } from './flow-templates.ts'

export function FlowsScreen() {
  const t = useText()
  const [isImporting, setIsImporting] = useState(false)
  const canCreate = useCan()('createConversationFlow')
  return (
    <EngineList<ConversationFlowItem, ConversationFlow>
      api={flowApi}
      pickWritableFields={toDocument}
      format={(flow) => formatDocument(toDocument(flow))}
      pages={usePages('listConversationFlows', {})}
      description={t('Conversations as a graph of steps.')}
      createAction={{
        label: t('New flow'),
        isAllowed: canCreate,
        dialog: (onClose) => <NewFlowDialog onClose={onClose} />,
      }}
      actions={
        canCreate && (
          <Button icon={FileUp} onClick={() => setIsImporting(true)}>
            {t('Import')}
          </Button>
        )
      }
      columns={[
        {
          key: 'speaker',
          title: t('Speaks first'),
          visibleFrom: 'sm',
          width: 'w-32',
          cell: ({ start_speaker: speaker }) => (speaker === 'user' ? t('The user') : t('The agent')),
        },
      ]}
      emptyState={{
        icon: Workflow,
        title: t('No flows yet'),
        children: t('A flow guides a conversation step by step. Start with a template or import one.'),
      }}
    >
      {isImporting && <ImportFlowDialog onClose={() => setIsImporting(false)} />}
    </EngineList>
  )
}

function NewFlowDialog({ onClose }: { readonly onClose: () => void }) {
  const t = useText()
  const radioGroupName = useId()
  const openFlow = useOpenEngine(flowApi)
  const [name, setName] = useState('')
  const [selectedTemplate, setSelectedTemplate] = useState<FlowTemplate>(FLOW_TEMPLATES[0])
  return (
    <OperationDialog
      operation="createConversationFlow"
      params={{ body: { ...selectedTemplate.body, display_name: name } }}
      invalidates={['listConversationFlows']}
      title={t('New flow')}
      submitLabel={t('Create flow')}
      successMessage={t('Flow created')}
      onSuccess={({ conversation_flow_id: id }) => void openFlow(id)}
      onClose={onClose}
    >
      <TextField label={t('Name')} name="display_name" isOptional value={name} onChange={setName} maxLength={200} />
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-1.5 font-medium">{t('Start with')}</legend>
        {FLOW_TEMPLATES.map((flowTemplate) => (
          <label
            key={flowTemplate.name}
            className="flex cursor-pointer items-start gap-3 rounded-md border border-line-strong p-3 has-checked:border-brand-text has-checked:bg-sunken"
          >
            <input
              type="radio"
              name={radioGroupName}
              className="mt-0.5 size-4 shrink-0 accent-brand-text"
              checked={flowTemplate === selectedTemplate}
              onChange={() => setSelectedTemplate(flowTemplate)}
            />
            <span className="min-w-0">
              <span className="block font-medium">{t(flowTemplate.title)}</span>
              <span className="block text-muted">{t(flowTemplate.description)}</span>
            </span>
          </label>
        ))}
      </fieldset>
    </OperationDialog>
  )
}

function ImportFlowDialog({ onClose }: { readonly onClose: () => void }) {
  const t = useText()
  const id = useId()
  const openFlow = useOpenEngine(flowApi)
  const createFlow = useWrite('createConversationFlow', { invalidates: ['listConversationFlows'] })
  const [parsed, setParsed] = useState<ReturnType<typeof parseDocument> | null>(null)
  const document = parsed !== null && 'document' in parsed ? parsed.document : null
  const isInvalid = parsed !== null && document === null

  async function submit(body: FlowDocument): Promise<void> {
    const { value } = await createFlow.mutateAsync({ body: toFlowBody(body) })
    notifyWithWarnings(t('Flow imported'), value.warnings)
    onClose()
    await openFlow(value.conversation_flow_id)
  }

  async function readFile(file: File | undefined): Promise<void> {
    createFlow.reset()
    // A file that was deleted after selection counts as empty.
    setParsed(file === undefined ? null : parseDocument(await file.text().catch(() => '')))
  }

  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={t('Import flow')}
      description={t('Choose a JSON file that was exported from this dashboard or matches the API format.')}
      submitLabel={t('Import')}
      isBusy={createFlow.isPending}
      canSubmit={document !== null}
      problem={createFlow.error}
      onSubmit={() => document && void submit(document).catch(() => undefined)}
    >
      <div className="flex flex-col gap-1.5">
        <label htmlFor={id} className="font-medium">
          {t('File')}
        </label>
        <input
          id={id}
          type="file"
          accept=".json,application/json"
          aria-invalid={isInvalid || undefined}
          aria-describedby={isInvalid ? `${id}-problem` : undefined}
          className={CONTROL_CLASS}
          onChange={(event) => void readFile(event.target.files?.[0])}
        />
        {isInvalid && (
          <p id={`${id}-problem`} role="alert" className="text-bad">
            {t('This file is not a JSON object. Choose an exported flow.')}
          </p>
        )}
      </div>
    </FormDialog>
  )
}
