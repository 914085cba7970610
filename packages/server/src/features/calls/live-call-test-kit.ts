import { flushPromises } from '@parley/engine/testing/manual-clock'
import { nextTurn } from '../../../../../testing/next-turn.ts'
import type { Actor } from '../../kernel/access/actor.ts'
import type { Database } from '../../kernel/storage/database.ts'
import type { Bus } from '../../kernel/work/bus.ts'
import type { Nodes } from '../../kernel/work/nodes.ts'
import { createSharedClock } from '../../kernel/work/shared-clock.ts'
import { createInProcessBus } from '../../platform/bus/in-process-bus.ts'
import { createHeldLeases, createLeaseReservations } from '../concurrency/held-leases.ts'
import { buildReleaseNodeStatement } from '../concurrency/lease-store.ts'
import { wireFeatures } from '../features-test-kit.ts'
import { disposeAll, openRoutes, platformAdmin } from '../route-test-kit.ts'
import { type CallEvents, NO_CALL_EVENTS } from './call-events.ts'
import { type Calls, type CallsDependencies, createCalls } from './calls.ts'
import type { ActiveCalls, CallCommand } from './live-calls.ts'
import type { CallEventWriter } from './records/event-writer.ts'

interface LiveCallTestOptions {
  readonly events?: Partial<CallEvents>
}

/** Dependencies that a test's nodes share. */
interface SharedDependencies {
  readonly features: Awaited<ReturnType<typeof wireFeatures>>
  readonly bus: Bus
  readonly events: CallEvents
  readonly deadNodes: Set<string>
  readonly recordedMs: Map<string, number>
  readonly writers: CallEventWriter[]
  /** The actor for the credential behind a listen token, or `null` if the credential was removed. */
  listener: Actor | null
}

interface NodeOptions {
  readonly database?: Database
  readonly bus?: Bus
}

/** Opens calls with real agents, a database and a bus. Tests can add nodes. */
export async function openLiveCalls({ events = {} }: LiveCallTestOptions = {}) {
  const features = await wireFeatures()
  const { database, time, makeId } = features
  const shared: SharedDependencies = {
    features,
    bus: createInProcessBus(() => undefined),
    events: { ...NO_CALL_EVENTS, ...events },
    deadNodes: new Set(),
    recordedMs: new Map(),
    writers: [],
    listener: platformAdmin,
  }
  const llmId = await features.addLlm({ model: 'offline' })
  const agentId = await features.addAgent(llmId, { agent_name: 'Front desk' })
  const node = openNode(shared, 'node_a')
  const routes = openRoutes({ database, clock: time.clock, makeId }, (api) => node.register(api))
  return {
    ...features,
    ...routes,
    node,
    addNode: (nodeId: string, options?: NodeOptions) => openNode(shared, nodeId, options),
    deadNodes: shared.deadNodes,
    /** Sets the actor for the credential behind a listen token. `null` removes the credential. */
    setListener: (actor: Actor | null) => {
      shared.listener = actor
    },
    /** Recording lengths by call id. */
    recordedMs: shared.recordedMs,
    agentId,
    create: async (body: object = {}) => {
      const { status, body: responseBody } = await routes.send('POST /api/v1/calls/web', { agentId, ...body })
      if (status !== 201) throw new Error(`The server returned ${status}: ${responseBody.error}`)
      return responseBody.call
    },
    get: async (callId: string) => (await routes.send(`GET /api/v1/calls/${callId}`)).body.call,
    until: waitUntil,
    /** Advances virtual time until all call events are stored. */
    async flush() {
      await time.advance(60)
      await waitUntil(() => shared.writers.every(({ pendingCount: waiting }) => waiting === 0))
    },
    [Symbol.asyncDispose]: disposeAll(routes, features),
  }
}

function openNode(shared: SharedDependencies, nodeId: string, options: NodeOptions = {}) {
  const { database, time } = shared.features
  const deathListeners: ((nodeId: string) => Promise<void>)[] = []
  const nodes: Nodes = {
    nodeId,
    isAlive: async (id) => !shared.deadNodes.has(id),
    onNodeCrash: (listener) => void deathListeners.push(listener),
  }
  const loggedErrors: string[] = []
  const logError = (name: string, error: unknown): void => void loggedErrors.push(`${name}: ${error}`)
  const leases = createHeldLeases({ database, clock: createSharedClock(time.clock), nodes, logError })
  const activeCallIds = new Set<string>()
  const commands: (readonly [string, CallCommand])[] = []
  const activeCalls: ActiveCalls = {
    sendCommand(callId, command) {
      if (!activeCallIds.has(callId)) return false
      commands.push([callId, command])
      return true
    },
  }
  const calls = createCalls({ ...createNodeDependencies(shared, options), nodes, logError, leases, activeCalls })
  shared.writers.push(calls.journals)
  return {
    ...calls,
    nodeId,
    leases,
    loggedErrors,
    commands,
    /** Joins a call as a browser does and keeps the call open. */
    async join(accessToken: string) {
      const admission = await calls.admissions.callers.admit(accessToken)
      if (!admission.ok) return admission
      const result = await startRecord(calls, admission.callId)
      if (result.ok) activeCallIds.add(admission.callId)
      else await admission.release()
      return result
    },
    reportDeath: async (deadNodeId: string) => {
      shared.deadNodes.add(deadNodeId)
      for (const listener of deathListeners) await listener(deadNodeId)
    },
  }
}

function createNodeDependencies(
  shared: SharedDependencies,
  options: NodeOptions,
): Omit<CallsDependencies, 'nodes' | 'logError' | 'leases' | 'activeCalls'> {
  const { database, time, makeId, agentResolver } = shared.features
  const clock = createSharedClock(time.clock)
  return {
    database: options.database ?? database,
    clock,
    makeId,
    key: async () => new Uint8Array(32).fill(7),
    createRecordingLinkSigner: async () => (callId) => `https://parley.test/recordings/${callId}`,
    describeRecording: async () => null,
    async finalizeRecording(callId) {
      const durationMs = shared.recordedMs.get(callId)
      return durationMs === undefined ? null : { durationMs }
    },
    warmUp: () => undefined,
    background: { run: (_name, work) => void work().catch(() => undefined) },
    accessWatch: { readActor: async () => shared.listener, watch: () => () => undefined },
    bus: options.bus ?? shared.bus,
    baseUrl: () => 'https://parley.test',
    agents: agentResolver,
    models: {
      forWorkspace: async () => ({
        resolve: (name) => (name === 'offline' ? UNUSED_MODEL : null),
        listConfigured: () => ['offline'],
      }),
    },
    reservations: createLeaseReservations({ database, clock }),
    releaseNodeSlots: (nodeId) => buildReleaseNodeStatement(database, nodeId),
    events: shared.events,
  }
}

async function startRecord({ starter }: Calls, callId: string) {
  const lookup = await starter.find(callId)
  return lookup.ok ? await starter.start(lookup.call) : lookup
}

/** Waits for a real database instead of virtual time. The test's timeout limits the wait. */
async function waitUntil(condition: () => boolean): Promise<void> {
  while (!condition()) {
    await flushPromises()
    await nextTurn()
  }
}

/** A model that tests only look up. */
const UNUSED_MODEL = {
  stream: () => {
    throw new Error('The model must not be called.')
  },
} as never
