import type { WebhookEventName } from '@parley/contract/webhook-event'
import type { Database } from '../../kernel/storage/database.ts'
import type { Bus } from '../../kernel/work/bus.ts'
import type { SharedClock } from '../../kernel/work/shared-clock.ts'
import { findListeningWebhooks } from './webhook-store.ts'

/** Announces that a workspace's endpoints have changed. The message is the workspace id. */
const CHANGED_TOPIC = 'webhooks.changed'
/** A change on another node takes effect within this time, even if its message is lost. */
const CACHE_TTL_MS = 5_000
const MAX_CACHED = 10_000

/** Caches which events each workspace's endpoints receive. */
export interface WebhookListeners {
  /** Whether an endpoint receives the event. The result is at most five seconds out of date. */
  isListening(workspaceId: number, event: WebhookEventName): Promise<boolean>
  /** Announces a change to the workspace's endpoints. */
  announceChange(workspaceId: number): void
}

interface CacheEntry {
  readonly events: ReadonlySet<WebhookEventName>
  readonly expiresAt: number
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
  const cache = new Map<number, CacheEntry>()
  /** Increases with each change, so that a read that overlaps with a change is not cached. */
  let revision = 0
  const invalidate = (workspaceId: number): void => {
    revision += 1
    cache.delete(workspaceId)
  }
  bus.subscribe(CHANGED_TOPIC, (workspaceId) => invalidate(Number(workspaceId)))
  bus.onGap(() => {
    revision += 1
    cache.clear()
  })

  async function readEvents(workspaceId: number): Promise<ReadonlySet<WebhookEventName>> {
    const startRevision = revision
    const expiresAt = clock.now() + CACHE_TTL_MS
    const webhooks = await findListeningWebhooks(database.read, workspaceId)
    const events = new Set(webhooks.flatMap((webhook) => webhook.events))
    if (startRevision !== revision) return events
    if (cache.size >= MAX_CACHED) cache.clear()
    cache.set(workspaceId, { events, expiresAt })
    return events
  }

  return {
    async isListening(workspaceId, event) {
      const entry = cache.get(workspaceId)
      const events = entry !== undefined && entry.expiresAt > clock.now() ? entry.events : await readEvents(workspaceId)
      return events.has(event)
    },
    announceChange(workspaceId) {
      invalidate(workspaceId)
      bus.publish(CHANGED_TOPIC, workspaceId)
    },
  }
}
