export type { AgentWebhook, AllowedTargets, ReadWebhookSubject, SendWebhook, WebhookEvents } from './webhook-ports.ts'
export { createWebhooks, type Webhooks } from './webhooks.ts'
