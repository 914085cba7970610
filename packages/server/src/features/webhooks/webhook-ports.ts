import type { Agent } from '@parley/contract/agent'
import type { WEBHOOK_SETTINGS } from '@parley/contract/agent-settings/conversation-settings'
import type { OptionsOf } from '@parley/contract/agent-settings/setting'
import type { WebhookEventName } from '@parley/contract/webhook-event'
import type { BatchStatement } from '../../kernel/storage/database.ts'

/** One POST request to a customer's URL. */
interface WebhookRequest {
  readonly url: string
  readonly method: 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly timeoutMs: number
  /** Maximum number of response bytes to read. */
  readonly maxResponseBytes: number
  /** Redirects count as ordinary responses. */
  readonly maxRedirects: 0
  readonly signal: AbortSignal
}

/** Result of a request. A failure with a `status` means that the response started and then broke off. */
export type WebhookAnswer =
  | { readonly ok: true; readonly status: number; readonly body: Uint8Array }
  | {
      readonly ok: false
      readonly reason: string
      /** A sentence that customers may read. */
      readonly message: string
      readonly status: number | null
    }

/** Sends a POST request to a customer's URL, except to private addresses. Never rejects. */
export type SendWebhook = (request: WebhookRequest) => Promise<WebhookAnswer>

/** The URLs that may be called. */
export interface AllowedTargets {
  allows(target: { readonly hostname: string; readonly port: number; readonly address: string }): boolean
}

/** Returns the current signing secrets of a workspace, newest first. */
export type ReadSigningSecrets = (workspaceId: number) => Promise<readonly string[]>

/** An agent's webhook settings. If `url` is null, the workspace's endpoints receive the agent's events. */
export interface AgentWebhook extends OptionsOf<typeof WEBHOOK_SETTINGS, Agent> {
  /** Events sent to the agent's URL. */
  readonly events: readonly WebhookEventName[]
}

/** An event for customers' systems. */
export interface NewWebhookEvent {
  readonly workspaceId: number
  readonly event: WebhookEventName
  /** The subject. Its content is read when the event is published. Events of one subject are ordered. */
  readonly subject: { readonly kind: 'call' | 'chat' | 'knowledge_base'; readonly id: string }
  /** The agents involved. Agents without a webhook URL share the workspace's endpoints. */
  readonly agents: readonly AgentWebhook[]
}

/** Publishes events to customers' systems. */
export interface WebhookEvents {
  /**
   * Builds statements to commit with the change. The event is published if and only if they are committed. Returns none without
   * recipients, which usually requires no query.
   */
  statements(event: NewWebhookEvent): Promise<readonly BatchStatement[]>
  /** Builds the statements that delete all events of a deleted subject, including pending events and bodies. */
  deleteEventsOf(subject: NewWebhookEvent['subject']): readonly BatchStatement[]
}

/**
 * Reads the subject of an event: `{call: {...}}`, `{chat: {...}}` or `{knowledge_base: {...}}`. Returns null if the subject was
 * deleted.
 */
export type ReadWebhookSubject = (
  workspaceId: number,
  subject: NewWebhookEvent['subject'],
  event: WebhookEventName,
) => Promise<Readonly<Record<string, unknown>> | null>
