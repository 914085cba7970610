import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { LIVE_PATH, type ServerMessage } from '@parley/contract/live'
import { createFrames } from '@parley/engine/audio/frame'
import { type ManualClock, manualClock } from '@parley/engine/testing/manual-clock'
import type { CallObserver, CallUpdate } from '@parley/engine/voice/call-observer'
import type { LegEvents, MediaLeg } from '@parley/engine/voice/ports'
import { WebSocket } from 'ws'
import { nextTurn } from '../../../../../testing/next-turn.ts'
import type { CallRefusal, ListenerAdmission, StartedCall } from '../../kernel/live-calls.ts'
import { createLiveEndpoint, type LiveEndpoint } from './live-endpoint.ts'
import { decodeSound, encodeSound } from './sound-frames.ts'

/** What a test of the live channel waits for, in real time: far longer than anything takes. */
const PATIENCE_MS = 5_000

/** Resolves as soon as it holds, without any time passing; the test's own timeout comes first. */
export async function until(isDone: () => boolean): Promise<void> {
  while (!isDone()) await nextTurn()
}

/** Things that arrive one by one, and tests that wait for them. */
function createInbox<Item>() {
  const items: Item[] = []
  let wake = (): void => {}
  return {
    items,
    push(item: Item): void {
      items.push(item)
      wake()
    },
    /** The first item that fits and has not been taken yet. */
    async take(fits: (item: Item) => boolean): Promise<Item> {
      const signal = AbortSignal.timeout(PATIENCE_MS)
      for (;;) {
        const index = items.findIndex(fits)
        const [item] = index === -1 ? [] : items.splice(index, 1)
        if (item !== undefined) return item
        if (signal.aborted) throw new Error(`Nothing came but ${JSON.stringify(items).slice(0, 500)}`)
        await new Promise<void>((resolve) => {
          wake = resolve
          signal.addEventListener('abort', () => resolve(), { once: true })
        })
      }
    },
  }
}

/** The session's end of a leg: remembers what it hears, in words. */
export function openHeard(leg: MediaLeg, observer: CallObserver | null) {
  const heard = createInbox<string>()
  const events: LegEvents = {
    frame: (frame, startSample) => heard.push(`frame ${startSample} ${frame.length} ${frame[0]}`),
    played: (played, captured) => heard.push(`played ${played} ${captured}`),
    dtmf: (digit) => heard.push(`dtmf ${digit}`),
    recognised: (event) => heard.push(`recognised ${event.type} ${event.text}`),
    recognitionFailed: () => heard.push('recognition failed'),
    typed: (text) => heard.push(`typed ${text}`),
    lost: () => heard.push('lost'),
    restored: () => heard.push('restored'),
    hungUp: () => heard.push('hung up'),
    closed: () => undefined,
  }
  leg.listen(events)
  return {
    leg,
    heard,
    hear: (line: string) => heard.take((item) => item === line),
    notify: (update: CallUpdate) => observer?.notify(update),
  }
}

/** A browser. */
export async function openBrowser(url: string) {
  const socket = new WebSocket(url, { perMessageDeflate: false })
  const messages = createInbox<ServerMessage>()
  const sounds = createInbox<{ readonly startSample: number; readonly first: number | undefined }>()
  const closed = Promise.withResolvers<{ readonly code: number; readonly reason: string }>()
  const refused = Promise.withResolvers<number>()
  socket.on('message', (data: Buffer, isBinary: boolean) => {
    if (!isBinary) messages.push(JSON.parse(data.toString()) as ServerMessage)
    else {
      const sound = decodeSound(data, createFrames())
      if (sound !== null) sounds.push({ startSample: sound.startSample, first: sound.samples[0] })
    }
  })
  socket.on('error', () => undefined)
  socket.on('close', (code, reason) => closed.resolve({ code, reason: reason.toString() }))
  socket.on('unexpected-response', (_request, response) => {
    response.resume()
    refused.resolve(response.statusCode ?? 0)
  })
  const opened = new Promise<void>((resolve) => socket.on('open', () => resolve()))
  const status = await Promise.race([opened.then(() => 101), refused.promise])
  return {
    status,
    socket,
    messages,
    sounds,
    closed: closed.promise,
    /** A message there and back, unless it is closed. */
    async roundTrip() {
      if (socket.readyState !== WebSocket.OPEN || socket.isPaused) return
      const answered = new Promise((resolve) => socket.once('pong', resolve))
      socket.ping()
      await Promise.race([answered, closed.promise])
    },
    say: (message: object | string) => socket.send(typeof message === 'string' ? message : JSON.stringify(message)),
    sound: (samples: Int16Array, startSample: number) => socket.send(encodeSound(samples, startSample)),
    take: <Type extends ServerMessage['type']>(type: Type) =>
      messages.take((message) => message.type === type) as Promise<Extract<ServerMessage, { type: Type }>>,
    async join(changes: object = {}) {
      socket.send(JSON.stringify({ ...JOIN, ...changes }))
      return (await messages.take(({ type }) => type === 'joined')) as Extract<ServerMessage, { type: 'joined' }>
    },
  }
}

export type Browser = Awaited<ReturnType<typeof openBrowser>>

export const JOIN = {
  type: 'join',
  protocol: 1,
  accessToken: 'token-1',
  rateHz: 8_000,
  recognition: true,
  echoCancellation: true,
}

/** What the host of a test answers to a token. */
export type Answer = (
  accessToken: string,
  leg: MediaLeg,
  observer: CallObserver | null,
) => Promise<StartedCall | CallRefusal>

/** A server with the live channel in virtual time, and a host that lets everybody in unless told otherwise. */
export async function openLive(
  changes: { readonly answer?: Answer; readonly admit?: ListenerAdmission['admit']; readonly endAll?: () => void } = {},
) {
  const time: ManualClock = manualClock()
  const server = createServer((_request, response) => response.writeHead(404).end())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const sessions = createInbox<ReturnType<typeof openHeard>>()
  const errors: unknown[] = []
  const returned: string[] = []
  let secrets = 0
  const letIn: Answer = async (accessToken) => ({
    ok: true,
    callId: `call_${accessToken}`,
    agentName: 'Desk',
    language: 'en-US',
    recognition: 'browser',
    standIns: [],
    startedAtMs: time.clock.now(),
  })
  const endpoint: LiveEndpoint = createLiveEndpoint({
    server,
    clock: time.clock,
    logError: (_name, error) => errors.push(error),
    makeSecret() {
      secrets += 1
      return `secret${String(secrets).padStart(20, '0')}`
    },
    addressOf: ({ socket }) => socket.remoteAddress ?? '',
    listeners: { admit: changes.admit ?? (async (callId) => ({ ok: true, callId, watch: () => () => undefined })) },
    callers: {
      admit: async (callId) => ({ ok: true, callId, giveBack: async () => void returned.push(callId) }),
    },
    host: {
      async start({ callId: accessToken, leg, observer = null }) {
        const session = openHeard(leg, observer)
        const joined = await (changes.answer ?? letIn)(accessToken, leg, observer)
        if (joined.ok) sessions.push(session)
        return joined
      },
      endAll: changes.endAll ?? (() => undefined),
    },
  })
  const browsers: Browser[] = []
  const browse = async (path: string = LIVE_PATH): Promise<Browser> => {
    const browser = await openBrowser(`ws://127.0.0.1:${port}${path}`)
    browsers.push(browser)
    return browser
  }
  /** Lets everything arrive that is under way. */
  const settleLines = async (): Promise<void> => {
    for (let round = 0; round < 2; round += 1) await Promise.all(browsers.map((browser) => browser.roundTrip()))
  }
  return {
    time,
    server,
    port,
    settleLines,
    /** Time goes by while browsers answer pings. */
    async pass(durationMs: number) {
      for (let leftMs = durationMs; leftMs > 0; leftMs -= 500) {
        await time.advance(Math.min(leftMs, 500))
        await settleLines()
      }
    },
    endpoint,
    errors,
    /** Tokens that work again since their calls did not start. */
    returned,
    browse,
    /** The next call that was joined. */
    session: () => sessions.take(() => true),
    async joined(changes: object = {}) {
      const browser = await browse()
      const joined = await browser.join(changes)
      return { browser, joined, ...(await sessions.take(() => true)) }
    },
    async [Symbol.asyncDispose]() {
      for (const { socket } of browsers) socket.terminate()
      await endpoint.stop(0)
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
