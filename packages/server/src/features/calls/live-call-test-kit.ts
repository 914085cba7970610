import { settle } from '@parley/engine/testing/manual-clock'
import { nextTurn } from '../../../../../testing/next-turn.ts'
import type { Actor } from '../../kernel/actor.ts'
import type { Bus } from '../../kernel/bus.ts'
import type { Database } from '../../kernel/database.ts'
import type { CallCommand } from '../../kernel/live-calls.ts'
import type { Nodes } from '../../kernel/nodes.ts'
import { shareClock } from '../../kernel/shared-clock.ts'
import { createInProcessBus } from '../../platform/bus/in-process-bus.ts'
import { createHeldLeases } from '../concurrency/held-leases.ts'
import { createLeaseReservations } from '../concurrency/lease-reservations.ts'
import { dropLeasesOf } from '../concurrency/lease-store.ts'
import { wireFeatures } from '../features-test-kit.ts'
import { openRoutes, platformAdmin } from '../route-test-kit.ts'
import { type CallEvents, SILENT_CALL_EVENTS } from './call-events.ts'
import { type Calls, createCalls } from './calls.ts'
import type { CallEventWriter } from './records/event-writer.ts'

/** What a test of calls can replace. */
export interface LiveCallSetting {
  readonly events?: Partial<CallEvents>
}

/** For tests: calls over real agents, a database and a bus, on as many nodes as a test adds. */
export async function openLiveCalls({ events = {} }: LiveCallSetting = {}) {
  const features = await wireFeatures()
  const { database, time, makeId } = features
  const { clock } = time
  const bus = createInProcessBus(() => undefined)
  const dead = new Set<string>()
  let listener: Actor | null = platformAdmin
  const recordedMs = new Map<string, number>()
  const writers: CallEventWriter[] = []
  const llmId = await features.addLlm({ model: 'offline' })
  const agentId = await features.addAgent(llmId, { agent_name: 'Front desk' })

  function addNode(nodeId: string, options: { readonly database?: Database; readonly bus?: Bus } = {}) {
    const deathListeners: ((nodeId: string) => Promise<void>)[] = []
    const nodes: Nodes = {
      nodeId,
      isAlive: async (id) => !dead.has(id),
      onDeath: (listener) => void deathListeners.push(listener),
    }
    const logged: string[] = []
    const logError = (name: string, error: unknown): void => void logged.push(`${name}: ${error}`)
    const leases = createHeldLeases({ database, clock: shareClock(clock), nodes, logError })
    const heldIds = new Set<string>()
    const commands: (readonly [string, CallCommand])[] = []
    const calls = createCalls({
      database: options.database ?? database,
      clock: shareClock(clock),
      makeId,
      key: async () => new Uint8Array(32).fill(7),
      recordingLinks: async () => (callId) => `https://parley.test/recordings/${callId}`,
      describeRecording: async () => null,
      async settleRecording(callId) {
        const durationMs = recordedMs.get(callId)
        return durationMs === undefined ? null : { durationMs }
      },
      warmUp: () => undefined,
      background: { run: (_name, work) => void work().catch(() => undefined) },
      accessWatch: { actorOf: async () => listener, watch: () => () => undefined },
      bus: options.bus ?? bus,
      nodes,
      logError,
      baseUrl: () => 'https://parley.test',
      agents: features.agentUse,
      models: {
        forWorkspace: async () => ({
          resolve: (name) => (name === 'offline' ? UNUSED : null),
          configured: () => ['offline'],
        }),
      },
      leases,
      reservations: createLeaseReservations({ database, clock: shareClock(clock) }),
      freeSlotsOf: (nodeId) => dropLeasesOf(database, nodeId),
      events: { ...SILENT_CALL_EVENTS, ...events },
      held: {
        command(callId, command) {
          if (!heldIds.has(callId)) return false
          commands.push([callId, command])
          return true
        },
      },
    })
    writers.push(calls.journals)
    return {
      ...calls,
      nodeId,
      leases,
      logged,
      /** What its calls were told. */
      commands,
      /** Joins as a browser would; the call is held from then on. */
      async enter(accessToken: string) {
        const admitted = await calls.admissions.callers.admit(accessToken)
        if (!admitted.ok) return admitted
        const started = await startRecord(calls, admitted.callId)
        if (started.ok) heldIds.add(admitted.callId)
        else await admitted.giveBack()
        return started
      },
      noticeDeath: async (of: string) => {
        dead.add(of)
        for (const listener of deathListeners) await listener(of)
      },
    }
  }

  const node = addNode('node_a')
  const routes = openRoutes({ database, clock, makeId }, (api) => node.register(api))
  return {
    ...features,
    ...routes,
    node,
    addNode,
    dead,
    /** What the credential behind a token to listen is allowed from now on; `null` when it is gone. */
    limitListener: (actor: Actor | null) => {
      listener = actor
    },
    /** How long recordings of calls are that a node has lost. */
    recordedMs,
    agentId,
    create: async (body: object = {}) => {
      const { status, body: answer } = await routes.send('POST /api/v1/calls/web', { agentId, ...body })
      if (status !== 201) throw new Error(`answered ${status}: ${answer.error}`)
      return answer.call
    },
    get: async (callId: string) => (await routes.send(`GET /api/v1/calls/${callId}`)).body.call,
    until,
    /** Moves virtual time on until what calls were told is on record. */
    async flush() {
      await time.advance(60)
      await until(() => writers.every(({ waiting }) => waiting === 0))
    },
    async [Symbol.asyncDispose]() {
      await routes[Symbol.asyncDispose]()
      await features[Symbol.asyncDispose]()
    },
  }
}

async function startRecord({ starter }: Calls, callId: string) {
  const found = await starter.find(callId)
  return found.ok ? await starter.start(found.call) : found
}

/** Waits for something that needs a real database, not virtual time. The test's timeout bounds it. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) {
    await settle()
    await nextTurn()
  }
}

/** A model that tests only look up. */
const UNUSED = {
  stream: () => {
    throw new Error('not asked here')
  },
} as never
