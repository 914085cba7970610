import type { Agent } from '@parley/contract/agent'
import type { Call } from '@parley/contract/call'
import type { Chat } from '@parley/contract/chat'
import type { BrowserContext, Locator, Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { findChromium } from '../../../scripts/service-programs.cjs'
import { startChromium, type WatchedPage } from '../../../testing/browser/chromium.ts'
import {
  type DashboardScene,
  type OpenOptions,
  OWNER,
  startDashboard,
  type WorkspaceScene,
} from '../../../testing/browser/dashboard.ts'
import { browserTest, expectNoViolations } from '../../../testing/browser/dashboard-test.ts'
import { expectEventually } from '../../../testing/browser/eventually.ts'
import { findPageProblems } from '../../../testing/browser/page-problems.ts'
import { measureAudibleMs } from '../../../testing/locate-audio.ts'
import { type ModelServer, startModelServer } from '../../../testing/model-server/model-server.ts'
import { findLastUserText, isRecord, type ModelServerRequest } from '../../../testing/model-server/reply.ts'
import { startNetworkProxy } from '../../../testing/network-proxy.ts'
import { createAgent, expectBody, read, readChat } from '../../../testing/server-test.ts'
import { type SpeechServer, startSpeechServer } from '../../../testing/speech-server/speech-server.ts'
import { writeWav } from '../../../testing/speech-server/wav-audio.ts'
import { startToolServer } from '../../../testing/tool-server/tool-server.ts'
import { createMicrophoneAudio, readRecording, readStereo, synthesizeTexts } from '../web-call-scene.ts'
import { findBarriers } from './scene-findings.ts'

const GREETING = 'Good morning.'
const QUESTION = 'When do you open on Sunday?'
const ANSWER = 'On Sunday we open at ten in the morning.'
/** Time from opening the microphone until the caller speaks. */
const QUESTION_AT_MS = 5_000
const WINDOW = { locale: 'en-GB', viewport: { width: 1440, height: 900 } }

interface TalkServices {
  readonly dashboard: DashboardScene
  readonly model: ModelServer
  readonly speechServer: SpeechServer
}

interface TalkScene extends Omit<TalkServices, 'dashboard'> {
  readonly dashboard: WorkspaceScene
}

/** Runs tests on one server per file: `scene` is a workspace for one test, with a model that answers `QUESTION`. */
const test = browserTest
  .extend('services', { scope: 'file' }, async ({ browser }, { onCleanup }): Promise<TalkServices> => {
    const stack = new AsyncDisposableStack()
    onCleanup(() => stack.disposeAsync())
    const speechServer = stack.adopt(await startSpeechServer(), (server) => server.close())
    const model = stack.adopt(await startModelServer(), (server) => server.close())
    const dashboard = stack.use(
      await startDashboard({
        browser,
        env: {
          OPENAI_BASE_URL: `${model.url}/v1`,
          TRANSCRIPTION_BASE_URL: speechServer.baseUrl,
          TRANSCRIPTION_MODEL: 'whisper-1',
          ALLOW_PRIVATE_TARGETS: '127.0.0.1',
        },
      }),
    )
    return { dashboard, model, speechServer }
  })
  .extend('model', ({ services }) => {
    const { model } = services
    model.defaultReply = (request) => ({
      text: findLastUserText(request) === QUESTION ? ANSWER : 'I did not get that.',
    })
    return model
  })
  .extend('scene', async ({ services, model }, { onCleanup }): Promise<TalkScene> => {
    const dashboard = await services.dashboard.createWorkspace()
    onCleanup(() => dashboard[Symbol.asyncDispose]())
    return { ...services, model, dashboard }
  })

async function makeAgent({ dashboard: { server } }: TalkScene, llm: object = {}): Promise<Agent> {
  return await createAgent(
    server,
    { agent_name: 'Ada', interruption_sensitivity: 'high', responsiveness: 'fast' },
    { model: 'openai/any', begin_message: GREETING, ...llm },
  )
}

/** Opens an agent's page with the test panel. */
async function openPanel({ dashboard }: TalkScene, { agent_id }: Agent, options: OpenOptions = {}) {
  return await panelOf(await dashboard.open(`agents/${agent_id}`, options))
}

/** Opens the page in a given window and at a given server address. */
async function openPanelIn(
  context: BrowserContext,
  { dashboard: { server, browser } }: TalkScene,
  { agent_id }: Agent,
  url = server.url,
) {
  const login = await context.request.post(`${url}/api/auth/login`, { data: OWNER, headers: { origin: url } })
  expect(login.status()).toBe(200)
  const opened = browser.watch(await context.newPage())
  await opened.page.goto(`${url}/${server.workspaceId}/agents/${agent_id}`)
  return await panelOf(opened)
}

async function panelOf<Opened extends WatchedPage>(opened: Opened): Promise<Opened & { readonly panel: Locator }> {
  const panel = opened.page.getByRole('region', { name: 'Test' })
  await panel.waitFor()
  return { ...opened, panel }
}

async function say(panel: Locator, text: string): Promise<void> {
  await panel.getByRole('textbox', { name: 'Message' }).fill(text)
  await panel.getByRole('textbox', { name: 'Message' }).press('Enter')
}

const idAtEnd = async (link: Locator): Promise<string> => (await link.getAttribute('href'))?.split('/').at(-1) ?? ''

/** Runs in the page before a call. Adds `unplug`, which disconnects the only microphone. */
const LET_UNPLUG = `(() => {
  const devices = navigator.mediaDevices
  const open = devices.getUserMedia.bind(devices)
  devices.getUserMedia = async (wishes) => {
    const stream = await open(wishes)
    globalThis.unplug = () => {
      devices.getUserMedia = () => Promise.reject(new DOMException('gone', 'NotFoundError'))
      stream.getAudioTracks()[0].dispatchEvent(new Event('ended'))
    }
    return stream
  }
})()`

const button = (place: Locator | Page, name: string): Locator => place.getByRole('button', { name, exact: true })

function hasToolResult({ body }: ModelServerRequest): boolean {
  const messages = Array.isArray(body.messages) ? (body.messages as unknown[]) : []
  const last = messages.at(-1)
  return isRecord(last) && last.role === 'tool'
}

describe.skipIf(findChromium() === null)('the test panel', () => {
  test('chats: streams words, shows tools and stores the chat', async ({ scene }) => {
    await using tools = await startToolServer()
    tools.script({ kind: 'json', body: { opens: '10:00' } })
    scene.model.defaultReply = (request) =>
      hasToolResult(request)
        ? { text: 'We open at ten o’clock on Sunday, and close at noon.', delayPerWordMs: 150 }
        : { text: '', toolCalls: [{ name: 'opening_hours', arguments: '{"day":"Sunday"}' }] }
    const agent = await makeAgent(scene, {
      begin_message: 'Hello from {{shop}}.',
      default_dynamic_variables: { shop: 'the workshop' },
      general_tools: [
        {
          type: 'custom',
          name: 'opening_hours',
          description: 'Tells when the shop is open.',
          url: tools.url,
          parameters: { type: 'object', properties: { day: { type: 'string' } } },
        },
      ],
    })
    const { page, panel, pageViolations } = await openPanel(scene, agent)

    await panel.getByText(/^Variables/).click()
    const name = panel.getByRole('textbox', { name: /: name 1$/ })
    if ((await name.count()) === 0) await button(panel, 'Add variable').click()
    await name.fill('shop')
    await panel.getByRole('textbox', { name: /: value 1$/ }).fill('Corner Bakery')
    await button(panel, 'Start chat').click()
    await panel.getByText('Hello from Corner Bakery.').waitFor()

    await say(panel, QUESTION)
    // The first words appear before the last ones.
    await panel.getByText(/^We open at/).waitFor()
    expect(await panel.getByText(/close at noon/).count()).toBe(0)
    await panel.getByText('We open at ten o’clock on Sunday, and close at noon.').waitFor()
    await panel.getByText(/First word:/).waitFor()
    await panel.getByText('opening_hours').click()
    await panel.getByText('"day": "Sunday"').waitFor()
    await panel.getByText('"opens": "10:00"').waitFor()
    expect(await findBarriers(page)).toEqual([])
    const chatId = await idAtEnd(panel.getByRole('link', { name: 'Open chat' }))
    await button(panel, 'End').click()
    await panel.getByText('You ended the conversation.').waitFor()
    const chat = await readChat(scene.dashboard.server, chatId)
    expect(chat).toMatchObject({ status: 'completed', version: agent.version, metadata: { source: 'dashboard' } })
    expect(chat.messages.map(({ role }) => role)).toEqual(['assistant', 'user', 'assistant', 'tool', 'assistant'])
    expectNoViolations(pageViolations)
  })

  test('stops a reply and sends a failed message again', async ({ scene }) => {
    const agent = await makeAgent(scene)
    scene.model.defaultReply = () => ({
      text: 'One two three four five six seven eight nine ten.',
      delayPerWordMs: 1_000,
    })
    const { panel, pageViolations } = await openPanel(scene, agent)
    await button(panel, 'Start chat').click()
    await say(panel, 'Count.')
    await panel.getByText(/One two/).waitFor()
    await button(panel, 'Stop reply').click()
    await panel.getByText('You stopped the reply.').waitFor()
    expect(await panel.getByText(/nine/).count()).toBe(0)

    scene.model.defaultReply = () => ({ fault: 'status', status: 400 })
    await say(panel, QUESTION)
    await panel.getByRole('alert').waitFor()
    scene.model.defaultReply = () => ({ text: ANSWER })
    await button(panel, 'Try again').click()
    await panel.getByText(ANSWER).waitFor()
    const chatId = await idAtEnd(panel.getByRole('link', { name: 'Open chat' }))
    const chat = await readChat(scene.dashboard.server, chatId)
    expect(chat.messages.filter(({ role }) => role === 'user').map(({ content }) => content)).toEqual([
      'Count.',
      QUESTION,
    ])
    expectNoViolations(pageViolations)
  })

  test('ends when the agent ends the chat, and starts again', async ({ scene }) => {
    scene.model.defaultReply = (request) =>
      hasToolResult(request) ? { text: 'Goodbye.' } : { text: '', toolCalls: [{ name: 'bye', arguments: '{}' }] }
    const agent = await makeAgent(scene, {
      general_tools: [{ type: 'end_call', name: 'bye', description: 'Ends it.' }],
    })
    const { panel, pageViolations } = await openPanel(scene, agent)
    await button(panel, 'Start chat').click()
    await say(panel, 'That is all.')
    await panel.getByText('The agent ended the conversation.').waitFor()
    expect(await panel.getByRole('textbox', { name: 'Message' }).isDisabled()).toBe(true)
    await button(panel, 'Start over').click()
    await panel.getByText(GREETING).waitFor()
    await expectEventually(() => panel.getByRole('textbox', { name: 'Message' }).isEnabled()).toBe(true)
    expectNoViolations(pageViolations)
  })

  test('continues a reply after the connection was lost', async ({ scene }) => {
    await using network = await startNetworkProxy(scene.dashboard.server.url)
    const text = Array.from({ length: 30 }, (_, index) => `word${index}`).join(' ')
    scene.model.defaultReply = () => ({ text, delayPerWordMs: 150 })
    const context = await scene.dashboard.newContext(WINDOW)
    const { panel } = await openPanelIn(context, scene, await makeAgent(scene), network.url)
    await button(panel, 'Start chat').click()
    await say(panel, 'Tell me everything.')
    await panel.getByText(/ word5/).waitFor()
    network.disconnect()
    await panel.getByText('Connection lost. Reconnecting…').waitFor()
    network.restore()
    await panel.getByText(/First word:/).waitFor()
    expect(await panel.getByText(/^word0 /).textContent()).toBe(text)
  })

  test('calls: shows both sides and stores the recording', async ({ services, model }) => {
    const speech = await synthesizeTexts({ question: QUESTION })
    const microphone = writeWav(createMicrophoneAudio([{ atMs: QUESTION_AT_MS, speech: speech.question }]))
    await using browser = await startChromium({ microphone, cleanUp: false, context: WINDOW })
    await using dashboard = await services.dashboard.createWorkspace(browser)
    const scene = { ...services, model, dashboard }
    scene.speechServer.addRecording(speech.question, QUESTION)
    const { server } = scene.dashboard
    const { page, panel, pageViolations } = await openPanelIn(browser.context, scene, await makeAgent(scene))
    await page.evaluate(LET_UNPLUG)
    await panel.getByRole('tab', { name: 'Call', exact: true }).click()
    await button(panel, 'Start call').click()
    const captions = panel.getByRole('log', { name: 'Captions' })
    await captions.getByText(GREETING).waitFor()
    await captions.getByText(QUESTION).waitFor()
    await captions.getByText(ANSWER).waitFor()
    await panel.getByText(/^response:/).waitFor()
    await panel.getByText('Listening', { exact: true }).waitFor()

    await button(panel, 'Mute').click()
    await panel.getByText('You are muted').waitFor()
    await panel.getByText('Devices').click()
    await expectEventually(() => panel.getByLabel('Microphone').locator('option').count()).toBeGreaterThan(1)
    expect(await findBarriers(page)).toEqual([])
    await say(panel, 'Thank you.')
    await captions.getByText('I did not get that.').waitFor()
    // Warnings do not move the controls.
    const endedAt = await button(panel, 'End').boundingBox()
    await page.evaluate('unplug()')
    await panel.getByRole('alert').getByText('The microphone was disconnected.', { exact: false }).waitFor()
    expect(await button(panel, 'End').boundingBox()).toEqual(endedAt)
    await button(panel, 'End').click()
    await panel.getByText(/You ended the call\. Duration: 0:\d\d/).waitFor()

    const callId = await idAtEnd(panel.getByRole('link', { name: 'Open call' }))
    const readCall = async (): Promise<Call> =>
      (await expectBody(200, server.call<{ call: Call }>('GET', `/api/v1/calls/${callId}`))).call
    await expectEventually(async () => (await readCall()).status).toBe('ended')
    const call = await readCall()
    expect(call).toMatchObject({ disconnectionReason: 'user_hangup', metadata: { source: 'dashboard' } })
    expect(call.transcript).toContain(`User: ${QUESTION}`)
    expect(call.transcript).toContain(`Agent: ${ANSWER}`)
    await expectEventually(async () => (await readCall()).recordingUrl).not.toBeNull()
    const { caller, agent } = readStereo(await readRecording(server, callId))
    expect(measureAudibleMs(caller, 0, Number(call.durationMs))).toBeGreaterThan(500)
    expect(measureAudibleMs(agent, 0, Number(call.durationMs))).toBeGreaterThan(1_000)
    expectNoViolations(pageViolations)
  })

  test('allows typing without a microphone, and ends the call when leaving the page', async ({ services, model }) => {
    await using browser = await startChromium({ permission: 'denied' })
    await using dashboard = await services.dashboard.createWorkspace(browser)
    const scene = { ...services, model, dashboard }
    const { server } = dashboard
    const { page, panel } = await openPanel(scene, await makeAgent(scene))
    await panel.getByRole('tab', { name: 'Call', exact: true }).click()
    await button(panel, 'Start call').click()
    await panel.getByText('The microphone is blocked for this page.').waitFor()
    await button(panel, 'Continue by typing').click()
    await say(panel, QUESTION)
    await panel.getByText(ANSWER).waitFor()
    await page.getByRole('link', { name: 'Voices', exact: true }).click()
    await page.getByRole('heading', { name: 'Voices', level: 1 }).waitFor()
    const readCalls = async (): Promise<readonly string[]> => {
      const { body } = await read<{ calls: readonly Call[] }>(server, '/api/v1/calls')
      return body.calls.map(({ status }) => status)
    }
    // The first call was never joined and no longer occupies a slot.
    await expectEventually(readCalls).toEqual(['ended', 'not_connected'])
  })

  test('is not available to viewers', async ({ scene }) => {
    const agent = await makeAgent(scene)
    const { panel, pageViolations } = await openPanel(scene, agent, {
      person: await scene.dashboard.makeMember('viewer'),
    })
    await panel.getByText('You need permission to edit this agent to test it.').waitFor()
    expect(await panel.getByRole('button').count()).toBe(0)
    const { body } = await read<readonly Chat[]>(scene.dashboard.server, '/api/chats')
    expect(body).toEqual([])
    expectNoViolations(pageViolations)
  })
})

describe.skipIf(findChromium() === null)('voices', () => {
  test('are played, filtered and chosen by keyboard', async ({ scene }) => {
    const { server } = scene.dashboard
    const agent = await makeAgent(scene)
    const { page, pageViolations } = await scene.dashboard.open(`voices?gender=male`)
    await page.getByText('3 rows').waitFor()
    await page.getByLabel('Gender').selectOption('')
    await page.getByText('4 rows').waitFor()
    const preview = page.waitForResponse((response) => new URL(response.url()).pathname.endsWith('/preview'))
    await button(page, 'Play Emma').click()
    expect((await preview).headers()['content-type']).toContain('audio/wav')
    await button(page, 'Stop Emma').click()
    await button(page, 'Play Emma').waitFor()
    expect(await findPageProblems(page)).toEqual([])
    expectNoViolations(pageViolations)

    const editor = await openPanel(scene, agent)
    const voiceTab = editor.page.getByRole('tab', { name: /voice|speech/i })
    await voiceTab.first().click()
    await editor.page.getByRole('button', { name: /^Voice Emma/ }).click()
    const dialog = editor.page.getByRole('dialog', { name: 'Choose a voice' })
    await dialog.getByText('4 voices').waitFor()
    for (const name of ['Emma', 'Ryan']) await dialog.getByRole('button', { name: `Compare ${name}` }).click()
    await dialog.getByRole('button', { name: 'Play one after another' }).click()
    await dialog.getByRole('button', { name: 'Stop Ryan' }).first().waitFor()
    for (const name of ['Emma', 'Ryan']) {
      await dialog
        .getByRole('button', { name: `Stop comparing ${name}` })
        .first()
        .click()
    }
    expect(await findBarriers(editor.page)).toEqual([])
    await dialog.getByRole('searchbox').focus()
    await editor.page.keyboard.type('scottish')
    await dialog.getByText('1 voice', { exact: true }).waitFor()
    await editor.page.keyboard.press('ArrowDown')
    await editor.page.keyboard.press('Enter')
    await editor.page.getByRole('button', { name: /^Voice Alan/ }).waitFor()
    await editor.page.keyboard.press('ControlOrMeta+s')
    const voiceOf = async (): Promise<string> => {
      const path = `/api/agents/${agent.agent_id}`
      return (await expectBody(200, read<Agent>(server, path, { version: 'latest' }))).voice_id
    }
    await expectEventually(voiceOf).toBe('voice_builtin_awb')
    expectNoViolations(editor.pageViolations)
  })

  test("from a vendor's library need a key, and the page links to it", async ({ scene }) => {
    const { page } = await scene.dashboard.open('voices')
    await button(page, 'Add voices').click()
    const dialog = page.getByRole('dialog', { name: 'Add voices' })
    await dialog.getByLabel('Description').fill('calm british')
    await page.keyboard.press('Enter')
    await dialog.getByText(/There is no key for ElevenLabs/).waitFor()
    expect(await findPageProblems(page)).toEqual([])
    await dialog.getByRole('link', { name: 'Add a provider key' }).click()
    await page.waitForURL(/\/provider-keys$/)
  })
})
