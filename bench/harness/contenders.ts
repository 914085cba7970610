import { setTimeout as wait } from 'node:timers/promises'
import type { Agent } from 'undici'
import { startLocalServer } from './local-server.ts'
import {
  createBaselineContender,
  MULTI_STEP_KINDS,
  type MultiStepKind,
  prepareMultiStepTurns,
  type StubUrls,
} from './multi-step-turns.ts'
import { type ParleyServer, startParley } from './parley-server.ts'
import { buildParleyTurn, createChats, JSON_TYPE, MODEL_STREAM, TURN_CONTENT } from './parley-turn.ts'
import { readFamilyCpuMs } from './process-usage.ts'
import { runStreamedTurn, type TurnTarget, type TurnTimes } from './streamed-turn.ts'

const STABILIZE_MS = 3_000

/** A PostgreSQL database on a dedicated server. */
export interface BenchPostgres {
  readonly databaseUrl: string
  /** ID of the server's main process. */
  readonly pid: number
}

/** A server that responds to streamed turns. */
export interface Contender {
  readonly pid?: number
  readonly name: string
  /** Returns the CPU time of the process and its children in milliseconds. Absent for the stub. */
  readonly readCpuMs?: () => number
  /** Returns the CPU time of the database server, if the database runs in a separate process. */
  readonly readDatabaseCpuMs?: () => number
  /** Runs one turn in a numbered conversation. */
  runTurn(conversation: number): Promise<TurnTimes>
}

export interface Contenders extends AsyncDisposable {
  /** The stub, the limit server, and Parley on each database. */
  readonly singleStep: readonly Contender[]
  /** A bare client and Parley on each database, for each kind of multi-step turn. */
  readonly multiStep: readonly MultiStepContenders[]
}

interface MultiStepContenders {
  readonly name: MultiStepKind['name']
  readonly contenders: readonly Contender[]
}

export interface ContendersOptions {
  /** Time that the stub model takes per word (100 words per answer). */
  readonly paceMs: number
  /** Number of available conversations. */
  readonly conversations: number
  /** Number of available conversations for each kind of multi-step turn. */
  readonly multiStepConversations?: number
  /** Databases for Parley; `null` is SQLite. */
  readonly databases: readonly (BenchPostgres | null)[]
  readonly profileFolder?: string | undefined
}

/** Starts a stub model with answers of 100 words, and the contenders: the stub itself, the limit server and Parley. */
export async function startContenders(agent: Agent, options: ContendersOptions): Promise<Contenders> {
  const { conversations, multiStepConversations = 0 } = options
  await using resources = new AsyncDisposableStack()
  const programArguments = ['--words', '100', '--pace-ms', String(options.paceMs)]
  const model = resources.use(await startLocalServer('bench/harness/multi-step-model-server.ts', { programArguments }))
  const tool = resources.use(await startLocalServer('bench/harness/answering-tool-server.ts'))
  const limit = resources.use(
    await startLocalServer('bench/harness/limit-server.ts', { programArguments: [model.url] }),
  )
  const stubs: StubUrls = { modelUrl: model.url, toolUrl: tool.url }
  const singleStep: Contender[] = [
    { name: 'bare fetch', runTurn: () => runStreamedTurn(agent, createStubTarget(model.url)) },
    {
      pid: limit.pid,
      name: 'limit server',
      readCpuMs: () => readFamilyCpuMs(limit.pid),
      runTurn: createLimitTurns(agent, limit.url),
    },
  ]
  const kinds = multiStepConversations === 0 ? [] : MULTI_STEP_KINDS
  const multiStep = kinds.map((kind) => ({ kind, contenders: [createBaselineContender(agent, kind, stubs)] }))
  for (const postgres of options.databases) {
    const { profileFolder } = options
    const databaseUrl = postgres?.databaseUrl ?? null
    const toolHost = new URL(tool.url).host
    const parley = resources.use(await startParley({ modelUrl: model.url, profileFolder, databaseUrl, toolHost }))
    const createContender = (turn: Contender['runTurn']): Contender => ({
      name: postgres === null ? 'Parley' : 'Parley, PostgreSQL',
      pid: parley.pid,
      readCpuMs: () => readFamilyCpuMs(parley.pid),
      ...(postgres !== null && { readDatabaseCpuMs: () => readFamilyCpuMs(postgres.pid) }),
      runTurn: turn,
    })
    singleStep.push(createContender(await prepareParley(agent, parley, conversations)))
    for (const { kind, contenders } of multiStep) {
      const turnOptions = { kind, stubs, conversations: multiStepConversations }
      contenders.push(createContender(await prepareMultiStepTurns(agent, parley, turnOptions)))
    }
  }
  // After this time, the server has released its startup memory, including compiled code that later turns must compile again.
  await wait(STABILIZE_MS)
  const ownedResources = resources.move()
  return {
    singleStep,
    multiStep: multiStep.map(({ kind, contenders }) => ({ name: kind.name, contenders })),
    [Symbol.asyncDispose]: () => ownedResources.disposeAsync(),
  }
}

function createLimitTurns(agent: Agent, origin: string): Contender['runTurn'] {
  const body = JSON.stringify({ content: TURN_CONTENT, stream: true })
  return (conversation) =>
    runStreamedTurn(agent, {
      origin,
      path: `/chats/chat_${conversation}`,
      headers: JSON_TYPE,
      body,
      ...MODEL_STREAM,
    })
}

function createStubTarget(modelUrl: string): TurnTarget {
  const body = {
    model: 'gpt-4o-mini',
    stream: true,
    stream_options: { include_usage: true },
    messages: [{ role: 'user', content: TURN_CONTENT }],
  }
  return {
    origin: modelUrl,
    path: '/v1/chat/completions',
    headers: JSON_TYPE,
    body: JSON.stringify(body),
    ...MODEL_STREAM,
  }
}

async function prepareParley(agent: Agent, parley: ParleyServer, conversations: number): Promise<Contender['runTurn']> {
  const chats = await createChats(parley, conversations)
  const targets = chats.map((chat) => buildParleyTurn(parley, chat))
  return (conversation) => runStreamedTurn(agent, targets[conversation] as TurnTarget)
}
