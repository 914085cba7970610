import type { WebhookDeliveryStatus } from '@parley/contract/webhook'
import type { WebhookEventName } from '@parley/contract/webhook-event'
import { readChoice } from '../../parts/transcript/search-params.ts'

/** The filters and the open delivery in the URL. */
export interface DeliverySearch {
  readonly webhookId?: string
  readonly event?: WebhookEventName
  readonly status?: WebhookDeliveryStatus
  readonly chatId?: string
  readonly callId?: string
  readonly delivery?: string
}

export const DELIVERY_STATUSES = [
  'pending',
  'delivered',
  'failed',
  'cancelled',
] as const satisfies readonly WebhookDeliveryStatus[]

export const EVENT_GROUPS = {
  calls: ['call_started', 'call_ended', 'call_analyzed'],
  chats: ['chat_started', 'chat_ended', 'chat_analyzed'],
  other: ['transcript_updated', 'knowledge_base_ready'],
  upcoming: [
    'transfer_started',
    'transfer_bridged',
    'transfer_cancelled',
    'transfer_ended',
    'batch_test_completed',
    'alert_triggered',
    'alert_resolved',
  ],
} as const satisfies Readonly<Record<string, readonly WebhookEventName[]>>

export const EVENTS: readonly WebhookEventName[] = Object.values(EVENT_GROUPS).flat()

const isNonEmptyString = (value: unknown): value is string => typeof value === 'string' && value !== ''

/** Reads the known filters from a URL. */
export function readDeliverySearch(search: Readonly<Record<string, unknown>>): DeliverySearch {
  const { webhookId, chatId, callId, delivery } = search
  const event = readChoice(search['event'], EVENTS)
  const status = readChoice(search['status'], DELIVERY_STATUSES)
  return {
    ...(isNonEmptyString(webhookId) && { webhookId }),
    ...(event && { event }),
    ...(status && { status }),
    ...(isNonEmptyString(chatId) && { chatId }),
    ...(isNonEmptyString(callId) && { callId }),
    ...(isNonEmptyString(delivery) && { delivery }),
  }
}

/** Builds the filter for a call or chat ID. Call IDs start with `call_`. */
export function buildConversationFilter(id: string): Pick<DeliverySearch, 'chatId' | 'callId'> {
  const trimmedId = id.trim()
  if (trimmedId === '') return {}
  return trimmedId.startsWith('call_') ? { callId: trimmedId } : { chatId: trimmedId }
}
