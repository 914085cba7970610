import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { request } from 'undici'
import {
  findFreePort,
  type ProcessSettings,
  ROOT,
  type RunningProcess,
  startProcess,
  waitUntilReady,
} from './child-process.ts'

/** The program itself, which `npm start` runs in the end. */
export const SERVER_FILE = join(ROOT, 'packages/server/src/main.ts')

const TOKEN = 'bench-token-of-the-first-owner'
const SECRET_KEY = 'secret-key-of-benches-0123456789abcdef'

export interface ParleyServer extends RunningProcess {
  readonly url: string
  readonly authorization: string
  /** Sends a request as the owner and returns the JSON answer; throws for any other status than 200 or 201. */
  call(method: 'GET' | 'POST' | 'PATCH', path: string, body?: object): Promise<unknown>
}

/** The settings of a Parley that serves on `port` and stores in `dataFolder`: no demo data, no limits, no log. */
export function parleySettings(port: number, dataFolder: string): Record<string, string> {
  return {
    HOST: '127.0.0.1',
    PORT: String(port),
    DATA_DIR: dataFolder,
    DEMO: '0',
    LOG_LEVEL: 'silent',
    RATE_LIMIT_PER_SECOND: '0',
    BOOTSTRAP_TOKEN: TOKEN,
  }
}

export interface ParleyOptions {
  /** Root of the stub model's chat-completions wire. */
  readonly modelUrl?: string
  /** Writes CPU profiles of the process and its threads into this folder when it ends. */
  readonly profileFolder?: string | undefined
  /** A PostgreSQL database that somebody else removes; embedded when absent. */
  readonly databaseUrl?: string | null
  /** Connects nodes of one database; they use the database itself when absent. */
  readonly redisUrl?: string | null
  /** The one private `host:port` that tools may call. */
  readonly toolHost?: string | undefined
  /** In the place of the program itself: another one that starts the same server. */
  readonly program?: Pick<ProcessSettings, 'nodeFlags' | 'programArguments' | 'environment'> & { readonly file: string }
}

/** Starts the real server on a free port. What it stores goes with it, unless that is in PostgreSQL. */
export async function startParley(options: ParleyOptions = {}): Promise<ParleyServer> {
  const { modelUrl, profileFolder, toolHost, program } = options
  const dataFolder = await mkdtemp(join(tmpdir(), 'parley-bench-'))
  const port = await findFreePort()
  const profiling =
    profileFolder === undefined ? [] : ['--cpu-prof', '--cpu-prof-interval=200', `--cpu-prof-dir=${profileFolder}`]
  const running = startProcess(program?.file ?? SERVER_FILE, {
    nodeFlags: [...profiling, ...(program?.nodeFlags ?? [])],
    programArguments: program?.programArguments ?? [],
    environment: {
      ...parleySettings(port, dataFolder),
      ...(modelUrl !== undefined && { OPENAI_BASE_URL: `${modelUrl}/v1` }),
      ...(toolHost !== undefined && { ALLOW_PRIVATE_TARGETS: toolHost }),
      ...sharedSettings(options),
      ...program?.environment,
    },
  })
  const url = `http://127.0.0.1:${port}`
  const authorization = `Bearer ${TOKEN}`
  const stop = async (): Promise<void> => {
    await running.stop()
    await rm(dataFolder, { recursive: true, force: true })
  }
  try {
    await waitUntilReady(`${url}/readyz`, running)
  } catch (error) {
    await stop()
    throw error
  }
  return {
    ...running,
    url,
    authorization,
    async call(method, path, body) {
      const answer = await request(url + path, {
        method,
        headers: { authorization, ...(body !== undefined && { 'content-type': 'application/json' }) },
        body: body === undefined ? null : JSON.stringify(body),
      })
      const text = await answer.body.text()
      if (answer.statusCode > 201) throw new Error(`${method} ${path} answered ${answer.statusCode}: ${text}`)
      return JSON.parse(text) as unknown
    },
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

function sharedSettings({ databaseUrl, redisUrl }: ParleyOptions): Record<string, string> {
  if (databaseUrl == null) return {}
  return { DATABASE_URL: databaseUrl, SECRET_KEY, ...(redisUrl != null && { REDIS_URL: redisUrl }) }
}

export interface BenchAgent {
  readonly workspaceId: number
  readonly agentId: string
}

/** Creates what an agent answers with, and returns its `response_engine`. */
export type MakeEngine = (parley: ParleyServer, workspaceId: number) => Promise<object>

/** Name of the model that the stub behind the `openai` provider stands for. */
export const BENCH_MODEL = 'openai/gpt-4o-mini'
/** Instructions like those that people write. */
export const BENCH_PROMPT = 'You are the front desk of a dental practice. Answer briefly and kindly.'

/** An LLM configuration, with tools where they are given. */
export function makeLlm(tools: readonly object[] = []): MakeEngine {
  return async (parley, workspaceId) => {
    const { llm_id } = (await parley.call('POST', '/api/v1/llms', {
      workspaceId,
      display_name: 'Front desk',
      model: BENCH_MODEL,
      general_prompt: BENCH_PROMPT,
      general_tools: tools,
    })) as { llm_id: string }
    return { type: 'llm', llm_id }
  }
}

/** Creates agents like those that people make; the model is the stub behind the `openai` provider. */
export async function createAgents(
  parley: ParleyServer,
  count: number,
  makeEngine: MakeEngine = makeLlm(),
  settings: object = {},
): Promise<BenchAgent[]> {
  const { workspaces } = (await parley.call('GET', '/api/workspaces')) as { workspaces: { id: number }[] }
  const workspaceId = workspaces[0]?.id
  if (workspaceId === undefined) throw new Error('The server has no workspace.')
  const voices = (await parley.call('GET', `/api/voices?workspaceId=${workspaceId}`)) as { voiceId: string }[]
  const engine = await makeEngine(parley, workspaceId)
  const agents: BenchAgent[] = []
  for (let index = 0; index < count; index += 1) {
    const { agent_id: agentId } = (await parley.call('POST', '/api/agents', {
      workspaceId,
      agent_name: `Front desk ${index + 1}`,
      voice_id: voices[0]?.voiceId,
      response_engine: engine,
      ...settings,
    })) as { agent_id: string }
    agents.push({ workspaceId, agentId })
  }
  return agents
}
