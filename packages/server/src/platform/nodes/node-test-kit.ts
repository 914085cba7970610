import type { Clock } from '@parley/engine/ports'
import { createManualClock } from '@parley/engine/testing/manual-clock'
import { nextTurn } from '../../../../../testing/next-turn.ts'
import { type TemporaryDatabase, temporaryDatabase } from '../../../../../testing/temporary-database.ts'
import { createMeasuredClock, createNodeRegistry, type NodeRegistry } from './node-registry.ts'

const HEARTBEAT_MS = 2_000

/** Creates a clock with timers that wait while its process is paused. */
function createPausableClock(clock: Clock, skewMs: number) {
  let isPaused = false
  let pendingCallbacks: (() => void)[] = []
  return {
    clock: {
      now: () => clock.now() + skewMs,
      after: (delayMs, callback) =>
        clock.after(delayMs, () => (isPaused ? void pendingCallbacks.push(callback) : callback())),
    } satisfies Clock,
    pause() {
      isPaused = true
    },
    resume() {
      isPaused = false
      const callbacks = pendingCallbacks
      pendingCallbacks = []
      for (const callback of callbacks) callback()
    },
  }
}

/** A node with a process and a database connection that a test can interrupt. */
export interface TestNode extends NodeRegistry {
  readonly deaths: readonly string[]
  readonly logged: readonly string[]
  pause(): void
  resume(): void
  /** While true, nothing reaches the database. */
  isPartitioned: boolean
}

/** Opens nodes on one database, in virtual time. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one test cluster and its controls.
export async function openNodes() {
  const database = await temporaryDatabase()
  const time = createManualClock()
  const nodes: TestNode[] = []

  async function addNode(nodeId: string, skewMs = 0): Promise<TestNode> {
    const { clock, pause, resume } = createPausableClock(time.clock, skewMs)
    const deaths: string[] = []
    const logged: string[] = []
    let node: TestNode
    const throwIfPartitioned = (): void => {
      if (node.isPartitioned) throw new Error('cut off')
    }
    const registry = createNodeRegistry({
      nodeId,
      database: {
        queryBuilder: database.queryBuilder,
        get read() {
          throwIfPartitioned()
          return database.read
        },
        batch: async (statements) => {
          throwIfPartitioned()
          await database.batch(statements)
        },
      },
      clock: createMeasuredClock(clock, async () => {
        throwIfPartitioned()
        return time.clock.now()
      }),
      logger: { warn: (_values, event) => logged.push(event) },
      logError: (name, error) => logged.push(`${name}: ${error instanceof Error ? error.message : error}`),
    })
    registry.onNodeCrash(async (deadNodeId) => void deaths.push(deadNodeId))
    node = Object.assign(registry, { deaths, logged, pause, resume, isPartitioned: false })
    nodes.push(node)
    await node.start()
    return node
  }

  const readNodes = () => database.read.selectFrom('nodes').selectAll().orderBy('node_id').execute()

  /** Waits in real time for the database. */
  async function waitUntil(condition: () => boolean | Promise<boolean>): Promise<void> {
    while (!(await condition())) {
      await time.advance(0)
      await nextTurn()
    }
  }

  /** Advances time heartbeat by heartbeat and waits for the given nodes' heartbeats each time. */
  async function advanceByHeartbeats(durationMs: number, activeNodes: readonly TestNode[]): Promise<void> {
    for (let elapsedMs = 0; elapsedMs < durationMs; elapsedMs += HEARTBEAT_MS) {
      await time.advance(HEARTBEAT_MS)
      const now = time.clock.now()
      await waitUntil(async () => {
        const seen = new Map((await readNodes()).map((row) => [row.node_id, row.seen_at]))
        return activeNodes.every(({ nodeId }) => seen.get(nodeId) === now)
      })
    }
  }

  return {
    database: database as TemporaryDatabase,
    time,
    addNode,
    readNodes,
    until: waitUntil,
    pass: advanceByHeartbeats,
    async [Symbol.asyncDispose]() {
      for (const node of nodes) {
        node.isPartitioned = false
        await node.stop()
      }
      await database[Symbol.asyncDispose]()
    },
  }
}
