import type { BrowserContextOptions, Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { findChromium } from '../../scripts/service-programs.cjs'
import { startChromium, type TestBrowser } from '../../testing/browser/chromium.ts'
import { browserTest, expectNoViolations } from '../../testing/browser/dashboard-test.ts'
import { expectEventually } from '../../testing/browser/eventually.ts'
import { type LiveConnection, type LiveServer, startLiveServer } from '../../testing/browser/live-server.ts'
import { findPageProblems } from '../../testing/browser/page-problems.ts'

const caption = { type: 'caption', final: true, interrupted: false } as const

async function connection(server: LiveServer, count = 1): Promise<LiveConnection> {
  await expectEventually(() => server.connections[count - 1]?.messages.length ?? 0).toBeGreaterThan(0)
  return server.connections[count - 1] as LiveConnection
}

const ADDRESS = '/call/call_1#token=secret'

async function openCall(browser: TestBrowser, { url }: LiveServer, options: BrowserContextOptions = {}) {
  const context = await browser.newContext(options)
  const { page, pageViolations } = browser.watch(await context.newPage())
  await page.goto(url + ADDRESS)
  return { page, pageViolations, [Symbol.asyncDispose]: () => context.close() }
}

/** Runs each test with its own live server and browser window. */
const test = browserTest
  // biome-ignore lint/correctness/noEmptyPattern: the runner wants an object pattern to see what a fixture needs
  .extend('server', async ({}, { onCleanup }) => {
    const server = await startLiveServer()
    onCleanup(() => server[Symbol.asyncDispose]())
    return server
  })
  .extend('opened', async ({ browser, server }, { onCleanup }) => {
    const opened = await openCall(browser, server)
    onCleanup(() => opened[Symbol.asyncDispose]())
    return opened
  })

async function start(server: LiveServer, page: Page): Promise<LiveConnection> {
  await page.getByRole('button', { name: 'Start the call' }).click()
  const joined = await connection(server)
  joined.sendJoined({ standIns: ['A stand-in speaks.'] })
  await page.getByRole('heading', { name: 'Ada' }).waitFor()
  return joined
}

describe.skipIf(findChromium() === null)('the call page', () => {
  test('removes the token from the address, talks, and shows the outcome', async ({
    server,
    opened: { page, pageViolations },
  }) => {
    expect(page.url()).toBe(`${server.url}/call/call_1`)
    const live = await start(server, page)
    expect(live.messages[0]).toMatchObject({ type: 'join', accessToken: 'secret' })
    await page.getByText('A stand-in speaks.').waitFor()

    live.send({ type: 'state', agent: 'speaking', user: 'silent' })
    live.send({ ...caption, seq: 1, id: 'a', role: 'agent', text: 'Hello, this', final: false })
    live.send({ ...caption, seq: 2, id: 'a', role: 'agent', text: 'Hello, this is Ada.' })
    const latency = {
      totalMs: 1_234,
      endOfTurnMs: 400,
      recogniserMs: null,
      retrievalMs: null,
      modelFirstTokenMs: 300,
      firstClauseMs: null,
      synthesisFirstAudioMs: null,
      playoutMs: null,
    }
    live.send({ type: 'latency', seq: 3, turnId: 'turn_1', latency })
    await page.getByText('answered in 1.23 s').waitFor()
    expect(await page.getByRole('log').textContent()).toContain('Hello, this is Ada.')
    await page.getByText('Speaking', { exact: true }).waitFor()

    await page.getByLabel('Type instead of speaking').fill('My name is Mia')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Mute' }).click()
    await page.getByRole('button', { name: 'Keypad' }).click()
    await page.getByRole('button', { name: '5', exact: true }).click()
    await page.getByRole('button', { name: 'Devices' }).click()
    await expectEventually(() => page.getByLabel('Microphone').locator('option').count()).toBeGreaterThan(0)
    expect(await page.getByRole('button', { name: 'Mute' }).getAttribute('aria-pressed')).toBe('true')
    await expectEventually(() => live.messages.filter(({ type }) => ['typed', 'muted', 'dtmf'].includes(type))).toEqual(
      [
        { type: 'typed', text: 'My name is Mia' },
        { type: 'muted', muted: true },
        { type: 'dtmf', digit: '5' },
      ],
    )

    await page.getByRole('button', { name: 'End', exact: true }).click()
    await page.getByText(/You ended the call\. It lasted 0:\d\d\./).waitFor()
    await expectEventually(() => live.messages.at(-1)).toEqual({ type: 'leave' })
    expect(live.faults).toEqual([])
    expectNoViolations(pageViolations)
  })

  test('resumes its call after a reload, and shows a lost connection', async ({ server, opened: { page } }) => {
    await start(server, page)
    await page.reload()
    const second = await connection(server, 2)
    expect(second.messages[0]).toEqual({ type: 'resume', protocol: 1, resumeToken: 'resume_1', lastSeq: 0 })
    const welcomedAtMs = performance.now()
    second.sendJoined({ resumeToken: 'resume_2', elapsedMs: 65_000 })
    second.send({ ...caption, seq: 1, id: 'a', role: 'agent', text: 'As I was saying' })
    await page.getByText('As I was saying').waitFor()
    const timer = await page.getByText(/^[1-9]\d*:\d\d$/).textContent()
    const [minutes = 0, seconds = 0] = String(timer).split(':').map(Number)
    const shownMs = (minutes * 60 + seconds) * 1_000
    expect(shownMs).toBeGreaterThanOrEqual(65_000)
    expect(shownMs).toBeLessThanOrEqual(65_000 + performance.now() - welcomedAtMs)

    second.disconnect()
    await page.getByText('Reconnecting…').waitFor()
    const third = await connection(server, 3)
    expect(third.messages[0]).toMatchObject({ type: 'resume', resumeToken: 'resume_2', lastSeq: 1 })
    third.sendJoined({ resumeToken: 'resume_3' })
    await page.getByText('Listening', { exact: true }).waitFor()
    third.send({ type: 'ended', reason: 'inactivity' })
    await page.getByText('because of silence').waitFor()
    await page.reload()
    await page.getByText('the token is missing').waitFor()
    expect(server.connections).toHaveLength(3)
  })

  test.for([
    ['token_used', 'was already used'],
    ['token_expired', 'has expired'],
    ['concurrency_limit_reached', 'All lines are busy'],
    ['call_ended', 'This call has ended'],
  ] as const)('explains %s', async ([code, words], { server, opened: { page } }) => {
    await page.getByRole('button', { name: 'Start the call' }).click()
    const live = await connection(server)
    live.send({ type: 'refused', code, message: 'Refused.', retry: false })
    await page.getByRole('heading', { name: words }).waitFor()
    expect(await findPageProblems(page)).toEqual([])
  })

  test('lets callers without a microphone type', async ({ server }) => {
    await using browser = await startChromium({ permission: 'denied' })
    await using opened = await openCall(browser, server)
    const { page } = opened
    await page.getByRole('button', { name: 'Start the call' }).click()
    await page.getByRole('heading', { name: 'The microphone is blocked' }).waitFor()
    await page.getByRole('button', { name: 'Type instead' }).click()
    const live = await connection(server)
    expect(live.messages[0]).toMatchObject({ type: 'join', recognition: false })
    live.sendJoined({ recognition: 'server' })
    await page.getByText('Waiting for your message').waitFor()
    await page.getByLabel('Type instead of speaking').fill('Hello')
    await page.getByRole('button', { name: 'Send' }).click()
    await expectEventually(() => live.messages).toContainEqual({ type: 'typed', text: 'Hello' })
    expect(await page.getByRole('button', { name: 'Mute' }).isVisible()).toBe(false)
  })

  test('keeps the microphone closed after the caller chooses to type, even after reloads', async ({
    server,
    opened: { page },
  }) => {
    await page.getByRole('button', { name: 'Type instead' }).click()
    ;(await connection(server)).sendJoined()
    await page.getByText('Waiting for your message').waitFor()
    for (const count of [2, 3]) {
      await page.reload()
      const again = await connection(server, count)
      again.sendJoined({ resumeToken: `resume_${count}` })
      await page.getByText('Waiting for your message').waitFor()
      expect(await page.getByRole('button', { name: 'Mute' }).isVisible()).toBe(false)
      await expectEventually(() => again.frames.length).toBeGreaterThan(10)
      expect(again.frames.every(({ samples }) => samples.every((sample) => sample === 0))).toBe(true)
    }
  })

  test('keeps its call after a reload when the microphone fails', async ({ server, opened: { page } }) => {
    await start(server, page)
    const failing = "async () => { throw new DOMException('No.', 'NotReadableError') }"
    await page.addInitScript({ content: `navigator.mediaDevices.getUserMedia = ${failing}` })
    for (let round = 0; round < 2; round += 1) {
      await page.reload()
      await page.getByRole('heading', { name: 'could not be opened' }).waitFor()
    }
    await page.getByRole('button', { name: 'Type instead' }).click()
    const second = await connection(server, 2)
    expect(second.messages[0]).toMatchObject({ type: 'resume', resumeToken: 'resume_1' })
    second.sendJoined({ resumeToken: 'resume_2' })
    await page.getByText('Waiting for your message').waitFor()
    await page.reload()
    const third = await connection(server, 3)
    third.send({ type: 'refused', code: 'token_invalid', message: 'Over.', retry: false })
    await page.getByRole('heading', { name: 'This call has ended' }).waitFor()
    await page.reload()
    await page.getByText('the token is missing').waitFor()
  })

  test('falls back to typing when the browser cannot recognize speech', async ({ server, opened: { page } }) => {
    await page.evaluate(() => {
      class Refusing {
        onerror: ((event: { error: string }) => void) | null = null
        start() {
          setTimeout(() => this.onerror?.({ error: 'not-allowed' }))
        }
        abort() {}
      }
      Object.assign(globalThis, { SpeechRecognition: Refusing })
    })
    await page.getByRole('button', { name: 'Start the call' }).click()
    const live = await connection(server)
    expect(live.messages[0]).toMatchObject({ type: 'join', recognition: true })
    live.sendJoined({ recognition: 'browser', standIns: ['Your browser recognises speech.'] })
    await page.getByText('Type what you want to say').waitFor()
    await page.getByText('Waiting for your message').waitFor()
    expect(await page.getByText('Your browser recognises speech.').count()).toBe(0)
    await expectEventually(() => live.messages).toContainEqual({ type: 'recognition-failed' })
  })

  test.for([390, 1_280])('is readable and usable at %i pixels in both themes', async (width, { browser, server }) => {
    await using opened = await openCall(browser, server, { viewport: { width, height: 800 }, reducedMotion: 'reduce' })
    const { page } = opened
    const problems = async (): Promise<readonly string[]> => {
      const found: string[] = []
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        found.push(...(await findPageProblems(page)).map((problem) => `${colorScheme}: ${problem}`))
      }
      return found
    }
    await page.getByRole('button', { name: 'Start the call' }).waitFor()
    expect(await problems()).toEqual([])
    const live = await start(server, page)
    for (let seq = 1; seq <= 20; seq += 1) {
      const role = seq % 2 === 0 ? 'user' : 'agent'
      live.send({
        ...caption,
        seq,
        id: `c${seq}`,
        role,
        text: 'A sentence that is rather long. '.repeat(4),
        final: seq < 20,
      })
    }
    live.send({ type: 'warning', seq: 21, code: 'speech', message: 'Another voice speaks.' })
    await page.getByText('Another voice speaks.').waitFor()
    for (const panel of ['Devices', 'Keypad']) {
      await page.getByRole('button', { name: panel }).click()
      expect(await problems()).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollHeight <= innerHeight')).toBe(true)
    }
    live.send({ type: 'ended', reason: 'agent_hangup' })
    await page.getByRole('heading', { name: 'Call ended' }).waitFor()
    expect(await problems()).toEqual([])
  })
})
