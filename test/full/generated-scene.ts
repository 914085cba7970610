import { fileURLToPath } from 'node:url'
import type { Call } from '@parley/contract/call'
import { acceptInvitationAs } from '../../testing/accept-invitation.ts'
import { joinCall } from '../../testing/call-client.ts'
import { startMcpServer } from '../../testing/mcp-server/mcp-server.ts'
import { type RunningServer, type RunServerOptions, runServer } from '../../testing/running-server.ts'
import { type SeededCall, seedCalls } from '../../testing/seed-calls.ts'
import { SEEDED_RECORDING, seedRecording } from '../../testing/seed-recording.ts'
import { withStoppedServer } from '../../testing/server-database.ts'
import { VOICE_KEY } from '../../testing/voice-server/voice-server.ts'
import { logIn } from './access-people.ts'
import { type CreatedResources, createResourceLog } from './created-resources.ts'
import type { KnownIds } from './known-ids.ts'
import { newEmail, OWNER_LOGIN } from './valid-account-bodies.ts'
import { addVoice, makeIds } from './valid-request-parts.ts'

const LOOPBACK_ONLY = fileURLToPath(new URL('../../testing/loopback-only/main.ts', import.meta.url))
const CALLS = 300
/** Number of calls whose recording may be deleted, but not the call. */
const RECORDED_CALLS = 100

/** A person with a password and a dashboard login. */
export interface TestUser {
  readonly login: { readonly email: string; readonly password: string }
  readonly cookie: string
}

/** A server with one resource of each kind, plus spare resources that generated requests can delete. */
export interface GeneratedScene {
  readonly server: RunningServer
  readonly ids: KnownIds
  /** URL of the MCP server that the agent's engine names. */
  readonly mcpUrl: string
  /** A workspace, tenant and provider with unused keys and brand. */
  readonly spare: { readonly workspaceId: number; readonly tenantId: string; readonly providerId: string }
  /** User that logs in and out. */
  readonly signedInUser: TestUser
  /** User that changes its password. Malformed requests use `malformedSender`, so that they lock out no other user. */
  readonly passwordChanger: TestUser
  readonly malformedSender: TestUser
  readonly created: CreatedResources
  /** Ids of chats that one request each can analyze again. */
  readonly endedChatIds: readonly string[]
}

export interface SceneOptions extends RunServerOptions {
  /** Calls other than those that can be deleted. */
  readonly calls?: readonly SeededCall[]
  /** Whether a call is live. Otherwise, operations on live calls fail. */
  readonly withLiveCall?: boolean
}

/** Starts a server that reaches only this machine and checks its own responses. */
export async function startScene(
  voicesUrl: string,
  { env = {}, calls = [], withLiveCall = true, ...options }: SceneOptions = {},
): Promise<GeneratedScene & AsyncDisposable> {
  await using stack = new AsyncDisposableStack()
  const mcp = stack.use(await startMcpServer())
  const server = await runServer({
    ...options,
    env: {
      ...env,
      ALLOW_PRIVATE_TARGETS: `127.0.0.1:${mcp.port}`,
      NODE_OPTIONS: `--import=${LOOPBACK_ONLY}`,
      BOOTSTRAP_EMAIL: OWNER_LOGIN.email,
      BOOTSTRAP_PASSWORD: OWNER_LOGIN.password,
      ELEVENLABS_API_KEY: VOICE_KEY,
      ELEVENLABS_BASE_URL: voicesUrl,
      // Logins from one address are throttled together, so valid ones claim another address.
      TRUST_PROXY: '1',
    },
  })
  stack.use(server)
  const created = createResourceLog()
  await seed(server, created, calls)
  const { workspaceId, values } = await makeIds(server, server.workspaceId, { mark: 'generated', mcpUrl: mcp.url })
  const liveCallId = withLiveCall ? await keepCallOpen(server, stack, values.agentId) : values.liveCallId
  const addedVoiceId = await addVoice(server, workspaceId, 'Added')
  const ids = { workspaceId, values: { ...values, callId: callIdOf(0), liveCallId, addedVoiceId } }
  const endedChatIds = await endChats(server, created, ids)
  const { providerId } = await create<'providerId'>(server, '/api/providers', { name: 'Spare' })
  const { tenantId } = await create<'tenantId'>(server, '/api/tenants', { name: 'Spare', providerId })
  const workspace = await create<'id'>(server, '/api/workspaces', { name: 'Spare', tenantId })
  const scene = {
    server,
    ids,
    mcpUrl: mcp.url,
    spare: { workspaceId: Number(workspace.id), tenantId, providerId },
    signedInUser: await invite(server, ids),
    passwordChanger: await invite(server, ids),
    malformedSender: await invite(server, ids),
    created,
    endedChatIds,
  }
  const owned = stack.move()
  return { ...scene, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

async function create<Key extends string>(
  server: RunningServer,
  path: string,
  body: object,
): Promise<Record<Key, string>> {
  const answer = await server.call<Record<Key, string>>('POST', path, { body })
  if (answer.status !== 201) throw new Error(`${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
  return answer.body
}

async function invite(server: RunningServer, { workspaceId }: KnownIds): Promise<TestUser> {
  const login = { email: newEmail('visitor'), password: OWNER_LOGIN.password }
  const path = `/api/workspaces/${workspaceId}/members`
  const invited = await create<'inviteUrl'>(server, path, { email: login.email, role: 'admin' })
  await acceptInvitationAs(server, invited, login)
  return { login, cookie: (await logIn(server, login)).cookie }
}

/** Ends chats, because random requests end too few to analyze one again in each run. */
async function endChats(
  server: RunningServer,
  created: CreatedResources,
  { workspaceId, values }: KnownIds,
): Promise<readonly string[]> {
  const chatIds: string[] = []
  for (let count = 0; count < ENDED_CHATS; count += 1) {
    const { chatId } = await create<'chatId'>(server, '/api/chats', { workspaceId, agentId: values.agentId })
    await server.call('POST', `/api/chats/${chatId}/end`, { body: { workspaceId } })
    created.add('analyseChat', { chatId })
    chatIds.push(chatId)
  }
  return chatIds
}

const ENDED_CHATS = 3

const callIdOf = (index: number): string => `call_${String(index).padStart(26, '0')}`

/** Joins a call as a silent caller until the scene ends. */
async function keepCallOpen(server: RunningServer, stack: AsyncDisposableStack, agentId: string): Promise<string> {
  const { call } = await create<'call'>(server, '/api/v1/calls/web', { agentId })
  const { accessToken } = call as unknown as Call
  const caller = stack.use(await joinCall(server.url, accessToken ?? '', { keepsAudio: false }))
  // Generating requests blocks this process for seconds, which looks like a broken network.
  let isReconnecting = false
  const reconnectTimer = setInterval(() => {
    if (caller.isOpen || isReconnecting) return
    isReconnecting = true
    const onReconnected = (): void => {
      isReconnecting = false
    }
    caller.resume().then(onReconnected, onReconnected)
  }, RECONNECT_CHECK_MS)
  stack.defer(() => clearInterval(reconnectTimer))
  return caller.callId
}

const RECONNECT_CHECK_MS = 500

/** Seeds ended calls. Only the first has a recording and must not be deleted. */
async function seed(server: RunningServer, created: CreatedResources, more: readonly SeededCall[]): Promise<void> {
  const rows = Array.from({ length: CALLS }, (_item, index) => ({
    call_id: callIdOf(index),
    created_at: index,
    recording: index === 0 ? SEEDED_RECORDING : null,
  }))
  await seedRecording(server, callIdOf(0))
  await withStoppedServer(server, (database) => seedCalls(database, [...rows, ...more]))
  for (const [index, { call_id }] of rows.entries()) {
    if (index > 0) created.add(index > RECORDED_CALLS ? 'deleteCall' : 'deleteCallRecording', { callId: call_id })
  }
}
