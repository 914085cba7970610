import { SelectField } from '../../components/fields.tsx'
import { RecordField } from '../../components/record-field.tsx'
import { SearchBox } from '../../components/search-box.tsx'
import { useRead } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'
import { conversationFilter, DELIVERY_STATUSES, type DeliverySearch, EVENTS } from './delivery-search.ts'
import { STATUS_WORDS } from './event-words.ts'

/** Narrows the list of deliveries; the address keeps the choice. */
export function DeliveryFilters({
  filters,
  onChange,
}: {
  readonly filters: DeliverySearch
  readonly onChange: (filters: DeliverySearch) => void
}) {
  const t = useText()
  const webhooks = useRead('listWebhooks', {})
  const { webhookId: _webhookId, ...exceptWebhook } = filters
  const { event: _event, ...exceptEvent } = filters
  const { status: _status, ...exceptStatus } = filters
  const { chatId: _chatId, callId: _callId, ...exceptConversation } = filters
  return (
    <div className="grid items-end gap-3 sm:grid-cols-2 xl:grid-cols-[1.5fr_1fr_1fr_1.5fr]">
      <RecordField
        label={t('Webhook')}
        noneLabel={t('All')}
        value={filters.webhookId ?? null}
        choices={(webhooks.data ?? []).map(({ webhookId, url, description }) => ({
          id: webhookId,
          label: url,
          hint: description,
        }))}
        isLoading={webhooks.isPending}
        onChange={(webhookId) => onChange(webhookId === null ? exceptWebhook : { ...filters, webhookId })}
      />
      <SelectField
        label={t('Event')}
        value={filters.event ?? ''}
        choices={[{ value: '', label: t('All') }, ...EVENTS.map((value) => ({ value, label: value }))]}
        onChange={(event) => onChange(event === '' ? exceptEvent : { ...filters, event })}
      />
      <SelectField
        label={t('Status')}
        value={filters.status ?? ''}
        choices={[
          { value: '', label: t('All') },
          ...DELIVERY_STATUSES.map((value) => ({ value, label: t(STATUS_WORDS[value]) })),
        ]}
        onChange={(status) => onChange(status === '' ? exceptStatus : { ...filters, status })}
      />
      <SearchBox
        label={t('Id of a call or chat')}
        value={filters.callId ?? filters.chatId ?? ''}
        onSearch={(id) => onChange({ ...exceptConversation, ...conversationFilter(id) })}
      />
    </div>
  )
}
