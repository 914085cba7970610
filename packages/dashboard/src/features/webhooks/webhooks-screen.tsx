import type { Webhook } from '@parley/contract/webhook'
import { Plus, ScrollText, Webhook as WebhookIcon } from 'lucide-react'
import { useState } from 'react'
import { Button, ButtonLink } from '../../components/button.tsx'
import { DataList } from '../../components/data-list.tsx'
import { DeleteDialog } from '../../components/dialog.tsx'
import { Page } from '../../components/page.tsx'
import { Empty, Forbidden } from '../../components/states.tsx'
import { tell } from '../../components/toasts.tsx'
import { usePages, useWrite } from '../../lib/api/hooks.ts'
import { useHotkeys } from '../../lib/keys/hotkeys.ts'
import { useText } from '../../lib/language.ts'
import { useMay } from '../../lib/session/rights.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { EditWebhookDialog } from './edit-webhook-dialog.tsx'
import { NewWebhookDialog } from './new-webhook-dialog.tsx'
import { SigningSecretPanel } from './signing-secret-panel.tsx'
import { useWebhookColumns } from './webhook-columns.tsx'

/** Addresses that are told what happens in the workspace, and the secret that signs what is sent to them. */
export function WebhooksScreen() {
  const t = useText()
  const may = useMay()
  if (may('listWebhooks')) return <Webhooks />
  return (
    <Page title={t('Webhooks')}>
      <Forbidden />
    </Page>
  )
}

function Webhooks() {
  const t = useText()
  const may = useMay()
  const workspaceId = useWorkspaceId()
  const pages = usePages('listWebhooks', {})
  const [isCreating, setIsCreating] = useState(false)
  const [edited, setEdited] = useState<Webhook | null>(null)
  const [deleted, setDeleted] = useState<Webhook | null>(null)
  const mayCreate = may('createWebhook')
  useHotkeys(mayCreate ? { n: () => setIsCreating(true) } : {})

  const newButton = (
    <Button kind="primary" icon={Plus} onClick={() => setIsCreating(true)}>
      {t('New webhook')}
    </Button>
  )
  return (
    <Page
      title={t('Webhooks')}
      description={t('Your own systems are told what happens here: events are posted to these addresses, signed.')}
      actions={
        <>
          {may('listWebhookDeliveries') && (
            <ButtonLink icon={ScrollText} to="/$workspaceId/webhooks/deliveries" params={{ workspaceId }}>
              {t('Deliveries')}
            </ButtonLink>
          )}
          {mayCreate && newButton}
        </>
      }
    >
      <DataList
        label={t('Webhooks')}
        pages={pages}
        columns={useWebhookColumns({ onEdit: setEdited, onDelete: setDeleted })}
        rowKey={({ webhookId }) => webhookId}
        {...(may('updateWebhook') && { onOpen: setEdited })}
        empty={
          <Empty icon={WebhookIcon} title={t('No webhook yet')} action={mayCreate && newButton}>
            {t('Name an address of your own, and it is told when calls and chats begin, end and are analysed.')}
          </Empty>
        }
      />
      {may('getSigningSecret') && <SigningSecretPanel />}
      {isCreating && <NewWebhookDialog onClose={() => setIsCreating(false)} />}
      {edited && <EditWebhookDialog webhookId={edited.webhookId} onClose={() => setEdited(null)} />}
      {deleted && <DeleteWebhookDialog webhook={deleted} onClose={() => setDeleted(null)} />}
    </Page>
  )
}

/** Asks before an endpoint goes. */
function DeleteWebhookDialog({
  webhook: { webhookId, url },
  onClose,
}: {
  readonly webhook: Webhook
  readonly onClose: () => void
}) {
  const t = useText()
  const remove = useWrite('deleteWebhook', { refreshes: ['listWebhooks', 'listWebhookDeliveries'] })
  return (
    <DeleteDialog
      open
      onOpenChange={onClose}
      title={t('Delete the webhook?')}
      consequence={t('{url} is told nothing more, also not what was waiting. Its deliveries stay on record.', { url })}
      label={t('Delete webhook')}
      isBusy={remove.isPending}
      problem={remove.error}
      onDelete={() =>
        remove.mutate(
          { path: { webhookId } },
          {
            onSuccess: () => {
              tell(t('The webhook is deleted.'))
              onClose()
            },
          },
        )
      }
    />
  )
}
