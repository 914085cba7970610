import { request } from 'undici'
import type { CallServerStats } from './call-server.ts'
import { findFreePort } from './child-process.ts'
import { startLocalServer } from './local-server.ts'
import { createAgents, makeLlm, type ParleyServer, startParley } from './parley-server.ts'

/** A server for calls with an agent that answers in some seconds of speech. */
export interface CallTestServer extends AsyncDisposable {
  readonly parley: ParleyServer
  /** Makes a call and returns the token that joins it. */
  createCall(): Promise<string>
  /** What the server looks like inside: now, after a collection of garbage, or with the objects that are alive as well. */
  stats(mode?: 'collect' | 'objects'): Promise<CallServerStats>
  /** Calls that count as live in the database. */
  countLive(): Promise<number>
}

export interface CallTestServerOptions {
  readonly profileFolder?: string | undefined
  /** Beside the usual ones, of the agent. */
  readonly agent?: object
}

/** Words of every answer: about four seconds of speech. */
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
  const [createdAgent] = await createAgents(parley, 1, makeLlm(), agent)
  if (createdAgent === undefined) throw new Error('There is no agent.')
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
    async stats(mode) {
      const { body } = await request(`http://127.0.0.1:${controlPort}/stats${mode === undefined ? '' : `?${mode}`}`)
      return (await body.json()) as CallServerStats
    },
    async countLive() {
      const answer = await parley.call('GET', `/api/concurrency?workspaceId=${workspaceId}`)
      return (answer as { currentUsage: number }).currentUsage
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
