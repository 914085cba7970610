import type { MakeId } from '@parley/engine/ports'
import { BatchConflictError, type Database } from '../../kernel/storage/database.ts'
import type { JobHandler } from '../../kernel/work/jobs.ts'
import type { SharedClock } from '../../kernel/work/shared-clock.ts'
import { type Audience, decideTargets } from './decide-targets.ts'
import { dropEventStatement, findUntoldEvent, tellStatements, type UntoldEvent } from './event-store.ts'
import { printBody } from './webhook-body.ts'
import { findListeningWebhooks, type ListeningWebhook } from './webhook-store.ts'
import type { ReadWebhookSubject } from './webhook-subject.ts'

/** Kind of the jobs that make the deliveries of an event. */
export const TELL_WEBHOOK_EVENT = 'tell-webhook-event'

export interface TellEventDependencies {
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
export function createTellEventHandler({ database, clock, makeId, readSubject }: TellEventDependencies): JobHandler {
  const endpointsOf = async (event: UntoldEvent): Promise<readonly ListeningWebhook[]> => {
    const webhooks = await findListeningWebhooks(database.read, event.workspaceId)
    return webhooks.filter(({ events }) => events.includes(event.event))
  }

  return {
    async run({ payload }) {
      const { eventId, endpoints, addresses } = payload as unknown as Payload
      const event = await findUntoldEvent(database.read, eventId)
      if (event === null) return
      const listening = endpoints ? await endpointsOf(event) : []
      const targets = decideTargets(event.workspaceId, { addresses }, listening)
      const subject = targets.length === 0 ? null : await readSubject(event.workspaceId, event.subject, event.event)
      if (subject === null) return await database.batch([dropEventStatement(database, eventId)])
      const deliveries = targets.map((target) => ({ ...target, deliveryId: makeId('delivery') }))
      const told = { body: printBody(event, subject), deliveries, now: clock.now() }
      try {
        await database.batch(tellStatements(database, event, told))
      } catch (error) {
        // Another run of the same job was faster.
        if (!(error instanceof BatchConflictError)) throw error
      }
    },
  }
}
