import type { MakeId } from '@parley/engine/ports'
import type { Api } from '../../kernel/api/implement.ts'
import type { Database, Transaction } from '../../kernel/storage/database.ts'
import type { Bus } from '../../kernel/work/bus.ts'
import type { JobHandler, JobQueue, JobSchedule } from '../../kernel/work/jobs.ts'
import type { SharedClock } from '../../kernel/work/shared-clock.ts'
import { createDeliveryService } from './delivery-service.ts'
import { createPublishEventHandler, PUBLISH_WEBHOOK_EVENT } from './publish-event.ts'
import { createWebhookDispatcher, type WebhookDispatcher } from './webhook-dispatcher.ts'
import { createWebhookEvents } from './webhook-events.ts'
import { createWebhookListeners } from './webhook-listeners.ts'
import type { AllowedTargets, ReadSigningSecrets, SendWebhook } from './webhook-ports.ts'
import { registerWebhookRoutes } from './webhook-routes.ts'
import { createWebhookService } from './webhook-service.ts'
import type { ReadWebhookSubject, WebhookEvents } from './webhook-subject.ts'

const EVENT_RETENTION_MS = 30 * 24 * 60 * 60 * 1000

/** So few that nobody waits for long behind them: each takes its deliveries and their attempts with it. */
const DELETE_BATCH_SIZE = 200

const SWEEP_KIND = 'sweep-webhook-events'

export interface WebhooksDependencies {
  readonly database: Database
  /** With several nodes, the same time on all of them. */
  readonly clock: SharedClock
  readonly makeId: MakeId
  readonly bus: Bus
  readonly jobs: Pick<JobQueue, 'statement'>
  readonly send: SendWebhook
  readonly targets: AllowedTargets
  readonly secretsFor: ReadSigningSecrets
  readonly readSubject: ReadWebhookSubject
  /** Tells of commits of this process that wrote into `webhook_deliveries`. */
  readonly onDeliveriesWritten?: (listener: () => void) => () => void
  readonly version: string
  readonly logError: (name: string, error: unknown) => void
}

/** Everything that tells customers' systems what happened. */
export interface Webhooks {
  /** For features in which something happens. */
  readonly events: WebhookEvents
  /** To be started and stopped with the process. */
  readonly dispatcher: WebhookDispatcher
  readonly handlers: Readonly<Record<string, JobHandler>>
  readonly schedules: readonly JobSchedule[]
  register(api: Api): void
}

/** Connects the parts of the feature. */
export function createWebhooks(dependencies: WebhooksDependencies): Webhooks {
  const { database, clock } = dependencies
  const listeners = createWebhookListeners(dependencies)
  const dispatcher = createWebhookDispatcher(dependencies)
  const sweep = createWebhookSweep(database, clock)
  const service = createWebhookService({ ...dependencies, listeners })
  const deliveries = createDeliveryService({ database, clock, wake: () => dispatcher.wake() })
  return {
    events: createWebhookEvents({ ...dependencies, listeners }),
    dispatcher,
    handlers: { [PUBLISH_WEBHOOK_EVENT]: createPublishEventHandler(dependencies), ...sweep.handlers },
    schedules: sweep.schedules,
    register: (api) => registerWebhookRoutes(api, service, deliveries),
  }
}

/** Deletes events, their deliveries and attempts after 30 days. */
function createWebhookSweep(
  database: Pick<Database, 'transaction'>,
  clock: Omit<SharedClock, 'after'>,
): { readonly handlers: Readonly<Record<string, JobHandler>>; readonly schedules: readonly JobSchedule[] } {
  const run: JobHandler['run'] = async (_job, signal) => {
    const until = clock.now() - EVENT_RETENTION_MS
    let deleted = DELETE_BATCH_SIZE
    while (deleted === DELETE_BATCH_SIZE && !signal.aborted) {
      deleted = await database.transaction((transaction) => deleteEvents(transaction, until))
    }
  }
  return {
    handlers: { [SWEEP_KIND]: { run } },
    schedules: [{ name: SWEEP_KIND, pattern: '47 * * * *', kind: SWEEP_KIND, payload: {} }],
  }
}

async function deleteEvents(transaction: Transaction, until: number): Promise<number> {
  const oldest = transaction
    .selectFrom('webhook_events')
    .select('event_id')
    .where('created_at', '<=', until)
    .orderBy('created_at')
    .limit(DELETE_BATCH_SIZE)
  const deleted = await transaction.deleteFrom('webhook_events').where('event_id', 'in', oldest).executeTakeFirst()
  return Number(deleted.numDeletedRows)
}
