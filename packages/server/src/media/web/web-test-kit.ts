import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { LIVE_PATH, type ServerMessage } from '@parley/contract/live'
import { createFrameFactory } from '@parley/engine/audio/frame'
import type { Clock } from '@parley/engine/ports'
import { createManualClock, type ManualClock } from '@parley/engine/testing/manual-clock'
import type { CallObserver, CallUpdate, LegEvents, MediaLeg } from '@parley/engine/voice/ports'
import { WebSocket } from 'ws'
import { nextTurn } from '../../../../../testing/next-turn.ts'
import type { CallRejection, ListenerAdmission, LiveCallHost, StartedCall } from '../../features/calls/live-calls.ts'
import { decodeAudio, encodeAudio } from '../channel/audio-messages.ts'
import { createListenableCalls } from '../listening/listenable-calls.ts'
import { createUpgradeTable } from '../upgrades/upgrade-table.ts'
import { createWebEndpoint } from './web-endpoint.ts'

/** Timeout of a wait in real time. */
const TIMEOUT_MS = 5_000

/** Resolves as soon as the condition is true, without advancing time. */
export async function waitUntil(isDone: () => boolean): Promise<void> {
  while (!isDone()) await nextTurn()
}

/** Creates an inbox for items that arrive one by one. */
function createInbox<Item>() {
  const items: Item[] = []
  let wake = (): void => {}
  return {
    items,
    push(item: Item): void {
      items.push(item)
      wake()
    },
    /** Waits for the first matching item and removes it from the inbox. */
    async take(matches: (item: Item) => boolean): Promise<Item> {
      const signal = AbortSignal.timeout(TIMEOUT_MS)
      for (;;) {
        const index = items.findIndex(matches)
        const [item] = index === -1 ? [] : items.splice(index, 1)
        if (item !== undefined) return item
        if (signal.aborted) throw new Error(`No match in ${JSON.stringify(items).slice(0, 500)}`)
        await new Promise<void>((resolve) => {
          wake = resolve
          signal.addEventListener('abort', () => resolve(), { once: true })
        })
      }
    },
  }
}

/** Records the events of a leg as text. */
export function openRecordedLeg(leg: MediaLeg, observer: CallObserver | null) {
  const received = createInbox<string>()
  const events: LegEvents = {
    frame: (frame, startSample) => received.push(`frame ${startSample} ${frame.length} ${frame[0]}`),
    played: (played, captured) => received.push(`played ${played} ${captured}`),
    dtmf: (digit) => received.push(`dtmf ${digit}`),
    recognized: (event) => received.push(`recognised ${event.type} ${event.text}`),
    recognitionFailed: () => received.push('recognition failed'),
    typed: (text) => received.push(`typed ${text}`),
    lost: () => received.push('lost'),
    restored: () => received.push('restored'),
    hungUp: () => received.push('hung up'),
    closed: () => undefined,
  }
  leg.listen(events)
  return {
    leg,
    received,
    waitFor: (expectedEvent: string) => received.take((item) => item === expectedEvent),
    notify: (update: CallUpdate) => observer?.notify(update),
  }
}

/** Opens a WebSocket that acts like a browser. */
async function openBrowser(url: string) {
  const socket = new WebSocket(url, { perMessageDeflate: false })
  const messages = createInbox<ServerMessage>()
  const audioFrames = createInbox<{ readonly startSample: number; readonly firstSample: number | undefined }>()
  const closeEvent = Promise.withResolvers<{ readonly code: number; readonly reason: string }>()
  const rejection = Promise.withResolvers<number>()
  socket.on('message', (data: Buffer, isBinary: boolean) => {
    if (!isBinary) messages.push(JSON.parse(data.toString()) as ServerMessage)
    else {
      const audio = decodeAudio(data, createFrameFactory())
      if (audio !== null) audioFrames.push({ startSample: audio.startSample, firstSample: audio.samples[0] })
    }
  })
  socket.on('error', () => undefined)
  socket.on('close', (code, reason) => closeEvent.resolve({ code, reason: reason.toString() }))
  socket.on('unexpected-response', (_request, response) => {
    response.resume()
    rejection.resolve(response.statusCode ?? 0)
  })
  const openPromise = new Promise<void>((resolve) => socket.on('open', () => resolve()))
  const status = await Promise.race([openPromise.then(() => 101), rejection.promise])
  return {
    status,
    socket,
    messages,
    audioFrames,
    closed: closeEvent.promise,
    /** Waits for a ping round trip unless the socket is closed. */
    async roundTrip() {
      if (socket.readyState !== WebSocket.OPEN || socket.isPaused) return
      const pong = new Promise((resolve) => socket.once('pong', resolve))
      socket.ping()
      await Promise.race([pong, closeEvent.promise])
    },
    send: (message: object | string) => socket.send(typeof message === 'string' ? message : JSON.stringify(message)),
    sendAudio: (samples: Int16Array, startSample: number) => socket.send(encodeAudio(samples, startSample)),
    take: <Type extends ServerMessage['type']>(type: Type) =>
      messages.take((message) => message.type === type) as Promise<Extract<ServerMessage, { type: Type }>>,
    async join(changes: object = {}) {
      socket.send(JSON.stringify({ ...JOIN, ...changes }))
      return (await messages.take(({ type }) => type === 'joined')) as Extract<ServerMessage, { type: 'joined' }>
    },
  }
}

type Browser = Awaited<ReturnType<typeof openBrowser>>

export const JOIN = {
  type: 'join',
  protocol: 1,
  accessToken: 'token-1',
  rateHz: 8_000,
  recognition: true,
  echoCancellation: true,
}

/** Starts or rejects the call of a token. */
type HostStart = (
  accessToken: string,
  leg: MediaLeg,
  observer: CallObserver | null,
) => Promise<StartedCall | CallRejection>

interface LiveOptions {
  readonly answer?: HostStart
  readonly admit?: ListenerAdmission['admit']
  readonly endAll?: () => void
}

/** Starts a live channel server in virtual time. By default, its host accepts every token. */
export async function openLive(changes: LiveOptions = {}) {
  const time: ManualClock = createManualClock()
  const channel = await serveChannel(changes, time)
  const browsers: Browser[] = []
  const connectBrowser = async (path: string = LIVE_PATH): Promise<Browser> => {
    const browser = await openBrowser(`ws://127.0.0.1:${channel.port}${path}`)
    browsers.push(browser)
    return browser
  }
  /** Waits until all sent messages have arrived. */
  const waitForRoundTrips = async (): Promise<void> => {
    for (let round = 0; round < 2; round += 1) await Promise.all(browsers.map((browser) => browser.roundTrip()))
  }
  return {
    ...channel,
    time,
    settleConnections: waitForRoundTrips,
    /** Advances time while browsers answer pings. */
    async advanceTime(durationMs: number) {
      for (let remainingMs = durationMs; remainingMs > 0; remainingMs -= 500) {
        await time.advance(Math.min(remainingMs, 500))
        await waitForRoundTrips()
      }
    },
    browse: connectBrowser,
    async joined(message: object = {}) {
      const browser = await connectBrowser()
      const joined = await browser.join(message)
      return { browser, joined, ...(await channel.session()) }
    },
    async [Symbol.asyncDispose]() {
      for (const { socket } of browsers) socket.terminate()
      await channel.stop(0)
      await new Promise((resolve) => channel.server.close(resolve))
    },
  }
}

async function serveChannel(changes: LiveOptions, { clock }: ManualClock) {
  const server = createServer((_request, response) => response.writeHead(404).end())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const sessions = createInbox<ReturnType<typeof openRecordedLeg>>()
  const errors: unknown[] = []
  const logError = (_name: string, error: unknown): void => void errors.push(error)
  const returnedTokens: string[] = []
  let secretCount = 0
  const calls = createListenableCalls(
    createHost(changes, clock, (session) => sessions.push(session)),
    clock,
  )
  const endpoint = createWebEndpoint({
    ...{ calls, clock, logError },
    makeSecret() {
      secretCount += 1
      return `secret${String(secretCount).padStart(20, '0')}`
    },
    listeners: { admit: changes.admit ?? (async (callId) => ({ ok: true, callId, watch: () => () => undefined })) },
    callers: {
      admit: async (token) => ({
        ok: true,
        callId: `call_${token}`,
        release: async () => void returnedTokens.push(token),
      }),
    },
  })
  const getClientAddress = ({ socket }: IncomingMessage): string => socket.remoteAddress ?? ''
  const upgrades = createUpgradeTable({ server, routes: [endpoint], clock, logError, getClientAddress })
  return {
    calls,
    server,
    port: (server.address() as AddressInfo).port,
    endpoint,
    errors,
    /** Tokens that were released because their call did not start. */
    returnedTokens,
    /** Returns the next started call. */
    session: () => sessions.take(() => true),
    async stop(deadlineMs: number) {
      await upgrades.drain(deadlineMs)
      changes.endAll?.()
      await upgrades.close()
    },
  }
}

function createHost(
  { answer }: LiveOptions,
  clock: Clock,
  onSession: (session: ReturnType<typeof openRecordedLeg>) => void,
): Pick<LiveCallHost, 'start'> {
  const startCall: HostStart = async (accessToken) => ({
    ok: true,
    callId: `call_${accessToken}`,
    agentName: 'Desk',
    language: 'en-US',
    recognition: 'browser',
    standIns: [],
    startedAtMs: clock.now(),
  })
  return {
    async start({ callId, leg, observer = null }) {
      const session = openRecordedLeg(leg, observer)
      const startResult = await (answer ?? startCall)(callId.replace('call_', ''), leg, observer)
      if (startResult.ok) onSession(session)
      return startResult
    },
  }
}
