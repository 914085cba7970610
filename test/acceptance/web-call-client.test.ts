import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { findChromium } from '../../scripts/service-programs.cjs'
import { createBabble, createTone } from '../../testing/browser/audio-samples.ts'
import { startChromium } from '../../testing/browser/chromium.ts'
import { expectEventually } from '../../testing/browser/eventually.ts'
import { type LiveConnection, type LiveServer, startLiveServer } from '../../testing/browser/live-server.ts'
import { getDurationMs, locateAudio } from '../../testing/locate-audio.ts'
import { startNetworkProxy } from '../../testing/network-proxy.ts'
import { type Recording, writeWav } from '../../testing/speech-server/wav-audio.ts'
import { openCallScene } from '../full/web-call-scene.ts'

const WAV_HZ = 48_000
const RATE_HZ = 16_000
/** Step for comparing loudness, about the attack of a syllable. */
const STEP_MS = 50

function babble(lengthMs: number): Recording {
  return { samples: createBabble(lengthMs, WAV_HZ), rateHz: WAV_HZ }
}

/** Returns a script that joins a call and stores it in `window.call` and its events in `window.seen`. */
function joinScript(options: Readonly<Record<string, unknown>>, baseUrl = ''): string {
  return `(async () => {
    const { startCall } = await import('${baseUrl}/sdk/index.js')
    window.seen = []
    window.call = await startCall(${JSON.stringify({ accessToken: 'token', ...options })})
    for (const name of ['call-started', 'agent-speaking', 'agent-silent', 'transcript', 'reconnecting', 'reconnected',
      'warning', 'error', 'ended']) window.call.on(name, (event) => window.seen.push({ name, ...event }))
  })()`
}

/** Joins a call from an empty page and returns its connection. */
async function join(server: LiveServer, page: Page, options: Readonly<Record<string, unknown>> = {}) {
  const joined = page.evaluate(joinScript({ recognition: false, ...options }))
  const connection = await nextConnection(server, 1)
  connection.sendJoined()
  await joined
  return connection
}

async function nextConnection(server: LiveServer, count: number): Promise<LiveConnection> {
  await expectEventually(() => server.connections[count - 1]?.messages.length ?? 0).toBeGreaterThan(0)
  return server.connections[count - 1] as LiveConnection
}

async function seen(page: Page, name: string): Promise<Record<string, unknown>[]> {
  return await page.evaluate<Record<string, unknown>[]>(`window.seen.filter((event) => event.name === '${name}')`)
}

/** Script that polls the call's output and stores its peak and the time it was last audible in `window.heard`. */
const WATCH_OUTPUT = `(() => {
  const analyser = new AnalyserNode(call.output.context, { fftSize: 64 })
  call.output.connect(analyser)
  const block = new Float32Array(64)
  window.heard = { lastAudioMs: 0, loudest: 0, clearedMs: 0 }
  const channel = new MessageChannel()
  channel.port1.onmessage = () => {
    analyser.getFloatTimeDomainData(block)
    const peak = Math.max(...block.map(Math.abs))
    heard.loudest = Math.max(heard.loudest, peak)
    if (peak > 0.01) heard.lastAudioMs = performance.now()
    setTimeout(() => channel.port2.postMessage(null), 1)
  }
  channel.port2.postMessage(null)
})()`

/** Script that stores the time at which a `clear` message arrives, before the client handles it. */
const RECORD_CLEARS = `(() => {
  const Plain = WebSocket
  window.WebSocket = class extends Plain {
    constructor(...settings) {
      super(...settings)
      this.addEventListener('message', ({ data }) => {
        if (typeof data === 'string' && data.includes('"clear"')) heard.clearedMs = performance.now()
      })
    }
  }
})()`

describe.skipIf(findChromium() === null)('the call client in a real browser', () => {
  test.each([
    // Without the browser's audio processing, the audio arrives unchanged.
    { cleanUp: false, minCorrelation: 0.99 },
    // Noise suppression and automatic gain control distort the synthetic voice.
    { cleanUp: true, minCorrelation: 0.8 },
  ])(
    'sends intelligible microphone audio without gaps (audio processing: $cleanUp)',
    async ({ cleanUp, minCorrelation }) => {
      const spoken = babble(20_000)
      await using server = await startLiveServer()
      await using browser = await startChromium({ microphone: writeWav(spoken), cleanUp })
      const { page, pageViolations } = await browser.open(`${server.url}/blank`)
      const connection = await join(server, page)
      expect(connection.messages[0]).toMatchObject({
        type: 'join',
        rateHz: RATE_HZ,
        recognition: false,
      })

      await expectEventually(() => connection.frames.length).toBeGreaterThan(250)
      const frames = connection.frames.slice(0, 250)
      expect(frames.map(({ startSample }) => startSample)).toEqual(frames.map((_, index) => index * 320))
      // Automatic gain control takes a moment to settle.
      const samples = new Int16Array(frames.flatMap((frame) => [...frame.samples])).subarray(RATE_HZ)
      const heard = { samples, rateHz: RATE_HZ }
      const searchBounds = { fromMs: 0, toMs: getDurationMs(spoken) - getDurationMs(heard), stepMs: STEP_MS }
      expect(locateAudio(heard, spoken, searchBounds).correlation).toBeGreaterThan(minCorrelation)
      expect(connection.faults).toEqual([])
      expect(pageViolations).toEqual({ foreignRequests: [], errors: [] })
    },
  )

  test('loses no microphone audio while the page is blocked', async () => {
    await using server = await startLiveServer()
    await using browser = await startChromium()
    const { page } = await browser.open(`${server.url}/blank`)
    const connection = await join(server, page)
    await expectEventually(() => connection.frames.length).toBeGreaterThan(25)
    await page.evaluate(`(() => {
      const untilMs = performance.now() + 2500
      while (performance.now() < untilMs);
    })()`)
    await expectEventually(() => connection.frames.length).toBeGreaterThan(250)
    const starts = connection.frames.map(({ startSample }) => startSample)
    expect(starts).toEqual(starts.map((_, index) => index * 320))
  })

  test.each([16_000, 8_000] as const)('plays agent audio at %i Hz and reports the position', async (rateHz) => {
    await using server = await startLiveServer()
    await using browser = await startChromium()
    const { page } = await browser.open(`${server.url}/blank`)
    const connection = await join(server, page, { rateHz, microphone: false })
    await page.evaluate(WATCH_OUTPUT)
    connection.play(0, createTone(440, 1_000, rateHz, 0.5), rateHz)
    const positions = () => connection.messages.filter((message) => message.type === 'position')
    await expectEventually(() => positions().at(-1)?.playedSamples).toBe(rateHz)

    const played = positions().map(({ playedSamples }) => playedSamples)
    expect(played).toEqual([...played].sort((one, other) => one - other))
    expect(played.length).toBeGreaterThan(8)
    expect(await page.evaluate<number>('heard.loudest')).toBeCloseTo(0.5, 1)
  })

  test('stops playback within milliseconds of a clear message', async () => {
    await using server = await startLiveServer()
    await using browser = await startChromium()
    const { page } = await browser.open(`${server.url}/blank`)
    await page.evaluate(RECORD_CLEARS)
    const connection = await join(server, page)
    await page.evaluate(WATCH_OUTPUT)
    connection.play(0, createTone(440, 10_000, RATE_HZ), RATE_HZ)
    await expectEventually(() => page.evaluate<number>('heard.lastAudioMs')).toBeGreaterThan(0)
    const before = connection.messages.length
    connection.send({ type: 'clear' })
    await expectEventually(() => page.evaluate<number>('performance.now() - heard.lastAudioMs')).toBeGreaterThan(300)

    const silentMs = await page.evaluate<number>('heard.lastAudioMs - heard.clearedMs')
    // The audio fades out in 5 ms. The rest is the browser's output queue, which grows on a busy machine.
    expect(silentMs).toBeLessThan(100)
    const position = connection.messages.slice(before).find((message) => message.type === 'position')
    expect(position).toMatchObject({ playedSamples: expect.any(Number) })
    expect(connection.messages.filter((message) => message.type === 'position').at(-1)?.playedSamples).toBeLessThan(
      5 * RATE_HZ,
    )
    // Later audio plays normally, with its own sample positions.
    connection.play(10 * RATE_HZ, createTone(440, 500, RATE_HZ), RATE_HZ)
    await expectEventually(
      () => connection.messages.filter((message) => message.type === 'position').at(-1)?.playedSamples,
    ).toBe(10.5 * RATE_HZ)
  })

  test('reconnects after ten seconds without a network and loses no audio', async () => {
    await using server = await startLiveServer()
    await using browser = await startChromium({ microphone: writeWav(babble(30_000)) })
    const { page } = await browser.open(`${server.url}/blank`)
    const first = await join(server, page)
    const caption = { type: 'caption', role: 'agent', final: true, interrupted: false } as const
    first.send({ ...caption, seq: 1, id: 'a', text: 'One' })
    await expectEventually(() => seen(page, 'transcript')).toHaveLength(1)
    await expectEventually(() => first.frames.length).toBeGreaterThan(20)

    server.isReachable = false
    first.disconnect()
    const disconnectedAtMs = performance.now()
    await expectEventually(() => seen(page, 'reconnecting')).toHaveLength(1)
    await page.evaluate("call.type('typed while away')")
    await expectEventually(() => performance.now() - disconnectedAtMs).toBeGreaterThan(10_000)
    expect(server.rejectedConnections).toBeGreaterThan(2)
    server.isReachable = true

    const second = await nextConnection(server, 2)
    expect(second.messages[0]).toEqual({ type: 'resume', protocol: 1, resumeToken: 'resume_1', lastSeq: 1 })
    second.sendJoined({ resumeToken: 'resume_2', elapsedMs: 11_000 })
    second.send({ ...caption, seq: 1, id: 'a', text: 'One' })
    second.send({ ...caption, seq: 2, id: 'b', text: 'Two' })
    await expectEventually(async () => (await seen(page, 'transcript')).map(({ text }) => text)).toEqual(['One', 'Two'])
    expect(await seen(page, 'reconnected')).toHaveLength(1)
    await expectEventually(() => second.messages).toContainEqual({ type: 'typed', text: 'typed while away' })

    await expectEventually(() => second.frames.length).toBeGreaterThan(10)
    const lastBefore = first.frames.at(-1)
    const firstAfter = second.frames[0]
    const droppedMs = (((firstAfter?.startSample ?? 0) - (lastBefore?.startSample ?? 0)) / RATE_HZ) * 1_000
    expect(droppedMs).toBeGreaterThan(9_500)
    expect(droppedMs).toBeLessThan(15_000)
    second.send({ type: 'ended', reason: 'agent_hangup' })
    await expectEventually(() => seen(page, 'ended')).toEqual([{ name: 'ended', reason: 'agent_hangup' }])
  })

  test('neither loses nor repeats messages typed before the lost connection is noticed', async () => {
    await using server = await startLiveServer()
    await using browser = await startChromium()
    const { page } = await browser.open(`${server.url}/blank`)
    const first = await join(server, page)
    const typed = ({ messages }: LiveConnection) => messages.flatMap((each) => (each.type === 'typed' ? each.text : []))
    await page.evaluate("call.type('arrives')")
    await expectEventually(() => typed(first)).toEqual(['arrives'])
    first.dropIncoming()
    await page.evaluate("call.type('is lost'); call.sendDigits('7')")
    await expectEventually(() => seen(page, 'reconnecting')).toHaveLength(1)

    const second = await nextConnection(server, 2)
    second.sendJoined({ resumeToken: 'resume_2' })
    await expectEventually(() => second.messages.some(({ type }) => type === 'ping')).toBe(true)
    expect(second.messages.slice(1, 3)).toEqual([
      { type: 'typed', text: 'is lost' },
      { type: 'dtmf', digit: '7' },
    ])
    expect([typed(first), typed(second)]).toEqual([['arrives'], ['is lost']])
  })

  test.each(['late', 'never'] as const)(
    'delivers each message once to a real server (held traffic arrives: %s)',
    async (through) => {
      await using scene = await openCallScene({})
      await using network = await startNetworkProxy(scene.server.url)
      await using browser = await startChromium()
      const { page } = await browser.open(`${network.url}/call/none`)
      const { accessToken } = await scene.makeCall()
      await page.evaluate(joinScript({ accessToken, recognition: false, microphone: false }))
      const said = async () =>
        (await seen(page, 'transcript')).flatMap(({ role, final, text }) => (role === 'user' && final ? text : []))
      await page.evaluate("call.type('one')")
      await expectEventually(said).toEqual(['one'])
      network.pauseTraffic()
      await page.evaluate("call.type('two')")
      await expectEventually(() => seen(page, 'reconnecting')).toHaveLength(1)
      await page.evaluate("call.type('three')")
      if (through === 'never') network.disconnect()
      network.restore()
      await expectEventually(() => seen(page, 'reconnected')).toHaveLength(1)
      await page.evaluate("call.type('four')")
      await expectEventually(async () => (await said()).join(' ')).toMatch(/four$/)
      expect((await said()).join(' ')).toBe('one two three four')
    },
  )

  test('mutes, switches microphones and releases everything when the call ends', async () => {
    await using server = await startLiveServer()
    await using browser = await startChromium({ microphone: writeWav(babble(30_000)) })
    const { page } = await browser.open(`${server.url}/blank`)
    const connection = await join(server, page)
    const loudness = () => Math.max(...(connection.frames.at(-1)?.samples ?? [0]).map(Math.abs))
    await expectEventually(loudness).toBeGreaterThan(500)
    await page.evaluate('call.mute()')
    await expectEventually(() => connection.messages.at(-1) && connection.messages).toContainEqual({
      type: 'muted',
      muted: true,
    })
    await expectEventually(() =>
      connection.frames
        .slice(-20)
        .flatMap(({ samples }) => [...samples])
        .some((each) => Math.abs(each) > 2),
    ).toBe(false)
    await page.evaluate('call.unmute()')
    await expectEventually(loudness).toBeGreaterThan(500)
    const found = await page.evaluate<{ microphones: { deviceId: string; label: string }[] }>(
      "import('/sdk/index.js').then(({ devices }) => devices())",
    )
    expect(found.microphones.length).toBeGreaterThan(0)
    await page.evaluate(`call.setMicrophone(${JSON.stringify(found.microphones[0]?.deviceId)})`)
    const count = connection.frames.length
    await expectEventually(() => connection.frames.length).toBeGreaterThan(count + 10)
    await page.evaluate("call.sendDigits('1#'); call.end()")
    await expectEventually(() => connection.messages.slice(-3)).toEqual([
      { type: 'dtmf', digit: '1' },
      { type: 'dtmf', digit: '#' },
      { type: 'leave' },
    ])
    await expectEventually(() => connection.isOpen).toBe(false)
    await expectEventually(() => page.evaluate('call.output.context.state')).toBe('closed')
    expect(await seen(page, 'ended')).toEqual([{ name: 'ended', reason: 'user_hangup' }])
  })

  test('works on a page from another origin', async () => {
    await using server = await startLiveServer()
    const other = createServer((_request, response) => {
      response
        .setHeader('content-type', 'text/html')
        .end('<!doctype html><link rel="icon" href="data:,"><title>Elsewhere</title>')
    })
    other.listen(0, '127.0.0.1')
    await once(other, 'listening')
    await using browser = await startChromium()
    const { page, pageViolations } = await browser.open(`http://127.0.0.1:${(other.address() as AddressInfo).port}/`)
    const joined = page.evaluate(joinScript({ recognition: false, baseUrl: server.url }, server.url))
    const connection = await nextConnection(server, 1)
    connection.sendJoined()
    await joined
    await expectEventually(() => connection.frames.length).toBeGreaterThan(5)
    expect(pageViolations.errors).toEqual([])
    other.close()
    other.closeAllConnections()
  })

  test('explains the problem and the fix when the microphone is blocked', async () => {
    await using server = await startLiveServer()
    await using browser = await startChromium({ permission: 'denied' })
    const { page } = await browser.open(`${server.url}/blank`)
    const problem = await page.evaluate(
      `import('/sdk/index.js').then(({ startCall }) => startCall({ accessToken: 'token' })).catch(
        ({ name, code, fix }) => ({ name, code, fix }))`,
    )
    expect(problem).toEqual({
      name: 'CallProblem',
      code: 'microphone_blocked',
      fix: expect.stringContaining('Allow the microphone'),
    })
    expect(server.connections).toEqual([])
  })
})
