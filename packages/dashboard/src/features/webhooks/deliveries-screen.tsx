import type { WebhookDelivery } from '@parley/contract/webhook'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { ScrollText } from 'lucide-react'
import { BackLink } from '../../components/back-link.tsx'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { type Column, DataList } from '../../components/data-list.tsx'
import { Ago } from '../../components/moment.tsx'
import { Page } from '../../components/page.tsx'
import { Empty, Forbidden } from '../../components/states.tsx'
import { usePages } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'
import { useMay } from '../../lib/session/rights.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { DeliveryDialog } from './delivery-dialog.tsx'
import { DeliveryFilters } from './delivery-filters.tsx'
import { STATUS_TONES, STATUS_WORDS } from './event-words.ts'

/** New deliveries show without a reload. */
const EVERY_MS = 10_000

/** What was sent to webhooks, or is still to be sent. */
export function DeliveriesScreen() {
  const t = useText()
  const may = useMay()
  const workspaceId = useWorkspaceId()
  return (
    <Page
      title={t('Webhook deliveries')}
      description={t('What was sent to webhooks, and what is still to be sent. Kept for 30 days.')}
      above={
        <BackLink to="/$workspaceId/webhooks" params={{ workspaceId }}>
          {t('Webhooks')}
        </BackLink>
      }
    >
      {may('listWebhookDeliveries') ? <Deliveries /> : <Forbidden />}
    </Page>
  )
}

function Deliveries() {
  const t = useText()
  const { delivery, ...filters } = useSearch({ from: '/signed-in/$workspaceId/webhooks/deliveries' })
  const navigate = useNavigate({ from: '/$workspaceId/webhooks/deliveries' })
  const pages = usePages('listWebhookDeliveries', { query: filters }, { everyMs: EVERY_MS })
  const isFiltered = Object.keys(filters).length > 0
  const open = (deliveryId: string): void => void navigate({ search: { ...filters, delivery: deliveryId } })
  return (
    <>
      <DeliveryFilters filters={filters} onChange={(search) => void navigate({ search, replace: true })} />
      <DataList
        label={t('Webhook deliveries')}
        pages={pages}
        columns={useColumns(open)}
        rowKey={({ deliveryId }) => deliveryId}
        onOpen={({ deliveryId }) => open(deliveryId)}
        empty={
          <Empty
            icon={ScrollText}
            title={isFiltered ? t('No delivery matches') : t('No delivery yet')}
            action={isFiltered && <Button onClick={() => void navigate({ search: {} })}>{t('Clear filters')}</Button>}
          >
            {isFiltered
              ? t('Nothing was sent that fits all filters.')
              : t('As soon as something happens that a webhook is told of, it stands here with its answer.')}
          </Empty>
        }
      />
      {delivery !== undefined && (
        <DeliveryDialog deliveryId={delivery} onClose={() => void navigate({ search: filters })} />
      )}
    </>
  )
}

function useColumns(onOpen: (deliveryId: string) => void): readonly Column<WebhookDelivery>[] {
  const t = useText()
  return [
    {
      key: 'event',
      title: t('Event'),
      cell: ({ deliveryId, event, url }) => (
        <span className="flex min-w-0 flex-col">
          <button
            type="button"
            className="w-fit text-start font-medium hover:underline"
            onClick={() => onOpen(deliveryId)}
          >
            {event}
          </button>
          <span dir="ltr" className="truncate text-muted" title={url}>
            {url}
          </span>
        </span>
      ),
    },
    {
      key: 'about',
      title: t('Call or chat'),
      from: 'lg',
      width: 'w-64',
      cell: ({ callId, chatId }) => (
        <code className="block truncate text-xs text-muted">{callId ?? chatId ?? '–'}</code>
      ),
    },
    {
      key: 'status',
      title: t('Status'),
      width: 'w-36',
      cell: ({ status }) => <Badge tone={STATUS_TONES[status]}>{t(STATUS_WORDS[status])}</Badge>,
    },
    {
      key: 'answer',
      title: t('Last answer'),
      from: 'md',
      width: 'w-28',
      align: 'end',
      cell: ({ lastStatus }) => lastStatus ?? '–',
    },
    {
      key: 'attempts',
      title: t('Attempts'),
      from: 'md',
      width: 'w-24',
      align: 'end',
      cell: ({ attemptCount }) => attemptCount,
    },
    { key: 'created', title: t('When'), from: 'sm', width: 'w-36', cell: ({ createdAt: at }) => <Ago at={at} /> },
  ]
}
