import type { Agent } from '@parley/contract/agent'
import type { WEBHOOK_SETTINGS } from '@parley/contract/agent-settings/conversation-settings'
import type { OptionsOf } from '@parley/contract/agent-settings/setting'
import type { WebhookEventName } from '@parley/contract/webhook-event'
import type { BatchStatement } from '../../kernel/storage/database.ts'

/** Where an agent wants its own events told. A `url` of `null`: the endpoints of the workspace are told. */
export interface AgentWebhook extends OptionsOf<typeof WEBHOOK_SETTINGS, Agent> {
  /** Which events the agent's own address is told. */
  readonly events: readonly WebhookEventName[]
}

/** Something that happened to a subject that customers want to hear of. */
export interface NewWebhookEvent {
  readonly workspaceId: number
  readonly event: WebhookEventName
  /** What the event is about: its body is read when it is sent out. Events of one subject are told in order. */
  readonly subject: { readonly kind: 'call' | 'chat' | 'knowledge_base'; readonly id: string }
  /** The agents that take part. Agents without an address of their own share the endpoints of the workspace. */
  readonly agents: readonly AgentWebhook[]
}

/** How features tell customers' systems what happened; implemented by the webhooks feature. */
export interface WebhookEvents {
  /**
   * Statements that belong into the batch or transaction that makes the event true: it is told if and only if that is
   * committed. None when nobody listens, which is known without a query most of the time.
   */
  statements(event: NewWebhookEvent): Promise<readonly BatchStatement[]>
  /** Removes what was and is to be told of a subject, bodies included: it is deleted for good. */
  deleteEventsOf(subject: NewWebhookEvent['subject']): readonly BatchStatement[]
}

/**
 * Reads the body of an event about a subject, `{call: {...}}`, `{chat: {...}}` or `{knowledge_base: {...}}`; `null` when the
 * subject is gone.
 */
export type ReadWebhookSubject = (
  workspaceId: number,
  subject: NewWebhookEvent['subject'],
  event: WebhookEventName,
) => Promise<Readonly<Record<string, unknown>> | null>
