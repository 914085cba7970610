import type { WebhookDeliveryDetail } from '@parley/contract/webhook'
import type { WebhookEventName } from '@parley/contract/webhook-event'
import type { MakeId } from '@parley/engine/ports'
import { manualClock } from '@parley/engine/testing/manual-clock'
import { nextTurn } from '../../../../../testing/next-turn.ts'
import { seedWorkspaces } from '../../../../../testing/seed-workspaces.ts'
import { temporaryDatabase } from '../../../../../testing/temporary-database.ts'
import { createLoopbackConnector } from '../../../../../testing/tool-server/loopback-connector.ts'
import type { Database } from '../../kernel/storage/database.ts'
import type { Bus } from '../../kernel/work/bus.ts'
import { shareClock } from '../../kernel/work/shared-clock.ts'
import { createInProcessBus } from '../../platform/bus/in-process-bus.ts'
import type { ResolveAddresses } from '../../platform/outbound/guarded-agent.ts'
import { createGuardedClient } from '../../platform/outbound/guarded-request.ts'
import { createTargetPolicy } from '../../platform/outbound/target-policy.ts'
import { createJobQueue } from '../../platform/queue/job-queue.ts'
import { createJobWorker, type JobWorker } from '../../platform/queue/job-worker.ts'
import { createSecrets } from '../../platform/secrets/sealed-secrets.ts'
import { sequentialIds } from '../features-test-kit.ts'
import { openRoutes } from '../route-test-kit.ts'
import { registerSigningSecretRoutes } from '../signing-secrets/signing-secret-routes.ts'
import { createSigningSecretService } from '../signing-secrets/signing-secret-service.ts'
import type { WebhookDispatcher } from './webhook-dispatcher.ts'
import type { AgentWebhook, NewWebhookEvent, ReadWebhookSubject } from './webhook-subject.ts'
import { createWebhooks, type WebhooksDependencies } from './webhooks.ts'

/** After so many turns of the event loop without a request or write under way, time moves on to the next attempt. */
const IDLE_TICKS = 500
/** Between two looks at what a test waits for. */
const TICKS_PER_CHECK = 10
/** How often due deliveries are looked for. */
const POLL_INTERVAL_MS = 1_000

export interface WebhooksOptions {
  /** Addresses of this machine that may be called: all unless given. */
  readonly allowPrivateTargets?: readonly string[]
  readonly resolve?: ResolveAddresses
  readonly readSubject?: ReadWebhookSubject
  /** The time it is at first, where others tell it as well. */
  readonly startMs?: number
}

/** An agent that leaves its events to the endpoints of the workspace. */
export const PLAIN_AGENT: AgentWebhook = { url: null, events: [], timeoutMs: 10_000 }

/** The feature with its routes on a real database, in virtual time; it sends to the loopback and nowhere else. */
export async function openWebhooks(options: WebhooksOptions = {}) {
  const database = await temporaryDatabase()
  await seedWorkspaces(database)
  const time = manualClock(options.startMs)
  const { clock } = time
  const base = { database, clock, makeId: sequentialIds(), bus: createInProcessBus(() => undefined) }
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
    secretsFor: signingSecrets.activeSecrets,
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

type Time = ReturnType<typeof manualClock>
type TestDatabase = Awaited<ReturnType<typeof temporaryDatabase>>

interface Base {
  readonly database: TestDatabase
  readonly clock: Time['clock']
  readonly makeId: MakeId
  readonly bus: Bus
}

/** Both workspaces have a secret. */
async function openSigningSecrets(base: Base) {
  let draws = 0
  const signingSecrets = createSigningSecretService({
    ...base,
    secrets: createSecrets('a secret key of tests, long enough'),
    randomBytes: (size) => new Uint8Array(size).fill(++draws),
  })
  await base.database.transaction(async (transaction) => {
    for (const workspaceId of [1, 2]) await signingSecrets.createFor(transaction, workspaceId)
  })
  return signingSecrets
}

/** Counts writes and whatever else time must not pass during. */
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
  const counted: Database = {
    capabilities: database.capabilities,
    read: database.read,
    compile: database.compile,
    transaction: (work, settings) => count(database.transaction(work, settings)),
    batch: (statements, settings) => count(database.batch(statements, settings)),
    changeCount: (tables) => database.changeCount(tables),
    close: () => database.close(),
  }
  return { database: counted, count, isBusy: () => pendingCount > 0 }
}

/** Nodes on one database. */
function openNodes(
  { database: watched, clock: processClock, makeId, bus }: Base,
  nodeOptions: Pick<WebhooksDependencies, 'database' | 'send' | 'targets' | 'secretsFor' | 'readSubject' | 'logError'>,
) {
  const clock = shareClock(processClock)
  const running: { readonly dispatcher: WebhookDispatcher; readonly worker: JobWorker }[] = []

  /** One more node on the database. */
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

/** Lets time pass until the work has ended. */
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
  /** Resolves as soon as it holds, without any time passing; the test's own timeout comes first. */
  async function until(isDone: () => boolean | Promise<boolean>): Promise<void> {
    while (!(await isDone())) for (let turn = 0; turn < TICKS_PER_CHECK; turn += 1) await nextTurn()
  }

  /** Whether it came to hold before nothing was sent or written for a while; no time passes. */
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

    /** Resolves as soon as so many attempts stand in the log; time moves on whenever nothing else happens. */
    async attempted(count: number): Promise<void> {
      const isDone = async () => (await countAttempts(database)) >= count
      while (!(await happensBeforeIdle(isDone))) await advancePause(database, time)
    },

    /** Resolves once all that can happen without time passing has happened. */
    async quiet(): Promise<void> {
      await happensBeforeIdle(async () => {
        // Looking takes the database's own time.
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

/** To the moment when something is due, or to the next look when that has come; not while something is about to be sent. */
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
    const statements = await webhooks.events.statements({ workspaceId: 1, event, subject, agents })
    await database.batch(statements)
    return statements.length
  }

  return {
    emitEventTo,

    /** Something happens to a chat of workspace 1. */
    emitEvent: (event: WebhookEventName, chatId = 'chat_1', agents: readonly AgentWebhook[] = [PLAIN_AGENT]) =>
      emitEventTo({ kind: 'chat', id: chatId }, event, agents),

    /** An endpoint of workspace 1. */
    async addWebhook(url: string, fields: object = {}): Promise<string> {
      const { status, body } = await routes.send('POST /api/webhooks', { workspaceId: 1, url, ...fields })
      if (status !== 201) throw new Error(JSON.stringify(body))
      return body.webhookId
    },

    /** Everything that was sent or is to be sent, oldest first. */
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
