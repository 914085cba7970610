import { connectAccess, refuseWeakPassword } from './composition/connect-access.ts'
import { connectCluster } from './composition/connect-cluster.ts'
import { connectFeatures, type Features } from './composition/connect-features.ts'
import { connectHttp, type Http } from './composition/connect-http.ts'
import { connectStorage } from './composition/connect-storage.ts'
import { connectWorkers, type Workers } from './composition/connect-workers.ts'
import type { Foundation } from './composition/foundation.ts'
import { createAddress, createRuntime } from './composition/runtime.ts'
import { welcome } from './composition/welcome.ts'
import type { Config } from './config.ts'
import { bootstrapOwner } from './features/access/public.ts'
import { recoverTurns } from './features/chats/public.ts'
import { seedDemo } from './features/demo/public.ts'
import { createToolVault, sealStoredTools } from './features/engines/public.ts'
import { createMetrics } from './http/metrics.ts'
import { shrinkHeap } from './platform/heap.ts'
import { restrictDataPermissions } from './platform/private-files.ts'

export interface App {
  readonly url: string
  /** Drains and closes; at most the configured time. */
  stop(): Promise<void>
}

const VERSION = '0.1.0'
/** After the start, how long jobs wait for a worker: schedules cost some 20 ms to set up. */
const WORKER_START_DELAY_MS = 200
/** By then workers have looked for what waited, and a server that nobody uses yet is at rest. */
const HEAP_SHRINK_DELAY_MS = 1_500
/** Of the time to stop, kept for turns that are interrupted to store and tell what they have. */
const INTERRUPT_GRACE_MS = 1000

/** Wires everything and listens. The one place where the parts of the house know each other. */
export async function startApp(config: Config): Promise<App> {
  const foundation = await createFoundation(config)
  const { runtime, storage, cluster, address } = foundation
  await repairStored(foundation)
  let state: 'starting' | 'ready' | 'draining' = 'starting'
  const readinessProblem = (): string | null =>
    state === 'ready' ? (storage.database.failure?.message ?? null) : state

  const metrics = createMetrics()
  const features = connectFeatures(config, foundation, (turn) => metrics.countTurn(turn))
  const http = connectHttp(config, foundation, { features, metrics, readinessProblem })
  const { idempotency } = http
  const workers = connectWorkers(foundation, { ...features, idempotency })

  const url = await http.listen()
  address.announce(url)
  const greeting = await prepareGreeting(config, { foundation, features, url })
  await cluster.start()
  // Of the last process: nobody else ends what it held.
  runtime.background.run('end lost calls', () => features.calls.recover())
  state = 'ready'
  const { clock } = runtime
  const cancelWorkerStart = clock.after(WORKER_START_DELAY_MS, () => workers.start())
  const cancelHeapShrink = clock.after(HEAP_SHRINK_DELAY_MS, () => {
    if (features.calls.live.activeCount + features.completions.activeCount === 0) shrinkHeap()
  })
  process.stdout.write(greeting)

  return {
    url,
    async stop() {
      state = 'draining'
      await drain(config.shutdownTimeoutMs, { foundation, features, http })
      cancelWorkerStart()
      cancelHeapShrink()
      await close({ foundation, features, workers })
    },
  }
}

/** Opens what everything stands on. */
async function createFoundation(config: Config): Promise<Foundation> {
  const runtime = createRuntime(config, VERSION)
  const exposedPaths = await restrictDataPermissions(config.dataDir, config.recordingsDir)
  if (exposedPaths.length > 0)
    runtime.logger.warn({ paths: exposedPaths.slice(0, 10) }, 'others may be able to read these files')
  // Loaded while the database opens: together they take no longer than the slower one.
  const [storage, { connectOutbound }] = await Promise.all([
    connectStorage(config, runtime),
    import('./composition/connect-outbound.ts'),
  ])
  await refuseWeakPassword(config, storage)
  const cluster = await connectCluster(config, { runtime, storage })
  const access = connectAccess(config, { runtime, storage, cluster })
  const outbound = await connectOutbound(config, runtime)
  return { runtime, storage, cluster, outbound, access, address: createAddress(config) }
}

/** What the last process, or an older version, left behind. */
async function repairStored({ runtime, storage }: Foundation): Promise<void> {
  const { database, secrets } = storage
  // Among several nodes each takes over what a dead one left; here nobody else could be running them.
  const turns = database.capabilities.seesAllWrites ? await recoverTurns(database, runtime.clock.now()) : 0
  if (turns > 0) runtime.logger.warn({ turns }, 'turns were interrupted by the last stop')
  await sealStoredTools({ database, vault: createToolVault(secrets) })
}

interface GreetingParts {
  readonly foundation: Foundation
  readonly features: Features
  readonly url: string
}

/** Once the server listens: a first start that fails on its port must not swallow the login that it alone would print. */
async function prepareGreeting(config: Config, { foundation, features, url }: GreetingParts): Promise<string> {
  const { clock, makeId } = foundation.runtime
  const { database } = foundation.storage
  const { createWorkspace } = features
  const owner = await bootstrapOwner({ database, clock, makeId, createWorkspace }, config.bootstrap)
  if (owner === null) return `Parley is ready at ${url}\n`
  const demo = config.demo ? await seedDemo(features.demo, owner.workspaceId) : null
  const publicUrl = foundation.address.baseUrl()
  return welcome({ url, publicUrl, owner, chatId: demo?.chatId ?? null, given: config.bootstrap })
}

interface DrainParts {
  readonly foundation: Foundation
  readonly features: Features
  readonly http: Http
}

/** Side by side: calls and requests have the same time to end in peace, and nothing new is accepted meanwhile. */
async function drain(deadlineMs: number, { foundation, features, http }: DrainParts): Promise<void> {
  const { background } = foundation.runtime
  const calls = http.media.stop(deadlineMs).then(() => features.calls.closeStreams())
  const server = http.stop(deadlineMs)
  const unfinished = await background.drain(Math.max(0, deadlineMs - INTERRUPT_GRACE_MS))
  // What the deadline cuts is stored as far as it got, and its readers are told before their connections close.
  if (unfinished.length > 0) features.completions.interruptAll()
  await Promise.all([calls, server])
  await background.drain(1000)
  await features.calls.stop(1000)
  await background.drain(1000)
}

interface CloseParts {
  readonly foundation: Foundation
  readonly features: Features
  readonly workers: Workers
}

async function close({ foundation, features, workers }: CloseParts): Promise<void> {
  const { runtime, storage, cluster, outbound } = foundation
  await workers.stop(1000)
  await features.close()
  await outbound.close()
  await cluster.stop()
  await storage.close()
  runtime.logger.flush()
}
