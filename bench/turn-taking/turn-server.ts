import { createAgents, createLlmFactory, SERVER_FILE, startParley } from '../harness/parley-server.ts'
import { AGENT_VOICE, type AgentServers, startAgentServers } from './agent-servers.ts'

/** The real server with two agents: one waits for the caller, the other opens the call. */
export interface TurnServer extends AsyncDisposable {
  readonly url: string
  /** Creates a call with one of the agents and returns its access token. */
  createCall(hasOpening: boolean): Promise<string>
}

const OPENING = 'Hello, how can I help you?'
const MAX_CALLS = 10_000

/** Starts everything. `transcriptionUrl` is the base URL of a speech server; null if the callers recognize speech. */
export async function startTurnServer(transcriptionUrl: string | null): Promise<TurnServer> {
  await using starting = new AsyncDisposableStack()
  const servers = starting.use(await startAgentServers())
  const parley = starting.use(
    await startParley({
      modelUrl: servers.modelUrl,
      program: { file: SERVER_FILE, environment: buildSpeechSettings(servers, transcriptionUrl) },
    }),
  )
  const [waiting] = await createAgents(parley, 1, createLlmFactory({ begin_message: '' }))
  if (waiting === undefined) throw new Error('No agent was created.')
  const { workspaceId } = waiting
  const voices = (await parley.call('GET', `/api/voices?workspaceId=${workspaceId}`)) as {
    readonly voiceId: string
    readonly provider: string | null
  }[]
  const voiceId = voices.find(({ provider }) => provider === 'speech')?.voiceId
  if (voiceId === undefined) throw new Error('The voice of the speech server is missing.')
  const settings = { voice_id: voiceId, reminder_max_count: 0 }
  const [listener] = await createAgents(parley, 1, createLlmFactory({ begin_message: '' }), settings)
  const [greeter] = await createAgents(parley, 1, createLlmFactory({ begin_message: OPENING }), settings)
  await parley.call('PATCH', '/api/concurrency', { workspaceId, baseConcurrency: MAX_CALLS })
  const resources = starting.move()
  return {
    url: parley.url,
    async createCall(hasOpening) {
      const agentId = (hasOpening ? greeter : listener)?.agentId
      const { call } = (await parley.call('POST', '/api/v1/calls/web', { agentId })) as {
        call: { accessToken: string }
      }
      return call.accessToken
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

function buildSpeechSettings({ speechUrl }: AgentServers, transcriptionUrl: string | null): Record<string, string> {
  return {
    TRUST_PROXY: '1',
    // The callers recognize their own words, like a streaming recognizer.
    BUILT_IN_TRANSCRIPTION: '0',
    SHUTDOWN_TIMEOUT_MS: '2000',
    SPEECH_BASE_URL: speechUrl,
    SPEECH_MODEL: 'bench',
    SPEECH_VOICES: AGENT_VOICE,
    ...(transcriptionUrl !== null && { TRANSCRIPTION_BASE_URL: transcriptionUrl, TRANSCRIPTION_MODEL: 'bench' }),
  }
}
