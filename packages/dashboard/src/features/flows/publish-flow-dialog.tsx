import { useState } from 'react'
import { tell } from '../../components/toasts.tsx'
import { useWrite } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'
import { PublishDialog } from '../../parts/versions/publish-dialog.tsx'

export interface PublishFlowDialogProps {
  readonly flowId: string
  /** Null for the newest. */
  readonly version: number | null
  /** Saves what is edited; false keeps it from being published. */
  readonly before?: () => Promise<boolean>
  readonly onClose: () => void
}

/** Publishes a version of a flow. */
export function PublishFlowDialog({ flowId, version, before, onClose }: PublishFlowDialogProps) {
  const t = useText()
  const [isSaving, setIsSaving] = useState(false)
  const publish = useWrite('publishConversationFlow', {
    refreshes: ['getConversationFlow', 'listConversationFlows', 'listConversationFlowVersions'],
  })
  async function run(notes: { readonly title: string | null; readonly description: string | null }): Promise<void> {
    setIsSaving(true)
    const isSaved = (await before?.()) ?? true
    setIsSaving(false)
    if (!isSaved) {
      onClose()
      return
    }
    const { value } = await publish.mutateAsync({
      path: { conversationFlowId: flowId },
      body: { ...(version !== null && { version }), ...notes },
    })
    tell(t('Version {version} is published.', { version: value.version }))
    onClose()
  }
  return (
    <PublishDialog
      version={version}
      consequence={t('A published version never changes again: the next edit makes a new one.')}
      isBusy={isSaving || publish.isPending}
      problem={publish.error}
      onPublish={(notes) => void run(notes).catch(() => undefined)}
      onClose={onClose}
    />
  )
}
