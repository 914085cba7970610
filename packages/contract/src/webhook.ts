import { z } from 'zod'
import { bodyWorkspace, clearable, DateTime, id, orDefault, text, Warnings, WorkspaceQuery } from './fields.ts'
import { defineDescribedObject, defineObject, PATCH_DESCRIPTION } from './named-object.ts'
import { defineOperation } from './operation.ts'
import { EXTENSION_LIST_LIMIT, pagingQuery } from './pagination.ts'
import { WEBHOOK_EVENTS, WebhookEventName } from './webhook-event.ts'

/** Webhooks: workspace endpoints that receive events, and the delivery log. */

/** Maximum number of endpoints per workspace. */
export const MAX_WEBHOOKS = 20

/** Default events of an endpoint. */
const DEFAULT_EVENTS: readonly WebhookEventName[] = [
  'chat_started',
  'chat_ended',
  'chat_analyzed',
  'call_started',
  'call_ended',
  'call_analyzed',
]

/** Whether a URL can receive events. Rejects URLs with credentials, because deliveries do not send them. */
function isWebhookUrl(value: string): boolean {
  const url = URL.parse(value)
  if (url === null || !/^https?:\/\//i.test(value) || /\s/.test(value)) return false
  return url.username === '' && url.password === ''
}

const Url = z
  .string()
  .max(2000, { abort: true })
  .refine(isWebhookUrl, { error: 'must be an http:// or https:// URL without user name and password' })
  .describe('URL that receives events. Private addresses are rejected on delivery unless the operator allows them.')

const EventList = z
  .array(WebhookEventName)
  .min(1)
  .max(WEBHOOK_EVENTS.length * 2)
  .transform((events) => [...new Set(events)])
  .describe('Events to send. Defaults to the start, end and analysis of chats and calls.')

const Description = text(2000).describe('Description for your team, at most 2,000 bytes.')
const Enabled = z
  .boolean()
  .describe(
    'Whether new events are sent. Events that occur while this field is false are not sent later. Defaults to true.',
  )

export const Webhook = defineObject('Webhook', {
  webhookId: z.string(),
  workspaceId: z.int(),
  url: z.string().describe('URL that receives events.'),
  events: z.array(WebhookEventName).describe('Events to receive.'),
  description: z.string(),
  enabled: z.boolean().describe('Whether new events are sent.'),
  createdAt: DateTime,
  updatedAt: DateTime,
})
export type Webhook = z.infer<typeof Webhook>

export const WebhookWritten = Webhook.extend({ warnings: Warnings }).meta({ id: 'WebhookWritten' })
export type WebhookWritten = z.infer<typeof WebhookWritten>

export const CreateWebhookBody = defineObject('CreateWebhookBody', {
  workspaceId: bodyWorkspace(),
  url: Url,
  events: orDefault(EventList, () => [...DEFAULT_EVENTS]),
  description: orDefault(Description, () => ''),
  enabled: orDefault(Enabled, () => true),
})
export type CreateWebhookBody = z.output<typeof CreateWebhookBody>

export const UpdateWebhookBody = defineDescribedObject('UpdateWebhookBody', PATCH_DESCRIPTION, {
  workspaceId: bodyWorkspace(),
  url: Url.optional(),
  events: clearable(EventList, () => [...DEFAULT_EVENTS]),
  description: clearable(Description, () => ''),
  enabled: clearable(Enabled, () => true),
})
export type UpdateWebhookBody = z.output<typeof UpdateWebhookBody>

/** `pending`: waiting for the next attempt; `failed`: no attempts left; `cancelled`: the endpoint was deleted first. */
export const WEBHOOK_DELIVERY_STATUSES = ['pending', 'delivered', 'failed', 'cancelled'] as const
export const WebhookDeliveryStatus = z.enum(WEBHOOK_DELIVERY_STATUSES).meta({ id: 'WebhookDeliveryStatus' })
export type WebhookDeliveryStatus = z.output<typeof WebhookDeliveryStatus>

export const WebhookDelivery = defineObject('WebhookDelivery', {
  deliveryId: z.string().describe('ID of the delivery, sent as `X-Webhook-Id` with every attempt.'),
  workspaceId: z.int(),
  webhookId: z.string().nullable().describe('ID of the endpoint, or null for an agent’s URL.'),
  url: z.string().describe('URL of the last attempt, or of the first attempt if there has been none.'),
  eventId: z.string().describe('`event_id` in the body. An event can have several deliveries.'),
  event: WebhookEventName,
  chatId: z.string().nullable().describe('ID of the chat, or null for other events.'),
  callId: z.string().nullable().describe('ID of the call, or null for other events.'),
  status: WebhookDeliveryStatus.describe(
    '`pending`: waiting for the next attempt; `failed`: no attempts left; `cancelled`: the endpoint was deleted first.',
  ),
  attemptCount: z.int().describe('Number of attempts, including those before a resend.'),
  lastStatus: z.int().nullable().describe('HTTP status of the last attempt, or null if there was no response.'),
  lastError: z.string().nullable().describe('Error of the last attempt, or null if it succeeded.'),
  nextAttemptAt: DateTime.nullable().describe('Time of the next attempt, or null if there is none.'),
  createdAt: DateTime,
  endedAt: DateTime.nullable().describe(
    'Time when the delivery succeeded, failed or was canceled, or null if it is pending.',
  ),
})
export type WebhookDelivery = z.infer<typeof WebhookDelivery>

export const WebhookAttempt = defineObject('WebhookAttempt', {
  attempt: z.int().describe('Number of the attempt, starting at 1; sent as `X-Webhook-Attempt`.'),
  at: DateTime.describe('Time of the attempt.'),
  status: z.int().nullable().describe('HTTP status of the response, or null if there was none.'),
  durationMs: z.int(),
  error: z.string().nullable().describe('Error of the attempt, or null if it succeeded.'),
  responseBody: z.string().describe('First 1,000 characters of the response body.'),
})
export type WebhookAttempt = z.infer<typeof WebhookAttempt>

export const WebhookDeliveryDetail = WebhookDelivery.extend({
  requestBody: z.string().describe('Exact body of the request.'),
  attempts: z.array(WebhookAttempt).describe('Newest 100 attempts, oldest first.'),
}).meta({ id: 'WebhookDeliveryDetail' })
export type WebhookDeliveryDetail = z.infer<typeof WebhookDeliveryDetail>

const WebhookPath = z.object({ webhookId: id().describe('ID of the endpoint (`webhook_…`).') })
const DeliveryPath = z.object({
  deliveryId: id().describe('ID of the delivery (`delivery_…`), sent as `X-Webhook-Id`.'),
})
const TAG = 'Webhooks'

export const listWebhooks = defineOperation({
  name: 'listWebhooks',
  route: 'GET /api/webhooks',
  tag: TAG,
  summary: 'List webhook endpoints',
  description: 'Returns the endpoints of the workspace, newest first. Webhook URLs of agents are not included.',
  access: 'admin',
  query: pagingQuery(EXTENSION_LIST_LIMIT),
  result: z.array(Webhook),
  features: ['paged'],
})

export const createWebhook = defineOperation({
  name: 'createWebhook',
  route: 'POST /api/webhooks',
  tag: TAG,
  summary: 'Create a webhook endpoint',
  description:
    'Creates an endpoint that receives future events of the workspace, signed with the signing secret. A ' +
    `workspace can have at most ${MAX_WEBHOOKS} endpoints.`,
  access: 'admin',
  body: CreateWebhookBody,
  status: 201,
  result: WebhookWritten,
  features: ['etag'],
})

export const getWebhook = defineOperation({
  name: 'getWebhook',
  route: 'GET /api/webhooks/{webhookId}',
  tag: TAG,
  summary: 'Get a webhook endpoint',
  description: 'Returns a webhook endpoint.',
  access: 'admin',
  pathParameters: WebhookPath,
  query: WorkspaceQuery,
  result: Webhook,
  features: ['etag'],
})

export const updateWebhook = defineOperation({
  name: 'updateWebhook',
  route: 'PATCH /api/webhooks/{webhookId}',
  tag: TAG,
  summary: 'Update a webhook endpoint',
  description: 'Updates the endpoint. Pending deliveries are sent to the new URL.',
  access: 'admin',
  pathParameters: WebhookPath,
  body: UpdateWebhookBody,
  result: WebhookWritten,
  errors: ['version_conflict'],
  features: ['etag'],
})

export const deleteWebhook = defineOperation({
  name: 'deleteWebhook',
  route: 'DELETE /api/webhooks/{webhookId}',
  tag: TAG,
  summary: 'Delete a webhook endpoint',
  description:
    'Permanently deletes the endpoint and cancels its pending deliveries. Past deliveries remain in the log.',
  access: 'admin',
  pathParameters: WebhookPath,
  query: WorkspaceQuery,
  errors: ['version_conflict'],
})

const ListDeliveriesQuery = pagingQuery(EXTENSION_LIST_LIMIT).extend({
  webhookId: id().optional().describe('Return only deliveries to this endpoint.'),
  event: WebhookEventName.optional().describe('Return only deliveries of this event.'),
  status: WebhookDeliveryStatus.optional().describe('Return only deliveries with this status.'),
  chatId: id().optional().describe('Return only deliveries about this chat.'),
  callId: id().optional().describe('Return only deliveries about this call.'),
})
export type ListDeliveriesQuery = z.output<typeof ListDeliveriesQuery>

export const listWebhookDeliveries = defineOperation({
  name: 'listWebhookDeliveries',
  route: 'GET /api/webhook-deliveries',
  tag: TAG,
  summary: 'List webhook deliveries',
  description: 'Returns past and pending deliveries, newest first. They are kept for 30 days.',
  access: 'admin',
  query: ListDeliveriesQuery,
  result: z.array(WebhookDelivery),
  features: ['paged'],
})

export const getWebhookDelivery = defineOperation({
  name: 'getWebhookDelivery',
  route: 'GET /api/webhook-deliveries/{deliveryId}',
  tag: TAG,
  summary: 'Get a webhook delivery',
  description: 'Returns a delivery with its body and attempts.',
  access: 'admin',
  pathParameters: DeliveryPath,
  query: WorkspaceQuery,
  result: WebhookDeliveryDetail,
})

export const resendWebhookDelivery = defineOperation({
  name: 'resendWebhookDelivery',
  route: 'POST /api/webhook-deliveries/{deliveryId}/resend',
  tag: TAG,
  summary: 'Resend a webhook delivery',
  description:
    'Sends the same body with the same `X-Webhook-Id` in a new series of attempts, regardless of the delivery’s status. Fails ' +
    'if the endpoint was deleted.',
  access: 'admin',
  pathParameters: DeliveryPath,
  body: defineObject('ResendWebhookDeliveryBody', { workspaceId: bodyWorkspace() }),
  result: WebhookDelivery,
})
