import type { Webhook } from '@parley/contract/webhook'
import { useNavigate } from '@tanstack/react-router'
import { Pencil, ScrollText, Trash2, Webhook as WebhookIcon } from 'lucide-react'
import { Badge } from '../../components/badge.tsx'
import { ButtonLink } from '../../components/button.tsx'
import type { Column } from '../../components/data-list.tsx'
import { SwitchField } from '../../components/fields.tsx'
import { ListScreen, useRowActions } from '../../components/list-screen.tsx'
import { ConfirmDialog } from '../../components/operation-dialog.tsx'
import { guardScreen } from '../../components/screen.tsx'
import { buildTimeColumn } from '../../components/time.tsx'
import { useAction } from '../../components/use-action.ts'
import { usePages } from '../../lib/api/hooks.ts'
import { message, useText } from '../../lib/language.ts'
import { useCan } from '../../lib/session/rights.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { SigningSecretPanel } from './signing-secret-panel.tsx'
import { EditWebhookDialog, NewWebhookDialog } from './webhook-dialogs.tsx'

export const WebhooksScreen = guardScreen('listWebhooks', message('Webhooks'), Webhooks)

/** Lists the URLs that receive events, and the secret that signs the events. */
function Webhooks() {
  const t = useText()
  const can = useCan()
  const workspaceId = useWorkspaceId()
  const rowActions = useWebhookActions()
  const { runFirstAction } = rowActions
  return (
    <ListScreen
      title={t('Webhooks')}
      description={t('Send signed events about calls, chats and knowledge bases to your URLs.')}
      createAction={{
        label: t('New webhook'),
        isAllowed: can('createWebhook'),
        dialog: (onClose) => <NewWebhookDialog onClose={onClose} />,
      }}
      actions={
        can('listWebhookDeliveries') && (
          <ButtonLink icon={ScrollText} to="/$workspaceId/webhooks/deliveries" params={{ workspaceId }}>
            {t('Deliveries')}
          </ButtonLink>
        )
      }
      pages={usePages('listWebhooks', {})}
      columns={useColumns(runFirstAction)}
      rowActions={rowActions}
      getRowKey={({ webhookId }) => webhookId}
      {...(runFirstAction && { onOpen: runFirstAction })}
      emptyState={{
        icon: WebhookIcon,
        title: t('No webhooks yet'),
        children: t('Add a URL to receive events when calls and chats start, end and are analyzed.'),
      }}
    >
      {can('getSigningSecret') && <SigningSecretPanel />}
    </ListScreen>
  )
}

function useWebhookActions() {
  const t = useText()
  const navigate = useNavigate()
  const workspaceId = useWorkspaceId()
  return useRowActions<Webhook>(
    ({ url }) => url,
    [
      {
        label: t('Edit…'),
        icon: Pencil,
        operation: 'updateWebhook',
        dialog: ({ webhookId }, onClose) => <EditWebhookDialog webhookId={webhookId} onClose={onClose} />,
      },
      {
        label: t('Deliveries'),
        icon: ScrollText,
        onSelect: ({ webhookId }) =>
          void navigate({ to: '/$workspaceId/webhooks/deliveries', params: { workspaceId }, search: { webhookId } }),
      },
      {
        label: t('Delete…'),
        icon: Trash2,
        kind: 'danger',
        operation: 'deleteWebhook',
        dialog: ({ webhookId, url }, onClose) => (
          <ConfirmDialog
            operation="deleteWebhook"
            params={{ path: { webhookId } }}
            invalidates={['listWebhooks', 'listWebhookDeliveries']}
            title={t('Delete webhook?')}
            description={t('{url} receives no more events, including pending events. Past deliveries are kept.', {
              url,
            })}
            label={t('Delete webhook')}
            successMessage={t('Webhook deleted')}
            onClose={onClose}
          />
        ),
      },
    ],
  )
}

function useColumns(onEdit: ((webhook: Webhook) => void) | null): readonly Column<Webhook>[] {
  const t = useText()
  return [
    {
      key: 'url',
      title: t('URL'),
      cell: (webhook) => (
        <span className="flex min-w-0 flex-col">
          {onEdit ? (
            <button
              type="button"
              dir="ltr"
              className="line-clamp-2 text-start font-medium break-all hover:underline"
              onClick={() => onEdit(webhook)}
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
      visibleFrom: 'md',
      width: 'w-72',
      cell: ({ events }) => <EventBadges events={events} />,
    },
    buildTimeColumn(t('Edited'), ({ updatedAt }) => updatedAt, { visibleFrom: 'lg' }),
    { key: 'enabled', title: t('Enabled'), width: 'w-20', cell: (webhook) => <EnabledSwitch webhook={webhook} /> },
  ]
}

/** More badges would make rows too tall. */
const MAX_BADGES = 3

function EventBadges({ events }: Pick<Webhook, 'events'>) {
  const t = useText()
  const hiddenCount = events.length - MAX_BADGES
  return (
    <span className="flex flex-wrap gap-1" title={events.join(', ')}>
      {events.slice(0, MAX_BADGES).map((event) => (
        <Badge key={event}>{event}</Badge>
      ))}
      {hiddenCount > 0 && <span className="text-xs text-muted">{t('and {count} more', { count: hiddenCount })}</span>}
    </span>
  )
}

function EnabledSwitch({ webhook: { webhookId, url, enabled } }: { readonly webhook: Webhook }) {
  const t = useText()
  const can = useCan()
  const updateAction = useAction('updateWebhook', ['listWebhooks', 'getWebhook'])
  const setEnabled = (isEnabled: boolean): void =>
    updateAction.run(
      { path: { webhookId }, body: { enabled: isEnabled } },
      isEnabled ? t('Webhook enabled') : t('Webhook disabled'),
    )
  return (
    <SwitchField
      label={<span className="sr-only">{t('Send events to {url}', { url })}</span>}
      value={enabled}
      disabled={updateAction.isRunning || !can('updateWebhook')}
      onChange={setEnabled}
    />
  )
}
