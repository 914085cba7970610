import type { WebhookDeliveryDetail } from '@parley/contract/webhook'
import type { WebhookEventName } from '@parley/contract/webhook-event'
import type { MakeId } from '@parley/engine/ports'
import { createManualClock } from '@parley/engine/testing/manual-clock'
import { nextTurn } from '../../../../../testing/next-turn.ts'
import { seedWorkspaces } from '../../../../../testing/seed-workspaces.ts'
import { temporaryDatabase } from '../../../../../testing/temporary-database.ts'
import { createLoopbackConnector } from '../../../../../testing/tool-server/loopback-connector.ts'
import { startWebhookReceiver } from '../../../../../testing/webhook-receiver/webhook-receiver.ts'
import type { Database } from '../../kernel/storage/database.ts'
import type { Bus } from '../../kernel/work/bus.ts'
import { createSharedClock } from '../../kernel/work/shared-clock.ts'
import { createInProcessBus } from '../../platform/bus/in-process-bus.ts'
import type { ResolveAddresses } from '../../platform/outbound/guarded-agent.ts'
import { createGuardedClient } from '../../platform/outbound/guarded-request.ts'
import { createTargetPolicy } from '../../platform/outbound/target-policy.ts'
import { createJobQueue } from '../../platform/queue/job-queue.ts'
import { createJobWorker, type JobWorker } from '../../platform/queue/job-worker.ts'
import { createSecrets } from '../../platform/secrets/sealed-secrets.ts'
import { aroundWrites, createSequentialIds } from '../features-test-kit.ts'
import { disposeAll, openRoutes } from '../route-test-kit.ts'
import { createSigningSecretService, registerSigningSecretRoutes } from '../signing-secrets/signing-secret-service.ts'
import type { WebhookDispatcher } from './webhook-dispatcher.ts'
import type { AgentWebhook, NewWebhookEvent, ReadWebhookSubject } from './webhook-ports.ts'
import { createWebhooks, type WebhooksDependencies } from './webhooks.ts'

/** After this many event loop turns without a pending request or write, time advances to the next attempt. */
const IDLE_TICKS = 500
/** Event loop turns between checks of a condition. */
const TICKS_PER_CHECK = 10
/** Poll interval for due deliveries. */
const POLL_INTERVAL_MS = 1_000

interface WebhooksOptions {
  /** Addresses of this machine that may be called. Defaults to all. */
  readonly allowPrivateTargets?: readonly string[]
  readonly resolve?: ResolveAddresses
  readonly readSubject?: ReadWebhookSubject
  /** Start time, for clocks shared with other parts. */
  readonly startMs?: number
}

/** An agent without a webhook URL. */
export const PLAIN_AGENT: AgentWebhook = { url: null, events: [], timeoutMs: 10_000 }

/** Opens the feature with its routes on a real database, in virtual time. The feature sends only to loopback addresses. */
export async function openWebhooks(options: WebhooksOptions = {}) {
  const database = await temporaryDatabase()
  await seedWorkspaces(database)
  const time = createManualClock(options.startMs)
  const { clock } = time
  const base = { database, clock, makeId: createSequentialIds(), bus: createInProcessBus(() => undefined) }
  const policy = createTargetPolicy({ allowPrivateTargets: options.allowPrivateTargets ?? ['127.0.0.0/8'] })
  const { resolve } = options
  const guarded = createGuardedClient({
    policy,
    clock,
    makeConnector: createLoopbackConnector,
    ...(resolve === undefined ? {} : { resolve }),
  })
  const signingSecrets = await openSigningSecrets(base)
  const logged: string[] = []
  const work = countWork(database)
  const nodes = openNodes(base, {
    database: work.database,
    send: (request) => work.count(guarded.request(request)),
    targets: policy,
    readSecrets: signingSecrets.getActiveSecrets,
    readSubject: options.readSubject ?? (async (_workspaceId, { id }) => ({ chat: { chatId: id, messages: [] } })),
    logError: (name, error) => void logged.push(`${name}: ${String(error)}`),
  })
  const webhooks = nodes.connect()
  const routes = openRoutes(base, (api) => {
    webhooks.register(api)
    registerSigningSecretRoutes(api, signingSecrets)
  })
  return {
    ...base,
    time,
    webhooks,
    connect: nodes.connect,
    signingSecrets,
    logged,
    ...routes,
    ...createWaitHelpers({ database, time, hasWork: work.isBusy }),
    ...createActions({ database, routes, webhooks }),
    async [Symbol.asyncDispose]() {
      await endInVirtualTime(nodes.stop(), time)
      await routes[Symbol.asyncDispose]()
      await guarded.close()
      await database[Symbol.asyncDispose]()
    },
  }
}

/** Opens the feature with a running node and a receiver at an endpoint of workspace 1. */
export async function openReceiver(fields: object = {}) {
  const feature = await openWebhooks()
  const receiver = await startWebhookReceiver()
  const webhookId = await feature.addWebhook(receiver.url, fields)
  feature.webhooks.start()
  return { ...feature, receiver, webhookId, [Symbol.asyncDispose]: disposeAll(receiver, feature) }
}

type Time = ReturnType<typeof createManualClock>
type TestDatabase = Awaited<ReturnType<typeof temporaryDatabase>>

interface Base {
  readonly database: TestDatabase
  readonly clock: Time['clock']
  readonly makeId: MakeId
  readonly bus: Bus
}

/** Creates signing secrets for both workspaces. */
async function openSigningSecrets(base: Base) {
  let draws = 0
  const signingSecrets = createSigningSecretService({
    ...base,
    secrets: createSecrets('a secret key of tests, long enough'),
    randomBytes: (size) => new Uint8Array(size).fill(++draws),
  })
  await base.database.transaction(async (transaction) => {
    for (const workspaceId of [1, 2]) await signingSecrets.createInitial(transaction, workspaceId)
  })
  return signingSecrets
}

/** Counts pending writes and other work during which time must not pass. */
function countWork(database: Database) {
  let pendingCount = 0
  async function count<Result>(work: Promise<Result>): Promise<Result> {
    pendingCount += 1
    try {
      return await work
    } finally {
      pendingCount -= 1
    }
  }
  const counted = aroundWrites(database, (startWrite) => count(startWrite()))
  return { database: counted, count, isBusy: () => pendingCount > 0 }
}

/** Opens nodes on one database. */
function openNodes(
  { database: watched, clock: processClock, makeId, bus }: Base,
  nodeOptions: Pick<WebhooksDependencies, 'database' | 'send' | 'targets' | 'readSecrets' | 'readSubject' | 'logError'>,
) {
  const clock = createSharedClock(processClock)
  const running: { readonly dispatcher: WebhookDispatcher; readonly worker: JobWorker }[] = []

  /** Adds a node on the database. */
  function connect(changes: Partial<WebhooksDependencies> = {}) {
    const webhooks = createWebhooks({
      ...nodeOptions,
      clock,
      makeId,
      bus,
      jobs: createJobQueue({ database: watched, clock, makeId }),
      onDeliveriesWritten: (listener) => watched.onInsert('webhook_deliveries', listener),
      version: '1.2.3',
      ...changes,
    })
    const worker = createJobWorker({
      database: nodeOptions.database,
      clock,
      makeId,
      logError: nodeOptions.logError,
      handlers: webhooks.handlers,
      onJobsWritten: (listener) => watched.onInsert('jobs', listener),
    })
    return {
      ...webhooks,
      start() {
        worker.start()
        webhooks.dispatcher.start()
        running.push({ worker, dispatcher: webhooks.dispatcher })
      },
    }
  }

  async function stop(): Promise<void> {
    await Promise.all(running.flatMap(({ worker, dispatcher }) => [dispatcher.stop(0), worker.stop(0)]))
  }
  return { connect, stop }
}

/** Advances time until the work has ended. */
async function endInVirtualTime(work: Promise<void>, time: Time): Promise<void> {
  let hasEnded = false
  void work.finally(() => {
    hasEnded = true
  })
  while (!hasEnded) {
    await time.advance(1)
    await nextTurn()
  }
  await work
}

interface WaitContext {
  readonly database: Pick<Database, 'read'>
  readonly time: Time
  readonly hasWork: () => boolean
}

function createWaitHelpers({ database, time, hasWork }: WaitContext) {
  /** Resolves if the condition holds, without advancing time. The test's timeout bounds the wait. */
  async function until(isDone: () => boolean | Promise<boolean>): Promise<void> {
    while (!(await isDone())) for (let turn = 0; turn < TICKS_PER_CHECK; turn += 1) await nextTurn()
  }

  /** Whether the condition holds before the system is idle. Time does not advance. */
  async function happensBeforeIdle(isDone: () => Promise<boolean>): Promise<boolean> {
    let idleTicks = 0
    let hasArrived = false
    await until(async () => {
      hasArrived = await isDone()
      idleTicks = hasWork() ? 0 : idleTicks + TICKS_PER_CHECK
      return hasArrived || idleTicks >= IDLE_TICKS
    })
    return hasArrived
  }

  return {
    until,

    /** Resolves after this many attempts are logged. Advances time while idle. */
    async attempted(count: number): Promise<void> {
      const isDone = async () => (await countAttempts(database)) >= count
      while (!(await happensBeforeIdle(isDone))) await advancePause(database, time)
    },

    /** Resolves when no work remains without advancing time. */
    async quiet(): Promise<void> {
      await happensBeforeIdle(async () => {
        // The check takes real database time.
        await countAttempts(database)
        return false
      })
    },
  }
}

async function countAttempts({ read }: Pick<Database, 'read'>): Promise<number> {
  const rows = await read.selectFrom('webhook_attempts').select('attempt').execute()
  return rows.length
}

/** Advances to the next due time or poll, unless a delivery is about to be sent. */
async function advancePause({ read }: Pick<Database, 'read'>, time: Time): Promise<void> {
  const rows = await read
    .selectFrom('webhook_deliveries')
    .select(['due_at', 'leased_by'])
    .where('due_at', 'is not', null)
    .execute()
  const now = time.clock.now()
  const pending = rows.map((row) => ({ waitMs: (row.due_at ?? 0) - now, isLeased: row.leased_by !== null }))
  if (pending.length === 0 || pending.some(({ waitMs, isLeased }) => isLeased && waitMs > 0)) return
  const waitMs = Math.min(...pending.map((row) => row.waitMs))
  await time.advance(waitMs > 0 ? waitMs : POLL_INTERVAL_MS)
}

interface ActionContext {
  readonly database: Pick<Database, 'batch'>
  readonly routes: Pick<ReturnType<typeof openRoutes>, 'send'>
  readonly webhooks: Pick<ReturnType<typeof createWebhooks>, 'events'>
}

function createActions({ database, routes, webhooks }: ActionContext) {
  async function emitEventTo(
    subject: NewWebhookEvent['subject'],
    event: WebhookEventName,
    agents: readonly AgentWebhook[] = [PLAIN_AGENT],
  ): Promise<number> {
    const statements = await webhooks.events.buildStatements({ workspaceId: 1, event, subject, agents })
    await database.batch(statements)
    return statements.length
  }

  return {
    emitEventTo,

    /** Publishes an event about a chat of workspace 1. */
    emitEvent: (event: WebhookEventName, chatId = 'chat_1', agents: readonly AgentWebhook[] = [PLAIN_AGENT]) =>
      emitEventTo({ kind: 'chat', id: chatId }, event, agents),

    /** Adds an endpoint to workspace 1 and returns its id. */
    async addWebhook(url: string, fields: object = {}): Promise<string> {
      const { status, body } = await routes.send('POST /api/webhooks', { workspaceId: 1, url, ...fields })
      if (status !== 201) throw new Error(JSON.stringify(body))
      return body.webhookId
    },

    /** Returns all deliveries, oldest first. */
    async deliveries(): Promise<WebhookDeliveryDetail[]> {
      const { body } = await routes.send('GET /api/webhook-deliveries?workspaceId=1&limit=1000')
      const found: WebhookDeliveryDetail[] = []
      for (const { deliveryId } of body) {
        found.push((await routes.send(`GET /api/webhook-deliveries/${deliveryId}?workspaceId=1`)).body)
      }
      return found.reverse()
    },
  }
}
