import type { Webhook } from '@parley/contract/webhook'
import { useNavigate } from '@tanstack/react-router'
import { Pencil, ScrollText, Trash2, Webhook as WebhookIcon } from 'lucide-react'
import { useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { ButtonLink } from '../../components/button.tsx'
import { type Column, DataList } from '../../components/data-list.tsx'
import { SwitchField } from '../../components/fields.tsx'
import { RowMenu } from '../../components/menu.tsx'
import { ConfirmDialog } from '../../components/operation-dialog.tsx'
import { Page } from '../../components/page.tsx'
import { guardScreen, useNewButton } from '../../components/screen.tsx'
import { Empty } from '../../components/states.tsx'
import { RelativeTime } from '../../components/time.tsx'
import { notify, notifyError } from '../../components/toasts.tsx'
import { usePages, useWrite } from '../../lib/api/hooks.ts'
import { message, useText } from '../../lib/language.ts'
import { useCan } from '../../lib/session/rights.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { SigningSecretPanel } from './signing-secret-panel.tsx'
import { EditWebhookDialog, NewWebhookDialog } from './webhook-dialogs.tsx'

export const WebhooksScreen = guardScreen('listWebhooks', message('Webhooks'), Webhooks)

interface ChosenWebhook {
  readonly action: 'edit' | 'delete'
  readonly webhook: Webhook
}

/** URLs that receive events, and the secret that signs them. */
function Webhooks() {
  const t = useText()
  const can = useCan()
  const workspaceId = useWorkspaceId()
  const pages = usePages('listWebhooks', {})
  const creating = useNewButton(t('New webhook'), can('createWebhook'))
  const [chosen, setChosen] = useState<ChosenWebhook | null>(null)
  const close = (): void => setChosen(null)
  return (
    <Page
      title={t('Webhooks')}
      description={t('Signed events of calls, chats and knowledge bases, sent to your URLs.')}
      actions={
        <>
          {can('listWebhookDeliveries') && (
            <ButtonLink icon={ScrollText} to="/$workspaceId/webhooks/deliveries" params={{ workspaceId }}>
              {t('Deliveries')}
            </ButtonLink>
          )}
          {creating.button}
        </>
      }
    >
      <DataList
        label={t('Webhooks')}
        pages={pages}
        columns={useColumns(setChosen)}
        rowKey={({ webhookId }) => webhookId}
        {...(can('updateWebhook') && { onOpen: (webhook: Webhook) => setChosen({ action: 'edit', webhook }) })}
        empty={
          <Empty icon={WebhookIcon} title={t('No webhook yet')} action={creating.button}>
            {t('Add a URL to receive events when calls and chats start, end and are analyzed.')}
          </Empty>
        }
      />
      {can('getSigningSecret') && <SigningSecretPanel />}
      {creating.isOpen && <NewWebhookDialog onClose={creating.close} />}
      {chosen?.action === 'edit' && <EditWebhookDialog webhookId={chosen.webhook.webhookId} onClose={close} />}
      {chosen?.action === 'delete' && (
        <ConfirmDialog
          operation="deleteWebhook"
          parts={{ path: { webhookId: chosen.webhook.webhookId } }}
          refreshes={['listWebhooks', 'listWebhookDeliveries']}
          title={t('Delete webhook?')}
          consequence={t('{url} receives no more events, including pending ones. Past deliveries are kept.', {
            url: chosen.webhook.url,
          })}
          label={t('Delete webhook')}
          success={t('Webhook deleted')}
          onClose={close}
        />
      )}
    </Page>
  )
}

function useColumns(onChoose: (chosen: ChosenWebhook) => void): readonly Column<Webhook>[] {
  const t = useText()
  const can = useCan()
  return [
    {
      key: 'url',
      title: t('URL'),
      cell: (webhook) => (
        <span className="flex min-w-0 flex-col">
          {can('updateWebhook') ? (
            <button
              type="button"
              dir="ltr"
              className="line-clamp-2 text-start font-medium break-all hover:underline"
              onClick={() => onChoose({ action: 'edit', webhook })}
            >
              {webhook.url}
            </button>
          ) : (
            <span className="line-clamp-2 font-medium break-all">{webhook.url}</span>
          )}
          {webhook.description !== '' && (
            <span className="line-clamp-2 text-muted" dir="auto">
              {webhook.description}
            </span>
          )}
        </span>
      ),
    },
    {
      key: 'events',
      title: t('Events'),
      from: 'md',
      width: 'w-72',
      cell: ({ events }) => <EventBadges events={events} />,
    },
    {
      key: 'edited',
      title: t('Edited'),
      from: 'lg',
      width: 'w-36',
      cell: ({ updatedAt: at }) => <RelativeTime at={at} />,
    },
    { key: 'enabled', title: t('Enabled'), width: 'w-20', cell: (webhook) => <EnabledSwitch webhook={webhook} /> },
    {
      key: 'actions',
      title: '',
      width: 'w-14',
      align: 'end',
      cell: (webhook) => <WebhookMenu webhook={webhook} onChoose={onChoose} />,
    },
  ]
}

/** More would make a row too high. */
const MAX_BADGES = 3

function EventBadges({ events }: Pick<Webhook, 'events'>) {
  const t = useText()
  const more = events.length - MAX_BADGES
  return (
    <span className="flex flex-wrap gap-1" title={events.join(', ')}>
      {events.slice(0, MAX_BADGES).map((event) => (
        <Badge key={event}>{event}</Badge>
      ))}
      {more > 0 && <span className="text-xs text-muted">{t('and {count} more', { count: more })}</span>}
    </span>
  )
}

function EnabledSwitch({ webhook: { webhookId, url, enabled } }: { readonly webhook: Webhook }) {
  const t = useText()
  const can = useCan()
  const update = useWrite('updateWebhook', { refreshes: ['listWebhooks', 'getWebhook'] })
  const change = (isOn: boolean): void =>
    update.mutate(
      { path: { webhookId }, body: { enabled: isOn } },
      {
        onSuccess: () => notify(isOn ? t('Webhook enabled') : t('Webhook disabled')),
        onError: ({ message: text }) => notifyError(text),
      },
    )
  return (
    <SwitchField
      label={<span className="sr-only">{t('Send events to {url}', { url })}</span>}
      value={enabled}
      disabled={update.isPending || !can('updateWebhook')}
      onChange={change}
    />
  )
}

interface WebhookMenuProps {
  readonly webhook: Webhook
  readonly onChoose: (chosen: ChosenWebhook) => void
}

function WebhookMenu({ webhook, onChoose }: WebhookMenuProps) {
  const t = useText()
  const can = useCan()
  const navigate = useNavigate()
  const workspaceId = useWorkspaceId()
  const { webhookId } = webhook
  const showDeliveries = (): void =>
    void navigate({ to: '/$workspaceId/webhooks/deliveries', params: { workspaceId }, search: { webhookId } })
  return (
    <RowMenu
      name={webhook.url}
      items={[
        can('updateWebhook') && {
          label: t('Edit …'),
          icon: Pencil,
          onSelect: () => onChoose({ action: 'edit', webhook }),
        },
        { label: t('Deliveries'), icon: ScrollText, onSelect: showDeliveries },
        can('deleteWebhook') && {
          label: t('Delete …'),
          icon: Trash2,
          kind: 'danger',
          onSelect: () => onChoose({ action: 'delete', webhook }),
        },
      ]}
    />
  )
}
