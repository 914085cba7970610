import type { WebhookDeliveryStatus } from '@parley/contract/webhook'
import type { WebhookEventName } from '@parley/contract/webhook-event'
import type { Tone } from '../../components/badge.tsx'
import { message } from '../../lib/language.ts'
import type { EVENT_GROUPS } from './delivery-search.ts'

/** Describes when each event is sent. All labels in this file are catalog messages. */
export const EVENT_LABELS: Readonly<Record<WebhookEventName, string>> = {
  call_started: message('The caller joined.'),
  call_ended: message('A call ended, or nobody joined it.'),
  call_analyzed: message('The analysis of a call is ready.'),
  transcript_updated: message('A turn in a call or chat ended.'),
  transfer_started: message('A transfer started.'),
  transfer_bridged: message('The caller was connected to the transfer target.'),
  transfer_cancelled: message('A transfer was canceled.'),
  transfer_ended: message('The conversation after a transfer ended.'),
  chat_started: message('A chat started.'),
  chat_ended: message('A chat ended.'),
  chat_analyzed: message('The analysis of a chat is ready.'),
  batch_test_completed: message('A batch test completed.'),
  knowledge_base_ready: message('The sources of a knowledge base were indexed.'),
  alert_triggered: message('A metric crossed its alert threshold.'),
  alert_resolved: message('A metric returned to its normal range.'),
}

export const GROUP_LABELS: Readonly<Record<keyof typeof EVENT_GROUPS, string>> = {
  calls: message('Calls'),
  chats: message('Chats'),
  other: message('Other events'),
  upcoming: message('Upcoming events'),
}

export const STATUS_LABELS: Readonly<Record<WebhookDeliveryStatus, string>> = {
  pending: message('Pending'),
  delivered: message('Delivered'),
  failed: message('Failed'),
  cancelled: message('Canceled'),
}

export const STATUS_TONES: Readonly<Record<WebhookDeliveryStatus, Tone>> = {
  pending: 'warn',
  delivered: 'good',
  failed: 'bad',
  cancelled: 'plain',
}
