import { z } from 'zod'

/** Webhook events. */
export const WEBHOOK_EVENTS = [
  'call_started',
  'call_ended',
  'call_analyzed',
  'transcript_updated',
  'transfer_started',
  'transfer_bridged',
  'transfer_cancelled',
  'transfer_ended',
  'chat_started',
  'chat_ended',
  'chat_analyzed',
  'batch_test_completed',
  'knowledge_base_ready',
  'alert_triggered',
  'alert_resolved',
] as const

export const WebhookEventName = z.enum(WEBHOOK_EVENTS).meta({ id: 'WebhookEventName' })
export type WebhookEventName = z.output<typeof WebhookEventName>
