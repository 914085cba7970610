import { createHash } from 'node:crypto'
import type { ListeningWebhook } from './webhook-store.ts'
import type { NewWebhookEvent } from './webhook-subject.ts'

/** An address that an agent wants its events posted to. */
export interface AgentAddress {
  readonly url: string
  readonly timeoutMs: number
}

/** Who an event is for, before anybody looks which endpoints there are. */
export interface Audience {
  readonly addresses: readonly AgentAddress[]
  /** The endpoints of the workspace as well. */
  readonly endpoints: boolean
}

/** Where one event goes. */
export interface EventTarget {
  /** What is told one thing after another. */
  readonly target: string
  /** `null` for an address of an agent. */
  readonly webhookId: string | null
  readonly url: string
  readonly timeoutMs: number
}

/** Of deliveries to endpoints; agents say their own. */
const ENDPOINT_TIMEOUT_MS = 10_000

/** An agent's own address replaces the endpoints for that agent; an event without an agent is for the endpoints. */
export function decideAudience({ event, agents }: Pick<NewWebhookEvent, 'event' | 'agents'>): Audience {
  const timeouts = new Map<string, number>()
  for (const { url, events, timeoutMs } of agents) {
    if (url !== null && events.includes(event)) timeouts.set(url, Math.max(timeoutMs, timeouts.get(url) ?? 0))
  }
  return {
    addresses: [...timeouts].map(([url, timeoutMs]) => ({ url, timeoutMs })),
    endpoints: agents.length === 0 || agents.some(({ url }) => url === null),
  }
}

/** Where an event goes, given the endpoints that are told of it. An agent's address that is an endpoint's too is told once. */
export function decideTargets(
  workspaceId: number,
  { addresses }: Pick<Audience, 'addresses'>,
  endpoints: readonly Pick<ListeningWebhook, 'webhookId' | 'url'>[],
): EventTarget[] {
  const known = new Set(endpoints.map(({ url }) => url))
  return [
    ...endpoints.map(({ webhookId, url }) => ({ target: webhookId, webhookId, url, timeoutMs: ENDPOINT_TIMEOUT_MS })),
    ...addresses
      .filter(({ url }) => !known.has(url))
      .map(({ url, timeoutMs }) => ({ target: targetOfAddress(workspaceId, url), webhookId: null, url, timeoutMs })),
  ]
}

/** Addresses are longer than an index takes, and another workspace's deliveries to the same one are none of this one's. */
function targetOfAddress(workspaceId: number, url: string): string {
  return `address_${createHash('sha256').update(`${workspaceId} ${url}`).digest('hex').slice(0, 40)}`
}
