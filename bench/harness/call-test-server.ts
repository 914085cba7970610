import { request } from 'undici'
import type { CallServerStats } from './call-server.ts'
import { findFreePort } from './child-process.ts'
import { startLocalServer } from './local-server.ts'
import { createAgents, createLlmFactory, type ParleyServer, startParley } from './parley-server.ts'

/** A call server with an agent whose answers take several seconds. */
export interface CallTestServer extends AsyncDisposable {
  readonly parley: ParleyServer
  /** Creates a call and returns its access token. */
  createCall(): Promise<string>
  /** Returns internal server statistics, optionally after a garbage collection or including live objects. */
  readStats(mode?: 'collect' | 'objects'): Promise<CallServerStats>
  /** Returns the number of live calls in the database. */
  countLiveCalls(): Promise<number>
}

export interface CallTestServerOptions {
  readonly profileFolder?: string | undefined
  /** Agent settings in addition to the defaults. */
  readonly agent?: object
}

/** Number of words per answer, which is about four seconds of speech. */
const ANSWER_WORDS = '12'
const MAX_CALLS = 10_000

export async function startCallTestServer({
  profileFolder,
  agent = {},
}: CallTestServerOptions = {}): Promise<CallTestServer> {
  await using starting = new AsyncDisposableStack()
  const programArguments = ['--words', ANSWER_WORDS]
  const model = starting.use(await startLocalServer('testing/model-server/main.ts', { programArguments }))
  const controlPort = await findFreePort()
  const parley = starting.use(
    await startParley({
      modelUrl: model.url,
      profileFolder,
      program: {
        file: 'bench/harness/call-server.ts',
        nodeFlags: ['--expose-gc'],
        programArguments: [String(controlPort)],
        environment: { TRUST_PROXY: '1', SHUTDOWN_TIMEOUT_MS: '2000' },
      },
    }),
  )
  const [createdAgent] = await createAgents(parley, 1, createLlmFactory(), agent)
  if (createdAgent === undefined) throw new Error('No agent was created.')
  const { workspaceId, agentId } = createdAgent
  await parley.call('PATCH', '/api/concurrency', { workspaceId, baseConcurrency: MAX_CALLS })
  const resources = starting.move()
  return {
    parley,
    async createCall() {
      const { call } = (await parley.call('POST', '/api/v1/calls/web', { agentId })) as {
        call: { accessToken: string }
      }
      return call.accessToken
    },
    async readStats(mode) {
      const { body } = await request(`http://127.0.0.1:${controlPort}/stats${mode === undefined ? '' : `?${mode}`}`)
      return (await body.json()) as CallServerStats
    },
    async countLiveCalls() {
      const response = await parley.call('GET', `/api/concurrency?workspaceId=${workspaceId}`)
      return (response as { currentUsage: number }).currentUsage
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
