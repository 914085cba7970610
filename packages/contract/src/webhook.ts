import { z } from 'zod'
import { bodyWorkspace, clearable, DateTime, id, orDefault, text, Warnings, WorkspaceQuery } from './fields.ts'
import { defineOperation } from './operation.ts'
import { EXTENSION_LIST_LIMIT, pagingQuery } from './pagination.ts'
import { WEBHOOK_EVENTS, WebhookEventName } from './webhook-event.ts'

/** Webhooks: addresses of a workspace's own systems that are told what happened, and what became of telling them. */

/** Endpoints that a workspace can have. */
export const MAX_WEBHOOKS = 20

/** What an endpoint is told of unless it says otherwise. */
const DEFAULT_EVENTS: readonly WebhookEventName[] = [
  'chat_started',
  'chat_ended',
  'chat_analyzed',
  'call_started',
  'call_ended',
  'call_analyzed',
]

/** An address that can be called: what stands before its host would be sent nowhere, so it is refused. */
function isWebhookUrl(value: string): boolean {
  const url = URL.parse(value)
  if (url === null || !/^https?:\/\//i.test(value) || /\s/.test(value)) return false
  return url.username === '' && url.password === ''
}

const Url = z
  .string()
  .max(2000, { abort: true })
  .refine(isWebhookUrl, { error: 'must be an http:// or https:// URL without user and password' })
  .meta({
    description:
      'Where events are posted to. Private addresses are refused when it is used, unless the operator allows them.',
  })

const EventList = z
  .array(WebhookEventName)
  .min(1)
  .max(WEBHOOK_EVENTS.length * 2)
  .transform((events) => [...new Set(events)])
  .meta({ description: 'What it is told of; the starts, ends and analyses of chats and calls when absent or null.' })

const Description = text(2000).meta({
  description: 'What it is for, so that people know it again; at most 2,000 bytes.',
})
const Enabled = z.boolean().meta({
  description:
    'While false it is told nothing new, and what happened meanwhile is not made up for. True when absent or null.',
})

export const Webhook = z
  .object({
    webhookId: z.string(),
    workspaceId: z.int(),
    url: z.string().meta({ description: 'Where events are posted to.' }),
    events: z.array(WebhookEventName).meta({ description: 'What it is told of.' }),
    description: z.string(),
    enabled: z.boolean().meta({ description: 'While false it is told nothing new.' }),
    createdAt: DateTime,
    updatedAt: DateTime,
  })
  .meta({ id: 'Webhook' })
export type Webhook = z.infer<typeof Webhook>

export const WebhookWritten = Webhook.extend({ warnings: Warnings }).meta({ id: 'WebhookWritten' })
export type WebhookWritten = z.infer<typeof WebhookWritten>

export const CreateWebhookBody = z
  .object({
    workspaceId: bodyWorkspace(),
    url: Url,
    events: orDefault(EventList, () => [...DEFAULT_EVENTS]),
    description: orDefault(Description, () => ''),
    enabled: orDefault(Enabled, () => true),
  })
  .meta({ id: 'CreateWebhookBody' })
export type CreateWebhookBody = z.output<typeof CreateWebhookBody>

export const UpdateWebhookBody = z
  .object({
    workspaceId: bodyWorkspace(),
    url: Url.optional(),
    events: clearable(EventList, () => [...DEFAULT_EVENTS]),
    description: clearable(Description, () => ''),
    enabled: clearable(Enabled, () => true),
  })
  .meta({ id: 'UpdateWebhookBody', description: 'Absent fields stay as they are, null returns one to its default.' })
export type UpdateWebhookBody = z.output<typeof UpdateWebhookBody>

/** `pending` waits for its next attempt; `failed` has used up its attempts; `cancelled` lost its endpoint before it arrived. */
export const WEBHOOK_DELIVERY_STATUSES = ['pending', 'delivered', 'failed', 'cancelled'] as const
export const WebhookDeliveryStatus = z.enum(WEBHOOK_DELIVERY_STATUSES).meta({ id: 'WebhookDeliveryStatus' })
export type WebhookDeliveryStatus = z.output<typeof WebhookDeliveryStatus>

export const WebhookDelivery = z
  .object({
    deliveryId: z.string().meta({ description: 'Sent as `X-Webhook-Id`, the same at every attempt.' }),
    workspaceId: z.int(),
    webhookId: z
      .string()
      .nullable()
      .meta({ description: 'The endpoint; null when an agent named the address itself.' }),
    url: z.string().meta({ description: 'Where it was last sent to, or will be sent to first.' }),
    eventId: z
      .string()
      .meta({ description: '`event_id` of the body: one event can have deliveries to several addresses.' }),
    event: WebhookEventName,
    chatId: z
      .string()
      .nullable()
      .meta({ description: 'The chat that it is about; null when it is about something else.' }),
    callId: z
      .string()
      .nullable()
      .meta({ description: 'The call that it is about; null when it is about something else.' }),
    status: WebhookDeliveryStatus.meta({
      description:
        '`pending` waits for its next attempt, `failed` has used up its attempts, `cancelled` lost its endpoint first.',
    }),
    attemptCount: z.int().meta({ description: 'Attempts so far, those of earlier sendings included.' }),
    lastStatus: z.int().nullable().meta({ description: 'HTTP status of the last attempt; null without an answer.' }),
    lastError: z.string().nullable().meta({ description: 'Why the last attempt failed; null when it did not.' }),
    nextAttemptAt: DateTime.nullable().meta({ description: 'Null when there will be none.' }),
    createdAt: DateTime,
    endedAt: DateTime.nullable().meta({ description: 'When it was delivered, failed or was cancelled.' }),
  })
  .meta({ id: 'WebhookDelivery' })
export type WebhookDelivery = z.infer<typeof WebhookDelivery>

export const WebhookAttempt = z
  .object({
    attempt: z.int().meta({ description: 'Counts from 1; sent as `X-Webhook-Attempt`.' }),
    at: DateTime.meta({ description: 'When it was sent.' }),
    status: z.int().nullable().meta({ description: 'HTTP status of the answer; null without one.' }),
    durationMs: z.int(),
    error: z.string().nullable().meta({ description: 'Why it failed; null when it did not.' }),
    responseBody: z.string().meta({ description: 'Beginning of the answer, at most 1,000 characters.' }),
  })
  .meta({ id: 'WebhookAttempt' })
export type WebhookAttempt = z.infer<typeof WebhookAttempt>

export const WebhookDeliveryDetail = WebhookDelivery.extend({
  requestBody: z.string().meta({ description: 'The body as it is sent, byte for byte.' }),
  attempts: z.array(WebhookAttempt).meta({ description: 'Oldest first: the newest 100.' }),
}).meta({ id: 'WebhookDeliveryDetail' })
export type WebhookDeliveryDetail = z.infer<typeof WebhookDeliveryDetail>

const WebhookPath = z.object({ webhookId: id().meta({ description: 'The endpoint, `webhook_…`.' }) })
const DeliveryPath = z.object({
  deliveryId: id().meta({ description: 'The delivery, `delivery_…`: the value of `X-Webhook-Id`.' }),
})
const TAG = 'Webhooks'

export const listWebhooks = defineOperation({
  name: 'listWebhooks',
  method: 'GET',
  path: '/api/webhooks',
  tag: TAG,
  summary: 'List webhook endpoints',
  description: 'Newest first. Agents with an address of their own are not listed here.',
  access: 'admin',
  workspace: 'query',
  query: pagingQuery(EXTENSION_LIST_LIMIT),
  status: 200,
  result: z.array(Webhook),
  features: ['paged'],
})

export const createWebhook = defineOperation({
  name: 'createWebhook',
  method: 'POST',
  path: '/api/webhooks',
  tag: TAG,
  summary: 'Create a webhook endpoint',
  description:
    `Events of the workspace are posted to it from now on, signed with the signing secret. A workspace has at most ` +
    `${MAX_WEBHOOKS}.`,
  access: 'admin',
  workspace: 'body',
  body: CreateWebhookBody,
  status: 201,
  result: WebhookWritten,
  features: ['etag'],
})

export const getWebhook = defineOperation({
  name: 'getWebhook',
  method: 'GET',
  path: '/api/webhooks/{webhookId}',
  tag: TAG,
  summary: 'Read a webhook endpoint',
  description: 'Answers one endpoint.',
  access: 'admin',
  workspace: 'query',
  pathParameters: WebhookPath,
  query: WorkspaceQuery,
  status: 200,
  result: Webhook,
  errors: ['not_found'],
  features: ['etag'],
})

export const updateWebhook = defineOperation({
  name: 'updateWebhook',
  method: 'PATCH',
  path: '/api/webhooks/{webhookId}',
  tag: TAG,
  summary: 'Change a webhook endpoint',
  description: 'Deliveries that wait for their next attempt go to the new address.',
  access: 'admin',
  workspace: 'body',
  pathParameters: WebhookPath,
  body: UpdateWebhookBody,
  status: 200,
  result: WebhookWritten,
  errors: ['not_found', 'version_conflict'],
  features: ['etag'],
})

export const deleteWebhook = defineOperation({
  name: 'deleteWebhook',
  method: 'DELETE',
  path: '/api/webhooks/{webhookId}',
  tag: TAG,
  summary: 'Delete a webhook endpoint',
  description: 'Removes it for good and cancels its pending deliveries. Its deliveries stay on record.',
  access: 'admin',
  workspace: 'query',
  pathParameters: WebhookPath,
  query: WorkspaceQuery,
  status: 204,
  errors: ['not_found', 'version_conflict'],
})

const ListDeliveriesQuery = pagingQuery(EXTENSION_LIST_LIMIT).extend({
  webhookId: id().optional().meta({ description: 'Only those to this endpoint.' }),
  event: WebhookEventName.optional().meta({ description: 'Only those of this event.' }),
  status: WebhookDeliveryStatus.optional().meta({ description: 'Only those with this status.' }),
  chatId: id().optional().meta({ description: 'Only those about this chat.' }),
  callId: id().optional().meta({ description: 'Only those about this call.' }),
})
export type ListDeliveriesQuery = z.output<typeof ListDeliveriesQuery>

export const listWebhookDeliveries = defineOperation({
  name: 'listWebhookDeliveries',
  method: 'GET',
  path: '/api/webhook-deliveries',
  tag: TAG,
  summary: 'List webhook deliveries',
  description: 'What was sent, or is still to be sent, newest first. Kept for 30 days.',
  access: 'admin',
  workspace: 'query',
  query: ListDeliveriesQuery,
  status: 200,
  result: z.array(WebhookDelivery),
  features: ['paged'],
})

export const getWebhookDelivery = defineOperation({
  name: 'getWebhookDelivery',
  method: 'GET',
  path: '/api/webhook-deliveries/{deliveryId}',
  tag: TAG,
  summary: 'Read a webhook delivery',
  description: 'Answers one delivery with its body and the log of its attempts.',
  access: 'admin',
  workspace: 'query',
  pathParameters: DeliveryPath,
  query: WorkspaceQuery,
  status: 200,
  result: WebhookDeliveryDetail,
  errors: ['not_found'],
})

export const resendWebhookDelivery = defineOperation({
  name: 'resendWebhookDelivery',
  method: 'POST',
  path: '/api/webhook-deliveries/{deliveryId}/resend',
  tag: TAG,
  summary: 'Send a webhook delivery again',
  description:
    'Sends the same body under the same `X-Webhook-Id`, whatever became of it before, with a new round of attempts. One ' +
    'whose endpoint was deleted cannot be sent.',
  access: 'admin',
  workspace: 'body',
  pathParameters: DeliveryPath,
  body: z.object({ workspaceId: bodyWorkspace() }).meta({ id: 'ResendWebhookDeliveryBody' }),
  status: 200,
  result: WebhookDelivery,
  errors: ['not_found'],
})
