import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { findChromium } from '../../scripts/service-programs.cjs'
import { type ChromiumOptions, startChromium } from '../../testing/browser/chromium.ts'
import { eventually } from '../../testing/browser/eventually.ts'
import { type LiveConnection, type LiveServer, startLiveServer } from '../../testing/browser/live-server.ts'
import { findPageProblems } from '../../testing/browser/page-problems.ts'

const caption = { type: 'caption', final: true, interrupted: false } as const

async function connection(server: LiveServer, count = 1): Promise<LiveConnection> {
  await eventually(() => server.connections[count - 1]?.messages.length ?? 0).toBeGreaterThan(0)
  return server.connections[count - 1] as LiveConnection
}

async function openCall(server: LiveServer, options?: ChromiumOptions, address = '/call/call_1#token=secret') {
  const browser = await startChromium(options)
  const { page, pageViolations } = await browser.open(`${server.url}${address}`)
  page.setDefaultTimeout(20_000)
  return { page, pageViolations, [Symbol.asyncDispose]: () => browser[Symbol.asyncDispose]() }
}

async function start(server: LiveServer, page: Page): Promise<LiveConnection> {
  await page.getByRole('button', { name: 'Start the call' }).click()
  const joined = await connection(server)
  joined.sendJoined({ standIns: ['A stand-in speaks.'] })
  await page.getByRole('heading', { name: 'Ada' }).waitFor()
  return joined
}

describe.skipIf(findChromium() === null)('the page of a call', () => {
  test('takes the token out of the address, talks, and tells how it went', async () => {
    await using server = await startLiveServer()
    await using opened = await openCall(server)
    const { page, pageViolations } = opened
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
    await eventually(() => page.getByLabel('Microphone').locator('option').count()).toBeGreaterThan(0)
    expect(await page.getByRole('button', { name: 'Mute' }).getAttribute('aria-pressed')).toBe('true')
    await eventually(() => live.messages.filter(({ type }) => ['typed', 'muted', 'dtmf'].includes(type))).toEqual([
      { type: 'typed', text: 'My name is Mia' },
      { type: 'muted', muted: true },
      { type: 'dtmf', digit: '5' },
    ])

    await page.getByRole('button', { name: 'End', exact: true }).click()
    await page.getByText(/You ended the call\. It lasted 0:\d\d\./).waitFor()
    await eventually(() => live.messages.at(-1)).toEqual({ type: 'leave' })
    expect(live.faults).toEqual([])
    expect(pageViolations).toEqual({ foreignRequests: [], errors: [] })
  })

  test('goes on with its call when it is loaded again, and shows a network that breaks', async () => {
    await using server = await startLiveServer()
    await using opened = await openCall(server)
    const { page } = opened
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

  test.each([
    ['token_used', 'was already used'],
    ['token_expired', 'has expired'],
    ['concurrency_limit_reached', 'All lines are busy'],
    ['call_ended', 'This call has ended'],
  ])('says what %s means', async (code, words) => {
    await using server = await startLiveServer()
    await using opened = await openCall(server)
    const { page } = opened
    await page.getByRole('button', { name: 'Start the call' }).click()
    const live = await connection(server)
    live.send({ type: 'refused', code, message: 'Refused.', retry: false })
    await page.getByRole('heading', { name: words }).waitFor()
    expect(await findPageProblems(page)).toEqual([])
  })

  test('lets who has no microphone type', async () => {
    await using server = await startLiveServer()
    await using opened = await openCall(server, { permission: 'denied' })
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
    await eventually(() => live.messages).toContainEqual({ type: 'typed', text: 'Hello' })
    expect(await page.getByRole('button', { name: 'Mute' }).isVisible()).toBe(false)
  })

  test('opens no microphone to who chose to type, however often the page is loaded', async () => {
    await using server = await startLiveServer()
    await using opened = await openCall(server)
    const { page } = opened
    await page.getByRole('button', { name: 'Type instead' }).click()
    ;(await connection(server)).sendJoined()
    await page.getByText('Waiting for your message').waitFor()
    for (const count of [2, 3]) {
      await page.reload()
      const again = await connection(server, count)
      again.sendJoined({ resumeToken: `resume_${count}` })
      await page.getByText('Waiting for your message').waitFor()
      expect(await page.getByRole('button', { name: 'Mute' }).isVisible()).toBe(false)
      await eventually(() => again.frames.length).toBeGreaterThan(10)
      expect(again.frames.every(({ samples }) => samples.every((sample) => sample === 0))).toBe(true)
    }
  })

  test('keeps its call when it is loaded again and only the microphone fails', async () => {
    await using server = await startLiveServer()
    await using opened = await openCall(server)
    const { page } = opened
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

  test('goes on in writing where the browser turns out not to recognise speech', async () => {
    await using server = await startLiveServer()
    await using opened = await openCall(server)
    const { page } = opened
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
    await eventually(() => live.messages).toContainEqual({ type: 'recognition-failed' })
  })

  test.each([
    [390, 'light'],
    [390, 'dark'],
    [1_280, 'light'],
    [1_280, 'dark'],
  ] as const)('can be read and used at %i pixels, %s', async (width, colorScheme) => {
    await using server = await startLiveServer()
    await using opened = await openCall(server, { context: { viewport: { width, height: 800 }, colorScheme } })
    const { page } = opened
    await page.getByRole('button', { name: 'Start the call' }).waitFor()
    expect(await findPageProblems(page)).toEqual([])
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
      expect(await findPageProblems(page)).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollHeight <= innerHeight')).toBe(true)
    }
    live.send({ type: 'ended', reason: 'agent_hangup' })
    await page.getByRole('heading', { name: 'Call ended' }).waitFor()
    expect(await findPageProblems(page)).toEqual([])
  })
})
