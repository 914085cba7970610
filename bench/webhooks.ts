import { loadavg } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import type { Clock, MakeId } from '../packages/engine/src/ports.ts'
import { createWebhooks } from '../packages/server/src/features/webhooks/webhooks.ts'
import { createSharedClock } from '../packages/server/src/kernel/work/shared-clock.ts'
import { createInProcessBus } from '../packages/server/src/platform/bus/in-process-bus.ts'
import type { NodeDatabase } from '../packages/server/src/platform/database/node-database.ts'
import { openPostgresDatabase } from '../packages/server/src/platform/database/open-postgres.ts'
import { createGuardedClient } from '../packages/server/src/platform/outbound/guarded-request.ts'
import { createTargetPolicy } from '../packages/server/src/platform/outbound/target-policy.ts'
import { createJobQueue } from '../packages/server/src/platform/queue/job-queue.ts'
import { createJobWorker } from '../packages/server/src/platform/queue/job-worker.ts'
import { randomId, systemClock } from '../packages/server/src/platform/system.ts'
import { findPostgres, startPrivatePostgres } from '../testing/private-postgres.ts'
import { seedWorkspaces } from '../testing/seed-workspaces.ts'
import { temporarySqliteDatabase } from '../testing/temporary-database.ts'
import { startWebhookReceiver, type WebhookReceiver } from '../testing/webhook-receiver/webhook-receiver.ts'
import { readOptions } from './harness/options.ts'
import { printResult, printTable } from './harness/report.ts'
import { calculatePercentile, roundStat } from './harness/statistics.ts'

/**
 * Measures webhooks: the throughput of a thousand events to one receiver, and to twenty receivers of which one never responds,
 * and the latency of one event from commit to arrival. The receivers run in the benchmark process.
 */
const { smoke, database: onlyDatabase } = readOptions()
const EVENTS = smoke ? 100 : 1_000
const ROUNDS = smoke ? 1 : 3
const SEQUENTIAL_EVENTS = smoke ? 5 : 100
const WRITE_BATCH_SIZE = 100
const RECEIVERS = 20
const TIMEOUT_MS = 60_000
/** A payload with the approximate size of a chat of twenty messages. */
const CHAT = {
  status: 'completed',
  messages: Array.from({ length: 20 }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: 'The quick brown fox jumps over the lazy dog. '.repeat(4),
  })),
}

const clock: Clock = systemClock
const makeId: MakeId = randomId

interface DeliveryStats {
  /** Throughput from the commit of the first event to the arrival of the last event. */
  readonly perSecond: number
  /** Latency from the commit of an event to its arrival. */
  readonly p50Ms: number
  readonly p95Ms: number
}

interface Stats {
  readonly sequential: DeliveryStats
  readonly singleReceiver: DeliveryStats
  readonly manyReceivers: DeliveryStats
}

/** Creates a node that publishes events of workspace 1. */
async function openNode(database: NodeDatabase) {
  const policy = createTargetPolicy({ allowPrivateTargets: ['127.0.0.0/8'] })
  const guarded = createGuardedClient({ policy, clock })
  const logError = (name: string, error: unknown): void => console.error(name, error)
  const webhooks = createWebhooks({
    database,
    clock: createSharedClock(clock),
    makeId,
    bus: createInProcessBus(logError),
    jobs: createJobQueue({ database, clock: createSharedClock(clock), makeId }),
    send: guarded.request,
    targets: policy,
    readSecrets: async () => [`whsec_${'0'.repeat(64)}`],
    readSubject: async (_workspaceId, { id }) => ({ chat: { chatId: id, ...CHAT } }),
    onDeliveriesWritten: (listener) => database.onInsert('webhook_deliveries', listener),
    version: 'bench',
    logError,
  })
  const worker = createJobWorker({
    database,
    clock: createSharedClock(clock),
    makeId,
    handlers: webhooks.handlers,
    logError,
    onJobsWritten: (listener) => database.onInsert('jobs', listener),
  })
  worker.start()
  webhooks.dispatcher.start()
  return {
    events: webhooks.events,
    async close() {
      await webhooks.dispatcher.stop(0)
      await worker.stop(1_000)
      await guarded.close()
    },
  }
}

type BenchNode = Awaited<ReturnType<typeof openNode>>

/** Creates an agent for a receiver, which gets only the events of that agent. */
function createAgent(receiver: WebhookReceiver) {
  return { url: receiver.url, events: ['chat_ended' as const], timeoutMs: 10_000 }
}

/** Commits events in batches and waits until every deliverable event has arrived. */
async function measureDelivery(
  database: NodeDatabase,
  node: BenchNode,
  receivers: readonly WebhookReceiver[],
  events: { readonly count: number; readonly batchSize: number },
): Promise<DeliveryStats> {
  const committedAt = new Map<string, number>()
  const latenciesMs: number[] = []
  const isHangingReceiver = (index: number): boolean => receivers.length > 1 && index % receivers.length === 0
  const expectedCount = Array.from({ length: events.count }, (_, index) => index).filter(
    (index) => !isHangingReceiver(index),
  ).length
  let arrivedCount = 0
  for (const receiver of receivers) {
    receiver.onReceived(({ body, receivedAtMs }) => {
      const { chatId } = body.chat as { readonly chatId: string }
      const committedAtMs = committedAt.get(chatId)
      if (committedAtMs === undefined) return
      committedAt.delete(chatId)
      if (receiver === receivers[0] && receivers.length > 1) return
      arrivedCount += 1
      latenciesMs.push(Math.max(0, receivedAtMs - committedAtMs))
    })
  }
  const startedAt = performance.now()
  const deadline = startedAt + TIMEOUT_MS
  for (let writtenCount = 0; writtenCount < events.count; writtenCount += events.batchSize) {
    const indexes = Array.from(
      { length: Math.min(events.batchSize, events.count - writtenCount) },
      (_, index) => writtenCount + index,
    )
    const statements = await Promise.all(
      indexes.map(async (index) => {
        const receiver = receivers[index % receivers.length]
        if (receiver === undefined) return []
        const subject = { kind: 'chat' as const, id: makeId('chat') }
        committedAt.set(subject.id, Number.POSITIVE_INFINITY)
        const agents = [createAgent(receiver)]
        return [
          subject.id,
          await node.events.buildStatements({ workspaceId: 1, event: 'chat_ended', subject, agents }),
        ] as const
      }),
    )
    await database.batch(statements.flatMap((entry) => (entry.length === 2 ? entry[1] : [])))
    const now = performance.now()
    for (const [chatId] of statements) if (chatId !== undefined) committedAt.set(chatId, now)
    if (events.batchSize === 1) while (arrivedCount <= writtenCount && performance.now() < deadline) await delay(1)
  }
  while (arrivedCount < expectedCount && performance.now() < deadline) await delay(2)
  if (arrivedCount < expectedCount) throw new Error(`Only ${arrivedCount} of ${expectedCount} events arrived.`)
  const lastAt = performance.now()
  return {
    perSecond: roundStat((expectedCount * 1_000) / (lastAt - startedAt)),
    p50Ms: roundStat(calculatePercentile(latenciesMs, 0.5)),
    p95Ms: roundStat(calculatePercentile(latenciesMs, 0.95)),
  }
}

async function measure(database: NodeDatabase): Promise<Stats> {
  await seedWorkspaces(database)
  const node = await openNode(database)
  const receivers: WebhookReceiver[] = []
  for (let index = 0; index < RECEIVERS; index += 1) receivers.push(await startWebhookReceiver())
  const [hangingReceiver, firstReceiver] = receivers
  if (hangingReceiver === undefined || firstReceiver === undefined) throw new Error('There are no receivers.')
  hangingReceiver.setReply({ kind: 'hang' })
  try {
    const sequential = await measureDelivery(database, node, [firstReceiver], {
      count: SEQUENTIAL_EVENTS,
      batchSize: 1,
    })
    const events = { count: EVENTS, batchSize: WRITE_BATCH_SIZE }
    const singleReceiver = await selectMedianRound(() => measureDelivery(database, node, [firstReceiver], events))
    const manyReceivers = await selectMedianRound(() => measureDelivery(database, node, receivers, events))
    return { sequential, singleReceiver, manyReceivers }
  } finally {
    await node.close()
    for (const receiver of receivers) await receiver[Symbol.asyncDispose]()
  }
}

/** Returns the round with the median throughput. */
async function selectMedianRound(run: () => Promise<DeliveryStats>): Promise<DeliveryStats> {
  const rounds: DeliveryStats[] = []
  for (let count = 0; count < ROUNDS; count += 1) rounds.push(await run())
  const medianRate = calculatePercentile(
    rounds.map(({ perSecond }) => perSecond),
    0.5,
  )
  const median = rounds.find(({ perSecond }) => perSecond === medianRate) ?? rounds[0]
  if (median === undefined) throw new Error('Nothing was measured.')
  return median
}

async function measureSqlite(): Promise<Stats> {
  await using database = await temporarySqliteDatabase()
  return await measure(database)
}

async function measurePostgres(): Promise<Stats> {
  await using postgres = await startPrivatePostgres({ durable: true })
  const url = await postgres.createDatabase('bench')
  const database = await openPostgresDatabase({ url, clock: systemClock, random: Math.random })
  try {
    return await measure(database)
  } finally {
    await database.close()
  }
}

const stats: Record<string, Stats> = {}
if (onlyDatabase !== 'postgres') stats.SQLite = await measureSqlite()
if (onlyDatabase !== 'sqlite') {
  if (findPostgres() === null) console.log('PostgreSQL was not found; measuring SQLite only.')
  else stats.PostgreSQL = await measurePostgres()
}

printTable(
  ['webhooks', 'receivers', 'events per second', 'commit to receiver p50 ms', 'p95 ms'],
  Object.entries(stats).flatMap(([name, { sequential, singleReceiver, manyReceivers }]) => [
    [name, 'one event at a time', '', sequential.p50Ms, sequential.p95Ms],
    [name, `${EVENTS} to one`, singleReceiver.perSecond, singleReceiver.p50Ms, singleReceiver.p95Ms],
    [name, `${EVENTS} to ${RECEIVERS}, one hangs`, manyReceivers.perSecond, manyReceivers.p50Ms, manyReceivers.p95Ms],
  ]),
)
printResult('webhooks', smoke, { loadAverage: loadavg().map(roundStat), events: EVENTS, stats })
