import type { Agent } from '@parley/contract/agent'
import type { WEBHOOK_SETTINGS } from '@parley/contract/agent-settings/conversation-settings'
import type { OptionsOf } from '@parley/contract/agent-settings/setting'
import type { WebhookEventName } from '@parley/contract/webhook-event'
import type { BatchStatement } from '../../kernel/storage/database.ts'

/** One POST to a customer's URL. */
interface WebhookRequest {
  readonly url: string
  readonly method: 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly timeoutMs: number
  /** The rest of the response is not read. */
  readonly maxResponseBytes: number
  /** Redirects are ordinary responses. */
  readonly maxRedirects: 0
  readonly signal: AbortSignal
}

/** Result of a request. `status` of a failure: the response started and broke off. */
export type WebhookAnswer =
  | { readonly ok: true; readonly status: number; readonly body: Uint8Array }
  | {
      readonly ok: false
      readonly reason: string
      /** A sentence that customers may read. */
      readonly message: string
      readonly status: number | null
    }

/** Posts to customers' URLs except private addresses. Never rejects. */
export type SendWebhook = (request: WebhookRequest) => Promise<WebhookAnswer>

/** Which URLs may be called. */
export interface AllowedTargets {
  allows(target: { readonly hostname: string; readonly port: number; readonly address: string }): boolean
}

/** Current signing secrets of a workspace, newest first. */
export type ReadSigningSecrets = (workspaceId: number) => Promise<readonly string[]>

/** An agent's webhook settings. With `url` `null`, the workspace's endpoints receive its events. */
export interface AgentWebhook extends OptionsOf<typeof WEBHOOK_SETTINGS, Agent> {
  /** Events sent to the agent's own URL. */
  readonly events: readonly WebhookEventName[]
}

/** An event for customers' systems. */
export interface NewWebhookEvent {
  readonly workspaceId: number
  readonly event: WebhookEventName
  /** The subject: the body is read when the event is sent. Events of one subject are ordered. */
  readonly subject: { readonly kind: 'call' | 'chat' | 'knowledge_base'; readonly id: string }
  /** The agents involved. Agents without their own URL share the workspace's endpoints. */
  readonly agents: readonly AgentWebhook[]
}

/** Publishes events to customers' systems. */
export interface WebhookEvents {
  /**
   * Statements to commit with the change: the event is published if and only if they are committed. Empty without
   * receivers, which is usually known without a query.
   */
  statements(event: NewWebhookEvent): Promise<readonly BatchStatement[]>
  /** Deletes past and pending events of a deleted subject, including bodies. */
  deleteEventsOf(subject: NewWebhookEvent['subject']): readonly BatchStatement[]
}

/**
 * Reads the body of an event, `{call: {...}}`, `{chat: {...}}` or `{knowledge_base: {...}}`; `null` when the subject is
 * gone.
 */
export type ReadWebhookSubject = (
  workspaceId: number,
  subject: NewWebhookEvent['subject'],
  event: WebhookEventName,
) => Promise<Readonly<Record<string, unknown>> | null>
