import type { WebhookDeliveryStatus } from '@parley/contract/webhook'
import type { WebhookEventName } from '@parley/contract/webhook-event'
import type { Tone } from '../../components/badge.tsx'
import { message } from '../../lib/language.ts'
import type { EVENT_GROUPS } from './delivery-search.ts'

/** When an event is told, in words for `t`. */
export const EVENT_WORDS: Readonly<Record<WebhookEventName, string>> = {
  call_started: message('The caller has come.'),
  call_ended: message('A call is over, also one that nobody came to.'),
  call_analyzed: message('The analysis of a call is there.'),
  transcript_updated: message('A turn of a call or chat is over.'),
  transfer_started: message('A call is being passed on to a person.'),
  transfer_bridged: message('Caller and person talk with each other.'),
  transfer_cancelled: message('Passing a call on was given up.'),
  transfer_ended: message('The talk with the person is over.'),
  chat_started: message('A chat was created.'),
  chat_ended: message('A chat was ended, by whomever.'),
  chat_analyzed: message('The analysis of a chat is there.'),
  batch_test_completed: message('A round of tests is over.'),
  knowledge_base_ready: message('The sources of a knowledge base have been read.'),
  alert_triggered: message('A figure has crossed a line that was drawn.'),
  alert_resolved: message('The figure is back within its lines.'),
}

export const GROUP_WORDS: Readonly<Record<keyof typeof EVENT_GROUPS, string>> = {
  calls: message('Calls'),
  chats: message('Chats'),
  more: message('More'),
  later: message('Not sent yet: chosen now, told once they exist'),
}

export const STATUS_WORDS: Readonly<Record<WebhookDeliveryStatus, string>> = {
  pending: message('Waiting'),
  delivered: message('Delivered'),
  failed: message('Failed'),
  cancelled: message('Cancelled'),
}

export const STATUS_TONES: Readonly<Record<WebhookDeliveryStatus, Tone>> = {
  pending: 'warn',
  delivered: 'good',
  failed: 'bad',
  cancelled: 'plain',
}
