import type { Agent } from '@parley/contract/agent'
import { describe, expect, test } from 'vitest'
import {
  type LoudnessBlock,
  openSpeakingPage,
  SPEAKING_BROWSERS,
  type SpeakingPage,
} from '../../testing/browser/speaking-browser.ts'
import { type RunningServer, runServer } from '../../testing/running-server.ts'
import { expectBody, read, send } from '../../testing/server-test.ts'
import { measureWordErrorRate } from '../../testing/word-error-rate.ts'
import { readEvents, synthesizeWithWordTimes } from '../full/web-call-scene.ts'

/** Questions to the demo's bicycle repair shop, each with the fact that answers it. */
const TURNS: readonly { readonly question: string; readonly fact: string }[] = [
  { question: 'What do you charge for a flat tire?', fact: '$15' },
  { question: 'And how much is a full service?', fact: '$119' },
  { question: 'When are you open on Saturday?', fact: '10:00' },
  { question: 'Where is your shop?', fact: '14 Larch Street' },
  { question: 'What is your phone number?', fact: '555 010 4477' },
]
const QUESTIONS = TURNS.map(({ question }) => question)
/** A male voice. The demo agent has a female one. */
const CALLER_VOICE = 'rms'
const MAX_WORD_ERROR_RATE = 0.15
const ANSWER_TIMEOUT_MS = 30_000
/** Peak sample above which a side is audible. */
const AUDIBLE_PEAK = 0.01

interface Caption {
  readonly role: 'agent' | 'user'
  readonly text: string
  readonly isFinal: boolean
}

/** Creates a call to the demo's voice agent and returns the address of its page. */
async function createDemoCall(server: RunningServer): Promise<{ readonly callId: string; readonly address: string }> {
  const agents = await expectBody(200, read<Agent[]>(server, '/api/v1/agents'))
  const demo = agents.find(({ agent_name }) => agent_name.startsWith('Robin'))
  const creation = send<{ call: { callId: string; webCallUrl: string } }>(server, 'POST', '/api/v1/calls/web', {
    agentId: demo?.agent_id,
  })
  const { callId, webCallUrl } = (await expectBody(201, creation)).call
  const { pathname, hash } = new URL(webCallUrl)
  return { callId, address: server.url + pathname + hash }
}

async function readCaptions({ page }: SpeakingPage): Promise<readonly Caption[]> {
  return (await page.evaluate(`[...document.querySelectorAll('#captions p')].map((entry) => ({
    role: entry.dataset.role,
    text: entry.querySelector('.said').textContent,
    isFinal: entry.dataset.final === 'true',
  }))`)) as Caption[]
}

const textsOf = (captions: readonly Caption[], role: Caption['role']): readonly string[] =>
  captions.filter((caption) => caption.role === role).map(({ text }) => text)

/**
 * Waits until a condition is true on the page. Polls over the protocol, since the page's content security policy blocks
 * functions that a test creates in Firefox.
 */
async function waitFor({ page }: SpeakingPage, condition: string): Promise<void> {
  await expect.poll(() => page.evaluate(condition), { timeout: ANSWER_TIMEOUT_MS, message: condition }).toBe(true)
}

/** Waits until the page shows this number of complete agent captions and listens again. */
async function waitForAnswers(caller: SpeakingPage, count: number): Promise<void> {
  const answers = `document.querySelectorAll('#captions p[data-role="agent"][data-final="true"]').length`
  await waitFor(caller, `${answers} >= ${count} && document.getElementById('status').textContent === 'Listening'`)
}

/** Describes what a user would see, for failures. */
async function describePage(caller: SpeakingPage): Promise<string> {
  const lines = (await readCaptions(caller)).map(({ role, text, isFinal }) => `${role}${isFinal ? '' : ' …'}: ${text}`)
  const shown = (await caller.page.evaluate('document.body.innerText')) as string
  return [
    `Captions:\n${lines.join('\n')}`,
    `Problems: ${JSON.stringify(await caller.readProblems())}`,
    `Errors: ${JSON.stringify(caller.errors)}`,
    `Page:\n${shown}`,
  ].join('\n\n')
}

/** Returns the delays in milliseconds from the caller's last sound to the agent's next sound, one for each answer. */
function measureAnswerDelays(blocks: readonly LoudnessBlock[]): readonly number[] {
  const delays: number[] = []
  let callerEndMs: number | null = null
  for (const { atMs, caller, agent } of blocks) {
    if (caller > AUDIBLE_PEAK) callerEndMs = atMs
    else if (agent > AUDIBLE_PEAK && callerEndMs !== null) {
      delays.push(Math.round(atMs - callerEndMs))
      callerEndMs = null
    }
  }
  return delays
}

describe.each(SPEAKING_BROWSERS)('in $name', (browser) => {
  test.skipIf(!browser.canStart())(
    'a spoken conversation with the demo agent, without keys and without recognition by the browser',
    { timeout: 240_000 },
    async () => {
      const speech = await synthesizeWithWordTimes(QUESTIONS, CALLER_VOICE)
      await using server = await runServer({ env: { DEMO: '1', BUILT_IN_TRANSCRIPTION: '1' } })
      const { callId, address } = await createDemoCall(server)
      await using caller = await openSpeakingPage(browser, address)
      try {
        await caller.click('#notice-actions button')
        await waitForAnswers(caller, 1)
        for (const [index, { recording }] of speech.entries()) {
          await caller.speak(recording)
          await waitForAnswers(caller, index + 2)
        }
        const captions = await readCaptions(caller)
        const delays = measureAnswerDelays(await caller.readLoudness())
        await caller.click('#end')
        await waitFor(caller, `document.getElementById('notice-title').textContent === 'Call ended'`)

        const heard = textsOf(captions, 'user')
        const errorRate = measureWordErrorRate(QUESTIONS.join(' '), heard.join(' '))
        console.info(`${browser.name}: word error rate ${errorRate.toFixed(3)}: ${heard.join(' | ')}`)
        console.info(`${browser.name}: ms from the caller's last sound to the answer: ${delays.join(', ')}`)
        const [, ...answers] = textsOf(captions, 'agent')
        expect(answers).toEqual(TURNS.map(({ fact }) => expect.stringContaining(fact)))
        expect(heard).toHaveLength(TURNS.length)
        expect(errorRate).toBeLessThanOrEqual(MAX_WORD_ERROR_RATE)
        expect(delays).toHaveLength(TURNS.length)
        expect(await caller.readProblems()).toEqual([])
        expect(caller.errors).toEqual([])

        const events = (await readEvents(server, callId)).map(({ data }) => data)
        const stored = (type: string) => events.filter((event) => event.type === type).map(({ content }) => content)
        expect(stored('user-message')).toEqual(heard)
        expect(stored('agent-message').slice(1)).toEqual(answers)
      } catch (error) {
        console.error(`${await describePage(caller)}\n\nServer:\n${server.output}`)
        throw error
      }
    },
  )
})
