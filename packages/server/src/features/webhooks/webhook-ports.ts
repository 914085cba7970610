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

/** The result of a request. A failure with a `status` means that the response was incomplete. */
export type WebhookResponse =
  | { readonly ok: true; readonly status: number; readonly body: Uint8Array }
  | {
      readonly ok: false
      readonly reason: string
      /** A sentence that is shown to customers. */
      readonly message: string
      readonly status: number | null
    }

/** Sends a POST request to a customer's URL, except to private addresses. Never rejects. */
export type SendWebhook = (request: WebhookRequest) => Promise<WebhookResponse>

/** Decides which addresses webhooks may call. */
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
  /** The subject's content is read when the event is published. Events about one subject are ordered. */
  readonly subject: { readonly kind: 'call' | 'chat' | 'knowledge_base'; readonly id: string }
  /** The agents involved. Agents without a webhook URL share the workspace's endpoints. */
  readonly agents: readonly AgentWebhook[]
}

/** Publishes events to customers' systems. */
export interface WebhookEvents {
  /**
   * Builds statements to commit together with the change, so that the event is published only if the change is committed. Returns
   * an empty list if nobody receives the event.
   */
  buildStatements(event: NewWebhookEvent): Promise<readonly BatchStatement[]>
  /** Builds the statements that delete all events of a deleted subject, including pending events and bodies. */
  buildDeleteStatements(subject: NewWebhookEvent['subject']): readonly BatchStatement[]
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
