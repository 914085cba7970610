import type { Config } from '../config.ts'
import { createHeldLeases, type HeldLeases } from '../features/concurrency/public.ts'
import type { SharedBuckets, SharedFailures } from '../kernel/security/rate-limits.ts'
import type { JobQueue } from '../kernel/work/jobs.ts'
import type { Nodes } from '../kernel/work/nodes.ts'
import { createSharedClock, type SharedClock } from '../kernel/work/shared-clock.ts'
import { createInProcessBus, type NodeBus } from '../platform/bus/in-process-bus.ts'
import { createEmbeddedNodes } from '../platform/nodes/embedded-nodes.ts'
import { createJobQueue } from '../platform/queue/job-queue.ts'
import type { Storage } from './connect-storage.ts'
import type { Runtime } from './runtime.ts'

/** Connections to the other nodes, or their local substitutes. */
export interface Cluster {
  readonly nodes: Nodes
  readonly bus: NodeBus
  readonly leases: HeldLeases
  readonly sharedClock: SharedClock
  /** Jobs for any node. */
  readonly jobs: JobQueue
  /** Null if each node counts locally. */
  readonly buckets: SharedBuckets | null
  readonly failures: SharedFailures | null
  /** Returns the current faults between the nodes, one sentence each. */
  listFaults(): readonly string[]
  /** Joins the cluster. Must be called when this node is ready to take over work. */
  start(): Promise<void>
  /** Leaves the cluster. Must be called after all work of this node has ended. */
  stop(): Promise<void>
}

export interface ClusterParts {
  readonly runtime: Pick<Runtime, 'clock' | 'makeId' | 'logger' | 'logError'>
  readonly storage: Pick<Storage, 'database' | 'installationId'>
}

/** Connects to the other nodes, or creates local substitutes if embedded. Loads cluster code only if needed. */
export async function connectCluster(
  { databaseUrl, redisUrl }: Pick<Config, 'databaseUrl' | 'redisUrl'>,
  parts: ClusterParts,
): Promise<Cluster> {
  return databaseUrl === undefined ? connectSingleNode(parts) : await connectMultiNode(parts, { databaseUrl, redisUrl })
}

function connectSingleNode({ runtime, storage }: ClusterParts): Cluster {
  const { clock, makeId, logError } = runtime
  const { database } = storage
  const nodes = createEmbeddedNodes(makeId('node'))
  const bus = createInProcessBus(logError)
  const sharedClock = createSharedClock(clock)
  const leases = createHeldLeases({ database, clock: sharedClock, nodes, logError })
  return {
    nodes,
    bus,
    leases,
    sharedClock,
    jobs: createJobQueue({ database, clock: sharedClock, makeId }),
    buckets: null,
    failures: null,
    listFaults: () => [],
    start: async () => leases.start(),
    async stop() {
      await leases.stop()
      await bus.close()
    },
  }
}

interface ClusterUrls {
  readonly databaseUrl: string
  readonly redisUrl: string | undefined
}

async function connectMultiNode({ runtime, storage }: ClusterParts, urls: ClusterUrls): Promise<Cluster> {
  const { clock, makeId, logger, logError } = runtime
  const { database, installationId } = storage
  const { createMeasuredClock } = await import('../platform/nodes/node-registry.ts')
  const { createNodeRegistry } = await import('../platform/nodes/node-registry.ts')
  const sharedClock = createMeasuredClock(clock, () => database.now())
  const nodes = createNodeRegistry({ nodeId: makeId('node'), database, clock: sharedClock, logger, logError })
  const leases = createHeldLeases({ database, clock: sharedClock, nodes, logError })
  const busContext = { nodeId: nodes.nodeId, clock, logError }
  const redis = urls.redisUrl === undefined ? null : await connectRedis(urls.redisUrl, installationId, busContext)
  const bus = redis?.bus ?? (await connectPostgresBus(urls.databaseUrl, busContext))
  return {
    nodes,
    bus,
    leases,
    sharedClock,
    jobs: createJobQueue({ database, clock: sharedClock, makeId }),
    buckets: redis?.limits.buckets ?? null,
    failures: redis?.limits.failures ?? null,
    listFaults: () => {
      const faults = [nodes.getFault(), bus.getFault(), redis?.connection.getFault() ?? null]
      return [...new Set(faults.filter((fault) => fault !== null))]
    },
    async start() {
      await nodes.start()
      leases.start()
    },
    async stop() {
      await leases.stop()
      await nodes.stop()
      await bus.close()
      redis?.connection.close()
    },
  }
}

type BusContext = Pick<Runtime, 'clock' | 'logError'> & { readonly nodeId: string }

async function connectPostgresBus(url: string, busContext: BusContext): Promise<NodeBus> {
  const { createPostgresBus } = await import('../platform/bus/postgres-bus.ts')
  return createPostgresBus({ url, ...busContext })
}

async function connectRedis(url: string, installationId: string, busContext: BusContext) {
  const { createRedisBus } = await import('../platform/bus/redis-bus.ts')
  const { openRedis } = await import('../platform/redis/redis-client.ts')
  const { createRedisLimits } = await import('../platform/redis/redis-limits.ts')
  const connection = openRedis({ url, name: 'limits', clock: busContext.clock, logError: busContext.logError })
  const limits = createRedisLimits({ connection, installationId, ...busContext })
  return { bus: createRedisBus({ url, installationId, ...busContext }), connection, limits }
}
