import { createServer } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type CallClient, joinCall } from '../../testing/call-client.ts'
import { type ModelServer, startModelServer } from '../../testing/model-server/model-server.ts'
import { createStubReply } from '../../testing/model-server/stub-reply.ts'
import { OWNER_TOKEN, type RunningServer, runServer } from '../../testing/running-server.ts'
import { createAgent, expectBody, remove, send } from '../../testing/server-test.ts'
import { startVoiceServer, VOICE_KEY, type VoiceServer } from '../../testing/voice-server/voice-server.ts'
import { type PickServer, startPickServer } from './guide-pick.ts'
import { type GuideShell, startGuideShell } from './guide-shell.ts'
import { codeBlocks, guideSteps, isAsShown, readGuide } from './guide-text.ts'

/** The commands of each guide run on a real server and print what the page shows. */

const TIMEOUT_MS = 120_000
const MAX_WARM_UPS = 5
const METRICS_TOKEN = 'a-token-for-metrics'

/** Programs that readers save and start, in the order of the page's JavaScript blocks. */
const PROGRAMS: Readonly<Record<string, readonly string[]>> = {
  'custom-llm': ['llm-server.mjs'],
  'knowledge-bases': ['site.mjs'],
  tools: ['tool-server.mjs', 'mcp-server.mjs'],
  webhooks: ['receiver.mjs'],
}

interface Scene {
  readonly server: RunningServer
  readonly shell: GuideShell
}

/** Actions of the reader other than commands, by the text of the step that they precede. */
type Actions = Readonly<Record<string, (scene: Scene) => Promise<unknown>>>

let models: ModelServer
let voices: VoiceServer
let pickServer: PickServer

beforeAll(async () => {
  models = await startModelServer({ keepRequests: false })
  models.defaultReply = createStubReply({ words: 200, paceMs: 100 })
  voices = await startVoiceServer()
  pickServer = await startPickServer()
})

afterAll(async () => {
  await models.close()
  await voices.close()
  await pickServer[Symbol.asyncDispose]()
})

test.concurrent('agents', { timeout: TIMEOUT_MS }, () =>
  runGuides(['first-agent', 'write-an-agent', 'dynamic-variables', 'versions-and-publishing', 'conversation-flows']),
)

test.concurrent('documents and servers of your own', { timeout: TIMEOUT_MS }, () =>
  runGuides(['knowledge-bases', 'custom-llm']),
)

test.concurrent('tools, records and failures', { timeout: TIMEOUT_MS }, async () =>
  runGuides(['tools', 'after-the-conversation', 'phone-numbers', 'errors-and-limits', 'models-and-fallbacks'], {
    env: { OPENAI_BASE_URL: `http://127.0.0.1:${await freePort()}/v1` },
    actions: { '| pick chatAnalysis': untilFound('/api/chats/$CHAT?workspaceId=1', '"summary":"') },
  }),
)

test.concurrent('calls, webhooks and resellers', { timeout: TIMEOUT_MS }, async () => {
  let call: CallClient | null = null
  const join = async (scene: Scene) => {
    call = await takePartInCall(scene)
  }
  const delivered = untilFound('/api/webhook-deliveries?workspaceId=1&event=chat_analyzed', 'delivered')
  const listen = async () => await call?.waitUntil('the announcement', () => hears(call, 'One moment, please.'))
  await runGuides(['first-agent', 'calls-and-usage', 'web-calls', 'webhooks', 'white-label', 'voices'], {
    env: { ELEVENLABS_API_KEY: VOICE_KEY, ELEVENLABS_BASE_URL: voices.url },
    actions: { '$CALL/control': join, '$CALL/end': listen, 'webhook-deliveries?': delivered },
  })
})

test.concurrent('access, streams and metrics', { timeout: TIMEOUT_MS }, () =>
  runGuides(['access-and-tenancy', 'streaming-and-resuming', 'operating'], {
    env: { OPENAI_BASE_URL: `${models.url}/v1` },
  }),
)

/** Runs guides on one server. Fails with the outputs that the page does not show. */
async function runGuides(
  names: readonly string[],
  { env = {}, actions = {} }: { env?: Readonly<Record<string, string>>; actions?: Actions } = {},
): Promise<void> {
  const [first, second] = [await freePort(), await freePort()]
  await using server = await runServer({
    env: {
      ALLOW_PRIVATE_TARGETS: `127.0.0.1:${first},127.0.0.1:${second}`,
      BOOTSTRAP_PASSWORD: 'the-password-of-the-first-start',
      METRICS_TOKEN,
      RATE_LIMIT_PER_SECOND: '50',
      ...env,
    },
  })
  await warmUp(server)
  const replacements = { 4100: new URL(server.url).port, 4200: first, 4300: second, sk_your_token: OWNER_TOKEN }
  for (const name of names) {
    await using shell = await startGuideShell({ METRICS_TOKEN })
    const guide = readGuide(name, replacements)
    await startPrograms(name, guide, { server, shell })
    expect([name, await differencesIn(guide, { server, shell }, actions)]).toEqual([name, []])
  }
}

/** Starts the thread of the offline model, which may take longer than a turn on a busy machine. Leaves nothing behind. */
async function warmUp(server: RunningServer): Promise<void> {
  const { agent_id, response_engine } = await createAgent(server)
  const path = `/api/playground/agents/${agent_id}/completions`
  const messages = [{ role: 'user', content: 'Hello' }]
  for (let attempt = 0; attempt < MAX_WARM_UPS; attempt++) {
    const { error } = await expectBody(200, send(server, 'POST', path, { messages }))
    if (error === null) break
  }
  await remove(server, `/api/agents/${agent_id}`)
  if (response_engine.type === 'llm') await remove(server, `/api/llms/${response_engine.llm_id}`)
}

async function startPrograms(name: string, guide: string, { server, shell }: Scene): Promise<void> {
  const files = PROGRAMS[name]
  if (files === undefined) return
  const { body } = await server.call<{ secrets: { secret: string }[] }>('GET', '/api/signing-secret?workspaceId=1')
  const keys = { SIGNING_SECRET: body.secrets[0]?.secret ?? '', STOCK_KEY: 'a-long-secret', LLM_KEY: 'a-long-secret' }
  const blocks = codeBlocks(guide, 'js')
  for (const [index, file] of files.entries()) await shell.startProgram(file, blocks[index] ?? '', keys)
}

async function differencesIn(guide: string, scene: Scene, actions: Actions) {
  const pending = new Map(Object.entries(actions))
  const differences: { commands: string; shown: string; printed: string }[] = []
  for (const { commands, shown } of guideSteps(guide)) {
    for (const [text, act] of pending) {
      if (!commands.includes(text)) continue
      pending.delete(text)
      await act(scene)
    }
    const printed = await scene.shell.run(commands)
    if (commands.includes('pick() {')) await scene.shell.run(pickServer.definition)
    if (shown !== null && !isAsShown(shown, printed)) differences.push({ commands, shown, printed })
  }
  return differences
}

/** Waits, as a reader does, until a request of the shell finds the result of background work. */
function untilFound(request: string, result: string) {
  return ({ shell }: Scene) => shell.run(`until api GET "${request}" | grep -q '${result}'; do sleep 0.1; done`)
}

/** Joins the guide's call and asks the question in its transcript. */
async function takePartInCall({ server, shell }: Scene): Promise<CallClient> {
  const call = await joinCall(server.url, (await shell.run('pick call.accessToken < call.json')).trim())
  await call.waitUntil('the greeting', () => hears(call, 'What can I do for you?'))
  call.type('How much is a croissant?')
  await call.waitUntil('the answer', () => hears(call, '$3.'))
  return call
}

/** Whether the agent has said a message that ends with this text. */
function hears(call: CallClient | null, text: string): boolean {
  const messages = call?.messages ?? []
  return messages.some(
    ({ message }) =>
      message.type === 'caption' && message.role === 'agent' && message.final && message.text.endsWith(text),
  )
}

async function freePort(): Promise<string> {
  const listener = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => listener.once('listening', resolve))
  const address = listener.address()
  await new Promise((resolve) => listener.close(resolve))
  return String(typeof address === 'object' ? address?.port : '')
}
