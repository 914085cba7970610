import type { Webhook } from '@parley/contract/webhook'
import { useNavigate } from '@tanstack/react-router'
import { Ellipsis, Pencil, ScrollText, Trash2 } from 'lucide-react'
import { Badge } from '../../components/badge.tsx'
import { IconButton } from '../../components/button.tsx'
import type { Column } from '../../components/data-list.tsx'
import { SwitchField } from '../../components/fields.tsx'
import { Menu, type MenuItem } from '../../components/menu.tsx'
import { Ago } from '../../components/moment.tsx'
import { complain, tell } from '../../components/toasts.tsx'
import { useWrite } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'
import { useMay } from '../../lib/session/rights.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'

interface WebhookActions {
  readonly onEdit: (webhook: Webhook) => void
  readonly onDelete: (webhook: Webhook) => void
}

export function useWebhookColumns(actions: WebhookActions): readonly Column<Webhook>[] {
  const t = useText()
  const may = useMay()
  return [
    {
      key: 'url',
      title: t('Address'),
      cell: (webhook) => (
        <span className="flex min-w-0 flex-col">
          {may('updateWebhook') ? (
            <button
              type="button"
              dir="ltr"
              className="line-clamp-2 text-start font-medium break-all hover:underline"
              onClick={() => actions.onEdit(webhook)}
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
    { key: 'edited', title: t('Edited'), from: 'lg', width: 'w-36', cell: ({ updatedAt: at }) => <Ago at={at} /> },
    { key: 'enabled', title: t('On'), width: 'w-16', cell: (webhook) => <EnabledSwitch webhook={webhook} /> },
    {
      key: 'actions',
      title: '',
      width: 'w-14',
      align: 'end',
      cell: (webhook) => <WebhookMenu webhook={webhook} {...actions} />,
    },
  ]
}

/** More than these would make a row too high. */
const MOST_BADGES = 3

function EventBadges({ events }: Pick<Webhook, 'events'>) {
  const t = useText()
  const more = events.length - MOST_BADGES
  return (
    <span className="flex flex-wrap gap-1" title={events.join(', ')}>
      {events.slice(0, MOST_BADGES).map((event) => (
        <Badge key={event}>{event}</Badge>
      ))}
      {more > 0 && <span className="text-xs text-muted">{t('and {count} more', { count: more })}</span>}
    </span>
  )
}

function EnabledSwitch({ webhook: { webhookId, url, enabled } }: { readonly webhook: Webhook }) {
  const t = useText()
  const may = useMay()
  const update = useWrite('updateWebhook', { refreshes: ['listWebhooks', 'getWebhook'] })
  const change = (isOn: boolean): void =>
    update.mutate(
      { path: { webhookId }, body: { enabled: isOn } },
      {
        onSuccess: () => tell(isOn ? t('The webhook is on.') : t('The webhook is off: it is told nothing new.')),
        onError: ({ message: text }) => complain(text),
      },
    )
  return (
    <SwitchField
      label={<span className="sr-only">{t('{url} is told', { url })}</span>}
      value={enabled}
      disabled={update.isPending || !may('updateWebhook')}
      onChange={change}
    />
  )
}

function WebhookMenu({ webhook, onEdit, onDelete }: WebhookActions & { readonly webhook: Webhook }) {
  const t = useText()
  const may = useMay()
  const navigate = useNavigate()
  const workspaceId = useWorkspaceId()
  const items: readonly MenuItem[] = [
    ...(may('updateWebhook') ? [{ label: t('Edit …'), icon: Pencil, onSelect: () => onEdit(webhook) }] : []),
    {
      label: t('Deliveries'),
      icon: ScrollText,
      onSelect: () =>
        void navigate({
          to: '/$workspaceId/webhooks/deliveries',
          params: { workspaceId },
          search: { webhookId: webhook.webhookId },
        }),
    },
    ...(may('deleteWebhook')
      ? [{ label: t('Delete …'), icon: Trash2, kind: 'danger' as const, onSelect: () => onDelete(webhook) }]
      : []),
  ]
  return (
    <Menu
      items={items}
      trigger={<IconButton icon={Ellipsis} label={t('Actions for {name}', { name: webhook.url })} />}
    />
  )
}
