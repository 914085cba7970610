import type { MakeId } from '@parley/engine/ports'
import { BatchConflictError, type Database } from '../../kernel/storage/database.ts'
import type { JobHandler } from '../../kernel/work/jobs.ts'
import type { SharedClock } from '../../kernel/work/shared-clock.ts'
import { type Audience, decideTargets } from './decide-targets.ts'
import { deleteEventStatement, findPendingEvent, type PendingEvent, publishStatements } from './event-store.ts'
import { printBody } from './webhook-body.ts'
import { findListeningWebhooks, type ListeningWebhook } from './webhook-store.ts'
import type { ReadWebhookSubject } from './webhook-subject.ts'

/** Kind of the jobs that make the deliveries of an event. */
export const PUBLISH_WEBHOOK_EVENT = 'tell-webhook-event'

export interface PublishEventDependencies {
  readonly database: Pick<Database, 'read' | 'compile' | 'batch'>
  readonly clock: Omit<SharedClock, 'after'>
  readonly makeId: MakeId
  readonly readSubject: ReadWebhookSubject
}

/** Written by `createWebhookEvents`. */
interface Payload extends Audience {
  readonly eventId: string
}

/** Reads what an event is about and makes one delivery for each address that is told of it. Done twice, it makes none again. */
export function createPublishEventHandler({
  database,
  clock,
  makeId,
  readSubject,
}: PublishEventDependencies): JobHandler {
  const endpointsOf = async (event: PendingEvent): Promise<readonly ListeningWebhook[]> => {
    const webhooks = await findListeningWebhooks(database.read, event.workspaceId)
    return webhooks.filter(({ events }) => events.includes(event.event))
  }

  return {
    async run({ payload }) {
      const { eventId, endpoints, addresses } = payload as unknown as Payload
      const event = await findPendingEvent(database.read, eventId)
      if (event === null) return
      const listening = endpoints ? await endpointsOf(event) : []
      const targets = decideTargets(event.workspaceId, { addresses }, listening)
      const subject = targets.length === 0 ? null : await readSubject(event.workspaceId, event.subject, event.event)
      if (subject === null) return await database.batch([deleteEventStatement(database, eventId)])
      const deliveries = targets.map((target) => ({ ...target, deliveryId: makeId('delivery') }))
      const published = { body: printBody(event, subject), deliveries, now: clock.now() }
      try {
        await database.batch(publishStatements(database, event, published))
      } catch (error) {
        // Another run of the same job was faster.
        if (!(error instanceof BatchConflictError)) throw error
      }
    },
  }
}
