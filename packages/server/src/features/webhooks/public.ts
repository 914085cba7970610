/** What the rest of the server may use of this feature. */

export type { AllowedTargets, SendWebhook } from './webhook-ports.ts'
export type { AgentWebhook, ReadWebhookSubject, WebhookEvents } from './webhook-subject.ts'
export { createWebhooks, type Webhooks } from './webhooks.ts'
