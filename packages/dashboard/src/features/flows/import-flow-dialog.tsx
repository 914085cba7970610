import { useNavigate } from '@tanstack/react-router'
import { useId, useState } from 'react'
import { FormDialog } from '../../components/dialog.tsx'
import { CONTROL_CLASS } from '../../components/field.tsx'
import { tellWithWarnings } from '../../components/toasts.tsx'
import { useWrite } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { bodyOf, type FlowDocument, readDocument } from './flow-document.ts'

/** Makes a flow from a file of JSON, such as one that was exported here, and opens it. */
export function ImportFlowDialog({ onClose }: { readonly onClose: () => void }) {
  const t = useText()
  const id = useId()
  const navigate = useNavigate()
  const workspaceId = useWorkspaceId()
  const create = useWrite('createConversationFlow', { refreshes: ['listConversationFlows'] })
  const [read, setRead] = useState<ReturnType<typeof readDocument> | null>(null)
  const document = read !== null && 'document' in read ? read.document : null
  const isBroken = read !== null && document === null

  async function submit(body: FlowDocument): Promise<void> {
    const { value } = await create.mutateAsync({ body: bodyOf(body) })
    tellWithWarnings(t('The flow is imported.'), value.warnings)
    onClose()
    await navigate({ to: '/$workspaceId/flows/$flowId', params: { workspaceId, flowId: value.conversation_flow_id } })
  }

  async function choose(file: File | undefined): Promise<void> {
    create.reset()
    // A file that has gone meanwhile cannot be read; there is no flow in it either.
    setRead(file === undefined ? null : readDocument(await file.text().catch(() => '')))
  }

  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={t('Import a flow')}
      description={t('From a file of JSON: one that was exported here, or any with the fields of the API.')}
      submitLabel={t('Import')}
      isBusy={create.isPending}
      canSubmit={document !== null}
      problem={create.error}
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
          aria-invalid={isBroken || undefined}
          aria-describedby={isBroken ? `${id}-problem` : undefined}
          className={CONTROL_CLASS}
          onChange={(event) => void choose(event.target.files?.[0])}
        />
        {isBroken && (
          <p id={`${id}-problem`} role="alert" className="text-bad">
            {t('This file holds no JSON object, so it is no flow.')}
          </p>
        )}
      </div>
    </FormDialog>
  )
}
