import { fileURLToPath } from 'node:url'
import type { Call } from '@parley/contract/call'
import { joinCall } from '../../testing/call-client.ts'
import { joinByInvitation } from '../../testing/join-by-invitation.ts'
import { startMcpServer } from '../../testing/mcp-server/mcp-server.ts'
import { type RunningServer, type RunServerOptions, runServer } from '../../testing/running-server.ts'
import { type SeededCall, seedCalls } from '../../testing/seed-calls.ts'
import { SEEDED_RECORDING, seedRecording } from '../../testing/seed-recording.ts'
import { whileStopped } from '../../testing/server-database.ts'
import { VOICE_KEY } from '../../testing/voice-server/voice-server.ts'
import { logIn } from './access-people.ts'
import { newEmail, OWNER_LOGIN } from './good-account-bodies.ts'
import { makeIds } from './good-requests.ts'
import type { KnownIds } from './known-ids.ts'
import { createMadeThings, type MadeThings } from './made-things.ts'

const LOOPBACK_ONLY = fileURLToPath(new URL('../../testing/loopback-only/main.ts', import.meta.url))
const CALLS = 300
/** Of these, so many only lose their recording. */
const RECORDED_CALLS = 100

/** Somebody with a password and a login of the dashboard. */
export interface Visitor {
  readonly login: { readonly email: string; readonly password: string }
  readonly cookie: string
}

/** A server with one resource of each kind, and what generated requests may take away from it. */
export interface GeneratedScene {
  readonly server: RunningServer
  readonly ids: KnownIds
  /** Of a server of tools, which the agent's engine names. */
  readonly mcpUrl: string
  /** A workspace, tenant and provider whose keys and brand nobody needs. */
  readonly spare: { readonly workspaceId: number; readonly tenantId: string; readonly providerId: string }
  /** Logs in and out. */
  readonly visitor: Visitor
  /** Changes its password. Spoilt requests take `spoiler`, so that neither is locked out by them. */
  readonly changer: Visitor
  readonly spoiler: Visitor
  readonly made: MadeThings
  /** Of chats that one request each may analyse again. */
  readonly endedChatIds: readonly string[]
}

export interface SceneOptions extends RunServerOptions {
  /** Calls beside those that may be deleted. */
  readonly calls?: readonly SeededCall[]
  /** Without, no call is live, and what only live calls take is refused. */
  readonly holdsCall?: boolean
}

/** Starts a server that reaches nothing but this machine. Whatever is asked of it, it checks its own answers. */
export async function startScene(
  voicesUrl: string,
  { env = {}, calls = [], holdsCall = true, ...options }: SceneOptions = {},
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
      // Logins from one address are slowed down together: good ones say to come from elsewhere.
      TRUST_PROXY: '1',
    },
  })
  stack.use(server)
  const made = createMadeThings()
  await seed(server, made, calls)
  const { workspaceId, values } = await makeIds(server, server.workspaceId, { mark: 'generated', mcpUrl: mcp.url })
  const liveCallId = holdsCall ? await holdCall(server, stack, values.agentId) : values.liveCallId
  const ids = { workspaceId, values: { ...values, callId: callIdOf(0), liveCallId } }
  const endedChatIds = await endChats(server, made, ids)
  const { providerId } = await create<'providerId'>(server, '/api/providers', { name: 'Spare' })
  const { tenantId } = await create<'tenantId'>(server, '/api/tenants', { name: 'Spare', providerId })
  const workspace = await create<'id'>(server, '/api/workspaces', { name: 'Spare', tenantId })
  const scene = {
    server,
    ids,
    mcpUrl: mcp.url,
    spare: { workspaceId: Number(workspace.id), tenantId, providerId },
    visitor: await invite(server, ids),
    changer: await invite(server, ids),
    spoiler: await invite(server, ids),
    made,
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

async function invite(server: RunningServer, { workspaceId }: KnownIds): Promise<Visitor> {
  const login = { email: newEmail('visitor'), password: OWNER_LOGIN.password }
  const path = `/api/workspaces/${workspaceId}/members`
  const invited = await create<'inviteUrl'>(server, path, { email: login.email, role: 'admin' })
  await joinByInvitation(server, invited, login)
  return { login, cookie: (await logIn(server, login)).cookie }
}

/** Chance alone ends too few chats for each run to analyse one again. */
async function endChats(
  server: RunningServer,
  made: MadeThings,
  { workspaceId, values }: KnownIds,
): Promise<readonly string[]> {
  const chatIds: string[] = []
  for (let count = 0; count < ENDED_CHATS; count += 1) {
    const { chatId } = await create<'chatId'>(server, '/api/chats', { workspaceId, agentId: values.agentId })
    await server.call('POST', `/api/chats/${chatId}/end`, { body: { workspaceId } })
    made.add('analyseChat', { chatId })
    chatIds.push(chatId)
  }
  return chatIds
}

const ENDED_CHATS = 3

const callIdOf = (index: number): string => `call_${String(index).padStart(26, '0')}`

/** Somebody joins a call and stays, in silence, as long as the scene is there. */
async function holdCall(server: RunningServer, stack: AsyncDisposableStack, agentId: string): Promise<string> {
  const { call } = await create<'call'>(server, '/api/v1/calls/web', { agentId })
  const { accessToken } = call as unknown as Call
  const caller = stack.use(await joinCall(server.url, accessToken ?? '', { keepsSound: false }))
  // Making requests keeps this process from answering for seconds, which looks like a network that broke.
  let isComingBack = false
  const keeper = setInterval(() => {
    if (caller.isOpen || isComingBack) return
    isComingBack = true
    const isBack = (): void => {
      isComingBack = false
    }
    caller.resume().then(isBack, isBack)
  }, COME_BACK_MS)
  stack.defer(() => clearInterval(keeper))
  return caller.callId
}

const COME_BACK_MS = 500

/** Calls that are over, the first one with a recording. All but that may be deleted. */
async function seed(server: RunningServer, made: MadeThings, more: readonly SeededCall[]): Promise<void> {
  const rows = Array.from({ length: CALLS }, (_item, index) => ({
    call_id: callIdOf(index),
    created_at: index,
    recording: index === 0 ? SEEDED_RECORDING : null,
  }))
  await seedRecording(server, callIdOf(0))
  await whileStopped(server, (database) => seedCalls(database, [...rows, ...more]))
  for (const [index, { call_id }] of rows.entries()) {
    if (index > 0) made.add(index > RECORDED_CALLS ? 'deleteCall' : 'deleteCallRecording', { callId: call_id })
  }
}
