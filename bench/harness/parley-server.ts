import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { request } from 'undici'
import { findServerFile } from '../../scripts/bootstrap.cjs'
import {
  findFreePort,
  type ProcessSettings,
  type RunningProcess,
  startProcess,
  waitUntilReady,
} from './child-process.ts'

/** The server program that `npm start` runs. */
export const SERVER_FILE = findServerFile()

const TOKEN = 'bench-token-of-the-first-owner'
const SECRET_KEY = 'secret-key-of-benches-0123456789abcdef'

export interface ParleyServer extends RunningProcess {
  readonly url: string
  readonly authorization: string
  /** Sends a request as the owner and returns the JSON response. Throws if the status is not 200 or 201. */
  call(method: 'GET' | 'POST' | 'PATCH', path: string, body?: object): Promise<unknown>
}

/**
 * Returns the settings of a Parley server that listens on `port` and stores data in `dataFolder`, without demo data, limits or
 * logs.
 */
export function buildParleySettings(port: number, dataFolder: string): Record<string, string> {
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
  /** Base URL of the stub model's chat-completions API. */
  readonly modelUrl?: string
  /** Folder for the CPU profiles that the process and its threads write on exit. */
  readonly profileFolder?: string | undefined
  /** URL of a PostgreSQL database that the caller removes. If absent, the embedded database is used. */
  readonly databaseUrl?: string | null
  /** URL of the Redis server that connects nodes of one database. If absent, they use the database. */
  readonly redisUrl?: string | null
  /** The only private `host:port` that tools can call. */
  readonly toolHost?: string | undefined
  /** Alternative program that starts the same server. */
  readonly program?: Pick<ProcessSettings, 'nodeFlags' | 'programArguments' | 'environment'> & { readonly file: string }
}

/** Starts the real server on a free port. Its data is deleted when the server stops, except in PostgreSQL. */
export async function startParley(options: ParleyOptions = {}): Promise<ParleyServer> {
  const { modelUrl, profileFolder, toolHost, program } = options
  const dataFolder = await mkdtemp(join(tmpdir(), 'parley-bench-'))
  const port = await findFreePort()
  const profilingFlags =
    profileFolder === undefined ? [] : ['--cpu-prof', '--cpu-prof-interval=200', `--cpu-prof-dir=${profileFolder}`]
  const child = startProcess(program?.file ?? SERVER_FILE, {
    nodeFlags: [...profilingFlags, ...(program?.nodeFlags ?? [])],
    programArguments: program?.programArguments ?? [],
    environment: {
      ...buildParleySettings(port, dataFolder),
      ...(modelUrl !== undefined && { OPENAI_BASE_URL: `${modelUrl}/v1` }),
      ...(toolHost !== undefined && { ALLOW_PRIVATE_TARGETS: toolHost }),
      ...buildSharedSettings(options),
      ...program?.environment,
    },
  })
  const url = `http://127.0.0.1:${port}`
  const authorization = `Bearer ${TOKEN}`
  const stop = async (): Promise<void> => {
    await child.stop()
    await rm(dataFolder, { recursive: true, force: true })
  }
  try {
    await waitUntilReady(`${url}/readyz`, child)
  } catch (error) {
    await stop()
    throw error
  }
  return {
    ...child,
    url,
    authorization,
    async call(method, path, body) {
      const response = await request(url + path, {
        method,
        headers: { authorization, ...(body !== undefined && { 'content-type': 'application/json' }) },
        body: body === undefined ? null : JSON.stringify(body),
      })
      const text = await response.body.text()
      if (response.statusCode > 201) throw new Error(`${method} ${path} returned ${response.statusCode}: ${text}`)
      return JSON.parse(text) as unknown
    },
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

function buildSharedSettings({ databaseUrl, redisUrl }: ParleyOptions): Record<string, string> {
  if (databaseUrl == null) return {}
  return { DATABASE_URL: databaseUrl, SECRET_KEY, ...(redisUrl != null && { REDIS_URL: redisUrl }) }
}

export interface BenchAgent {
  readonly workspaceId: number
  readonly agentId: string
}

/** Creates an agent's engine and returns the agent's `response_engine`. */
export type EngineFactory = (parley: ParleyServer, workspaceId: number) => Promise<object>

/** Name of the model that the stub behind the `openai` provider represents. */
export const BENCH_MODEL = 'openai/gpt-4o-mini'
/** Realistic agent instructions. */
export const BENCH_PROMPT = 'You are the front desk of a dental practice. Answer briefly and kindly.'

/** Returns a function that creates an LLM configuration, optionally with further fields such as `general_tools`. */
export function createLlmFactory(fields: object = {}): EngineFactory {
  return async (parley, workspaceId) => {
    const { llm_id } = (await parley.call('POST', '/api/v1/llms', {
      workspaceId,
      display_name: 'Front desk',
      model: BENCH_MODEL,
      general_prompt: BENCH_PROMPT,
      ...fields,
    })) as { llm_id: string }
    return { type: 'llm', llm_id }
  }
}

/** Creates realistic agents. Their model is the stub behind the `openai` provider. */
export async function createAgents(
  parley: ParleyServer,
  count: number,
  createEngine: EngineFactory = createLlmFactory(),
  settings: object = {},
): Promise<BenchAgent[]> {
  const { workspaces } = (await parley.call('GET', '/api/workspaces')) as { workspaces: { id: number }[] }
  const workspaceId = workspaces[0]?.id
  if (workspaceId === undefined) throw new Error('The server has no workspace.')
  const voices = (await parley.call('GET', `/api/voices?workspaceId=${workspaceId}`)) as { voiceId: string }[]
  const engine = await createEngine(parley, workspaceId)
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
