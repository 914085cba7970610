import type { WebhookDelivery } from '@parley/contract/webhook'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { ScrollText } from 'lucide-react'
import { BackToList } from '../../components/back-link.tsx'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import type { Column } from '../../components/data-list.tsx'
import { SelectField } from '../../components/fields.tsx'
import { ListScreen } from '../../components/list-screen.tsx'
import { RecordField } from '../../components/record-field.tsx'
import { guardScreen } from '../../components/screen.tsx'
import { SearchBox } from '../../components/search-box.tsx'
import { buildTimeColumn } from '../../components/time.tsx'
import { usePages, useRead } from '../../lib/api/hooks.ts'
import { message, useText } from '../../lib/language.ts'
import { DeliveryDialog } from './delivery-dialog.tsx'
import { buildConversationFilter, DELIVERY_STATUSES, type DeliverySearch, EVENTS } from './delivery-search.ts'
import { STATUS_LABELS, STATUS_TONES } from './event-labels.ts'

const REFRESH_INTERVAL_MS = 10_000

export const DeliveriesScreen = guardScreen('listWebhookDeliveries', message('Webhook deliveries'), Deliveries)

/** Lists sent and pending webhook events. */
function Deliveries() {
  const t = useText()
  const { delivery, ...filters } = useSearch({ from: '/signed-in/$workspaceId/webhooks/deliveries' })
  const navigate = useNavigate({ from: '/$workspaceId/webhooks/deliveries' })
  const isFiltered = Object.keys(filters).length > 0
  const openDelivery = (deliveryId: string): void => void navigate({ search: { ...filters, delivery: deliveryId } })
  return (
    <ListScreen
      title={t('Webhook deliveries')}
      description={t('Sent and pending webhook events from the last 30 days.')}
      backLink={<BackToList to="/$workspaceId/webhooks">{t('Webhooks')}</BackToList>}
      filters={<DeliveryFilters filters={filters} onChange={(search) => void navigate({ search, replace: true })} />}
      pages={usePages('listWebhookDeliveries', { query: filters }, { refetchMs: REFRESH_INTERVAL_MS })}
      columns={useColumns(openDelivery)}
      getRowKey={({ deliveryId }) => deliveryId}
      onOpen={({ deliveryId }) => openDelivery(deliveryId)}
      emptyState={{
        icon: ScrollText,
        title: isFiltered ? t('No matching deliveries') : t('No deliveries yet'),
        action: isFiltered && <Button onClick={() => void navigate({ search: {} })}>{t('Clear filters')}</Button>,
        children: isFiltered
          ? t('Change or clear the filters.')
          : t('Deliveries appear here as soon as an event is sent.'),
      }}
    >
      {delivery !== undefined && (
        <DeliveryDialog deliveryId={delivery} onClose={() => void navigate({ search: filters })} />
      )}
    </ListScreen>
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
      key: 'conversation',
      title: t('Call or chat'),
      visibleFrom: 'lg',
      width: 'w-64',
      cell: ({ callId, chatId }) => (
        <code className="block truncate text-xs text-muted">{callId ?? chatId ?? '–'}</code>
      ),
    },
    {
      key: 'status',
      title: t('Status'),
      width: 'w-36',
      cell: ({ status }) => <Badge tone={STATUS_TONES[status]}>{t(STATUS_LABELS[status])}</Badge>,
    },
    {
      key: 'response',
      title: t('Last response'),
      visibleFrom: 'md',
      width: 'w-28',
      align: 'end',
      cell: ({ lastStatus }) => lastStatus ?? '–',
    },
    {
      key: 'attempts',
      title: t('Attempts'),
      visibleFrom: 'md',
      width: 'w-24',
      align: 'end',
      cell: ({ attemptCount }) => attemptCount,
    },
    buildTimeColumn(t('Created'), ({ createdAt }) => createdAt, { visibleFrom: 'sm' }),
  ]
}

interface DeliveryFiltersProps {
  readonly filters: DeliverySearch
  readonly onChange: (filters: DeliverySearch) => void
}

/** Renders the list filters. The URL stores them. */
function DeliveryFilters({ filters, onChange }: DeliveryFiltersProps) {
  const t = useText()
  const webhooks = useRead('listWebhooks', {})
  const { webhookId: _webhookId, ...filtersWithoutWebhook } = filters
  const { event: _event, ...filtersWithoutEvent } = filters
  const { status: _status, ...filtersWithoutStatus } = filters
  const { chatId: _chatId, callId: _callId, ...filtersWithoutConversation } = filters
  return (
    <div className="grid items-end gap-3 sm:grid-cols-2 xl:grid-cols-[1.5fr_1fr_1fr_1.5fr]">
      <RecordField
        label={t('Webhook')}
        emptyLabel={t('All')}
        value={filters.webhookId ?? null}
        choices={(webhooks.data ?? []).map(({ webhookId, url, description }) => ({
          id: webhookId,
          label: url,
          hint: description,
        }))}
        isLoading={webhooks.isPending}
        onChange={(webhookId) => onChange(webhookId === null ? filtersWithoutWebhook : { ...filters, webhookId })}
      />
      <SelectField
        label={t('Event')}
        value={filters.event ?? ''}
        choices={[{ value: '', label: t('All') }, ...EVENTS.map((value) => ({ value, label: value }))]}
        onChange={(event) => onChange(event === '' ? filtersWithoutEvent : { ...filters, event })}
      />
      <SelectField
        label={t('Status')}
        value={filters.status ?? ''}
        choices={[
          { value: '', label: t('All') },
          ...DELIVERY_STATUSES.map((value) => ({ value, label: t(STATUS_LABELS[value]) })),
        ]}
        onChange={(status) => onChange(status === '' ? filtersWithoutStatus : { ...filters, status })}
      />
      <SearchBox
        label={t('Call or chat ID')}
        value={filters.callId ?? filters.chatId ?? ''}
        onSearch={(id) => onChange({ ...filtersWithoutConversation, ...buildConversationFilter(id) })}
      />
    </div>
  )
}
