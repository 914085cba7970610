import { connectAccess, rejectWeakBootstrapPassword } from './composition/connect-access.ts'
import { connectCluster } from './composition/connect-cluster.ts'
import { connectFeatures, type Features } from './composition/connect-features.ts'
import { connectHttp, type Http } from './composition/connect-http.ts'
import { connectStorage } from './composition/connect-storage.ts'
import { connectWorkers, type Workers } from './composition/connect-workers.ts'
import type { Foundation } from './composition/foundation.ts'
import { createAddress, createRuntime } from './composition/runtime.ts'
import { formatWelcome } from './composition/welcome.ts'
import type { Config } from './config.ts'
import { bootstrapOwner } from './features/access/public.ts'
import { recoverTurns } from './features/chats/public.ts'
import { seedDemo } from './features/demo/public.ts'
import { createToolVault, encryptStoredTools } from './features/engines/public.ts'
import { createMetrics } from './http/metrics.ts'
import { shrinkHeap } from './platform/heap.ts'
import { restrictDataPermissions } from './platform/private-files.ts'

export interface App {
  readonly url: string
  /** Drains running work and closes within the configured time. */
  stop(): Promise<void>
}

const VERSION = '0.1.0'
/** Delay before jobs start, because setting up schedules takes about 20 ms. */
const WORKER_START_DELAY_MS = 200
/** By this time, workers have checked for pending work, and an unused server is idle. */
const HEAP_SHRINK_DELAY_MS = 1_500
/** Part of the shutdown time in which interrupted turns store and send their results. */
const INTERRUPT_GRACE_MS = 1000

/** Connects all parts of the server and starts listening. */
export async function startApp(config: Config): Promise<App> {
  const foundation = await createFoundation(config)
  const { runtime, storage, cluster, address } = foundation
  await repairStored(foundation)
  let state: 'starting' | 'ready' | 'draining' = 'starting'
  const findReadinessProblem = (): string | null =>
    state === 'ready' ? (storage.database.failure?.message ?? null) : state

  const metrics = createMetrics()
  const features = connectFeatures(config, foundation, (turn) => metrics.countTurn(turn))
  const http = connectHttp(config, foundation, { features, metrics, findReadinessProblem })
  const { idempotency } = http
  const workers = connectWorkers(foundation, { ...features, idempotency })

  const url = await http.listen()
  address.setListeningUrl(url)
  const welcomeText = await prepareWelcome(config, { foundation, features, url })
  await cluster.start()
  // Ends calls of the previous process, which no other node ends.
  runtime.background.run('end lost calls', () => features.calls.recover())
  state = 'ready'
  const { clock } = runtime
  const cancelWorkerStart = clock.after(WORKER_START_DELAY_MS, () => workers.start())
  const cancelHeapShrink = clock.after(HEAP_SHRINK_DELAY_MS, () => {
    if (features.calls.live.activeCount + features.completions.activeCount === 0) shrinkHeap()
  })
  process.stdout.write(welcomeText)

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

async function createFoundation(config: Config): Promise<Foundation> {
  const runtime = createRuntime(config, VERSION)
  const exposedPaths = await restrictDataPermissions(config.dataDir, config.recordingsDir)
  if (exposedPaths.length > 0)
    runtime.logger.warn({ paths: exposedPaths.slice(0, 10) }, 'others may be able to read these files')
  // Loaded while the database opens, which takes equally long.
  const [storage, { connectOutbound }] = await Promise.all([
    connectStorage(config, runtime),
    import('./composition/connect-outbound.ts'),
  ])
  await rejectWeakBootstrapPassword(config, storage)
  const cluster = await connectCluster(config, { runtime, storage })
  const access = connectAccess(config, { runtime, storage, cluster })
  const outbound = await connectOutbound(config, runtime)
  return { runtime, storage, cluster, outbound, access, address: createAddress(config) }
}

/** Repairs state left by the previous process or by an older version. */
async function repairStored({ runtime, storage }: Foundation): Promise<void> {
  const { database, secrets } = storage
  // With several nodes, each node takes over the turns of crashed nodes. A single node owns all turns.
  const turns = database.capabilities.seesAllWrites ? await recoverTurns(database, runtime.clock.now()) : 0
  if (turns > 0) runtime.logger.warn({ turns }, 'turns were interrupted by the last stop')
  await encryptStoredTools({ database, vault: createToolVault(secrets) })
}

interface GreetingParts {
  readonly foundation: Foundation
  readonly features: Features
  readonly url: string
}

/** Prepares the greeting once the server listens. A start that fails on its port must not lose the generated login. */
async function prepareWelcome(config: Config, { foundation, features, url }: GreetingParts): Promise<string> {
  const { clock, makeId } = foundation.runtime
  const { database } = foundation.storage
  const { createWorkspace } = features
  const owner = await bootstrapOwner({ database, clock, makeId, createWorkspace }, config.bootstrap)
  if (owner === null) return `Parley is ready at ${url}\n`
  const demo = config.demo ? await seedDemo(features.demo, owner.workspaceId) : null
  const publicUrl = foundation.address.getBaseUrl()
  return formatWelcome({ url, publicUrl, owner, chatId: demo?.chatId ?? null, bootstrap: config.bootstrap })
}

interface DrainParts {
  readonly foundation: Foundation
  readonly features: Features
  readonly http: Http
}

/** Drains calls and requests at the same time. Accepts nothing new. */
async function drain(deadlineMs: number, { foundation, features, http }: DrainParts): Promise<void> {
  const { background } = foundation.runtime
  const calls = http.media.stop(deadlineMs).then(() => features.calls.closeStreams())
  const server = http.stop(deadlineMs)
  const unfinished = await background.drain(Math.max(0, deadlineMs - INTERRUPT_GRACE_MS))
  // Interrupted turns store their results and notify readers before their connections close.
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
