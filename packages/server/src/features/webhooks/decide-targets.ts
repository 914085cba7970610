import { createHash } from 'node:crypto'
import type { NewWebhookEvent } from './webhook-ports.ts'
import type { ListeningWebhook } from './webhook-store.ts'

/** An agent's own webhook URL. */
interface AgentAddress {
  readonly url: string
  readonly timeoutMs: number
}

/** The receivers of an event before endpoints are looked up. */
export interface Audience {
  readonly addresses: readonly AgentAddress[]
  /** Includes the endpoints of the workspace. */
  readonly endpoints: boolean
}

/** One receiver of an event. */
export interface EventTarget {
  /** Deliveries to one target about one subject are ordered. */
  readonly target: string
  /** `null` for an agent's URL. */
  readonly webhookId: string | null
  readonly url: string
  readonly timeoutMs: number
}

/** For deliveries to endpoints; agents configure their own. */
const ENDPOINT_TIMEOUT_MS = 10_000

/** An agent's own URL replaces the endpoints for that agent; an event without an agent goes to the endpoints. */
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

/** The targets of an event, given its endpoints. An agent's URL that is also an endpoint gets one delivery. */
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

/** A hash, because URLs are longer than an index allows; per workspace, because others' deliveries are unrelated. */
function targetOfAddress(workspaceId: number, url: string): string {
  return `address_${createHash('sha256').update(`${workspaceId} ${url}`).digest('hex').slice(0, 40)}`
}
