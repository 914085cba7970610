import type { Page } from 'playwright-core'
import { type OpenPage, OWNER, type WorkspaceScene } from '../../../testing/browser/dashboard.ts'
import { recordPages } from '../../../testing/browser/page-recording.ts'
import { type CallClient, joinCall } from '../../../testing/call-client.ts'
import { joinRecordings } from '../../../testing/locate-audio.ts'
import { createAgent, expectBody, send } from '../../../testing/server-test.ts'
import type { Recording } from '../../../testing/speech-server/wav-audio.ts'

/** Sample rate of page recordings, so that both sides can be compared. */
const RATE_HZ = 16_000

/** Starts a live call with an agent of this LLM configuration. */
export async function startLiveCall({ server }: WorkspaceScene, llm: object): Promise<CallClient> {
  const agent = await createAgent(server, {}, llm)
  const making = send<{ call: { accessToken: string } }>(server, 'POST', '/api/v1/calls/web', {
    agentId: agent.agent_id,
  })
  const { accessToken } = (await expectBody(201, making)).call
  return await joinCall(server.url, accessToken, { rateHz: RATE_HZ })
}

/** Returns the agent audio that the caller received, joined from its frames. */
export function heardByCaller({ frames }: CallClient): Recording {
  return joinRecordings(frames.map(({ samples }) => ({ samples, rateHz: RATE_HZ })))
}

/** Counts how often the page asks for a microphone. */
const WATCH_MICROPHONE = `(() => {
  window.askedForMicrophone = 0
  const ask = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices)
  navigator.mediaDevices.getUserMedia = (...settings) => {
    window.askedForMicrophone += 1
    return ask(...settings)
  }
})()`

/** Opens a page and records its audio. `url` is the address of the server. */
export async function openTaped(
  { server, browser, newContext }: WorkspaceScene,
  path: string,
  url = server.url,
): Promise<OpenPage> {
  const viewport = { width: 1440, height: 900 }
  const context = await newContext({
    viewport,
    locale: 'en-GB',
    baseURL: `${url}/${server.workspaceId}/`,
    bypassCSP: true,
  })
  await recordPages(context)
  await context.addInitScript(WATCH_MICROPHONE)
  await context.request.post(`${url}/api/auth/login`, { data: OWNER, headers: { origin: url } })
  const { page, pageViolations } = browser.watch(await context.newPage())
  await page.goto(path)
  return { page, context, pageViolations }
}

export const microphoneQuestions = (page: Page): Promise<number> => page.evaluate<number>('window.askedForMicrophone')
