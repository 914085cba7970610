import type { WebhookEventName } from '@parley/contract/webhook-event'
import type { Database } from '../../kernel/storage/database.ts'
import type { Bus } from '../../kernel/work/bus.ts'
import type { SharedClock } from '../../kernel/work/shared-clock.ts'
import { findListeningWebhooks } from './webhook-store.ts'

/** Tells every node that a workspace's endpoints have changed; the message is the workspace id. */
const CHANGED_TOPIC = 'webhooks.changed'
/** Another node's change is seen within this time, should its message be lost. */
const CACHE_TTL_MS = 5_000
const MAX_CACHED = 10_000

/** Knows without a query most of the time which events a workspace's endpoints are told of. */
export interface WebhookListeners {
  /** At most five seconds out of date. */
  isListening(workspaceId: number, event: WebhookEventName): Promise<boolean>
  /** To be called after a change of the workspace's endpoints. */
  announceChange(workspaceId: number): void
}

interface Cached {
  readonly events: ReadonlySet<WebhookEventName>
  readonly until: number
}

export function createWebhookListeners({
  database,
  clock,
  bus,
}: {
  readonly database: Pick<Database, 'read'>
  readonly clock: Omit<SharedClock, 'after'>
  readonly bus: Bus
}): WebhookListeners {
  const cache = new Map<number, Cached>()
  /** Counts changes: what was read before one is not kept after it. */
  let changes = 0
  const invalidate = (workspaceId: number): void => {
    changes += 1
    cache.delete(workspaceId)
  }
  bus.subscribe(CHANGED_TOPIC, (workspaceId) => invalidate(Number(workspaceId)))
  bus.onGap(() => {
    changes += 1
    cache.clear()
  })

  async function readEvents(workspaceId: number): Promise<ReadonlySet<WebhookEventName>> {
    const before = changes
    const until = clock.now() + CACHE_TTL_MS
    const webhooks = await findListeningWebhooks(database.read, workspaceId)
    const events = new Set(webhooks.flatMap((webhook) => webhook.events))
    if (before !== changes) return events
    if (cache.size >= MAX_CACHED) cache.clear()
    cache.set(workspaceId, { events, until })
    return events
  }

  return {
    async isListening(workspaceId, event) {
      const known = cache.get(workspaceId)
      const events = known !== undefined && known.until > clock.now() ? known.events : await readEvents(workspaceId)
      return events.has(event)
    },
    announceChange(workspaceId) {
      invalidate(workspaceId)
      bus.publish(CHANGED_TOPIC, workspaceId)
    },
  }
}
