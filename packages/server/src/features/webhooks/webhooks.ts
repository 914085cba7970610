import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  getWebhookDelivery,
  listWebhookDeliveries,
  listWebhooks,
  resendWebhookDelivery,
  updateWebhook,
} from '@parley/contract/webhook'
import type { MakeId } from '@parley/engine/ports'
import { type Api, implement, respondWithEtag, respondWithPage } from '../../kernel/api/implement.ts'
import { parsePageRequest } from '../../kernel/api/paging.ts'
import type { Database, Transaction } from '../../kernel/storage/database.ts'
import type { Bus } from '../../kernel/work/bus.ts'
import type { JobHandler, JobQueue, JobSchedule } from '../../kernel/work/jobs.ts'
import type { SharedClock } from '../../kernel/work/shared-clock.ts'
import { createPublishEventHandler, PUBLISH_WEBHOOK_EVENT } from './publish-event.ts'
import { createWebhookDispatcher, type WebhookDispatcher } from './webhook-dispatcher.ts'
import { createWebhookEvents } from './webhook-events.ts'
import { createWebhookListeners } from './webhook-listeners.ts'
import type {
  AllowedTargets,
  ReadSigningSecrets,
  ReadWebhookSubject,
  SendWebhook,
  WebhookEvents,
} from './webhook-ports.ts'
import {
  createDeliveryService,
  createWebhookService,
  type DeliveryService,
  type WebhookService,
} from './webhook-service.ts'

const EVENT_RETENTION_MS = 30 * 24 * 60 * 60 * 1000

/** Small enough not to delay other writes. Each event is deleted with its deliveries and attempts. */
const DELETE_BATCH_SIZE = 200

const SWEEP_KIND = 'sweep-webhook-events'

export interface WebhooksDependencies {
  readonly database: Database
  /** Clock that is synchronized between nodes. */
  readonly clock: SharedClock
  readonly makeId: MakeId
  readonly bus: Bus
  readonly jobs: Pick<JobQueue, 'buildEnqueueStatement'>
  readonly send: SendWebhook
  readonly targets: AllowedTargets
  readonly readSecrets: ReadSigningSecrets
  readonly readSubject: ReadWebhookSubject
  /** Reports commits of this process that wrote to `webhook_deliveries`. */
  readonly onDeliveriesWritten?: (listener: () => void) => () => void
  readonly version: string
  readonly logError: (name: string, error: unknown) => void
}

/** Publishes events to customers' systems. */
export interface Webhooks {
  /** Port for features that publish events. */
  readonly events: WebhookEvents
  /** Sends deliveries. Start and stop the dispatcher with the process. */
  readonly dispatcher: WebhookDispatcher
  readonly handlers: Readonly<Record<string, JobHandler>>
  readonly schedules: readonly JobSchedule[]
  register(api: Api): void
}

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

/** Creates the sweep that deletes events with their deliveries and attempts after 30 days. */
function createWebhookSweep(
  database: Pick<Database, 'transaction'>,
  clock: Omit<SharedClock, 'after'>,
): { readonly handlers: Readonly<Record<string, JobHandler>>; readonly schedules: readonly JobSchedule[] } {
  const run: JobHandler['run'] = async (_job, signal) => {
    const createdUntil = clock.now() - EVENT_RETENTION_MS
    let deletedCount = DELETE_BATCH_SIZE
    while (deletedCount === DELETE_BATCH_SIZE && !signal.aborted) {
      deletedCount = await database.transaction((transaction) => deleteEventBatch(transaction, createdUntil))
    }
  }
  return {
    handlers: { [SWEEP_KIND]: { run } },
    schedules: [{ name: SWEEP_KIND, pattern: '47 * * * *', kind: SWEEP_KIND, payload: {} }],
  }
}

async function deleteEventBatch(transaction: Transaction, createdUntil: number): Promise<number> {
  const oldestEventIds = transaction
    .selectFrom('webhook_events')
    .select('event_id')
    .where('created_at', '<=', createdUntil)
    .orderBy('created_at')
    .limit(DELETE_BATCH_SIZE)
  const result = await transaction
    .deleteFrom('webhook_events')
    .where('event_id', 'in', oldestEventIds)
    .executeTakeFirst()
  return Number(result.numDeletedRows)
}

/** Registers the webhook routes. */
function registerWebhookRoutes(api: Api, webhooks: WebhookService, deliveries: DeliveryService): void {
  registerEndpointRoutes(api, webhooks)
  registerDeliveryRoutes(api, deliveries)
}

function registerEndpointRoutes(api: Api, service: WebhookService): void {
  implement(api, listWebhooks, async ({ query }, context) => {
    return respondWithPage(context, await service.list(context.workspaceId, parsePageRequest(query)))
  })

  implement(api, createWebhook, async ({ body }, context) =>
    respondWithEtag(context, await service.create(context.workspaceId, body)),
  )

  implement(api, getWebhook, async ({ path }, context) =>
    respondWithEtag(context, await service.get(context.workspaceId, path.webhookId)),
  )

  implement(api, updateWebhook, async ({ path, body }, context) => {
    const { workspaceId, ifMatch } = context
    return respondWithEtag(context, await service.update({ workspaceId, webhookId: path.webhookId, ifMatch }, body))
  })

  implement(api, deleteWebhook, ({ path }, { workspaceId, ifMatch }) =>
    service.remove({ workspaceId, webhookId: path.webhookId, ifMatch }),
  )
}

function registerDeliveryRoutes(api: Api, service: DeliveryService): void {
  implement(api, listWebhookDeliveries, async ({ query }, context) => {
    return respondWithPage(context, await service.list(context.workspaceId, query, parsePageRequest(query)))
  })

  implement(api, getWebhookDelivery, ({ path }, { workspaceId }) => service.get(workspaceId, path.deliveryId))

  implement(api, resendWebhookDelivery, ({ path }, { workspaceId }) => service.resend(workspaceId, path.deliveryId))
}
