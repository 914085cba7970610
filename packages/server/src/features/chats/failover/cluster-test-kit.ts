import type { Tool } from '@parley/contract/tools'
import type { LlmEngine } from '@parley/engine/dialogue/conversation'
import type { HttpToolClient, LanguageModel, MakeId, ModelRequest } from '@parley/engine/ports'
import { createManualClock } from '@parley/engine/testing/manual-clock'
import { createScriptedModel, replyWith, type ScriptedStep } from '@parley/engine/testing/scripted-model'
import { createHttpOutcome, createUnreachablePorts } from '@parley/engine/testing/scripted-ports'
import { createChatRow } from '../../../../../../testing/seed-chats.ts'
import { seedWorkspaces } from '../../../../../../testing/seed-workspaces.ts'
import { temporaryDatabase } from '../../../../../../testing/temporary-database.ts'
import type { StreamFrame } from '../../../kernel/api/implement.ts'
import type { Database } from '../../../kernel/storage/database.ts'
import { createBackground } from '../../../kernel/work/background.ts'
import type { Bus } from '../../../kernel/work/bus.ts'
import { createInProcessBus } from '../../../platform/bus/in-process-bus.ts'
import type { ChatRow } from '../../../tables/chat-tables.ts'
import type { AgentResolver } from '../../agents/pinned-agent.ts'
import { aroundWrites, createSequentialIds, pinnedAgent } from '../../features-test-kit.ts'
import { NOOP_CHAT_EVENTS } from '../chat-events.ts'
import { CompletionService } from '../completion-service.ts'
import type { TurnEvents } from '../journal/turn-log.ts'
import type { Turn, TurnOutcome } from '../turn/turn-state.ts'

/** Maximum number of rounds. Each round advances time by 50 ms. */
const MAX_ROUNDS = 2000
const ROUND_MS = 50
/** Deadline longer than any test, so that a hanging model never times out. */
const MODEL_DEADLINE_MS = 1_000_000_000

export type Cluster = Awaited<ReturnType<typeof openCluster>>
export type TestNode = ReturnType<Cluster['addNode']>

export interface ClusterOptions {
  /** Whether the bus drops all messages. */
  readonly losesMessages?: boolean
  readonly tools?: readonly Tool[]
}

/** Opens several nodes on one database and clock. Nodes can die, pause and lose messages. */
export async function openCluster({ losesMessages = false, tools = [] }: ClusterOptions = {}) {
  const database = await temporaryDatabase()
  await seedWorkspaces(database)
  const time = createManualClock()
  const bus = losesMessages ? lossyBus : createInProcessBus(() => undefined)
  const shared: Shared = {
    database,
    time,
    bus,
    deadNodeIds: new Set(),
    listeners: new Map(),
    makeId: createSequentialIds(),
    tools,
    writes: new Set(),
  }
  const timeControl = createTimeControl(shared)
  return {
    database,
    time,
    ...timeControl,
    ...createDeathControls(shared, timeControl.awaitResult),
    ...createChatFixtures(shared),
    addNode: (name: string) => createNode(name, shared),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
}

function createTimeControl({ database, time, writes }: Shared) {
  // With several connections, responses arrive in any order, so effects require several round trips.
  const roundTrips = database.capabilities.seesAllWrites ? 1 : 8

  /** Advances time and pending work until `isDone` returns true. */
  async function waitFor(isDone: () => boolean | Promise<boolean>, roundMs = ROUND_MS): Promise<void> {
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      if (await isDone()) return
      await advance(roundMs)
    }
    throw new Error('The expected condition did not occur.')
  }

  /** Completes pending writes, then advances time. */
  async function advance(durationMs: number): Promise<void> {
    for (let roundTrip = 0; roundTrip < roundTrips; roundTrip += 1) {
      await database.batch([{ query: database.queryBuilder.deleteFrom('idempotency_keys').compile() }])
      await time.advance(0)
      await Promise.allSettled(writes)
    }
    await time.advance(durationMs)
  }

  /** Awaits the promise while time advances. */
  async function awaitResult<Result>(promise: Promise<Result>, roundMs = ROUND_MS): Promise<Result> {
    let isSettled = false
    promise.finally(() => (isSettled = true)).catch(() => undefined)
    await waitFor(() => isSettled, roundMs)
    return await promise
  }

  return { waitFor, advance, awaitResult }
}

function createDeathControls(
  { deadNodeIds, listeners }: Shared,
  awaitResult: ReturnType<typeof createTimeControl>['awaitResult'],
) {
  return {
    /** Marks a node as dead for the other nodes. */
    markDead: (name: string): void => void deadNodeIds.add(name),
    /** Notifies the surviving nodes of a death. */
    async reportDeath(name: string): Promise<void> {
      deadNodeIds.add(name)
      const liveListeners = [...listeners].flatMap(([nodeId, items]) => (deadNodeIds.has(nodeId) ? [] : items))
      await awaitResult(Promise.all(liveListeners.map((listener) => listener(name))))
    },
  }
}

function createChatFixtures({ database, time }: Shared) {
  let chatCount = 0
  return {
    async startChat(fields: Partial<ChatRow> = {}): Promise<string> {
      chatCount += 1
      const now = time.clock.now()
      const row = createChatRow({ chat_id: `chat_${chatCount}`, started_at: now, updated_at: now, ...fields })
      await database.transaction((transaction) => transaction.insertInto('chats').values(row).execute())
      return row.chat_id
    },
    /** Returns each message as `role: content` and marks incomplete messages. */
    async readTranscript(chatId: string): Promise<string[]> {
      const rows = await database.read
        .selectFrom('messages')
        .selectAll()
        .where('chat_id', '=', chatId)
        .orderBy('position')
        .execute()
      return rows.map(({ role, content, incomplete }) => `${role}: ${content}${incomplete === 1 ? '*' : ''}`)
    },
    listTurns: (chatId: string) =>
      database.read.selectFrom('turns').selectAll().where('chat_id', '=', chatId).orderBy('position').execute(),
  }
}

interface Shared {
  readonly database: Database
  readonly time: ReturnType<typeof createManualClock>
  readonly bus: Bus
  readonly deadNodeIds: Set<string>
  readonly listeners: Map<string, ((nodeId: string) => Promise<void>)[]>
  readonly makeId: MakeId
  readonly tools: readonly Tool[]
  /** Pending writes of all nodes. */
  readonly writes: Set<Promise<unknown>>
}

function createNode(name: string, shared: Shared) {
  const gate = createWriteGate()
  let journalWriteCount = 0
  const database = wrapWithGate(gate, shared, () => {
    journalWriteCount += 1
  })
  const failures: unknown[] = []
  const model = createScriptedNodeModel(shared)
  const tools = createHangingTools()
  const completions = openCompletions(name, { ...shared, database, failures, model, httpTools: tools.client })
  return {
    name,
    completions,
    requests: model.requests,
    toolCalls: tools.calls,
    /** Returns how often the node recorded events. */
    getJournalWriteCount: () => journalWriteCount,
    /** Errors of the node's background work. */
    failures,
    /** Makes the node's tools hang. */
    hangTools: tools.hang,
    /** Queues generations of the node's model. Without them, the model echoes its input. */
    script: model.script,
    complete: (chatId: string, content: string, idempotencyKey: string | null = null): Promise<Turn> =>
      completions.complete({ workspaceId: 1, chatId, content, actorId: 'user_1', idempotencyKey }),
    follow: (chatId: string, turnId: string) => completions.follow(1, chatId, turnId),
    /** Blocks the node's writes until `wake`. */
    freeze: gate.close,
    wake: gate.open,
    /** Makes the node's writes fail with the given error, or succeed again if the error is null. */
    failWrites: gate.failWrites,
  }
}

function createScriptedNodeModel({ time }: Shared) {
  const steps: ScriptedStep[] = []
  const requests: ModelRequest[] = []
  return {
    name: 'scripted/model',
    requests,
    script: (...newSteps: readonly ScriptedStep[]) => void steps.push(...newSteps),
    stream(request: ModelRequest) {
      requests.push(request)
      const lastUserMessage = request.messages.findLast(({ role }) => role === 'user')
      const step = steps.shift() ?? replyWith('Answer to ', String(lastUserMessage?.content), '.')
      return createScriptedModel([step], { clock: time.clock }).model.stream(request)
    },
  }
}

function createHangingTools() {
  const calls: string[] = []
  let isHanging = false
  return {
    calls,
    hang(): void {
      isHanging = true
    },
    client: {
      call: async ({ name }: { name: string }) => {
        calls.push(name)
        if (isHanging) await new Promise<never>(() => undefined)
        return createHttpOutcome(`result of ${name}`)
      },
    },
  }
}

interface NodeOptions extends Shared {
  readonly failures: unknown[]
  readonly model: LanguageModel
  readonly httpTools: HttpToolClient
}

function openCompletions(name: string, { database, failures, model, httpTools, ...shared }: NodeOptions) {
  const { time, makeId, deadNodeIds, bus, listeners, tools } = shared
  const { clock } = time
  const resolveModel = () => model
  const deadlines = { firstTokenMs: MODEL_DEADLINE_MS, idleMs: MODEL_DEADLINE_MS, totalMs: MODEL_DEADLINE_MS }
  return new CompletionService({
    database,
    clock,
    makeId,
    bus,
    agents: createAgentResolver(tools),
    models: { forWorkspace: async () => ({ resolve: resolveModel, listConfigured: () => [] }) },
    background: createBackground({ clock, logError: (_name, error) => failures.push(error) }),
    nodes: {
      nodeId: name,
      isAlive: async (nodeId) => !deadNodeIds.has(nodeId),
      onNodeCrash: (listener) => listeners.set(name, [...(listeners.get(name) ?? []), listener]),
    },
    createDialogueDependencies: () => ({
      ...createUnreachablePorts(),
      resolveModel,
      httpTools,
      clock,
      makeId,
      deadlines,
    }),
    events: NOOP_CHAT_EVENTS,
    computeCost: () => null,
    onTurnEnd: () => undefined,
    isShared: true,
  })
}

const lossyBus: Bus = {
  publish: () => undefined,
  subscribe: () => () => undefined,
  onGap: () => () => undefined,
}

/** Reads a turn's events as a client does. */
export function listen(log: TurnEvents, lastEventId = 0) {
  const frames: StreamFrame[] = []
  let isEnded = false
  const stop = log.read(
    {
      send: (newFrames) => void frames.push(...newFrames),
      end: (newFrames = []) => {
        frames.push(...newFrames)
        isEnded = true
      },
    },
    lastEventId,
  )
  return {
    frames,
    stop,
    isEnded: () => isEnded,
    listIds: () => frames.map(({ id }) => id),
    getTurnId: () => String(JSON.parse(frames[0]?.data ?? '{}').turn_id),
    listNames: () => frames.map(({ event }) => event),
    getStatus: () => (frames.at(-1)?.event === 'done' ? String(JSON.parse(frames.at(-1)?.data ?? '').status) : null),
    /** Returns the texts of all messages as a client displays them. */
    renderTexts: () => renderMessages(frames),
  }
}

/** Builds messages from deltas as a client does. */
export function renderMessages(frames: readonly StreamFrame[]): string[] {
  const texts = ['']
  for (const { event, data } of frames) {
    if (event === 'message.delta') texts.push(texts.pop() + JSON.parse(data).text)
    if (event === 'message.restarted') texts.splice(-1, 1, '')
    if (event === 'message.completed' && JSON.parse(data).message.role === 'assistant') texts.push('')
  }
  return texts.filter((text) => text !== '')
}

export function formatMessages({ messages }: TurnOutcome): string[] {
  return messages.map(({ role, content }) => `${role}: ${content}`)
}

/** Creates the agents of a cluster. All chats have the same agent. */
export function createAgentResolver(tools: readonly Tool[]): AgentResolver {
  const agent = pinnedAgent()
  const load = async () => ({ ...agent, engine: { ...agent.engine, generalPrompt: 'Answer.', tools } as LlmEngine })
  return { pin: () => Promise.reject(new Error('Chats in this kit already have an agent.')), load, preview: load }
}

/** Creates a gate that blocks a node's writes while closed and fails them with the error given to `failWrites`. */
function createWriteGate() {
  let openPromise = Promise.resolve()
  let open = (): void => undefined
  let writeError: Error | null = null
  return {
    close(): void {
      const deferred = Promise.withResolvers<void>()
      openPromise = deferred.promise
      open = deferred.resolve
    },
    open: (): void => open(),
    failWrites(error: Error | null): void {
      writeError = error
    },
    async waitUntilOpen(): Promise<void> {
      await openPromise
      if (writeError !== null) throw writeError
    },
  }
}

/** Wraps a database so that its writes wait for the gate. `writes` contains the pending writes. */
function wrapWithGate(
  gate: ReturnType<typeof createWriteGate>,
  { database, writes }: { readonly database: Database; readonly writes: Set<Promise<unknown>> },
  onJournalWrite: () => void,
): Database {
  const gatedDatabase = aroundWrites(database, async (startWrite) => {
    await gate.waitUntilOpen()
    const pendingWrite = startWrite()
    writes.add(pendingWrite)
    try {
      return await pendingWrite
    } finally {
      writes.delete(pendingWrite)
    }
  })
  return {
    ...gatedDatabase,
    batch(statements, options) {
      if (options?.durable === false) onJournalWrite()
      return gatedDatabase.batch(statements, options)
    },
  }
}
