import type { MakeId } from '@parley/engine/ports'
import type { Database } from '../../kernel/storage/database.ts'
import type { JobQueue } from '../../kernel/work/jobs.ts'
import type { SharedClock } from '../../kernel/work/shared-clock.ts'
import { type Audience, decideAudience } from './decide-targets.ts'
import { buildInsertEventStatement } from './event-store.ts'
import { PUBLISH_WEBHOOK_EVENT } from './publish-event.ts'
import type { WebhookListeners } from './webhook-listeners.ts'
import type { NewWebhookEvent, WebhookEvents } from './webhook-ports.ts'

interface WebhookEventsDependencies {
  readonly database: Pick<Database, 'queryBuilder'>
  /** Clock that is synchronized between nodes and orders the events of a subject. */
  readonly clock: Omit<SharedClock, 'after'>
  readonly makeId: MakeId
  readonly jobs: Pick<JobQueue, 'buildEnqueueStatement'>
  readonly listeners: Pick<WebhookListeners, 'isListening'>
}

/** Number of positions per millisecond. */
const POSITIONS_PER_MS = 1000

/** Creates the port that stores events together with their publishing jobs. */
export function createWebhookEvents(dependencies: WebhookEventsDependencies): WebhookEvents {
  const { database, clock, makeId, jobs, listeners } = dependencies
  let lastPosition = 0

  /** Returns the next position. Later events always have higher positions. */
  function nextPosition(now: number): number {
    lastPosition = Math.max(lastPosition + 1, now * POSITIONS_PER_MS)
    return lastPosition
  }

  async function hasListeningEndpoint({ workspaceId, event }: NewWebhookEvent): Promise<boolean> {
    try {
      return await listeners.isListening(workspaceId, event)
    } catch {
      // The read can fail inside a transaction. The publishing job looks up the endpoints again.
      return true
    }
  }

  async function findAudience(event: NewWebhookEvent): Promise<Audience> {
    const audience = decideAudience(event)
    return { ...audience, endpoints: audience.endpoints && (await hasListeningEndpoint(event)) }
  }

  return {
    async buildStatements(event) {
      const { addresses, endpoints } = await findAudience(event)
      if (addresses.length === 0 && !endpoints) return []
      const now = clock.now()
      const eventId = makeId('evt')
      const { workspaceId, subject } = event
      const position = nextPosition(now)
      const payload = { eventId, endpoints, addresses: addresses.map(({ url, timeoutMs }) => ({ url, timeoutMs })) }
      const { query } = jobs.buildEnqueueStatement({ kind: PUBLISH_WEBHOOK_EVENT, payload, workspaceId })
      return [
        buildInsertEventStatement(database, {
          eventId,
          workspaceId,
          event: event.event,
          subject,
          position,
          createdAt: now,
        }),
        { query },
      ]
    },

    buildDeleteStatements({ kind, id }) {
      const events = database.queryBuilder
        .deleteFrom('webhook_events')
        .where('subject_id', '=', id)
        .where('subject_kind', '=', kind)
      return [{ query: events.compile() }]
    },
  }
}
